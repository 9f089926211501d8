#!/usr/bin/env python3
"""Tests playlists with entries that are damaged, missing or end early: the program reports and skips them."""

import os
import threading
import unittest

from harness import EXIT_BAD_INPUT, make_clip
from numbered import make_numbered
from test_player import RATE, PlayerTest


class PlaylistErrors(PlayerTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", 3, sound=False)
        cls.other = make_numbered(cls.folder / "other.mkv", 2, first=1000, sound=False)

    def frames_shown(self, watch):
        numbers = [number for _, number in watch.numbers()]
        return [number for i, number in enumerate(numbers) if i == 0 or number != numbers[i - 1]]

    def test_directory_with_damaged_picture(self):
        pictures = self.here / "pictures"
        pictures.mkdir()
        make_clip(pictures / "p%d.png", "-i", self.clip, "-vf", f"select=not(mod(n\\,{RATE}))", "-vsync", "0")
        damaged = pictures / "p2.png"
        damaged.write_bytes(damaged.read_bytes()[:40])
        process, _, watch = self.watch(pictures)
        self.finish(process)
        self.assertEqual(self.frames_shown(watch), [0, 2 * RATE])
        self.assertRegex(self.log(), "p2.png .*(damaged|cut short)")

    def test_pipe_that_ends_early(self):
        """If the writer of standard input is killed, the received frames are shown, and then the next input is played."""
        stream = make_clip(self.here / "numbers.ts", "-i", self.clip, "-c", "copy")
        fifo = self.here / "fifo"
        os.mkfifo(fifo)

        def write_half():
            whole = stream.read_bytes()
            with open(fifo, "wb") as pipe:
                pipe.write(whole[:len(whole) // 2])
        threading.Thread(target=write_half, daemon=True).start()
        process, _, watch = self.watch(fifo, self.other)
        self.finish(process)
        shown = self.frames_shown(watch)
        self.assertEqual(shown, sorted(shown))
        first = [number for number in shown if number < 1000]
        self.assertTrue(RATE < first[-1] < 2 * RATE, first)
        self.assertGreater(shown[-1], 1000 + RATE)

    def test_entry_that_is_not_a_video(self):
        notes = self.here / "notes.mkv"
        notes.write_text("not a video\n" * 100)
        process, _, watch = self.watch(self.clip, notes, self.here / "gone.mkv", self.other)
        self.finish(process)
        shown = self.frames_shown(watch)
        self.assertTrue(shown[0] < 1000 < shown[-1], shown)
        for name in ("notes.mkv", "gone.mkv"):
            self.assertIn(name, self.log())

    def test_entry_that_ends_before_the_start(self):
        process, _, watch = self.watch(self.other, self.clip, "--start", "2.5")
        self.finish(process)
        shown = self.frames_shown(watch)
        self.assertTrue(shown and max(shown) < 1000, shown)
        self.assertRegex(self.log(), "other.mkv is 2 seconds long; choose a --start")

    def test_messages_when_nothing_can_be_played(self):
        display = {"DISPLAY": self.desktop.display}
        self.refuse(EXIT_BAD_INPUT, "gone.mkv", "play", self.here / "gone.mkv", env=display)
        empty = self.here / "empty"
        empty.mkdir()
        self.refuse(EXIT_BAD_INPUT, "None of the 2 inputs", "play", empty, f"{empty}/", lines=3, env=display)


if __name__ == "__main__":
    unittest.main()
