#!/usr/bin/env python3
"""What keys switch while a film plays: mode, colour, charset, cells and tone, in the window and in the terminal."""

import json
import re
import time
import unittest

from harness import EXIT_DONE, H264, NO_VULKAN, lavfi, make_clip, rgb_pictures, wait_for
from test_terminal import TerminalTest
from test_window import EACH_ALONE, VALIDATED, WindowTest

CELL = ["--cell", "8x16"]
# X's names of the keys, the message, and the options that ask for the same.
SWITCHES = (("g", "mode: edge", ["--mode", "edge", *CELL]),
            ("c", "color: ansi256", ["--color", "ansi256", *CELL]),
            ("h", "charset: latin", ["--charset", "latin", *CELL]),
            ("2", "contrast: 1", ["--contrast", "1", *CELL]),
            ("3", "brightness: -1", ["--brightness", "-1", *CELL]),
            ("6", "gamma: 1", ["--gamma", "1", *CELL]),
            ("7", "saturation: -1", ["--saturation", "-1", *CELL]),
            ("plus", "cell: 10x20", ["--cell", "10x20"]),
            ("minus", "cell: 7x14", ["--cell", "7x14"]))
WINDOW = (640, 368)


class WindowKeys(WindowTest):
    @classmethod
    def make_clips(cls):
        super().make_clips()
        cls.films = {}

    def recorded(self, options):
        """The pictures that a recording with these options holds, as large as the window: black around the grid."""
        width, height = (int(side) for side in options[options.index("--cell") + 1].split("x"))
        columns, rows = WINDOW[0] // width, WINDOW[1] // height
        film = self.folder / f"film-{'-'.join(options).replace('--', '')}.mkv"
        self.succeed("record", self.clip, "-o", film, "--force", "--codec", "ffv1", "--grid", f"{columns}x{rows}",
                     "--renderer", "cpu", *EACH_ALONE, *options)
        return [self.framed(picture, columns * width, rows * height) for picture in rgb_pictures(film)]

    def framed(self, picture, width, height):
        left, top = (WINDOW[0] - width) // 2, (WINDOW[1] - height) // 2
        blank = bytes(WINDOW[0] * 3)
        rows = [blank] * top
        for y in range(height):
            row = picture[y * width * 3:(y + 1) * width * 3]
            rows.append(bytes(left * 3) + row + bytes((WINDOW[0] - left - width) * 3))
        return b"".join(rows + [blank] * (WINDOW[1] - top - height))

    def wait_until_said(self, text):
        wait_for(lambda: text in self.said(), 10, f"the message {text}")

    def start_paused(self, *options, env=VALIDATED):
        process, window = self.play(self.clip, "--geometry", "{}x{}+200+150".format(*WINDOW), "--loop-file", *EACH_ALONE,
                                    *options, env=env)
        self.wait_for_picture(window)
        self.desktop.key(window, "space")
        return process, window, self.settled(window)

    def check_switches(self, *options, env=VALIDATED):
        """While paused each key shows what the option shows, and nothing of the film moves on."""
        plain = self.recorded(CELL)
        for key, message, same_as in SWITCHES:
            with self.subTest(key=key, options=options):
                process, window, before = self.start_paused(*options, env=env)
                frame = plain.index(before)
                self.desktop.key(window, key)
                self.wait_until_said(message)
                wanted = self.recorded(same_as)[frame]
                self.assertFalse(wanted == before, "the key would change nothing that is seen")
                wait_for(lambda: self.desktop.picture_of(window) == wanted, 10, f"the picture of {same_as}")
                self.assertIn(f"{message}", self.said())
                self.leave(process, window)

    def test_cpu(self):
        self.check_switches("--renderer", "cpu")

    def test_gpu(self):
        self.check_switches("--renderer", "gpu")

    def test_opengl(self):
        self.check_switches(env=NO_VULKAN)

    def test_there_and_back(self):
        """All modes, colours, charsets and cells in turn come back to the picture that was."""
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window, before = self.start_paused("--renderer", renderer)
                for key, times in (("g", 3), ("c", 6), ("h", 7)):
                    seen = [before]
                    for _ in range(times):
                        self.desktop.key(window, key)
                        self.wait_for_change(window, seen[-1])
                        seen.append(self.settled(window))
                    self.assertTrue(seen[-1] == before, f"the way round by {key} ends elsewhere")
                    self.assertEqual(len(set(seen[:-1])), times, f"each step of {key} looks different")
                self.desktop.key(window, "plus", "minus", "2", "1", "4", "3", "5", "6", "8", "7")
                wait_for(lambda: self.desktop.picture_of(window) == before, 10, "the first picture")
                self.leave(process, window)

    def test_while_playing(self):
        """Keys as fast as they come: the film goes on, and hardly a frame is lost for them."""
        clip = make_clip(self.here / "long.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=6"), *H264)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, window = self.play(clip, "--renderer", renderer, "--geometry", "640x368", "--stats", stats,
                                            env=VALIDATED)
                self.wait_for_picture(window)
                self.desktop.key(window, *"gchgchgch22446688", "plus", "minus")
                self.wait_for_change(window, self.wait_for_picture(window))
                self.finish(process)
                answer = json.loads(stats.read_text())
                self.assertEqual(answer["settings"]["charset"], "braille")
                self.assertEqual(answer["settings"]["mode"], "shape")
                self.assertEqual(answer["settings"]["color"], "mono")
                self.assertEqual(answer["settings"]["contrast"], 2)
                frames = answer["frames"]
                self.assertEqual(frames["decoded"], 6 * 24, frames)
                if renderer == "cpu":
                    # A software driver compiles shaders for a second where a mode or colour needs others.
                    self.assertLessEqual(frames["dropped"], 6 * 24 // 10, frames)

    def test_a_held_key_repeats(self):
        process, window, before = self.start_paused()
        self.desktop.focus(window)
        self.desktop.run("xdotool", "keydown", "2")
        self.wait_until_said("contrast: 12")
        self.desktop.run("xdotool", "keyup", "2")
        self.assertFalse(self.settled(window) == before, "nothing changed")
        self.leave(process, window)

    def test_resize_of_a_fixed_grid(self):
        """The cells of a fixed grid follow the window; a storm of sizes ends with the last."""
        process, window, before = self.start_paused("--grid", "80x23")
        for width, height in ((1280, 736), (320, 184), (900, 500), (640, 368), (1280, 736), (640, 368)):
            self.desktop.run("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")
            time.sleep(0.02)
        wait_for(lambda: self.desktop.picture_of(window) == before, 10, "the first picture")
        # Other cells end the fixed grid.
        self.desktop.key(window, "plus")
        self.wait_until_said("cell: 10x20")
        self.wait_for_change(window, before)
        self.leave(process, window)


class TerminalKeys(TerminalTest):
    def press(self, key, message):
        self.tmux("send-keys", key)
        wait_for(lambda: message in self.pane(), 10, f"the message {message}")

    def test_each_key_says_what_it_does(self):
        self.play("--loop-file")
        self.wait_for_text()
        for key, message in (("g", "mode: edge"), ("c", "color: ansi256"), ("h", "charset: latin"), ("2", "contrast: 1"),
                             ("+", "cell: the terminal's own size")):
            self.press(key, message)
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_each_key_changes_what_is_seen(self):
        self.play("--loop-file", "--osd-level", "0", *EACH_ALONE)
        self.wait_for_text()
        self.tmux("send-keys", "Space")
        last = self.settled("-e")
        for key, message in (("g", "mode: edge"), ("g", "mode: ramp"), ("g", "mode: shape"), ("c", "color: ansi256"),
                             ("c", "color: ansi16"), ("c", "color: mono"), ("c", "color: mono, reverse"),
                             ("c", "color: fg"), ("c", "color: full"), ("h", "charset: latin"), ("h", "charset: blocks"),
                             ("h", "charset: braille"), ("h", "charset: symbols"), ("h", "charset: kana"),
                             ("h", "charset: cjk"), ("2", "contrast: 1"), ("4", "brightness: 1"), ("5", "gamma: -1"),
                             ("7", "saturation: -1")):
            with self.subTest(key=key, message=message):
                self.tmux("send-keys", key)
                wait_for(lambda: self.pane("-e").splitlines() != last, 10, "the pane changes")
                last = self.settled("-e")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_palettes_by_number(self):
        for color, wanted, unwanted in (("ansi256", r"\x1b\[[0-9;]*[34]8;5;\d+", r"\x1b\[[34]8;2;"),
                                        ("ansi16", r"\x1b\[[0-9;]*(3|4|9|10)[0-7]m", r"\x1b\[[34]8;[25];"),
                                        ("full", r"\x1b\[[34]8;2;\d+", r"\x1b\[[34]8;5;")):
            with self.subTest(color=color):
                (self.here / "code").unlink(missing_ok=True)
                self.play("--loop-file", "--color", color)
                self.wait_for_text()
                wait_for(lambda: re.search(wanted, self.pane("-e")), 10, "colours by number")
                self.assertFalse(re.search(unwanted, self.pane("-e")), "colours in another way")
                self.tmux("send-keys", "q")
                self.check_end(EXIT_DONE)


if __name__ == "__main__":
    unittest.main()
