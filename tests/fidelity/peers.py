"""Other programs that convert pictures to text, and a parser for their terminal output."""

import re
import subprocess
from typing import NamedTuple

import numpy as np

# The 16 colors of the VGA text mode, in ANSI order, as used by libcaca.
VGA = [(0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0), (0, 0, 170), (170, 0, 170), (0, 170, 170), (170, 170, 170),
       (85, 85, 85), (255, 85, 85), (85, 255, 85), (255, 255, 85), (85, 85, 255), (255, 85, 255), (85, 255, 255),
       (255, 255, 255)]
WHITE, BLACK = (255, 255, 255), (0, 0, 0)


class Peer(NamedTuple):
    """One way to call another program. `group`: a key of methods.GROUPS. `command(file, columns, rows)` returns the
    command line."""

    group: str
    name: str
    command: object


def _chafa(*options):
    return lambda file, columns, rows: ["chafa", "-f", "symbols", "-s", f"{columns}x{rows}", "--stretch",
                                        "--font-ratio", "1/2", *options, file]


def _jp2a(*options):
    return lambda file, columns, rows: ["jp2a", f"--size={columns}x{rows}", *options, file]


def _img2txt(*options):
    return lambda file, columns, rows: ["img2txt", "-W", str(columns), "-H", str(rows), "-f", "utf8", *options, file]


def peers(font_file):
    """Returns all peers. `font_file`: the font of the drawings, for chafa's --glyph-file.

    Many combinations of chafa's preprocessing, dithers, grains, fill, color extractors and --glyph-file were tried on a
    video. The peers "chafa best" have the options with the highest F.
    """
    ascii_only, glyphs, fill = ("--symbols", "ascii"), ("--glyph-file", font_file), ("--fill", "ascii")
    mono, reverse, foreground, full = ("-c", "none"), ("-c", "2"), ("-c", "full", "--fg-only"), ("-c", "full")
    hard = ("-w", "9")
    return [
        Peer("mono", "chafa default", _chafa(*mono, *ascii_only)),
        Peer("mono", "chafa fill", _chafa(*mono, *ascii_only, *hard, *fill)),
        Peer("mono", "chafa best", _chafa(*mono, *ascii_only, *hard, "-p", "off", "--dither", "ordered",
                                          "--dither-grain", "1x1")),
        Peer("mono", "jp2a", _jp2a()),
        Peer("reverse", "chafa default", _chafa(*reverse, *ascii_only)),
        Peer("reverse", "chafa best", _chafa(*reverse, *ascii_only, *hard, *fill, *glyphs, "-p", "off")),
        Peer("fg", "chafa default", _chafa(*foreground, *ascii_only)),
        Peer("fg", "chafa best", _chafa(*foreground, *ascii_only, *hard, *fill, "--color-extractor", "median")),
        Peer("fg", "jp2a", _jp2a("--colors", "--color-depth=24")),
        Peer("full", "chafa default", _chafa(*full, *ascii_only)),
        Peer("full", "chafa best", _chafa(*full, *ascii_only, *hard, *glyphs)),
        Peer("full", "jp2a --fill", _jp2a("--colors", "--fill", "--color-depth=24")),
        Peer("any", "chafa all", _chafa(*full, "--symbols", "all-wide")),
        Peer("any", "chafa all best", _chafa(*full, "--symbols", "all-wide", *hard)),
        Peer("palette", "chafa 256", _chafa("-c", "256", *ascii_only, *hard)),
        Peer("palette", "chafa 16", _chafa("-c", "16", *ascii_only, *hard)),
        Peer("palette", "img2txt (16)", _img2txt()),
    ]


class Cells(NamedTuple):
    """Cells of one picture: characters (rows, columns) of str, colors uint8 (rows, columns, 3)."""

    characters: np.ndarray
    foreground: np.ndarray
    background: np.ndarray


def parse_terminal(text, columns, rows):
    """Parses output for a white-on-black terminal into Cells: UTF-8 text, SGR colors, REP.

    The result is cropped or padded with blanks to `columns` and `rows`. Supported SGR parameters: 0, 7, 27, 30..37, 38;2,
    38;5, 39, 40..47, 48;2, 48;5, 49, 90..97, 100..107. Others are ignored, including 1 and 5. libcaca uses 1 and 5 to
    brighten colors, but it also sends the equivalent 90..107.
    """
    characters = np.full((rows, columns), " ")
    foreground = np.full((rows, columns, 3), WHITE, np.uint8)
    background = np.full((rows, columns, 3), BLACK, np.uint8)
    state = {"foreground": WHITE, "background": BLACK, "inverse": False}
    row = column = 0

    def put(character, count=1):
        nonlocal column
        for _ in range(count):
            if row < rows and column < columns:
                front, back = state["foreground"], state["background"]
                if state["inverse"]:
                    front, back = back, front
                characters[row, column], foreground[row, column], background[row, column] = character, front, back
            column += 1

    last = " "
    for token in re.finditer(r"\x1b\[([0-9;?]*)([A-Za-z])|(\n)|([^\x00-\x1f\x7f])", text):
        if token[3]:
            row, column = row + 1, 0
        elif token[4]:
            last = token[4]
            put(last)
        elif token[2] == "b":
            put(last, int(token[1] or 1))
        elif token[2] == "m":
            _select_graphics([int(number or 0) for number in token[1].split(";")], state)
    return Cells(characters, foreground, background)


def _select_graphics(numbers, state):
    """Applies the parameters of an SGR sequence (ECMA-48 8.3.117, xterm's colors) to `state`."""
    i = 0
    while i < len(numbers):
        number = numbers[i]
        if number == 0:
            state.update(foreground=WHITE, background=BLACK, inverse=False)
        elif number in (7, 27):
            state["inverse"] = number == 7
        elif number in (38, 48):
            key = "foreground" if number == 38 else "background"
            if numbers[i + 1] == 2:
                state[key] = tuple(numbers[i + 2:i + 5])
                i += 4
            else:
                state[key] = _palette_256(numbers[i + 2])
                i += 2
        elif number in (39, 49):
            state.update({"foreground": WHITE} if number == 39 else {"background": BLACK})
        else:
            for first, key, bright in ((30, "foreground", 0), (40, "background", 0),
                                       (90, "foreground", 8), (100, "background", 8)):
                if first <= number < first + 8:
                    state[key] = VGA[number - first + bright]
        i += 1


def _palette_256(number):
    """Returns one of xterm's 256 colors: 16 colors, a cube of 6 x 6 x 6, 24 grays."""
    if number < 16:
        return VGA[number]
    if number < 232:
        levels = (0, 95, 135, 175, 215, 255)
        number -= 16
        return levels[number // 36], levels[number // 6 % 6], levels[number % 6]
    return (8 + 10 * (number - 232),) * 3


def version(program):
    """Returns the first line of `program --version`, or None if the program is not installed."""
    try:
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    except FileNotFoundError:
        return None
    lines = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()
    return lines[0] if lines else program


def cells_of(peer, file, grid, without=()):
    """Runs the peer on a picture file and returns Cells. `without`: characters that chafa must not use."""
    command = [str(word) for word in peer.command(file, *grid)]
    if without and command[0] == "chafa":
        at = command.index("--symbols") + 1
        command[at] += "".join(f"-0x{ord(character):x}" for character in sorted(without))
    # jp2a uses 24-bit colors only if COLORTERM says that the terminal supports them.
    environment = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.decode(errors='replace')[-300:]}")
    return parse_terminal(done.stdout.decode(), *grid)
