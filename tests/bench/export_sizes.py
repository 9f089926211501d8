#!/usr/bin/python3
"""Compares the sizes of exports with those of rival formats that contain the same cells:

    tests/bench/export_sizes.py PROGRAM [CLIP...]

`.cells` and `.html` are compared with a libx264 recording at its default quality, and with adaptive_bytes(), which
estimates the size in the codec that web players of text videos use. `.gif` is compared with FFmpeg's palettegen and
paletteuse, and with gifski if it is installed, on the same lossless pictures (gif_sizes.py). The clips are the given
ones (by default the demo) and a generated animation of silhouettes. All files are without sound.
Needs ffmpeg, python3-numpy and python3-pil.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile
import zlib

import numpy as np

import gif_sizes
from gif_sizes import run

KEY_FRAMES = 48  # frames from one key frame of the adaptive codec to the next
CELL = re.compile(rb"\x1b\[(?:38;2;(\d+);(\d+);(\d+);48;2;(\d+);(\d+);(\d+))?m|\x1b\[\d+A|([^\x1b\n])")


def cells_of(program, clip, options):
    """Returns the cells of all frames as a uint8 array of shape (frames, cells, 7): character, foreground RGB,
    background RGB."""
    text = run(program, "record", clip, "-o", "-", "--format", "utf8ans", "--quiet", "--charset", "ascii", *options)
    columns, rows = map(int, options[options.index("--grid") + 1].split("x"))
    pen, cells = bytes(6), []
    for match in CELL.finditer(text):
        if match[7]:
            cells.append(match[7] + pen)
        elif match[1]:
            pen = bytes(int(part) for part in match.groups()[:6])
    return np.frombuffer(b"".join(cells), np.uint8).reshape(-1, rows * columns, 7)


def run_lengths(frame):
    starts = np.flatnonzero(np.r_[True, (frame[1:] != frame[:-1]).any(axis=1)])
    lengths = np.diff(np.r_[starts, len(frame)]).astype("<u2")
    return np.hstack([lengths.view(np.uint8).reshape(-1, 2), frame[starts]]).tobytes()


def adaptive_bytes(frames):
    """Returns the size in bytes of a recording in which each frame uses the smallest of four encodings: uncompressed,
    deflated, deflated changes since the previous frame (32-bit positions, then cells), or deflated runs of equal cells.
    Every 48th frame is a key frame, which cannot use changes. Each frame has a 9-byte header: length, number, tag."""
    def packed(data):
        return len(zlib.compress(data, 9))
    total, before = 0, None
    for number, frame in enumerate(frames):
        sizes = [frame.size, packed(frame.tobytes()), packed(run_lengths(frame))]
        if before is not None and number % KEY_FRAMES != 0:
            changed = np.flatnonzero((frame != before).any(axis=1))
            sizes.append(packed(changed.astype("<u4").tobytes() + frame[changed].tobytes()))
        total += 9 + min(sizes)
        before = frame
    return total


def make_silhouette(path, seconds=10, rate=30, size=(640, 360)):
    """Writes an animation of two dancers, black on white and then white on black."""
    y, x = np.mgrid[0:size[1], 0:size[0]].astype(np.float32)

    def limb(ax, ay, bx, by, width):
        t = np.clip(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2 + 1e-6), 0, 1)
        return np.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay)) - width

    writer = subprocess.Popen(["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s",
                               f"{size[0]}x{size[1]}", "-r", str(rate), "-i", "-", "-pix_fmt", "yuv420p", "-crf", "12", path],
                              stdin=subprocess.PIPE)
    for number in range(seconds * rate):
        time = number / rate
        distance = np.full(x.shape, 1e3, np.float32)
        for center, phase in ((220 + 40 * np.sin(time), 0), (430 + 30 * np.cos(1.3 * time), 1.6)):
            swing = np.sin(4 * time + phase)
            hip, neck = (center + 8 * swing, 215), (center - 10 * swing, 120)
            distance = np.minimum(distance, np.hypot(x - neck[0], y - neck[1] + 26) - 22)
            distance = np.minimum(distance, limb(*hip, *neck, 17))
            for side in (-1, 1):
                knee = (hip[0] + side * 26 + 22 * swing, 268 - 8 * side * swing)
                hand = (neck[0] + side * (50 + 20 * swing), 150 - 60 * np.sin(3 * time + side + phase))
                distance = np.minimum(distance, limb(*hip, *knee, 11))
                distance = np.minimum(distance, limb(*knee, hip[0] + side * 34, 325, 8))
                distance = np.minimum(distance, limb(*neck, *hand, 8))
        picture = np.clip(distance + 0.5, 0, 1) * 255
        writer.stdin.write((picture if number < seconds * rate / 2 else 255 - picture).astype(np.uint8).tobytes())
    writer.stdin.close()
    if writer.wait() != 0:
        raise SystemExit("ffmpeg cannot write the silhouette")


def compare_cells(program, clip, folder, options):
    sizes = {}
    for name in ("a.cells", "a.html", "a.mp4"):
        run(program, "record", clip, "-o", folder / name, "--force", "--quiet", "--audio", "no", *options)
        sizes[name[2:]] = (folder / name).stat().st_size
    cells = cells_of(program, clip, options)
    has_paper = "fg" not in options
    adaptive = adaptive_bytes(cells if has_paper else np.ascontiguousarray(cells[:, :, :4]))
    print(f"| {clip.stem} | {options[1]} | {options[3]} | {len(cells)} | {sizes['cells'] / 1e3:.0f} | {sizes['html'] / 1e3:.0f} | "
          f"{sizes['mp4'] / 1e3:.0f} | {adaptive / 1e3:.0f} | {sizes['html'] / sizes['mp4']:.2f} | "
          f"{sizes['cells'] / adaptive:.2f} | {sizes['html'] / adaptive:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("clips", nargs="*", type=pathlib.Path)
    parser.add_argument("--length", default="10", help="seconds of each clip")
    parser.add_argument("--gifski", default=shutil.which("gifski"), help="path of gifski (default: found in PATH, if installed)")
    parser.add_argument("--only", choices=("cells", "gif"))
    options = parser.parse_args()
    program = options.program.resolve()
    demo = pathlib.Path(__file__).resolve().parents[2] / "assets" / "demo.mp4"
    with tempfile.TemporaryDirectory(prefix="sizes-") as name:
        folder = pathlib.Path(name)
        make_silhouette(folder / "silhouette.mkv")
        clips = [*(options.clips or [demo]), folder / "silhouette.mkv"]
        if options.only != "gif":
            print("| clip | grid | color | frames | .cells, KB | .html | .mp4 | adaptive | .html / .mp4 | .cells / adaptive | "
                  ".html / adaptive |")
            print("|---|---|---|---|---|---|---|---|---|---|---|")
            for clip in clips:
                for grid, color in (("160x45", "fg"), ("160x45", "full"), ("200x80", "fg")):
                    compare_cells(program, clip, folder, ["--grid", grid, "--color", color, "--length", options.length])
        if options.only != "cells":
            gif_sizes.print_header()
            for clip in clips:
                gif_sizes.print_row(program, clip, folder, options.gifski)


if __name__ == "__main__":
    main()
