"""Playing in a window, on a private X server: what is shown, keys, resizing, and how it ends."""

import json
import random
import signal
import subprocess
import sys
import time
import unittest

from desktop import SCREEN, is_blank, processor_seconds, shared_desktop
from harness import (EXIT_BAD_INPUT, EXIT_DONE, EXIT_INTERRUPTED, H264, NO_VULKAN, PATIENCE, VALIDATION, ProgramTest,
                     hold_for, lavfi, make_clip, rgb_pictures, wait_for)

VALIDATED = {"GLYPHREEL_VALIDATION": "1"}
# A frame's cells depend on it alone, not on those before it.
EACH_ALONE = ["--stability", "0", "--auto-levels", "no"]


class WindowTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desktop = shared_desktop()

    def setUp(self):
        super().setUp()
        # Where no window is, so that none has the pointer of an earlier test over it.
        self.desktop.run("xdotool", "mousemove", SCREEN[0] - 1, SCREEN[1] - 1)

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=2"), *H264, "-bf", "2")

    def play(self, *words, env=None):
        """Starts playing, without text over the picture unless it is asked for; the process and its window."""
        if "--osd-level" not in words:
            words = (*words, "--osd-level", "0")
        self.stderr_path = self.here / "stderr"
        with open(self.stderr_path, "wb") as stderr:
            process = self.start(*words, env={"DISPLAY": self.desktop.display, **(env or {})}, stdout=subprocess.DEVNULL,
                                 stderr=stderr)
        # Where a test fails because the window is gone, the program's last words tell why.
        self.addCleanup(lambda: process.poll() in (None, 0, EXIT_INTERRUPTED, EXIT_BAD_INPUT, -signal.SIGKILL) or
                        print(f"{self.id()}: the program ended with {process.returncode}: {self.said()}", file=sys.stderr))
        return process, self.desktop.window_of(process)

    def said(self):
        return self.stderr_path.read_text(errors="replace")

    def leave(self, process, window, code=EXIT_DONE):
        self.desktop.key(window, "q")
        self.finish(process, code)

    def finish(self, process, code=EXIT_DONE, seconds=PATIENCE):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s: {self.said()}") from None
        self.assertEqual(process.returncode, code, self.said())
        self.assertNotRegex(self.said(), VALIDATION)

    def wait_for_picture(self, window):
        def picture():
            shot = self.desktop.picture_of(window)
            return None if shot is None or is_blank(shot) else shot
        return wait_for(picture, f"a picture in the window at {self.desktop.place(window)}: {self.said()}")

    def handle_keys(self, window):
        """Returns once the program has handled all keys pressed so far: two that it logs follow them, the saturation's there
        and back. None of that may be among the keys before."""
        before = self.said().count("saturation: ")
        self.desktop.key(window, "8", "7")
        wait_for(lambda: self.said().count("saturation: ") >= before + 2, "the keys are handled")

    def pause(self, window):
        """Pauses; the picture that then stands."""
        self.desktop.key(window, "space")
        self.handle_keys(window)
        return self.settled(window)

    def minimize(self, window):
        self.desktop.run("xdotool", "windowminimize", window)
        wait_for(lambda: not self.desktop.is_visible(window), "minimized")

    def settled(self, window):
        """The picture once it has not changed for a time, as when paused."""
        last, since = None, time.monotonic()

        def stands_still():
            nonlocal last, since
            shot = self.desktop.picture_of(window)
            if shot is None or shot != last:
                last, since = shot, time.monotonic()
            return time.monotonic() - since > 0.3
        wait_for(stands_still, "the picture stands still")
        return last

    def wait_for_change(self, window, old):
        wait_for(lambda: self.desktop.picture_of(window) != old, "the picture changes")


