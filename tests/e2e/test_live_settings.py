#!/usr/bin/env python3
"""Tests keys that change mode, color, charset, cell size and tone during playback, in the window and in the terminal."""

import json
import re
import unittest

from harness import EXIT_DONE, H264, lavfi, make_clip, rgb_pictures, wait_for
from test_terminal import TerminalTest
from test_window import EACH_ALONE, VALIDATED, WindowTest

CELL = ["--cell", "8x16"]
WINDOW = (320, 192)
# (key, property, the values that the key cycles through; the last is the initial one)
CYCLES = (("g", "mode", ("edge", "ramp", "shape")),
          ("c", "color", ("ansi256", "ansi16", "mono", "mono, reverse", "fg", "full")),
          ("h", "charset", ("latin", "blocks", "braille", "symbols", "kana", "cjk", "ascii")))
# (key, key that undoes it, property, value after the first key)
STEPS = (("2", "1", "contrast", "1"), ("3", "4", "brightness", "-1"), ("6", "5", "gamma", "1"), ("7", "8", "saturation", "-1"),
         ("plus", "minus", "cell", "10x20"), ("minus", "plus", "cell", "7x14"))
MANY_KEYS = [*("gch" * 3 + "22446688"), "plus", "minus"]


def options_for(name, value):
    """Returns the options of a recording that looks like the window after keys have set `name` to `value`."""
    if name == "cell":
        return ["--cell", value]
    value, _, is_reverse = value.partition(", ")
    return [f"--{name}", value, *(["--reverse", "auto"] if is_reverse else []), *CELL]


