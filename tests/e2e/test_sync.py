"""Tests the player's A/V sync without tight bounds; tests/bench/timing_sync.py measures the offsets."""

import unittest

import av_sync
from harness import ProgramTest, wait_for


class AvSync(ProgramTest):
    def test_each_flash_has_its_beep(self):
        with av_sync.Player(self.here, 20) as player:
            flashes, beeps = player.watch.flash_times, player.recorder.begins
            wait_for(lambda: len(flashes()) >= 2 and len(beeps) >= 2, "flashes and beeps")
            inside = player.quit()["av"]
            for flash in flashes()[:2]:
                self.assertLess(min(abs(beep - flash) for beep in beeps), 0.5, "no beep within 0.5 s of the flash")
        self.assertLess(abs(inside["mean_ms"]), 500, inside)


if __name__ == "__main__":
    unittest.main()
