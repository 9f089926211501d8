"""Tests a terminal on a slow line: playback drops frames, keeps real time and adds little delay."""

import statistics

import test_terminal


class SlowTerminal(test_terminal.PtyTest):
    SECONDS = 9

    def check_timing(self, played):
        self.assertLess(played.wall, self.SECONDS + 3, "playback must not take longer than the clip")
        self.assertGreaterEqual(played.frames["presented"], 5, played.frames)
        self.assertGreater(played.bytes, played.rate * self.SECONDS / 3, "most of the line's capacity must be used")
        # Compare medians, because decoding causes peaks of some megabytes. Leave out the first third, in which buffers grow.
        third = len(played.memory) // 3
        middle, last = (statistics.median(part) for part in (played.memory[third:2 * third], played.memory[2 * third:]))
        self.assertLess(last - middle, 5000, "memory grows")

    def test_slow_line(self):
        self.check_timing(self.play_on_slow_line(self.SECONDS, 4096, answers=False))

    def test_slow_line_behind_a_large_buffer(self):
        """Only about one frame waits in the buffer, although the buffer has room for half a minute of frames."""
        played = self.play_on_slow_line(self.SECONDS, 1 << 21, answers=True)
        self.check_timing(played)
        self.assertLess(max(played.lags), 3)