class LiveSettingsTest(WindowTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=0.2"), *H264, "-bf", "2")
        cls.recordings = {}

    def recorded(self, options):
        """Records with these options; returns the frames, padded with black to the window's size."""
        name = "-".join(options).replace("--", "").replace(" ", "")
        if name not in self.recordings:
            width, height = (int(side) for side in options[options.index("--cell") + 1].split("x"))
            columns, rows = WINDOW[0] // width, WINDOW[1] // height
            video = self.folder / f"video-{name}.mkv"
            self.succeed("record", self.clip, "-o", video, "--codec", "ffv1", "--grid", f"{columns}x{rows}", "--renderer", "cpu",
                         *EACH_ALONE, *options)
            self.recordings[name] = [self.framed(picture, columns * width, rows * height) for picture in rgb_pictures(video)]
        return self.recordings[name]

    def framed(self, picture, width, height):
        left, top = (WINDOW[0] - width) // 2, (WINDOW[1] - height) // 2
        blank = bytes(WINDOW[0] * 3)
        rows = [blank] * top
        for y in range(height):
            row = picture[y * width * 3:(y + 1) * width * 3]
            rows.append(bytes(left * 3) + row + bytes((WINDOW[0] - left - width) * 3))
        return b"".join(rows + [blank] * (WINDOW[1] - top - height))

    def start_paused(self, *options, env=VALIDATED):
        process, window = self.play(self.clip, "--geometry", "{}x{}+200+150".format(*WINDOW), "--loop-file", *EACH_ALONE,
                                    *options, env=env)
        self.wait_for_picture(window)
        return process, window, self.pause(window)


class WindowKeys(LiveSettingsTest):
    def press(self, window, key, name, value):
        """Presses a key and waits for its message."""
        message = f"{name}: {value}"
        before = self.log().count(message)
        self.desktop.run("xdotool", "key", key)  # pause() has given the window the focus
        wait_for(lambda: self.log().count(message) > before, f"the message {message}")

    def wait_for_exact_picture(self, window, wanted, what):
        wait_for(lambda: self.desktop.picture_of(window) == wanted, f"the picture of {what}")

    def check_switches(self, *options, env=VALIDATED):
        """While paused, each key has the same effect on the picture as its option, and the clip does not
        advance. A full cycle of a key, or a step and the step back, restores the first picture."""
        process, window, before = self.start_paused(*options, env=env)
        frame = self.recorded(CELL).index(before)
        for key, name, values in CYCLES:
            with self.subTest(key=key, options=options):
                seen = set()
                for value in values:
                    wanted = self.recorded(options_for(name, value))[frame]
                    self.press(window, key, name, value)
                    self.wait_for_exact_picture(window, wanted, f"{name} {value}")
                    seen.add(wanted)
                self.assertEqual(len(seen), len(values), "each value must look different")
                self.assertTrue(wanted == before, "a full cycle must restore the picture")
        for there, back, name, value in STEPS:
            with self.subTest(key=there, options=options):
                wanted = self.recorded(options_for(name, value))[frame]
                self.assertFalse(wanted == before, "the key must change the picture")
                self.press(window, there, name, value)
                self.wait_for_exact_picture(window, wanted, f"{name} {value}")
                self.press(window, back, name, "8x16" if name == "cell" else "0")
                self.wait_for_exact_picture(window, before, "no change")
        self.leave(process, window)

    def test_cpu(self):
        self.check_switches("--renderer", "cpu")

    def test_gpu(self):
        self.check_switches("--renderer", "gpu")

    def test_look(self):
        """The key E shows the next look, including its glow, just like --look. Options given on the command line, such
        as --cell, keep their values."""
        process, window, before = self.start_paused("--renderer", "cpu", *CELL)
        wanted = self.recorded(options_for("look", "matrix"))[self.recorded(CELL).index(before)]
        self.press(window, "E", "look", "matrix")
        self.wait_for_exact_picture(window, wanted, "the look matrix")
        self.leave(process, window)

    def test_keys_while_playing(self):
        """After many keys in quick succession, playback continues with the settings chosen last."""
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, window = self.play(self.clip, "--renderer", renderer, "--geometry", "320x192", "--loop-file", "--stats",
                                            stats, env=VALIDATED)
                self.wait_for_picture(window)
                self.desktop.key(window, *MANY_KEYS)
                wait_for(lambda: "cell: 8x16" in self.log(), "the last key is handled")
                self.wait_for_change(window, self.wait_for_picture(window))
                self.leave(process, window)
                answer = json.loads(stats.read_text())
                self.assertEqual({name: answer["settings"][name] for name in ("mode", "color", "charset", "contrast")},
                                 {"mode": "shape", "color": "mono", "charset": "braille", "contrast": 2})

    def test_held_key_repeats(self):
        process, window, before = self.start_paused()
        self.desktop.focus(window)
        self.desktop.run("xdotool", "keydown", "2")
        wait_for(lambda: "contrast: 12" in self.log(), "the key repeats to contrast 12")
        self.desktop.run("xdotool", "keyup", "2")
        self.assertFalse(self.stable_picture(window) == before, "nothing changed")
        self.leave(process, window)

    def test_resize_of_a_fixed_grid(self):
        """The cells of a fixed grid scale with the window. After many resizes, the cells match the last size."""
        process, window, before = self.start_paused("--grid", "40x12")
        for width, height in ((640, 384), (160, 96), (450, 250), (320, 192), (640, 384), (320, 192)):
            self.desktop.run("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")
        wait_for(lambda: self.desktop.picture_of(window) == before, "the first picture")
        # Changing the cell size ends the fixed grid.
        self.desktop.key(window, "plus")
        wait_for(lambda: "cell: 10x20" in self.log(), "larger cells")
        self.wait_for_change(window, before)
        self.leave(process, window)


class TerminalKeys(TerminalTest):
    def press(self, key, message):
        self.tmux("send-keys", key)
        wait_for(lambda: message in self.pane(), f"the message {message}")

    def test_key_messages(self):
        self.play("--loop-file", "--charset", "ascii")
        self.wait_for_text()
        for key, message in (("g", "mode: edge"), ("c", "color: ansi256"), ("h", "charset: latin"), ("2", "contrast: 1"),
                             ("+", "cell: set by the terminal's font size")):
            self.press(key, message)
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_keys_change_the_picture(self):
        self.play("--loop-file", "--osd-level", "0", "--charset", "ascii", *EACH_ALONE)
        self.wait_for_text()
        self.tmux("send-keys", "Space")
        last = self.stable_text("-e")
        for key, message in (("g", "mode: edge"), ("g", "mode: ramp"), ("g", "mode: shape"), ("c", "color: ansi256"),
                             ("c", "color: ansi16"), ("c", "color: mono"), ("c", "color: mono, reverse"),
                             ("c", "color: fg"), ("c", "color: full"), ("h", "charset: latin"), ("h", "charset: blocks"),
                             ("h", "charset: braille"), ("h", "charset: symbols"), ("h", "charset: kana"),
                             ("h", "charset: cjk"), ("2", "contrast: 1"), ("4", "brightness: 1"), ("5", "gamma: -1"),
                             ("7", "saturation: -1")):
            with self.subTest(key=key, message=message):
                self.tmux("send-keys", key)
                wait_for(lambda: self.pane("-e").splitlines() != last, "the pane changes")
                last = self.stable_text("-e")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_commands_of_input_conf(self):
        """The commands `set`, `add`, `multiply` and `cycle` work as in mpv. A message shows the new value."""
        conf = self.folder / "config" / "glyphreel" / "input.conf"
        conf.parent.mkdir(parents=True, exist_ok=True)
        self.addCleanup(conf.unlink)
        lines = (("A", "set legibility 0.3", "legibility: 0.3"), ("B", "add stability 0.25", "stability: 0.75"),
                 ("C", "set contrast 40; multiply contrast 0.5", "contrast: 20"), ("D", "cycle dither down", "dither: blue"),
                 ("E", "cycle-values fit cover stretch", "fit: cover"), ("F", "cycle invert", "invert: yes"),
                 ("L", "cycle look; set look none", "look: none"), ("M", 'set font "DejaVu Sans Mono"', "font: DejaVu Sans Mono"),
                 ("G", "cycle color down", "color: fg"), ("H", "set palette colors.txt", "palette: colors.txt"),
                 ("I", 'no-osd add volume -10; show-text "${volume} at ${speed}"', "90 at 1"),
                 ("J", "set reverse auto", "reverse: auto"), ("K", "set font nosuchfont", "nosuchfont"))
        conf.write_text("".join(f"{key} {command}\n" for key, command, _ in lines))
        (self.here / "colors.txt").write_text("#000000\n#FF8000\n#FFFFFF\n")
        self.play("--loop-file")
        self.wait_for_text()
        for key, command, message in lines:
            with self.subTest(command=command):
                self.press(key, message)
                self.assertNotIn("Volume", self.pane(), "no-osd hides the message")
        wait_for(lambda: re.search(r"[34]8;2;255;128;0m", self.pane("-e")), "a color of the palette")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_color_escape_sequences(self):
        for color, wanted, unwanted in (("ansi256", r"\x1b\[[0-9;]*[34]8;5;\d+", r"\x1b\[[34]8;2;"),
                                        ("ansi16", r"\x1b\[[0-9;]*(3|4|9|10)[0-7]m", r"\x1b\[[34]8;[25];"),
                                        ("full", r"\x1b\[[34]8;2;\d+", r"\x1b\[[34]8;5;")):
            with self.subTest(color=color):
                (self.here / "code").unlink(missing_ok=True)
                self.play("--loop-file", "--color", color)
                self.wait_for_text()
                wait_for(lambda: re.search(wanted, self.pane("-e")), "escape sequences of this color mode")
                self.assertFalse(re.search(unwanted, self.pane("-e")), "escape sequences of another color mode")
                self.tmux("send-keys", "q")
                self.check_end(EXIT_DONE)


if __name__ == "__main__":
    unittest.main()
