"""Drop rates, and the speed of playback."""

import json
import pathlib
import time

import test_live
import test_player
import test_window
from harness import H264, lavfi, make_clip, wait_for
from test_player import RATE


class Frames(test_window.WindowTest):
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
        """Round and round without a gap: every frame of each round is shown in its time."""
        for ending in ("mp4", "mkv", "ts"):
            with self.subTest(ending=ending):
                clip = make_clip(self.here / f"clip.{ending}", *lavfi("testsrc2=size=160x90:rate=10:duration=0.6"), *H264, "-bf", "2")
                stats = self.here / f"{ending}.json"
                process, _ = self.play(clip, "--loop-file", "--frames", "20", "--geometry", "320x180", "--stats", stats)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual((frames["presented"], frames["dropped"]), (20, 0), frames)


class Keys(test_live.LiveTest):
    def test_keys_while_playing(self):
        """Keys as fast as they come: hardly a frame is lost for them."""
        clip = make_clip(self.here / "long.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=6"), *H264)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, window = self.play(clip, "--renderer", renderer, "--geometry", "640x368", "--stats", stats)
                self.wait_for_picture(window)
                self.desktop.key(window, *test_live.MANY_KEYS)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual(frames["decoded"], 6 * 24, frames)
                if renderer == "cpu":
                    # A software driver compiles shaders for a second where a mode or colour needs others.
                    self.assertLessEqual(frames["dropped"], 6 * 24 // 10, frames)


class Player(test_player.PlayerWindow):
    def speed(self, watch, wanted):
        """Waits until the pictures go on at this speed, by their numbers over time."""
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
                self.speed(watch, speed)
        self.leave(process, window)

    def test_storm_of_seeks(self):
        """A hundred seeks in five seconds: the last key's picture comes, and the clip plays on, within three."""
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        memory = []
        for _ in range(2):
            self.desktop.run("xdotool", "key", "--delay", "50", *["shift+Right", "shift+Right", "shift+Left", "shift+Left"] * 25)
            watch.wait(lambda shown: shown == n, "the last key's picture", 3)
            memory.append(int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6)
        self.assertLess(memory[1] - memory[0], 8, memory)
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "the clip goes on", 3)
        self.leave(process, window)
