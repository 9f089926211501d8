#!/usr/bin/env python3
"""Draws frames of clips with several programs or options side by side, next to the source, for docs/gallery.md.

  tests/fidelity/before_after.py --out sheet.webp --frame demo.mp4@12 [--frame CLIP@SECONDS ...] [--width 640]
      [--crop X:Y:W:H] [--across N] 'before:old/glyphreel:--color ansi16' 'after::--color ansi16'

Each column is LABEL:PROGRAM:OPTIONS. An empty PROGRAM is the build in the source tree. If PROGRAM is chafa, it uses the
grid of the previous column. --crop shows only a part of each picture, without scaling; X, Y, W and H are fractions of
its width and height. --across puts N pictures in each row.
"""

import argparse
import pathlib
import shlex
import tempfile

import glyphs
import measures
import methods
import peers
import pictures
import sheets

# Seconds played before the frame, after which temporal smoothing has settled.
SETTLING = 0.5
CELL = (8, 16)  # the atlas's cell size in pixels, and the default of glyphreel's --cell


def parse_frame(text):
    clip, _, seconds = text.rpartition("@")
    if not pathlib.Path(clip).is_file():
        raise argparse.ArgumentTypeError(f"there is no clip '{clip}'; write CLIP@SECONDS")
    return pathlib.Path(clip), float(seconds)


def parse_column(text):
    label, program, options = text.split(":", 2)
    return label, methods.program_at(program) if program else methods.default_program(), shlex.split(options)


def source_frame(clip, seconds):
    """Returns the clip's frame at the time `seconds`, as it is displayed."""
    shape = pictures.probe(clip)
    with tempfile.TemporaryDirectory() as folder:
        cut = pathlib.Path(folder) / "cut.mkv"
        pictures.run(["ffmpeg", "-v", "error", "-i", clip, "-ss", seconds, "-frames:v", "1", "-an", "-c:v", "ffv1", cut])
        return next(pictures.decode(cut, (shape.width, shape.height), shape.matrix))


def drawn_frame(program, options, clip, seconds):
    """Returns the clip's frame at the time `seconds`, as the program draws it."""
    with tempfile.TemporaryDirectory() as folder:
        video = pathlib.Path(folder) / "drawn.mkv"
        start = max(0, seconds - SETTLING)
        pictures.run([program, "record", "--quiet", "--audio", "no", "--start", start, "--length", seconds - start + 0.1,
                      "--codec", "ffv1", *options, clip, "-o", video])
        shape = pictures.probe(video)
        frames = pictures.decode(video, (shape.width, shape.height), shape.matrix)
        return list(frames)[min(shape.frames - 1, round((seconds - start) * shape.rate))]


def chafa_frame(atlas, options, source, grid):
    """Returns the source picture as chafa draws it with the atlas's font."""
    peer = peers.Peer("", "chafa", lambda file, columns, rows: [
        "chafa", "-f", "symbols", "-s", f"{columns}x{rows}", "--stretch", "--font-ratio", "1/2", *options, file])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "frame.png"
        pictures.write_png(file, source)
        return atlas.draw(*peers.cells_of(peer, file, grid))


def cropped(picture, crop):
    height, width = picture.shape[:2]
    left, top, wide, high = (round(share * size) for share, size in zip(crop, (width, height, width, height)))
    return picture[top:top + high, left:left + wide]


def blocks_of(labels, frames, across):
    """Returns rows of up to `across` tiles with their labels. All tiles are scaled to the size of the first one."""
    height, width = frames[0][0].shape[:2]
    blocks = []
    for tiles in frames:
        fitted = [sheets.fitted(tile, width, height) for tile in tiles]
        blocks += [(labels[i:i + across], fitted[i:i + across]) for i in range(0, len(tiles), across)]
    return blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", required=True, type=pathlib.Path, help="sheet to write: .webp or .png")
    parser.add_argument("--frame", required=True, action="append", type=parse_frame, metavar="CLIP@SECONDS")
    parser.add_argument("--width", type=int, default=640, help="width of each picture in pixels (default 640)")
    parser.add_argument("--crop", type=lambda text: [float(share) for share in text.split(":")], metavar="X:Y:W:H")
    parser.add_argument("--across", type=int, metavar="N", help="pictures in each row (default: all of a frame)")
    parser.add_argument("columns", nargs="+", type=parse_column, metavar="LABEL:PROGRAM:OPTIONS")
    arguments = parser.parse_args()

    atlas = glyphs.GlyphAtlas(methods.default_program())
    rows = []
    for clip, seconds in arguments.frame:
        source = source_frame(clip, seconds)
        tiles = []
        for _, program, options in arguments.columns:
            if pathlib.Path(program).name == "chafa":
                height, width = tiles[-1].shape[:2]
                tiles.append(chafa_frame(atlas, options, source, (width // CELL[0], height // CELL[1])))
            else:
                tiles.append(drawn_frame(program, options, clip, seconds))
        height, width = tiles[0].shape[:2]
        tiles.insert(0, measures.resample(source, width, height))
        if arguments.crop:
            tiles = [cropped(tile, arguments.crop) for tile in tiles]
        else:
            tiles = [sheets.tile(tile, arguments.width) for tile in tiles]
        rows.append((f"{clip.stem} {seconds:g} s", tiles))
    labels = ["source", *(label for label, _, _ in arguments.columns)]
    with tempfile.TemporaryDirectory() as folder:
        sheet = pathlib.Path(folder) / "sheet.png"
        if arguments.across:
            sheets.write_blocks(sheet, atlas, blocks_of(labels, [tiles for _, tiles in rows], arguments.across))
        else:
            sheets.write(sheet, atlas, labels, rows)
        pictures.run(["ffmpeg", "-v", "error", "-y", "-i", sheet, "-quality", "80", arguments.out])


if __name__ == "__main__":
    main()
