"""Tests playback in a window on a private X server: pixels, keys, resizing, and exit."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time
import unittest

from desktop import DEEP_SCREEN, SCREEN, cpu_seconds, is_blank, shared_desktop
from harness import (EXIT_BAD_INPUT, EXIT_DONE, EXIT_INTERRUPTED, H264, NO_VULKAN, PATIENCE, VALIDATION, ProgramTest,
                     hold_for, lavfi, make_clip, rgb_pictures, wait_for)

VALIDATED = {"GLYPHREEL_VALIDATION": "1"}
# With these options, the cells of a frame do not depend on earlier frames.
EACH_ALONE = ["--stability", "0", "--auto-levels", "no"]


class WindowTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.desktop = shared_desktop()

    def setUp(self):
        super().setUp()
        # Move the pointer off all windows; an earlier test may have left it over one.
        self.desktop.run("xdotool", "mousemove", SCREEN[0] - 1, SCREEN[1] - 1)

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x184:rate=24:duration=2"), *H264, "-bf", "2")

    def play(self, *words, env=None):
        """Starts playback, by default without OSD; returns the process and its window."""
        if "--osd-level" not in words:
            words = (*words, "--osd-level", "0")
        self.stderr_path = self.here / "stderr"
        with open(self.stderr_path, "wb") as stderr:
            process = self.start(*words, env={"DISPLAY": self.desktop.display, **(env or {})}, stdout=subprocess.DEVNULL,
                                 stderr=stderr)
        # If a test fails because the window is gone, the program's messages say why.
        self.addCleanup(lambda: process.poll() in (None, 0, EXIT_INTERRUPTED, EXIT_BAD_INPUT, -signal.SIGKILL) or
                        print(f"{self.id()}: the program ended with {process.returncode}: {self.log()}", file=sys.stderr))
        return process, self.desktop.window_of(process)

    def log(self):
        return self.stderr_path.read_text(errors="replace")

    def leave(self, process, window, code=EXIT_DONE):
        self.desktop.key(window, "q")
        self.finish(process, code)

    def finish(self, process, code=EXIT_DONE, seconds=PATIENCE):
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {seconds} s: {self.log()}") from None
        self.assertEqual(process.returncode, code, self.log())
        self.assertNotRegex(self.log(), VALIDATION)

    def wait_for_picture(self, window):
        def picture():
            shot = self.desktop.picture_of(window)
            return None if shot is None or is_blank(shot) else shot
        return wait_for(picture, f"a picture in the window at {self.desktop.geometry(window)}: {self.log()}")

    def handle_keys(self, window):
        """Waits until the program has handled all keys pressed so far, by pressing two more keys whose effect it logs:
        saturation up and down. The earlier keys must not change the saturation."""
        before = self.log().count("saturation: ")
        self.desktop.key(window, "8", "7")
        wait_for(lambda: self.log().count("saturation: ") >= before + 2, "the keys are handled")

    def pause(self, window):
        """Pauses; returns the picture then shown."""
        self.desktop.key(window, "space")
        self.handle_keys(window)
        return self.stable_picture(window)

    def minimize(self, window):
        self.desktop.run("xdotool", "windowminimize", window)
        wait_for(lambda: not self.desktop.is_visible(window), "minimized")

    def stable_picture(self, window):
        """Waits until the picture has not changed for 0.3 s, for example because playback is paused. Returns it."""
        last, since = None, time.monotonic()

        def is_stable():
            nonlocal last, since
            shot = self.desktop.picture_of(window)
            if shot is None or shot != last:
                last, since = shot, time.monotonic()
            return time.monotonic() - since > 0.3
        wait_for(is_stable, "the picture does not change")
        return last

    def wait_for_change(self, window, old):
        wait_for(lambda: self.desktop.picture_of(window) != old, "the picture changes")


class WindowPlayback(WindowTest):
    """Tests the CPU and the GPU renderer. Vulkan presents the pictures of both, under the validation layer."""

    def test_pixels_match_recording(self):
        self.compare_with_recording("cpu", "gpu")

    def test_pixels_match_recording_at_10_bits_per_channel(self):
        self.desktop = shared_desktop(*DEEP_SCREEN)
        self.compare_with_recording("cpu")  # lavapipe 22.3 cannot present to such a screen

    def compare_with_recording(self, *renderers):
        video = self.here / "video.mkv"
        self.succeed("record", self.clip, "-o", video, "--codec", "ffv1", "--grid", "40x12", "--renderer", "cpu", *EACH_ALONE)
        recorded = rgb_pictures(video)
        for renderer in renderers:
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--grid", "40x12", "--geometry", "320x192+200+150",
                                            "--loop-file", *EACH_ALONE, env=VALIDATED)
                self.assertEqual(self.desktop.geometry(window), (200, 150, 320, 192))
                self.wait_for_picture(window)
                shown = self.pause(window)
                self.assertTrue(shown in recorded, "the window's picture must be a frame of the recording")
                self.leave(process, window)

    def test_pause_and_resume(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats, paused = self.here / f"{renderer}.json", 0
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file", "--stats", stats, env=VALIDATED)
                self.wait_for_change(window, self.wait_for_picture(window))
                for key in ("space", "p"):
                    self.desktop.key(window, key)
                    self.handle_keys(window)
                    start = time.monotonic()
                    still = self.stable_picture(window)
                    paused += time.monotonic() - start
                    self.desktop.key(window, key)
                    self.wait_for_change(window, still)
                self.leave(process, window)
                answer = json.loads(stats.read_text())
                played = (answer["frames"]["presented"] - 1) / answer["fps"]
                self.assertLess(played, answer["wall_s"] - paused - answer["startup_ms"]["first_frame"] / 1000,
                                "the frame rate must not include pauses and the startup")

    def test_fullscreen_and_back(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--geometry", "640x368+200+150", "--loop-file",
                                            env=VALIDATED)
                self.wait_for_picture(window)
                for there, back in (("f", "f"), ("F11", "Escape")):
                    self.desktop.key(window, there)
                    wait_for(lambda: self.desktop.geometry(window) == (0, 0, *SCREEN), "fullscreen")
                    self.wait_for_picture(window)
                    self.desktop.key(window, back)
                    wait_for(lambda: self.desktop.geometry(window) == (200, 150, 640, 368), "the previous geometry")
                    self.wait_for_picture(window)
                self.desktop.key(window, "Escape")  # Escape leaves fullscreen, but does not quit
                self.leave(process, window)

    def test_starts_in_fullscreen(self):
        process, window = self.play(self.clip, "--fs", "--loop-file", env=VALIDATED)
        wait_for(lambda: self.desktop.geometry(window) == (0, 0, *SCREEN), "fullscreen")
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_resize_stress(self):
        rng = random.Random(11)
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file", "--geometry", "500x300+50+50",
                                            env=VALIDATED)
                self.wait_for_picture(window)
                for step in range(40):
                    self.assertIsNone(process.poll(), self.log())
                    if step % 10 == 7:
                        self.desktop.key(window, "f")
                    elif step % 10 == 9:
                        self.desktop.run("xdotool", "windowminimize", window)
                        self.desktop.run("wmctrl", "-i", "-a", window)
                    else:
                        width, height = rng.randrange(1, 1200), rng.randrange(1, 900)
                        self.desktop.run("wmctrl", "-i", "-r", window, "-e", f"0,-1,-1,{width},{height}")
                # The window may still be fullscreen, because a key pressed while it was being restored may be lost.
                self.desktop.key(window, "Escape")

                def has_last_size():
                    self.desktop.run("wmctrl", "-i", "-r", window, "-e", "0,-1,-1,640,368")
                    return self.desktop.geometry(window)[2:] == (640, 368)
                wait_for(has_last_size, "the last size")
                first = self.wait_for_picture(window)
                self.wait_for_change(window, first)
                self.leave(process, window)

    def test_resizes_keep_no_memory(self):
        for words in (("--renderer", "cpu"), ("--renderer", "cpu", "--vsync", "fifo"), ("--renderer", "gpu")):
            with self.subTest(words=words):
                process, window = self.play(self.clip, *words, "--loop-file", "--geometry", "500x300+50+50", "--verbose")
                self.wait_for_picture(window)
                has_swapchain = "window: 500x300" in self.log()

                def resident_after(widths):
                    """Returns the resident memory in kB after the window has had these widths."""
                    for width in widths:
                        self.desktop.resize(window, width, 300)
                        if has_swapchain:
                            wait_for(lambda: f"window: {width}x300" in self.log(), "a swapchain of the new size")
                    self.wait_for_change(window, self.wait_for_picture(window))
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
                first = resident_after(range(501, 521))
                # The bound is 200 kB per resize. A leaked image of the window would take 600 kB. On lavapipe, each
                # resize leaves 80 kB allocated (see Device::free_retired()).
                self.assertLess(resident_after(range(521, 561)), first + 40 * 200)
                self.leave(process, window)

    def test_fullscreen_survives_focus_loss(self):
        process, window = self.play(self.clip, "--fs", "--loop-file")
        self.wait_for_picture(window)
        self.desktop.focus(window)
        other_process, other = self.play(self.clip, "--geometry", "200x120+10+10", "--loop-file")
        self.assertNotEqual(other, window)
        for _ in range(3):  # wait for three new frames: the program handles window events before each frame
            self.wait_for_change(window, self.wait_for_picture(window))
        self.assertIn("Normal", self.desktop.run("xprop", "-id", window, "WM_STATE"))
        self.leave(other_process, other)
        self.leave(process, window)

    def test_tiny_and_huge_windows(self):
        for geometry in ("1x1+10+10", "3000x2000+0+0"):
            with self.subTest(geometry=geometry):
                process, window = self.play(self.clip, "--renderer", "gpu", "--geometry", geometry, "--loop-file", env=VALIDATED)
                self.leave(process, window)

    def test_closed_by_the_window_manager(self):
        """The window closes during playback, while paused and while minimized. The cases cover each Vulkan present mode."""
        for state, *words in (("playing", "cpu"), ("playing", "gpu", "--vsync", "fifo"), ("paused", "gpu", "--vsync", "mailbox"),
                              ("minimized", "gpu", "--vsync", "immediate")):
            with self.subTest(state=state, words=words):
                process, window = self.play(self.clip, "--loop-file", "--renderer", *words, env=VALIDATED)
                self.wait_for_change(window, self.wait_for_picture(window))
                if state == "paused":
                    self.desktop.key(window, "space")
                elif state == "minimized":
                    self.minimize(window)
                self.desktop.run("wmctrl", "-i", "-c", window)
                self.finish(process)

    def test_interrupted(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process, window = self.play(self.clip, "--loop-file", env=VALIDATED)
            self.wait_for_picture(window)
            process.send_signal(number)
            self.finish(process, EXIT_INTERRUPTED)

    def test_minimized_window_uses_little_cpu(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--renderer", renderer, "--loop-file")
                self.wait_for_picture(window)
                self.minimize(window)
                before, start = cpu_seconds(process), time.monotonic()
                # This bound holds under any load: on a busy machine the program uses less CPU time, not more.
                hold_for(1, lambda: process.poll() is None, "the player runs")
                self.assertLess(cpu_seconds(process) - before, 0.3 * (time.monotonic() - start), "share of one core")
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

    def test_playback_duration(self):
        stats = self.here / "stats.json"
        start = time.monotonic()
        process, _ = self.play(self.clip, "--geometry", "320x184", "--stats", stats)
        self.finish(process)
        self.assertGreaterEqual(time.monotonic() - start, 1.95)
        answer = json.loads(stats.read_text())
        self.assertGreater(answer["startup_ms"]["first_frame"], 0)
        self.assertIn("present", answer["stages"])

    def test_two_inputs(self):
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
        """Every frame of each loop is shown."""
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
        """A still picture is shown until the user quits."""
        picture = make_clip(self.here / "picture.png", *lavfi("testsrc2=size=320x184:duration=0.04"), "-frames:v", "1")
        process, window = self.play(picture, "--loop-file", env=VALIDATED)
        self.wait_for_picture(window)
        self.leave(process, window)

    def test_demo_without_input(self):
        process, window = self.play("--geometry", "640x360", env=VALIDATED)
        self.assertIn("demo", self.desktop.run("xdotool", "getwindowname", window))
        self.wait_for_picture(window)
        self.leave(process, window)


class PictureLayers(WindowTest):
    """Tests what is drawn over the cells: subtitles, whose size does not depend on the cell size, and the wipe, which
    shows the source picture to the left of a line."""

    @classmethod
    def make_clips(cls):
        cls.white = make_clip(cls.folder / "white.png", *lavfi("color=c=white:size=320x184:duration=0.04"), "-frames:v", "1")
        cls.still = make_clip(cls.folder / "still.png", *lavfi("testsrc2=size=640x368:duration=0.04"), "-frames:v", "1")
        (cls.folder / "text.srt").write_text("1\n00:00:00,000 --> 01:00:00,000\nHHHH\n")

    def pixels(self, window):
        """Waits until the picture is steady; returns the window's size and a function that returns the pixel of the
        picture at (x, y)."""
        shot = self.stable_picture(window)
        _, _, width, height = self.desktop.geometry(window)
        return width, height, lambda x, y: shot[3 * (y * width + x):3 * (y * width + x) + 3]

    def subtitle_height(self, *options):
        """Plays a white picture with a subtitle; returns the height of the subtitle's dark box."""
        process, window = self.play(self.white, "--sub-file", self.folder / "text.srt", "--geometry", "640x384+200+150",
                                    "--loop-file", "--fit", "stretch", "--legibility", "0", *options)
        self.wait_for_picture(window)

        def dark_rows():
            width, height, pixel = self.pixels(window)
            return sum(any(max(pixel(x, y)) < 128 for x in range(0, width, 2)) for y in range(height))
        rows = wait_for(dark_rows, "the subtitle")
        self.leave(process, window)
        return rows

    def test_size_of_subtitles(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                small = self.subtitle_height("--cell", "4x8", "--renderer", renderer)
                self.assertEqual(self.subtitle_height("--cell", "16x32", "--renderer", renderer), small)
                self.assertEqual(small, 384 // 18)
        self.assertEqual(self.subtitle_height("--cell", "4x8", "--sub-scale", "2"), 43)

    def test_wipe(self):
        """The key w shows the source to the left of a white line, and the mouse drags the line."""
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.still, "--renderer", renderer, "--geometry", "640x368+200+150", "--cell", "8x16",
                                            "--loop-file", *EACH_ALONE, env=VALIDATED)
                self.wait_for_picture(window)
                plain = self.stable_picture(window)

                def line():
                    width, height, pixel = self.pixels(window)
                    return next((x for x in range(2, width) if all(pixel(x, y) == b"\xff\xff\xff" for y in range(height))), None)
                self.desktop.key(window, "w")
                self.assertEqual(wait_for(line, "the line"), 320)
                expected = rgb_pictures(self.still)[0]
                width, _, pixel = self.pixels(window)
                for x, y in ((20, 30), (150, 200), (310, 350)):
                    source = expected[3 * (y * width + x):3 * (y * width + x) + 3]
                    self.assertLess(max(abs(a - b) for a, b in zip(source, pixel(x, y))), 8, f"source at {x},{y}")
                self.desktop.run("xdotool", "mousemove", "520", "330", "mousedown", "1", "mousemove", "440", "340",
                                 "mousemove", "360", "340", "mouseup", "1")
                self.assertEqual(wait_for(lambda: (at := line()) != 320 and at, "the dragged line"), 160)
                self.desktop.key(window, "w")
                wait_for(lambda: self.desktop.picture_of(window) == plain, "the line disappears")
                self.leave(process, window)


class WithoutVulkan(WindowTest):
    """Without Vulkan, windows show pictures in shared memory. If that is unavailable, `play` behaves as without a display."""

    def test_play_in_a_window(self):
        process, window = self.play(self.clip, "--loop-file", env=NO_VULKAN)
        self.wait_for_picture(window)
        self.leave(process, window)

    @unittest.skipIf(any(map(os.path.exists, ("/dev/dri", "/dev/nvidiactl", "/dev/dxg"))), "this machine may have a GPU")
    def test_no_driver_is_loaded_without_a_gpu(self):
        for options, is_loaded in (((), False), (("--vsync", "fifo"), True)):
            process, window = self.play(self.clip, "--loop-file", "--fit", "stretch", "--legibility", "0", *options)
            self.wait_for_picture(window)
            libraries = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
            self.assertEqual("libvulkan_lvp" in libraries, is_loaded)
            self.leave(process, window)

    def test_play_records_without_a_terminal(self):
        display = shared_desktop("-extension", "MIT-SHM").display
        outcome = self.succeed("play", self.clip, "--grid", "80x23", env={"DISPLAY": display, **NO_VULKAN},
                               stdout=subprocess.DEVNULL)
        self.assertIn("no usable Vulkan device can draw to it", outcome.stderr)
        self.assertIn("glyphreel.mp4", outcome.stderr)
        self.assert_complete(self.here / "glyphreel.mp4")

    def test_required_gpu_is_missing(self):
        outcome = self.refuse(3, "Vulkan", self.clip, "--renderer", "gpu", env={"DISPLAY": self.desktop.display, **NO_VULKAN})
        self.assertEqual(outcome.stdout, "")


if __name__ == "__main__":
    unittest.main()
