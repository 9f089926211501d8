"""Tests recordings whose threads cannot be started."""

import itertools
import unittest

from harness import AAC, EXIT_DONE, EXIT_FAILED, H264, TOOLS, ProgramTest, frame_count, make_clip, pattern

GRID = ("--grid", "40x11", "--cell", "4x8")


class ThreadFailures(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern(), *H264, *AAC)

    def record_without(self, thread, *words):
        """Records the clip while thread number `thread` cannot start. Threads of libraries are counted too. "1+" means
        that no thread can start. Returns whether the recording succeeded. Returns None if the recording started fewer
        than `thread` threads, so that none of its threads failed to start."""
        output, mark = self.here / f"{thread}.mp4", self.here / f"{thread}.failed"
        outcome = self.run_program("record", self.clip, "-o", output, *GRID, "--threads", "3", "--quiet", *words,
                                   env={"LD_PRELOAD": TOOLS / "fail_threads.so", "GLYPHREEL_FAIL_THREAD": thread,
                                        "GLYPHREEL_FAILED_MARK": mark})
        if outcome.code == EXIT_DONE:
            self.assertEqual(frame_count(output), 24, outcome)
            return True if mark.exists() else None
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertFalse(output.exists(), outcome)
        self.assertIn("cannot start another thread", outcome.lines()[-1], outcome)
        return False

    def test_each_thread_failure_is_reported_or_harmless(self):
        results = list(iter(lambda n=itertools.count(1): self.record_without(next(n), "--renderer", "cpu"), None))
        self.assertGreaterEqual(results.count(False), 3, "at least the reading, decoding and encoding threads must fail")

    def test_no_thread_can_start(self):
        self.assertIs(self.record_without("1+"), False)


if __name__ == "__main__":
    unittest.main()
