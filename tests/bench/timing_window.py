"""Tests drop rates and playback speed in a window."""

import json
import pathlib
import time

import test_live_settings
import test_player
import test_window
from harness import H264, lavfi, make_clip, wait_for
from test_player import RATE


class FrameDrops(test_window.WindowTest):
    def test_nothing_dropped(self):
        clip = make_clip(self.here / "slow.mp4", *lavfi("testsrc2=size=160x90:rate=10:duration=2"), *H264)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, _ = self.play(clip, "--renderer", renderer, "--geometry", "320x180", "--stats", stats)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual((frames["decoded"], frames["presented"], frames["dropped"]), (20, 20, 0), frames)

    def test_loop(self):
        """Looping has no gap: every frame of each loop is shown on time."""
        for ending in ("mp4", "mkv", "ts"):
            with self.subTest(ending=ending):
                clip = make_clip(self.here / f"clip.{ending}", *lavfi("testsrc2=size=160x90:rate=10:duration=0.6"), *H264, "-bf", "2")
                stats = self.here / f"{ending}.json"
                process, _ = self.play(clip, "--loop-file", "--frames", "20", "--geometry", "320x180", "--stats", stats)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual((frames["presented"], frames["dropped"]), (20, 0), frames)


class LiveSettings(test_live_settings.LiveSettingsTest):
    def test_keys_while_playing(self):
        """Many keys in quick succession drop few frames."""
        clip = make_clip(self.here / "long.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=6"), *H264)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, window = self.play(clip, "--renderer", renderer, "--geometry", "640x368", "--stats", stats)
                self.wait_for_picture(window)
                self.desktop.key(window, *test_live_settings.MANY_KEYS)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual(frames["decoded"], 6 * 24, frames)
                if renderer == "cpu":
                    # Check only the CPU renderer: in the GPU renderer, a new mode or color needs other shaders, which take
                    # a software driver a second to compile.
                    self.assertLessEqual(frames["dropped"], 6 * 24 // 10, frames)


class PlaybackSpeed(test_player.PlayerTest):
    def wait_for_speed(self, watch, wanted):
        """Waits until the frame numbers advance at this speed."""
        def measured():
            since = time.monotonic() - 1.5
            numbers = watch.numbers(since)
            if len(numbers) < 8 or numbers[-1][0] - numbers[0][0] < 1.2:
                return None
            rate = (numbers[-1][1] - numbers[0][1]) / (numbers[-1][0] - numbers[0][0]) / RATE
            return abs(rate / wanted - 1) < 0.06
        wait_for(measured, f"speed {wanted}", 12)

    def test_speeds(self):
        process, window, watch = self.watch(self.clip)
        for keys, speed in ((("braceright",), 2), (("braceleft", "braceleft"), 0.5), (("BackSpace",), 1),
                            (("bracketright",) * 3, 1.331), (("bracketleft",) * 6, 0.7513), (("BackSpace",), 1)):
            with self.subTest(keys=keys):
                self.desktop.key(window, *keys)
                self.wait_for_speed(watch, speed)
        self.leave(process, window)

    def test_seek_stress(self):
        """After a hundred seeks in 5 s, the last target is shown within 3 s, and playback resumes within 3 s."""
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        memory = []
        for _ in range(2):
            self.desktop.run("xdotool", "key", "--delay", "50", *["shift+Right", "shift+Right", "shift+Left", "shift+Left"] * 25)
            watch.wait(lambda shown: shown == n, "the frame of the last seek", 3)
            memory.append(int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6)
        self.assertLess(memory[1] - memory[0], 8, memory)
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "playback continues", 3)
        self.leave(process, window)
