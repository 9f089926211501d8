"""A terminal at the end of a slow line: in step by dropping frames, and hardly late."""

import statistics

import test_terminal


class SlowLine(test_terminal.LineTest):
    SECONDS = 9

    def check_timing(self, seen):
        self.assertLess(seen.wall, self.SECONDS + 3, "as long as the clip, however slow the line")
        self.assertGreaterEqual(seen.frames["presented"], 5, seen.frames)
        self.assertGreater(seen.bytes, seen.rate * self.SECONDS / 3, "what the line can carry is used")
        # Medians, because of peaks of some megabytes while frames are decoded; not of the first third, in which buffers
        # reach their size.
        third = len(seen.memory) // 3
        middle, last = (statistics.median(part) for part in (seen.memory[third:2 * third], seen.memory[2 * third:]))
        self.assertLess(last - middle, 5000, "memory grows")

    def test_slow_line(self):
        self.check_timing(self.play_on_slow_line(self.SECONDS, 4096, answers=False))

    def test_slow_line_behind_a_large_buffer(self):
        """Hardly more than one frame waits in the buffer, though it would take half a minute's."""
        seen = self.play_on_slow_line(self.SECONDS, 1 << 21, answers=True)
        self.check_timing(seen)
        self.assertLess(max(seen.lags), 3)
