"""Tests pictures in a terminal: kitty's graphics and sixels, on a pseudo-terminal that answers the program's queries."""

import base64
import os
import re
import subprocess
import unittest
import zlib

from harness import EXIT_DONE, PATIENCE
from test_terminal import EACH_ALONE, PtyTest

EXIT_NO_DEVICE = 3
CELL_SIZE = b"\x1b[6;16;8t"
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;EBADF:no such object\x1b\\" + CELL_SIZE + b"\x1b[?62;22c"
SIXEL = b"\x1b[?1;0;256S" + CELL_SIZE + b"\x1b[?62;4;22c"
TEXT_ONLY = b"\x1b[?62;22c"
DELETE_ALL = b"\x1b_Ga=d,d=A,q=2\x1b\\"
LEAVE = b"\x1b[?1049l"


class TerminalGraphics(PtyTest):
    COLUMNS, ROWS = 40, 11
    GRID = ["--grid", "40x11", "--cell", "8x16"]
    graphics = b""

    @classmethod
    def answers_to(cls, sent, since):
        answers = super().answers_to(sent, since)
        return answers + (cls.graphics if sent.find(b"\x1b[c", max(0, since - 2)) >= 0 else b"")

    def open_graphics(self, graphics, *options):
        type(self).graphics = graphics
        self.open("--terminal", "--osd-level", "0", *EACH_ALONE, *options)

    def quit(self):
        os.write(self.terminal, b"q")
        self.assertEqual(self.wait(), EXIT_DONE)
        self.assertTrue(self.sent.rstrip().endswith(b"\x1b[23;2t"), self.sent[-200:])
        self.assertIn(LEAVE, self.sent)

    def recorded(self):
        """Returns the pictures of a recording as RGB."""
        out = self.here / "all.mkv"
        self.succeed("record", self.clip, "-o", out, "--codec", "ffv1", "--renderer", "cpu", *self.GRID, *EACH_ALONE)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", out, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True,
                             capture_output=True).stdout
        size = 40 * 8 * 11 * 16 * 3
        return [raw[at:at + size] for at in range(0, len(raw), size)]

    def test_kitty_shows_the_pictures_of_a_recording(self):
        self.open_graphics(KITTY, "--terminal-graphics", "kitty", "--loop-file", *self.GRID)
        whole = re.compile(rb"\x1b_Ga=T,i=(\d),[^;]*f=24,s=320,v=176,o=z,m=\d;([^\x1b]*)\x1b\\((?:\x1b_Gq=2,m=\d;[^\x1b]*\x1b\\)*)"
                           rb"(\x1b_Ga=d,d=I,i=(\d),q=2\x1b\\)?\x1b\[\?2026l")
        self.read(PATIENCE, until=b"d=I,i=2,q=2\x1b\\\x1b[?2026l")
        frames = whole.findall(self.sent)
        self.assertGreater(len(frames), 2)
        pictures = self.recorded()
        for number, first, rest, _, deleted in frames:
            payload = first + b"".join(re.findall(rb"m=\d;([^\x1b]*)", rest))
            self.assertIn(zlib.decompress(base64.b64decode(payload)), pictures)
            self.assertNotEqual(number, deleted, "a picture is deleted after the next one is shown")
        self.quit()
        self.assertIn(DELETE_ALL, self.sent[self.sent.rindex(b"\x18"):])

    def test_sixels_and_automatic_choice(self):
        self.open_graphics(SIXEL, "--terminal-graphics", "auto", "--loop-file")
        self.read(PATIENCE, until=b"\x1bP0;1q\"1;1;320;160#0;2;")
        self.quit()

    def test_automatic_choice_is_text_without_graphics(self):
        self.open_graphics(TEXT_ONLY, "--terminal-graphics", "auto", "--loop-file")
        self.read(PATIENCE, until="▀".encode())
        self.assertNotRegex(self.sent, rb"\x1bP|\x1b_Ga=T")
        self.quit()

    def test_refused_before_the_screen_changes(self):
        self.open_graphics(TEXT_ONLY, "--terminal-graphics", "kitty")
        self.assertEqual(self.wait(), EXIT_NO_DEVICE)
        self.assertIn(b"does not say that it shows kitty graphics", self.sent)
        self.assertNotIn(b"\x1b[?1049h", self.sent)


if __name__ == "__main__":
    unittest.main()