class Playing(WindowTest):
    """By the CPU and by the GPU, both shown through Vulkan, under the validation layer."""

    def test_pixels_are_those_of_a_recording(self):
        film = self.here / "film.mkv"
        self.succeed("record", self.clip, "-o", film, "--codec", "ffv1", "--grid", "80x23", "--renderer", "cpu", *EACH_ALONE)
        recorded = rgb_pictures(film)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--grid", "80x23", "--geometry", "640x368+200+150",
                                            "--loop-file", *EACH_ALONE, env=VALIDATED)
                self.assertEqual(self.desktop.place(window), (200, 150, 640, 368))
                self.wait_for_picture(window)
                shown = self.pause(window)
                self.assertTrue(shown in recorded, "what the window shows is no picture of the recording")
                self.leave(process, window)

    def test_pause_and_resume(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file", env=VALIDATED)
                self.wait_for_change(window, self.wait_for_picture(window))
                for key in ("space", "p"):
                    self.desktop.key(window, key)
                    self.handle_keys(window)
                    still = self.settled(window)
                    self.desktop.key(window, key)
                    self.wait_for_change(window, still)
                self.leave(process, window)

    def test_fullscreen_and_back(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--geometry", "640x368+200+150", "--loop-file",
                                            env=VALIDATED)
                self.wait_for_picture(window)
                for there, back in (("f", "f"), ("F11", "Escape")):
                    self.desktop.key(window, there)
                    wait_for(lambda: self.desktop.place(window) == (0, 0, *SCREEN), "fullscreen")
                    self.wait_for_picture(window)
                    self.desktop.key(window, back)
                    wait_for(lambda: self.desktop.place(window) == (200, 150, 640, 368), "the window as it was")
                    self.wait_for_picture(window)
                self.desktop.key(window, "Escape")  # leaves fullscreen alone, not the program
                self.leave(process, window)

    def test_starts_in_fullscreen(self):
        process, window = self.play(self.clip, "--fs", "--loop-file", env=VALIDATED)
        wait_for(lambda: self.desktop.place(window) == (0, 0, *SCREEN), "fullscreen")
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_storm_of_sizes(self):
        dice = random.Random(11)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file", "--geometry", "500x300+50+50",
                                            env=VALIDATED)
                self.wait_for_picture(window)
                for step in range(40):
                    self.assertIsNone(process.poll(), self.said())
                    if step % 10 == 7:
                        self.desktop.key(window, "f")
                    elif step % 10 == 9:
                        self.desktop.run("xdotool", "windowminimize", window)
                        self.desktop.run("wmctrl", "-i", "-a", window)
                    else:
                        width, height = dice.randrange(1, 1200), dice.randrange(1, 900)
                        self.desktop.run("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")
                # A key pressed while the window came back may be lost, so it may be fullscreen now.
                self.desktop.key(window, "Escape")

                def takes_the_last_size():
                    self.desktop.run("wmctrl", "-i", "-r", window, "-e", "0,-1,-1,640,368")
                    return self.desktop.place(window)[2:] == (640, 368)
                wait_for(takes_the_last_size, "the last size")
                first = self.wait_for_picture(window)
                self.wait_for_change(window, first)
                self.leave(process, window)

    def test_fullscreen_stays_when_another_window_has_the_keyboard(self):
        process, window = self.play(self.clip, "--fs", "--loop-file")
        self.wait_for_picture(window)
        self.desktop.focus(window)
        other_process, other = self.play(self.clip, "--geometry", "200x120+10+10", "--loop-file")
        self.assertNotEqual(other, window)
        for _ in range(3):  # frames, before each of which it looks at what happened to its window
            self.wait_for_change(window, self.wait_for_picture(window))
        self.assertIn("Normal", self.desktop.run("xprop", "-id", window, "WM_STATE"))
        self.leave(other_process, other)
        self.leave(process, window)

    def test_tiny_and_huge_windows(self):
        for geometry in ("1x1+10+10", "7x9+10+10", "1920x1080+0+0", "3000x2000+0+0"):
            with self.subTest(geometry=geometry):
                process, window = self.play(self.clip, "--renderer", "gpu", "--geometry", geometry, "--loop-file", env=VALIDATED)
                self.leave(process, window)

    def test_closed_by_the_window_manager(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file", env=VALIDATED)
                self.wait_for_picture(window)
                self.desktop.run("wmctrl", "-i", "-c", window)
                self.finish(process)

    def test_closed_while_paused_and_while_minimised(self):
        for state in ("paused", "minimised"):
            with self.subTest(state=state):
                process, window = self.play(self.clip, "--renderer", "gpu", "--loop-file", env=VALIDATED)
                self.wait_for_picture(window)
                if state == "paused":
                    self.desktop.key(window, "space")
                else:
                    self.minimize(window)
                self.desktop.run("wmctrl", "-i", "-c", window)
                self.finish(process)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, window = self.play(self.clip, "--loop-file", env=VALIDATED)
            self.wait_for_picture(window)
            process.send_signal(number)
            self.finish(process, EXIT_INTERRUPTED)

    def test_minimized_window_rests(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file")
                self.wait_for_picture(window)
                self.minimize(window)
                before, start = processor_seconds(process), time.monotonic()
                # On a busy machine it has less, not more.
                hold_for(1, lambda: process.poll() is None, "the player runs")
                self.assertLess(processor_seconds(process) - before, 0.3 * (time.monotonic() - start), "of one core")
                self.desktop.run("wmctrl", "-i", "-a", window)
                wait_for(lambda: self.desktop.is_visible(window), "the window is back")
                self.wait_for_change(window, self.wait_for_picture(window))
                self.leave(process, window)

    def test_every_frame_is_shown_or_counted_as_dropped(self):
        clip = make_clip(self.here / "slow.mp4", *lavfi("testsrc2=size=160x90:rate=10:duration=0.8"), *H264)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                process, _ = self.play(clip, "--renderer", renderer, "--geometry", "320x180", "--stats", stats)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual((frames["decoded"], frames["presented"] + frames["dropped"]), (8, 8), frames)
                self.assertGreater(frames["presented"], 0)

    def test_lasts_as_long_as_the_film(self):
        stats = self.here / "stats.json"
        start = time.monotonic()
        process, _ = self.play(self.clip, "--geometry", "320x184", "--stats", stats)
        self.finish(process)
        self.assertGreaterEqual(time.monotonic() - start, 1.95)
        answer = json.loads(stats.read_text())
        self.assertGreater(answer["startup_ms"]["first_frame"], 0)
        self.assertIn("present", answer["stages"])

    def test_two_inputs_in_turn(self):
        second = make_clip(self.here / "second.mp4", *lavfi("color=c=white:size=64x64:rate=10:duration=1"), *H264)
        stats = self.here / "stats.json"
        process, window = self.play(self.clip, second, "--stats", stats, env=VALIDATED)
        for name in ("clip.mp4", "second.mp4"):
            wait_for(lambda: name in (self.desktop.try_run("xdotool", "getwindowname", window) or ""), f"the title {name}")
        self.finish(process)
        frames = json.loads(stats.read_text())["frames"]
        self.assertEqual(frames["decoded"], 48 + 10)

    def test_first_input_bad(self):
        with open(self.here / "stderr", "wb") as stderr:
            process = self.start(self.here / "missing.mp4", env={"DISPLAY": self.desktop.display}, stderr=stderr)
        self.stderr_path = self.here / "stderr"
        self.finish(process, EXIT_BAD_INPUT)

    def test_frames_limit(self):
        process, _ = self.play(self.clip, "--frames", "5", "--loop-file", "--stats", self.here / "stats.json")
        self.finish(process)
        self.assertEqual(json.loads((self.here / "stats.json").read_text())["frames"]["presented"], 5)

    def test_loop(self):
        """Round and round: every frame of each round is shown."""
        for ending in ("mp4", "mkv", "ts"):
            with self.subTest(ending=ending):
                clip = make_clip(self.here / f"clip.{ending}", *lavfi("testsrc2=size=160x90:rate=10:duration=0.6"), *H264, "-bf", "2")
                stats = self.here / f"{ending}.json"
                process, _ = self.play(clip, "--loop-file", "--untimed", "--frames", "20", "--geometry", "320x180", "--stats",
                                       stats)
                self.finish(process)
                frames = json.loads(stats.read_text())["frames"]
                self.assertEqual((frames["presented"], frames["dropped"]), (20, 0), frames)

    def test_still_picture(self):
        """A film of one picture is shown until it is left."""
        picture = make_clip(self.here / "picture.png", *lavfi("testsrc2=size=320x184:duration=0.04"), "-frames:v", "1")
        process, window = self.play(picture, "--loop-file", env=VALIDATED)
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_demo_without_input(self):
        process, window = self.play("--geometry", "640x360", env=VALIDATED)
        self.assertIn("demo", self.desktop.run("xdotool", "getwindowname", window))
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_vsync_modes(self):
        for mode in ("fifo", "mailbox", "immediate"):
            process, window = self.play(self.clip, "--renderer", "gpu", "--vsync", mode, "--loop-file", env=VALIDATED)
            self.wait_for_picture(window)
            self.leave(process, window)


class WithoutVulkan(WindowTest):
    """No Vulkan driver at all: the CPU renders and OpenGL shows."""

    def test_picture_and_keys(self):
        film = self.here / "film.mkv"
        self.succeed("record", self.clip, "-o", film, "--codec", "ffv1", "--grid", "80x23", "--renderer", "cpu", *EACH_ALONE)
        process, window = self.play(self.clip, "--grid", "80x23", "--geometry", "640x368+200+150", "--loop-file", *EACH_ALONE,
                                    env=NO_VULKAN)
        self.wait_for_picture(window)
        shown = self.pause(window)
        self.assertTrue(shown in rgb_pictures(film), "what the window shows is no picture of the recording")
        self.desktop.key(window, "space")
        self.wait_for_change(window, shown)
        self.assertRegex(self.said(), "Renderer: CPU.*Vulkan")
        self.desktop.key(window, "f")
        wait_for(lambda: self.desktop.place(window) == (0, 0, *SCREEN), "fullscreen")
        self.wait_for_picture(window)
        self.desktop.key(window, "f")
        for width, height in ((100, 900), (1, 1), (1300, 20), (640, 368)):
            self.desktop.run("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_demanded_gpu(self):
        outcome = self.refuse(3, "Vulkan", self.clip, "--renderer", "gpu", env={"DISPLAY": self.desktop.display, **NO_VULKAN})
        self.assertEqual(outcome.stdout, "")


if __name__ == "__main__":
    unittest.main()
