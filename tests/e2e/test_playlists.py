#!/usr/bin/env python3
"""Tests several inputs. If an input is damaged, missing or ends early, the player continues with the next one. A
recording joins all inputs."""

import array
import os
import subprocess
import threading
import unittest
from fractions import Fraction

from harness import EXIT_BAD_INPUT, EXIT_USAGE, H264, ProgramTest, frame_count, frame_times, lavfi, make_clip
from numbered import make_numbered
from test_player import RATE, PlayerTest

GRID = ("--grid", "40x11")


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

    def test_mistake_that_affects_all_inputs_is_reported_once(self):
        self.refuse(EXIT_USAGE, "There is no character set", "--terminal", "--charset", "blcks", self.clip, self.other)

    def test_pipe_that_ends_early(self):
        """If the writer of a FIFO ends early, the frames received are shown, and then the next input is played."""
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


class SeveralInputs(ProgramTest):
    """Several inputs, folders and playlists are recorded one after the other into one output."""

    @classmethod
    def make_clips(cls):
        picture = lambda size, rate: lavfi(f"testsrc2=size={size}:rate={rate}:duration=1")
        tone = lambda hertz: ("-f", "lavfi", "-i", f"sine={hertz}:duration=1", "-c:a")
        cls.first = make_clip(cls.folder / "a.mp4", *picture("160x90", 25), *tone(300), "aac", *H264)
        cls.silent = make_clip(cls.folder / "b.mkv", *picture("320x180", 24), *H264)
        cls.last = make_clip(cls.folder / "c.mkv", *picture("90x160", 30), *tone(900), "flac", *H264)

    def check(self, out, counts, *inputs, **options):
        """Records the inputs and checks that their pictures follow one another without gaps; returns the
        recording's outcome."""
        outcome = self.succeed("record", *inputs, "-o", out, *GRID, **options)
        self.assert_complete(out)
        times = frame_times(out)
        self.assertEqual(len(times), sum(counts))
        wanted = [second + Fraction(i, count) for second, count in enumerate(counts) for i in range(count)]
        for shown, time in zip(times, wanted):
            self.assertLessEqual(abs(shown - times[0] - time), Fraction(1, 12), "sound may be a little longer than the picture")
        return outcome

    def test_inputs_follow_one_another(self):
        for ending in ("mp4", "mkv", "webm"):
            with self.subTest(ending=ending):
                out = self.here / f"out.{ending}"
                outcome = self.check(out, (25, 24, 30), self.first, self.silent, self.last)
                self.assertIn("sound transcoded", outcome.stderr)
                loud = self.loudness(out)
                self.assertEqual([level > 0.01 for level in loud], [True, False, True], loud)

    def loudness(self, path):
        """The level in the middle of each second of the sound."""
        command = ["ffmpeg", "-v", "error", "-i", path, "-f", "f32le", "-ac", "1", "-ar", "8000", "-"]
        samples = array.array("f", subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout)
        return [max(map(abs, samples[8000 * second + 2000:8000 * second + 6000])) for second in range(3)]

    def test_folders_and_playlists(self):
        whole = self.here / "whole.txt"
        self.succeed("record", self.first, self.silent, self.last, "-o", whole, *GRID)
        playlist = self.here / "list.m3u"
        playlist.write_text("".join(f"{path}\n" for path in (self.first, self.silent, self.last)))
        for name in (self.folder, playlist):
            out = self.here / "out.txt"
            self.succeed("record", name, "-o", out, "--force", *GRID)
            self.assertEqual(out.read_bytes(), whole.read_bytes())

    def test_input_that_cannot_be_opened(self):
        out = self.here / "out.mkv"
        outcome = self.run_program("record", self.first, self.here / "gone.mkv", self.last, "-o", out, *GRID)
        self.assertEqual(outcome.code, EXIT_BAD_INPUT, outcome)
        self.assertIn("gone.mkv", outcome.stderr)
        self.assertEqual(frame_count(out), 55)

    def test_input_that_ends_before_start(self):
        longer = make_clip(self.here / "longer.mkv", *lavfi("testsrc2=size=160x90:rate=25:duration=3"), *H264)
        out = self.here / "out.mkv"
        outcome = self.run_program("record", longer, self.first, longer, "--start", "2", "-o", out, *GRID)
        self.assertEqual(outcome.code, EXIT_BAD_INPUT, outcome)
        self.assertIn("choose a --start before", outcome.stderr)
        self.assertEqual(frame_count(out), 50)

    def test_output_is_in_the_playlist(self):
        copy = self.here / "copy.mkv"
        copy.write_bytes(self.silent.read_bytes())
        playlist = self.here / "list.m3u"
        playlist.write_text(f"{self.first}\n{copy}\n")
        self.refuse(EXIT_USAGE, "copy.mkv", "record", playlist, "-o", copy, "--force", *GRID, lines=None)
        self.assertEqual(copy.read_bytes(), self.silent.read_bytes())


if __name__ == "__main__":
    unittest.main()
