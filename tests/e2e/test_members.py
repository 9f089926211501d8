#!/usr/bin/env python3
"""Playlists with members that are damaged or end too soon: a message, and on to the next."""

import os
import threading
import unittest

from harness import EXIT_BAD_INPUT, make_clip
from numbered import make_numbered
from test_player import RATE, PlayerWindow


class Members(PlayerWindow):
    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", 3, sound=False)
        cls.other = make_numbered(cls.folder / "other.mkv", 2, first=1000, sound=False)

    def seen(self, watch):
        numbers = [number for _, number in watch.numbers()]
        return [number for i, number in enumerate(numbers) if i == 0 or number != numbers[i - 1]]

    def test_a_directory_with_a_damaged_picture(self):
        pictures = self.here / "pictures"
        pictures.mkdir()
        make_clip(pictures / "p%d.png", "-i", self.clip, "-vf", f"select=not(mod(n\\,{RATE}))", "-vsync", "0")
        damaged = pictures / "p2.png"
        damaged.write_bytes(damaged.read_bytes()[:40])
        process, _, watch = self.watch(pictures)
        self.finish(process)
        self.assertEqual(self.seen(watch), [0, 2 * RATE])
        self.assertRegex(self.said(), "p2.png .*(damaged|cut short)")

    def test_a_pipe_that_ends_in_the_midst(self):
        """As standard input does whose writer dies, or a camera that is unplugged: what came is shown, then the next."""
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
        seen = self.seen(watch)
        self.assertEqual(seen, sorted(seen))
        first = [number for number in seen if number < 1000]
        self.assertTrue(RATE < first[-1] < 2 * RATE, first)
        self.assertGreater(seen[-1], 1000 + RATE)

    def test_a_member_that_is_no_film(self):
        notes = self.here / "notes.mkv"
        notes.write_text("not a film\n" * 100)
        process, _, watch = self.watch(self.clip, notes, self.here / "gone.mkv", self.other)
        self.finish(process)
        seen = self.seen(watch)
        self.assertTrue(seen[0] < 1000 < seen[-1], seen)
        for name in ("notes.mkv", "gone.mkv"):
            self.assertIn(name, self.said())

    def test_what_cannot_be_played_is_all_that_is_said(self):
        display = {"DISPLAY": self.desktop.display}
        self.refuse(EXIT_BAD_INPUT, "gone.mkv", "play", self.here / "gone.mkv", env=display)
        empty = self.here / "empty"
        empty.mkdir()
        self.refuse(EXIT_BAD_INPUT, "None of 2 inputs", "play", empty, f"{empty}/", lines=3, env=display)


if __name__ == "__main__":
    unittest.main()
