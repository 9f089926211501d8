"""Checks that a terminal emulator (tmux) shows the cells of text exports: every character and both colors of every cell.

A screen's characters are compared with a `.txt` recording. The screen is also drawn with the recording's own glyphs,
and the picture is compared with a lossless recording of the same frames."""

import contextlib
import json
import re
import shlex
import unicodedata

import numpy as np

from cells import Screen, drawn, glyph_masks, outputs
from common import Recorder, check, decoded, run
from harness import wait_for
from video import video_times

COLUMNS, ROWS = 40, 12
TIMEOUT = 60  # seconds
TOKEN = re.compile("\x1b\\[([0-9;]*)m|(.)", re.DOTALL)
LEVELS = (0, 95, 135, 175, 215, 255)
XTERM = ["000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5",
         "7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff"]


class Colors:
    """The RGB values of a terminal's default colors and numbered colors."""

    def __init__(self, palette=XTERM, foreground="ffffff", background="000000"):
        self.palette, self.defaults = palette, {3: bytes.fromhex(foreground), 4: bytes.fromhex(background)}

    def rgb(self, ground, color):
        """Returns the RGB value of `color`: None (the default), a number from 0 to 255, or an RGB value. `ground`: 3
        for the foreground, 4 for the background."""
        if color is None or isinstance(color, tuple):
            return tuple(color or self.defaults[ground])
        if color < 16:
            return tuple(bytes.fromhex(self.palette[color]))
        if color < 232:
            return tuple(LEVELS[(color - 16) // step % 6] for step in (36, 6, 1))
        return (8 + 10 * (color - 232),) * 3


class Pen:
    """The colors that SGR sequences select. With iCE colors, bold means a bright foreground, and
    blink a bright background."""

    def __init__(self, colors, is_ice):
        self.colors, self.is_ice, self.selected, self.flags = colors, is_ice, {3: None, 4: None}, set()

    def select(self, numbers):
        numbers = list(numbers)
        while numbers:
            code = numbers.pop(0)
            if code == 0:
                self.selected, self.flags = {3: None, 4: None}, set()
            elif code in (1, 5, 7):
                self.flags.add(code)
            elif code in (38, 48):
                length = 4 if numbers[0] == 2 else 2
                self.selected[code // 10] = tuple(numbers[1:4]) if length == 4 else numbers[1]
                del numbers[:length]
            elif code in (39, 49):
                self.selected[code // 10] = None
            elif code % 10 < 8 and code // 10 in (3, 4, 9, 10):
                self.selected[{9: 3, 10: 4}.get(code // 10, code // 10)] = code % 10 + (8 if code >= 90 else 0)
            else:
                raise ValueError(f"SGR {code}")

    def rgb(self):
        foreground, background = self.selected[3], self.selected[4]
        if self.is_ice:
            foreground = (7 if foreground is None else foreground) + 8 * (1 in self.flags)
            background = (background or 0) + 8 * (5 in self.flags)
        pair = [self.colors.rgb(3, foreground), self.colors.rgb(4, background)]
        return pair[::-1] if 7 in self.flags else pair


def is_wide(character):
    # Python does not know the width of characters that are newer than its Unicode tables. glyphreel's character sets
    # have some of these characters, but none of them is wide.
    return unicodedata.east_asian_width(character) in "WF" and unicodedata.category(character) != "Cn"


def screen_of(captured, colors, is_ice=False):
    """Returns the screen that `tmux capture-pane -e` describes."""
    pen, characters, pairs = Pen(colors, is_ice), [], []
    for line in captured.split("\n")[:ROWS]:
        row = []
        for match in TOKEN.finditer(line):
            if not match[2]:
                pen.select(int(code or 0) for code in match[1].split(";"))
                continue
            row += [match[2], ""] if is_wide(match[2]) else [match[2]]
            pairs += [pen.rgb()] * (1 + is_wide(match[2]))
        characters.append(row)
    if any(len(row) != COLUMNS for row in characters) or len(characters) != ROWS:
        raise ValueError(f"rows of {[len(row) for row in characters]} cells")
    foreground, background = np.array(pairs, np.uint8).reshape(ROWS, COLUMNS, 2, 3).transpose(2, 0, 1, 3)
    return Screen(characters, foreground, background)


class Terminal:
    """A tmux pane, which runs one command after another."""

    def __init__(self, folder, rows):
        self.tmux = ["tmux", "-L", f"glyphreel-readers-{folder.name}"]
        self.fifo, self.pieces, self.count = folder / "commands", folder / "piece", 0
        run("mkfifo", self.fifo)
        loop = f"exec 3<>{self.fifo}; while read -r line <&3; do eval \"$line\"; done"
        (folder / "tmux.conf").write_text("set -g status off\n")
        run(*self.tmux, "-f", folder / "tmux.conf", "new-session", "-d", "-x", COLUMNS, "-y", rows, f"stty -echo; {loop}",
            env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin", "TERM": "xterm-256color", "HOME": str(folder)})

    def close(self):
        run(*self.tmux, "kill-server")
        self.fifo.unlink()

    def run(self, command):
        """Runs a command, and waits until the terminal has processed all that it printed."""
        self.count += 1
        self.fifo.write_text(f"{command}; printf '\\033]2;{self.count}\\007'\n")
        wait_for(lambda: run(*self.tmux, "display-message", "-p", "#{pane_title}").decode().strip() == str(self.count), command,
                 TIMEOUT)

    def clear(self):
        self.run("printf '\\033c\\033[H\\033[2J'")

    def write(self, text):
        self.pieces.write_text(text, newline="")
        self.run(f"cat {self.pieces}")

    def screen(self, colors=Colors(), is_ice=False):
        return screen_of(run(*self.tmux, "capture-pane", "-e", "-p", "-N").decode(), colors, is_ice)


@contextlib.contextmanager
def terminal(folder, rows=ROWS):
    opened = Terminal(folder, rows)
    try:
        yield opened
    finally:
        opened.close()


class Expected:
    """The frames of a recording: characters, pictures and times."""

    def __init__(self, recorder, options):
        self.text = [frame.splitlines() for frame in recorder.record("wanted.txt", *options).read_text().split("\f")[:-1]]
        path = recorder.record("wanted.mkv", "--codec", "ffv1", *options)
        self.pictures, self.times = decoded(path), video_times(path)
        self.masks = glyph_masks(recorder.record("wanted.cells", *options))
        if not len(self.text) == len(self.pictures) == len(self.times):
            raise ValueError(f"{len(self.text)} texts, {len(self.pictures)} pictures, {len(self.times)} times")

    def frame_at(self, seconds):
        return int(np.searchsorted(self.times - self.times[0], seconds + 0.001)) - 1

    def is_shown(self, screen, number):
        return screen.text() == self.text[number] and np.array_equal(drawn(screen, self.masks), self.pictures[number])


class TerminalReaders(Recorder):
    def run(self):
        for name, options in (("24-bit", ["--color", "full"]), ("256 colors", ["--color", "ansi256"]),
                              ("16 colors", ["--color", "ansi16", "--charset", "blocks"]), ("two colors", ["--color", "mono"]),
                              ("wide", ["--color", "fg", "--charset", "kana"])):
            options = [*options, "--length", "5.5" if name == "24-bit" else "1"]
            expected = Expected(self, options)
            self.cast(name, expected, options)
            self.utf8ans(name, expected, options)

    def cast(self, name, expected, options):
        path = self.record("a.cast", *options)
        header, events = outputs(path)
        theme = {key: value.replace("#", "") for key, value in header["theme"].items()}
        colors = Colors(theme["palette"].split(":"), theme["fg"], theme["bg"])
        with terminal(self.folder) as pane:
            wrong = []
            for seconds, text in events:
                pane.write(text)
                if not expected.is_shown(pane.screen(colors), expected.frame_at(seconds)):
                    wrong.append(round(seconds, 3))
            check(f"{name}: every frame of a.cast in tmux", not wrong, f"{len(events)} outputs; wrong at {wrong[:9]} s")
            # Let asciinema print the first output, the first two, half of them, those before the repaint at 5 s,
            # and all.
            lines = path.read_text().splitlines(keepends=True)
            wrong = []
            for count in (1, 2, len(events) // 2, sum(seconds < 5 for seconds, _ in events), len(events)):
                part = self.folder / "part.cast"
                part.write_text("".join(lines[:count + 1]))
                pane.clear()
                pane.run(f"asciinema cat {shlex.quote(str(part))}")
                if not expected.is_shown(pane.screen(colors), expected.frame_at(events[count - 1][0])):
                    wrong.append(count)
            check(f"{name}: a.cast by asciinema in tmux", not wrong, f"wrong after {wrong} outputs")
            # A viewer can start at a repaint.
            repaints = [at for at, (_, text) in enumerate(events) if "\x1b[2J" in text]
            pane.clear()
            pane.write("".join(text for _, text in events[repaints[-1]:]))
            check(f"{name}: a.cast from its last repaint in tmux",
                  expected.is_shown(pane.screen(colors), len(expected.text) - 1), f"repaints: {repaints}")
        end = json.loads(lines[-1])[0]
        check(f"{name}: a.cast lasts", abs(end - float(options[-1])) < 1e-6, f"{end} s")
        newer = self.record("b.cast", "--cast-version", "3", *options)
        newer_header, newer_events = outputs(newer)
        same = [text for _, text in newer_events] == [text for _, text in events]
        late = max((abs(a[0] - b[0]) for a, b in zip(newer_events, events)), default=9)
        lasts = sum(json.loads(line)[0] for line in newer.read_text().splitlines()[1:])
        check(f"{name}: version 3 has the outputs of version 2", same and late <= 0.0005 + 1e-6 and
              newer_header["term"]["theme"] == header["theme"] and abs(lasts - float(options[-1])) < 1e-6,
              f"{len(newer_events)} outputs, {late * 1000:.2f} ms, {lasts:.3f} s")

    def utf8ans(self, name, expected, options):
        text = self.record("a.utf8ans", *options).read_bytes().decode()
        frames = text.split(f"\x1b[{ROWS}A")
        frames = frames[:1] + [f"\x1b[{ROWS}A{frame}" for frame in frames[1:]]
        with terminal(self.folder, ROWS + 1) as pane:
            wrong = []
            for number, frame in enumerate(frames):
                pane.write(frame)
                if not expected.is_shown(pane.screen(), number):
                    wrong.append(number)
        check(f"{name}: every frame of a.utf8ans in tmux", not wrong and len(frames) == len(expected.text),
              f"{len(frames)} frames; wrong: {wrong[:9]}")
