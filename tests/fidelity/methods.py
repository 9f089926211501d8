"""The program's modes as the bench runs them, and running one: its pictures and its characters."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import NamedTuple

import numpy as np

import pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Method(NamedTuple):
    """One way to draw: `group` is the class in which it is compared, `options` are the program's own."""

    group: str
    name: str
    options: tuple


GROUPS = {"mono": "mono: white on black", "reverse": "mono, reverse video in each cell",
          "fg": "fg: coloured ink on black", "full": "full: both colours, ascii",
          "any": "full: both colours, any symbol", "palette": "quantised colours, ascii"}

METHODS = [
    Method("mono", "ramp", ("--mode", "ramp", "--color", "mono")),
    Method("mono", "shape", ("--mode", "shape", "--color", "mono")),
    Method("mono", "edge", ("--mode", "edge", "--color", "mono")),
    Method("reverse", "shape", ("--mode", "shape", "--color", "mono", "--reverse", "auto")),
    Method("fg", "ramp", ("--mode", "ramp", "--color", "fg")),
    Method("fg", "shape", ("--mode", "shape", "--color", "fg")),
    Method("fg", "edge", ("--mode", "edge", "--color", "fg")),
    Method("full", "ramp", ("--mode", "ramp", "--color", "full")),
    Method("full", "shape", ("--mode", "shape", "--color", "full")),
    Method("full", "edge", ("--mode", "edge", "--color", "full")),
    Method("any", "shape blocks", ("--mode", "shape", "--color", "full", "--charset", "blocks")),
    Method("any", "shape sextants", ("--mode", "shape", "--color", "full", "--charset", "sextants")),
    Method("any", "shape octants", ("--mode", "shape", "--color", "full", "--charset", "octants")),
    Method("any", "shape braille", ("--mode", "shape", "--color", "full", "--charset", "braille")),
    Method("any", "shape symbols", ("--mode", "shape", "--color", "full", "--charset", "symbols")),
    Method("palette", "shape ansi256", ("--mode", "shape", "--color", "ansi256")),
    Method("palette", "shape ansi16", ("--mode", "shape", "--color", "ansi16")),
]


def program_at(name):
    """The program's full path, from a path or a name in $PATH; for argparse, which says what is wrong."""
    found = str(pathlib.Path(name).resolve()) if pathlib.Path(name).is_file() else shutil.which(name)
    if not found:
        raise argparse.ArgumentTypeError(f"there is no program {name}; build glyphreel, or name it by --binary")
    return found


def font_file():
    """The file of the program's default font, by fontconfig."""
    return pictures.run(["fc-match", "-f", "%{file}", "DejaVu Sans Mono:style=Book"]).decode()


class Refused(Exception):
    """The program does not know what was asked for; says so in its own words."""


def default_program():
    """The program named by $GLYPHREEL, else a build in the source tree."""
    if os.environ.get("GLYPHREEL"):
        return os.environ["GLYPHREEL"]
    for folder in ("build/check", "build/release", "build"):
        program = ROOT / folder / "src" / "glyphreel"
        if program.exists():
            return str(program)
    return "glyphreel"


def unknown_charset(program, options):
    """The name in --charset that the program does not list: it would take it for characters to draw with."""
    if "--charset" not in options:
        return None
    name = options[options.index("--charset") + 1]
    charsets = pictures.run([program, "info"]).decode().split("Charsets")[-1]
    listed = re.findall(r"^ +([a-z][\w-]*) ", charsets, re.MULTILINE)
    return name if re.fullmatch(r"[a-z][\w-]+", name) and name not in listed else None


def record(program, options, clip, grid, cell, output, fit="stretch"):
    """Plays the clip into `output` (a film of exact pixels, or .txt); Refused where the options are not known."""
    missing = unknown_charset(program, options)
    if missing:
        raise Refused(f"no charset is called {missing}")
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
    """The methods that the program knows, found by trying each on one small picture."""
    known = []
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder, "grey.png")
        pictures.write_png(picture, np.full((32, 32, 3), 128, np.uint8))
        for method in METHODS:
            try:
                record(program, method.options, picture, (4, 2), (8, 16), pathlib.Path(folder, "out.txt"))
            except Refused:
                continue
            known.append(method)
    return known


def drawn_frames(film, size, numbers, rate):
    """The frames so numbered of a film that `record` wrote; `rate` is its frames a second."""
    frames = []
    for number in numbers:
        # Every frame of the film is a key frame, so a seek lands on it; half a frame early, as times are rounded.
        raw = pictures.run(["ffmpeg", "-v", "error", "-ss", f"{max(0.0, float((number - 0.5) / rate)):.6f}", "-i", film,
                            "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"])
        frames.append(np.frombuffer(raw, np.uint8).reshape(size[1], size[0], 3))
    return frames


def written_cells(text, grid):
    """The characters of a .txt recording, an array (frames, rows, columns) of code points."""
    columns, rows = grid
    frames = []
    for page in pathlib.Path(text).read_text().split("\f"):
        lines = page.removeprefix("\n").split("\n")[:rows]
        if len(lines) < rows:
            continue
        frames.append([[ord(character) for character in line.ljust(columns)[:columns]] for line in lines])
    return np.array(frames, np.uint32)
