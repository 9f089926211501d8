"""Reads .cells and .cast files, and draws screens of characters with the glyphs of a recording."""

import json
import struct
import zlib
from dataclasses import dataclass

import numpy as np

HALVES = (1 << 24, 1 << 25)  # flags of the left and right half of a wide character in .cells files


@dataclass
class Screen:
    """What a program shows: a character for each cell, "" in the right half of a wide character, and RGB colors."""
    characters: list[list[str]]
    foreground: np.ndarray
    background: np.ndarray

    def text(self):
        return ["".join(row) for row in self.characters]


def chunks_of(path):
    """Returns the types and payloads of the chunks of a .cells file (docs/cells-format.md)."""
    data, at, chunks = path.read_bytes(), 8, []
    while at < len(data):
        length, = struct.unpack_from("<I", data, at + 4)
        chunks.append((data[at:at + 4], data[at + 8:at + 8 + length]))
        at += length + 12
    return chunks


def glyph_masks(path):
    """Returns the pixels of each glyph of a .cells file. The keys are code points plus flags (see HALVES)."""
    points, masks = [], {}
    for kind, payload in chunks_of(path):
        if kind == b"HEAD":
            width, height = payload[12:14]
        elif kind == b"GLYF":
            points = [point for point, _ in struct.iter_unpack("<IB", payload[4:])]
        elif kind == b"MASK":
            pixels = np.frombuffer(zlib.decompress(payload, -15), np.uint8)
            masks.update(zip(points, pixels.reshape(-1, height, width)))
    return masks


def outputs(path):
    """Returns the header of an asciicast (version 2 or 3), and its outputs as (seconds since the start, text)."""
    header, *events = [json.loads(line) for line in path.read_text().splitlines()]
    if header["version"] == 3:
        times = np.cumsum([event[0] for event in events])
        events = [(time, *event[1:]) for time, event in zip(times, events)]
    return header, [(event[0], event[2]) for event in events if event[1] == "o" and event[2]]


def glyphs_of(screen):
    """Yields the code point of each cell of a screen, plus a flag if the cell has half of a wide character
    (see HALVES)."""
    for row in screen.characters:
        following = [*row[1:], " "]
        for column, (character, after) in enumerate(zip(row, following)):
            if character == "":
                yield ord(row[column - 1]) + HALVES[1]
            else:
                yield ord(character) + (HALVES[0] if after == "" else 0)


def drawn(screen, masks):
    """Returns the picture of a screen, drawn by the formula of docs/cells-format.md."""
    rows, columns = screen.foreground.shape[:2]
    shapes = np.array([masks[glyph] for glyph in glyphs_of(screen)])
    mask = shapes.reshape(rows, columns, *shapes.shape[1:])[..., None].astype(np.uint32)
    value = (screen.foreground[:, :, None, None].astype(np.uint32) * mask +
             screen.background[:, :, None, None].astype(np.uint32) * (255 - mask) + 128)
    pixels = ((value + (value >> 8)) >> 8).astype(np.uint8)
    height, width = mask.shape[2:4]
    return pixels.transpose(0, 2, 1, 3, 4).reshape(rows * height, columns * width, 3)
