#!/usr/bin/env python3
"""Draws twelve kinds of picture that are hard to render as text, each in every mode, on contact sheets.

  tests/fidelity/hard_frames.py [--binary FILE] [--clip FILE --face SECONDS --foliage SECONDS] [--grid 96x27] --out DIR

Writes DIR/NN-KIND.png, with the source and every mode at full size, and DIR/sheet.png, with all kinds at a small size.
Night and silhouettes are from the demo clip, faces and foliage from --clip. Without --clip, leaves are generated and
faces are left out.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

import glyphs
import material
import measures
import methods
import pictures
import sheets

CELL = (8, 16)
DEMO = methods.ROOT / "assets" / "demo.mp4"
# SHOWN: number of the frame on the sheets; by then temporal smoothing has converged. COUNT: number of frames per kind.
SHOWN, COUNT = 8, 10


def cut(path, seconds):
    """Returns COUNT frames of a clip, of which frame SHOWN is at `seconds`."""
    about = pictures.probe(path)
    first = max(0, round(seconds * about.rate) - SHOWN)
    return list(pictures.decode(path, (about.width, about.height), about.matrix, first + COUNT))[first:]


def motion_blurred(frames, reach):
    """Returns frames of a fast pan: the picture moves by `reach` pixels per frame, and each frame is blurred over `reach`
    pixels in linear light."""
    picture = frames[0]
    light = measures.linear_from_srgb(np.concatenate([picture, picture[:, ::-1]], axis=1))
    smeared = sum(np.roll(light, -shift, axis=1) for shift in range(reach)) / reach
    code = measures.srgb_from_linear(smeared)
    return [np.roll(code, reach * (SHOWN - number), axis=1)[:, :picture.shape[1]] for number in range(COUNT)]


def hdr_scene():
    """Returns a scene in nits with BT.2020 primaries, (height, width, 3): a sun of 3000, a sky, hills of 1 to 60, vivid
    patches, and a wedge from 0.01 to 4000."""
    width, height = 640, 360
    y, x = np.mgrid[0:height, 0:width]
    nits = np.stack([60 + 180 * y / height, 90 + 150 * y / height, 260 - 60 * y / height], axis=-1)
    distance = np.hypot(x - 470, y - 90)
    nits += (3000 * np.clip(31 - distance, 0, 1) + 900 * np.exp(-distance / 45))[..., None] * [1.0, 0.85, 0.6]
    for level, (base, color) in enumerate(((170, (30, 45, 60)), (215, (10, 25, 12)), (260, (1.5, 3, 1.2)))):
        hill = y > base + 22 * np.sin(x / (50 + 17 * level) + level)
        nits = np.where(hill[..., None], color, nits)
    for i, color in enumerate(((800, 5, 5), (5, 500, 5), (5, 5, 300), (600, 5, 500), (5, 500, 500))):
        nits[225:265, 30 + 60 * i:75 + 60 * i] = color
    nits[300:] = (0.01 * 400000.0 ** (np.arange(width) / (width - 1)))[None, :, None]
    return nits


def write_hdr(path):
    """Writes the scene as a PQ clip (SMPTE ST 2084): BT.2020 non-constant luminance, 10 bits, limited range.

    Returns the expected SDR picture: white at 203 nits (BT.2408), highlights rolled off, then clipped to BT.709.
    """
    nits = hdr_scene()
    light = (nits / 10000) ** 0.1593017578125
    coded = ((0.8359375 + 18.8515625 * light) / (1 + 18.6875 * light)) ** 78.84375
    red, green, blue = np.moveaxis(coded, -1, 0)
    luma = 0.2627 * red + 0.6780 * green + 0.0593 * blue
    planes = [64 + 876 * luma, 512 + 896 * (blue - luma) / 1.8814, 512 + 896 * (red - luma) / 1.4746]
    raw = b"".join(np.rint(plane).astype("<u2").tobytes() for plane in planes)
    height, width = luma.shape
    tags = ["-color_range", "tv", "-colorspace", "bt2020nc", "-color_primaries", "bt2020", "-color_trc", "smpte2084"]
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv444p10le", "-s", f"{width}x{height}",
               "-r", "24", *tags, "-i", "-", "-pix_fmt", "yuv420p10le", "-c:v", "ffv1", *tags, str(path)]
    subprocess.run(command, input=raw * COUNT, check=True)
    to_709 = np.array([[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]])
    brightest = nits.max(axis=-1, keepdims=True) / 203
    rolled = np.where(brightest > 0.6, 0.6 + 0.4 * (1 - np.exp(-(brightest - 0.6) / 0.8)), brightest)
    return measures.srgb_from_linear((nits / 203 * rolled / np.maximum(brightest, 1e-9)) @ to_709.T)


def turn_track(path):
    """Sets the rotation of an MP4 file's video track to 90 degrees clockwise (ISO/IEC 14496-12, 8.3.2)."""
    content = bytearray(pathlib.Path(path).read_bytes())
    at = content.index(b"tkhd") + 4
    matrix = at + (52 if content[at] == 1 else 40)
    width = struct.unpack(">I", content[matrix + 40:matrix + 44])[0]
    content[matrix:matrix + 36] = struct.pack(">9i", 0, 1 << 16, 0, -(1 << 16), 0, 0, width, 0, 1 << 30)
    pathlib.Path(path).write_bytes(content)


