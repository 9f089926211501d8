"""Tests the A/V sync of recordings made during playback."""

import test_live_recording
from harness import hold_for
from numbered import PLAIN, make_flashes
from test_player import SECONDS


class LiveRecordingSync(test_live_recording.LiveRecordingTest):
    def test_sound_matches_picture(self):
        """Each click is within 20 ms of its flash, also after a seek and at other speeds."""
        clip = make_flashes(self.folder / "flashes.mkv", SECONDS)
        process, window = self.play(clip, "--geometry", "320x176+100+100", *PLAIN, env=self.sound())
        self.wait_for_picture(window)

        def wait(seconds):
            hold_for(seconds, lambda: process.poll() is None, "the player runs")
        self.desktop.key(window, "r")
        wait(2.3)
        # The clip flashes once per second. The seeks are exact and by whole seconds, so they do not cut a flash short.
        self.desktop.key(window, "shift+Right", "shift+Right", "shift+Left")
        wait(2.5)
        for speed in ("braceright", "BackSpace", "braceleft"):
            self.desktop.key(window, speed)
            wait(2.5)
        self.desktop.key(window, "r")
        flashes, clicks, offsets = self.flashes_and_clicks(self.saved())
        self.assertGreater(len(flashes), 8)
        # If a busy machine drops a flash's first frame, the flash's offset grows by 1/30 s. Allow this for a fifth
        # of the flashes.
        sizes = sorted(map(abs, offsets))
        self.assertLess(sizes[int(0.8 * len(sizes))], 0.02, (offsets, flashes, clicks))
        self.assertLess(sizes[-1], 0.02 + 1 / 30, (offsets, flashes, clicks))
        self.leave(process, window)
