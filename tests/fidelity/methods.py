"""The glyphreel modes in the benchmark, and functions to run a mode and read its pictures and characters."""

import pathlib
import re
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np

import pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "parity"))

import combinations  # noqa: E402
from matrix import default_program, program_at  # noqa: E402,F401


class Method(NamedTuple):
    """One way to draw. `group`: a key of GROUPS; methods of one group are compared. `options`: glyphreel's options."""

    group: str
    name: str
    options: tuple


GROUPS = {"mono": "mono: white on black", "reverse": "mono, reverse video in each cell",
          "fg": "fg: colored characters on black", "full": "full: both colors, ascii",
          "any": "full: both colors, any symbol", "palette": "quantized colors, ascii"}

def in_every_mode(color):
    return [Method(color, mode, ("--mode", mode, "--color", color)) for mode in combinations.MODES]


METHODS = [
    *in_every_mode("mono"),
    Method("reverse", "shape", ("--mode", "shape", "--color", "mono", "--reverse", "auto")),
    *in_every_mode("fg"),
    *in_every_mode("full"),
    Method("any", "shape blocks", ("--mode", "shape", "--color", "full", "--charset", "blocks")),
    Method("any", "shape sextants", ("--mode", "shape", "--color", "full", "--charset", "sextants")),
    Method("any", "shape octants", ("--mode", "shape", "--color", "full", "--charset", "octants")),
    Method("any", "shape braille", ("--mode", "shape", "--color", "full", "--charset", "braille")),
    Method("any", "shape symbols", ("--mode", "shape", "--color", "full", "--charset", "symbols")),
    Method("palette", "shape ansi256", ("--mode", "shape", "--color", "ansi256")),
    Method("palette", "shape ansi16", ("--mode", "shape", "--color", "ansi16")),
]


def font_file():
    """Returns the file of glyphreel's default font, found by fontconfig."""
    return pictures.run(["fc-match", "-f", "%{file}", "DejaVu Sans Mono:style=Book"]).decode()


class Refused(Exception):
    """Raised if glyphreel rejects the options. Has glyphreel's error message."""


def unknown_charset(program, options):
    """Returns the name in --charset if glyphreel does not list it, else None. glyphreel itself rejects unknown names of
    three or more lower-case letters or hyphens, but it uses the characters of other unknown names as the charset."""
    if "--charset" not in options:
        return None
    name = options[options.index("--charset") + 1]
    charsets = pictures.run([program, "info"]).decode().split("Charsets")[-1]
    listed = re.findall(r"^ +([a-z][\w-]*) ", charsets, re.MULTILINE)
    return name if re.fullmatch(r"[a-z][\w-]+", name) and name not in listed else None


def record(program, options, clip, grid, cell, output, fit="stretch"):
    """Records the clip to `output`, a lossless video or .txt. Raises Refused if glyphreel rejects the options."""
    missing = unknown_charset(program, options)
    if missing:
        raise Refused(f"there is no charset {missing}; `glyphreel info` lists the charsets")
    command = [program, "record", clip, "--grid", f"{grid[0]}x{grid[1]}", "--cell", f"{cell[0]}x{cell[1]}",
               "--fit", fit, "--audio", "no", "--quiet", "--force", *options, "-o", output]
    if not str(output).endswith(".txt"):
        command += ["--codec", "ffv1"]
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode == 2:
        raise Refused(" ".join(done.stderr.decode(errors="replace").split()))
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()}")


def accepted(program):
    """Returns the methods that glyphreel supports. Tries each on a small picture."""
    known = []
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder, "gray.png")
        pictures.write_png(picture, np.full((32, 32, 3), 128, np.uint8))
        for method in METHODS:
            try:
                record(program, method.options, picture, (4, 2), (8, 16), pathlib.Path(folder, "out.txt"))
            except Refused:
                continue
            known.append(method)
    return known


def drawn_frames(video, size, numbers, rate):
    """Returns the frames with these numbers from a video written by `record`. `rate` is its frame rate."""
    frames = []
    for number in numbers:
        # Every frame is a keyframe, so the seek is exact. The target is half a frame early, since timestamps are
        # rounded.
        raw = pictures.run(["ffmpeg", "-v", "error", "-ss", f"{max(0.0, float((number - 0.5) / rate)):.6f}", "-i",
                            video, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        frames.append(np.frombuffer(raw, np.uint8).reshape(size[1], size[0], 3))
    return frames


def written_cells(text, grid):
    """Returns the characters of a .txt recording: an array (frames, rows, columns) of code points."""
    columns, rows = grid
    frames = []
    for page in pathlib.Path(text).read_text().split("\f"):
        lines = page.removeprefix("\n").split("\n")[:rows]
        if len(lines) < rows:
            continue
        frames.append([[ord(character) for character in line.ljust(columns)[:columns]] for line in lines])
    return np.array(frames, np.uint32)