def make_clips(folder, atlas, arguments):
    """Yields (kind, clip, expected picture) for each kind."""
    made = material.made(atlas)
    video = arguments.clip

    def exact(kind, frames):
        path = folder / (kind.replace(" ", "-") + ".mkv")
        pictures.encode(path, frames, material.RATE, pictures.EXACT)
        return kind, path, frames[min(SHOWN, len(frames) - 1)]

    faces = cut(video, arguments.face) if video else None
    if faces:
        yield exact("faces", faces)
    yield exact("text", made["text"]())
    yield exact("gradients", made["gradients"]())
    yield exact("night", cut(DEMO, 12.4))
    yield exact("foliage", cut(video, arguments.foliage) if video else made["foliage"]())
    yield exact("silhouettes", cut(DEMO, 1.5))
    lines = made["line art"]()
    yield exact("line art", lines)
    yield exact("motion blur", motion_blurred(faces or cut(DEMO, 9.5), 40))
    path = folder / "hdr.mkv"
    yield "HDR", path, write_hdr(path)
    upright = [frame[:, frame.shape[1] // 4:frame.shape[1] // 4 + frame.shape[0] * 9 // 16 // 2 * 2]
               for frame in (faces or cut(DEMO, 6.2))]
    path = folder / "portrait.mp4"
    pictures.encode(path, [np.ascontiguousarray(np.rot90(frame)) for frame in upright], 24,
                    ["-c:v", "libx264", "-crf", "12", "-pix_fmt", "yuv420p"])
    turn_track(path)
    yield "portrait", path, upright[SHOWN]
    path = folder / "anamorphic.mkv"
    pictures.encode(path, [measures.resample(frame, 360, 288) for frame in lines[:COUNT]], 24,
                    [*pictures.EXACT, "-vf", "setsar=64/45"])
    yield "anamorphic", path, lines[SHOWN]
    yield exact("tiny source", [measures.resample(frame, 32, 18) for frame in cut(DEMO, 9.5)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=methods.program_at, default=methods.default_program(),
                        help="program to test (default: $GLYPHREEL, or a build in the source tree)")
    parser.add_argument("--clip", metavar="FILE", help="a video with a face and with leaves")
    parser.add_argument("--face", type=float, default=18.75, help="time of the face in seconds (default 18.75)")
    parser.add_argument("--foliage", type=float, default=14.0, help="time of the leaves in seconds (default 14)")
    parser.add_argument("--grid", default="96x27", metavar="CxR")
    parser.add_argument("--out", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--across", type=int, default=4, help="pictures per row of each kind's sheet (default 4)")
    arguments = parser.parse_args()
    grid = tuple(int(number) for number in arguments.grid.split("x"))
    size = (grid[0] * CELL[0], grid[1] * CELL[1])
    arguments.out.mkdir(parents=True, exist_ok=True)
    atlas = glyphs.GlyphAtlas(arguments.binary, CELL)
    usable, rows = methods.accepted(arguments.binary), []
    columns = ["source"] + [f"{method.group} {method.name}" for method in usable]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for number, (kind, clip, expected) in enumerate(make_clips(folder, atlas, arguments), 1):
            tiles = [sheets.fitted(expected, *size)]
            rate = pictures.probe(clip).rate
            for method in usable:
                drawn = folder / "drawn.mkv"
                methods.record(arguments.binary, method.options, clip, grid, CELL, drawn, fit="contain")
                tiles += methods.drawn_frames(drawn, size, [min(SHOWN, COUNT - 1)], rate)
            across = arguments.across
            blocks = [(columns[i:i + across], tiles[i:i + across]) for i in range(0, len(tiles), across)]
            sheets.write_blocks(arguments.out / f"{number:02}-{kind.replace(' ', '-')}.png", atlas, blocks)
            rows.append((kind, [sheets.tile(picture, 320) for picture in tiles]))
            print(f"{number:2} {kind}", file=sys.stderr)
    sheets.write(arguments.out / "sheet.png", atlas, columns, rows)


if __name__ == "__main__":
    main()
