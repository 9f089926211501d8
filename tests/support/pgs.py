"""Writes bitmap subtitles as on Blu-ray (Presentation Graphic Stream, .sup), which FFmpeg can read but not write."""

import struct

CLOCK = 90000
COMPOSITION, WINDOW, PALETTE, OBJECT, END = 0x16, 0x17, 0x14, 0x15, 0x80


def segment(seconds, kind, data=b""):
    return b"PG" + struct.pack(">IIBH", round(seconds * CLOCK), 0, kind, len(data)) + data


def composition(size, number, objects):
    """Returns a composition segment, which replaces the picture on the screen. `objects` is a list with the (x, y) of
    one object, or an empty list to clear the screen."""
    placed = b"".join(struct.pack(">HBBHH", 0, 0, 0, *place) for place in objects)
    return struct.pack(">HHBHBBBB", *size, 0x10, number, 0x80, 0, 0, len(objects)) + placed


def white_box(path, size, box, begin, end):
    """Writes a white rectangle `box` (x, y, width, height) on a canvas of `size`, shown from `begin` to `end` seconds."""
    x, y, width, height = box
    assert 64 <= width < 1 << 14, "this function codes only run lengths from 64 to 16383"
    line = struct.pack(">BHB", 0, 0xC000 | width, 1) + b"\0\0"
    bitmap = struct.pack(">HH", width, height) + line * height
    window = struct.pack(">BBHHHH", 1, 0, x, y, width, height)
    path.write_bytes(b"".join((
        segment(begin, COMPOSITION, composition(size, 0, [(x, y)])),
        segment(begin, WINDOW, window),
        segment(begin, PALETTE, bytes((0, 0, 1, 235, 128, 128, 255))),
        segment(begin, OBJECT, struct.pack(">HBB", 0, 0, 0xC0) + struct.pack(">I", len(bitmap))[1:] + bitmap),
        segment(begin, END),
        segment(end, COMPOSITION, composition(size, 1, [])),
        segment(end, WINDOW, window),
        segment(end, END))))
    return path
