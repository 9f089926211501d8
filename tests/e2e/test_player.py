"""Tests every key and mouse button of the player's window. Reads frame numbers from the screen, and measures the audio
at the sound server's output."""

import array
import itertools
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

import sound
from desktop import SCREEN, is_blank
from harness import H264, TOOLS, make_clip, wait_for
from numbered import COLUMNS, PLAIN, ROWS, Watch, make_numbered, number_in_text, number_of
from test_window import VALIDATED, WindowTest

RATE = 24  # frames per second, and also the number of frames from one keyframe to the next
SECONDS = 150
GEOMETRY = "640x352+100+100"
CELL = 8, 16  # pixels
TRACK = bytes((0x4C, 0x50, 0x5A))  # the color of the unplayed part of the progress bar


class PlayerTest(WindowTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", SECONDS)

    def watch(self, *words, env=None):
        process, window = self.play(*words, "--geometry", GEOMETRY, *PLAIN, env=env)
        watch = Watch(self.desktop, window)
        self.addCleanup(watch.stop)
        wait_for(lambda: watch.number() is not None, f"a numbered picture: {self.log()}")
        return process, window, watch

    def pause(self, window, watch, key="space", seek="Up"):
        """Pauses, and seeks one minute forward ("Up") or back ("Down"). Returns the number of the frame shown."""
        before = watch.wait(lambda shown: shown > 5, "the clip plays")
        self.desktop.key(window, key, seek)
        if seek == "Up":
            return watch.wait(lambda shown: shown > before + 30 * RATE, "a frame a minute later")
        return watch.wait(lambda shown: shown < max(1, before - 30 * RATE), "a frame a minute earlier, or the first")

    def press(self, window, watch, key, number):
        """Presses a key and waits for the frame of this number."""
        self.desktop.key(window, key)
        watch.wait(lambda shown: shown == number, f"{key} leads to {number}")

    def time_of(self, watch, seconds):
        """Returns how much real time the next `seconds` of the clip take."""
        since = time.monotonic()
        wait_for(lambda: watch.numbers(since), "a frame")
        wait_for(lambda: watch.numbers(since)[-1][1] >= watch.numbers(since)[0][1] + seconds * RATE,
                 f"{seconds} s of the clip")
        (begin, first), *_, (end, last) = watch.numbers(since)
        return (end - begin) * seconds * RATE / (last - first)


class PlayerKeys(PlayerTest):
    def seek_forward(self, window, watch, key, seconds, number):
        for _ in range(seconds):
            number += RATE
            self.press(window, watch, key, number)
        return number

    def test_pause_steps_and_seeks(self):
        stats = self.here / "stats.json"
        process, window, watch = self.watch(self.clip, "--stats", stats)
        n = self.pause(window, watch)
        watch.wait_until_still(3)  # long enough that the fps checked below would be too low if pauses counted
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "playback continues")
        n = self.pause(window, watch, key="p", seek="Down")
        n = self.seek_forward(window, watch, "shift+Right", 3, n)
        since = time.monotonic()
        for number in (n + 1, n + 2, n + 3):
            self.press(window, watch, "period", number)
        for number in (n + 2, n + 1, n, n - 1):
            self.press(window, watch, "comma", number)
        self.press(window, watch, "period", n)
        shown = [number for number, _ in itertools.groupby(number for _, number in watch.numbers(since))]
        self.assertEqual(shown, [n + 1, n + 2, n + 3, n + 2, n + 1, n, n - 1, n], "unexpected frames")
        self.press(window, watch, "shift+Right", n + RATE)
        self.press(window, watch, "shift+Left", n)
        # The keys below seek to keyframes, and the clip has one keyframe per second. The Right key seeks to the
        # first keyframe at or after the target time.
        there = -(-(n + 5 * RATE) // RATE) * RATE
        self.press(window, watch, "Right", there)
        self.press(window, watch, "Up", there + 60 * RATE)
        self.press(window, watch, "Left", there + 55 * RATE)
        self.press(window, watch, "Down", there - 5 * RATE)
        # Playback continues from the target frame.
        before = time.monotonic()
        self.desktop.key(window, "space")
        n = watch.wait(lambda shown: shown > there - 4 * RATE, "playback continues")
        self.assertLess(n, there - 3 * RATE)
        shown = [number for _, number in watch.numbers(before)]
        self.assertEqual(shown, sorted(shown), "frames out of order")
        self.desktop.key(window, "Up")
        n = watch.wait(lambda shown: shown > there + 55 * RATE, "a frame a minute later during playback")
        self.leave(process, window)
        self.assertGreater(json.loads(stats.read_text())["fps"], RATE / 2, "pauses count as time played")

    def test_exact_seeks_from_long_frames(self):
        """A seek by one second shows the frame that is exactly one second away, even if frames last 0.1 s or longer."""
        uneven = (0, 3, 4, 11, 17, 19)  # the frames of each second that are kept in vfr.mkv
        choice = "+".join(f"eq(mod(n\\,{RATE})\\,{frame})" for frame in uneven)
        vfr = make_clip(self.here / "vfr.mkv", "-i", self.clip, "-t", "9", "-vf", f"select={choice}", "-vsync", "vfr", *H264, "-g",
                        "6", "-an")
        clips = [(make_numbered(self.here / f"{rate}.mkv", 9, rate=rate, sound=False), rate, range(rate)) for rate in (5, 8, 12)]
        for clip, rate, frames in [*clips, (vfr, RATE, uneven)]:
            with self.subTest(clip=clip.name):
                process, window, watch = self.watch(clip, "--start", "2")
                # Pause when a frame has been on the screen for a while, but before it ends.
                longest = max(b - a for a, b in itertools.pairwise([*frames, rate])) / rate
                wait_for(lambda: time.monotonic() - watch.seen[-1][0] > min(0.12, 0.8 * longest), "a frame that lasts")
                self.desktop.key(window, "space")
                second, paused_at = divmod(watch.wait_until_still(0.5), rate)
                for frame in [frame for frame in frames if frame >= paused_at]:
                    if frame > paused_at:
                        self.press(window, watch, "period", second * rate + frame)
                    for key, away in (("shift+Right", 1), ("shift+Right", 2), ("shift+Left", 1), ("shift+Left", 0)):
                        self.press(window, watch, key, (second + away) * rate + frame)
                self.leave(process, window)

    def test_seeks_accumulate(self):
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        self.desktop.focus(window)
        self.desktop.run("xdotool", "key", "--delay", "5", *["shift+Right"] * 20)
        watch.wait(lambda shown: shown == n + 20 * RATE, "the frame 20 s later")
        self.desktop.run("xdotool", "key", "--delay", "5", *["shift+Left"] * 15)
        watch.wait(lambda shown: shown == n + 5 * RATE, "the frame 15 s earlier")
        # Seeks stop at the start of the video.
        self.desktop.run("xdotool", "key", "--delay", "5", *["Down"] * 4)
        watch.wait(lambda shown: shown == 0, "the first picture")
        self.leave(process, window)

    def test_seek_stress(self):
        """A hundred seeks in one second: the last one determines the frame shown, and memory does not grow."""
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        memory = []
        for _ in range(2):
            self.desktop.run("xdotool", "key", "--delay", "10", *["shift+Right", "shift+Right", "shift+Left", "shift+Left"] * 25)
            watch.wait(lambda shown: shown == n, "the frame of the last seek")
            memory.append(int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6)
        self.assertLess(memory[1] - memory[0], 8, memory)
        self.assertTrue({number % RATE for _, number in watch.numbers()[-40:]} <= {n % RATE},
                        "frames between the seek targets")
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "playback continues")
        self.leave(process, window)

    def test_speeds(self):
        """At half, fourfold and normal speed, the clip takes the expected time, with tolerance for a busy machine."""
        process, window, watch = self.watch(self.clip, "--audio", "no")
        self.desktop.key(window, "braceleft")
        self.handle_keys(window)
        self.assertGreater(self.time_of(watch, 1), 1.2)
        self.desktop.key(window, "BackSpace", "braceright", "braceright")
        self.handle_keys(window)
        self.assertLess(self.time_of(watch, 6), 4.5)
        self.desktop.key(window, "BackSpace")
        self.handle_keys(window)
        self.assertGreater(self.time_of(watch, 1), 0.6)
        self.leave(process, window)

    def test_ab_loop(self):
        process, window, watch = self.watch(self.clip)
        a = self.pause(window, watch)
        self.desktop.key(window, "l")
        self.press(window, watch, "shift+Right", a + RATE)
        self.desktop.key(window, "l")
        began = time.monotonic()
        self.desktop.key(window, "space")

        def has_looped_twice():
            numbers = [number for _, number in watch.numbers(began)]
            return sum(now < before for before, now in zip(numbers, numbers[1:])) >= 2
        wait_for(has_looped_twice, "two loops")
        shown = [number for _, number in watch.numbers(began)]
        self.assertGreaterEqual(min(shown), a)
        self.assertLessEqual(max(shown), a + RATE)
        self.assertEqual(min(shown), a, "each loop begins exactly at A")
        self.desktop.key(window, "l")
        watch.wait(lambda number: number > a + 2 * RATE, "playback past B")
        self.leave(process, window)

    def test_file_loop(self):
        short = make_numbered(self.here / "short.mkv", 8)
        process, window, watch = self.watch(short)
        began = time.monotonic()
        self.desktop.key(window, "L", "Right")

        def has_restarted():
            numbers = [number for _, number in watch.numbers(began)]
            return any(now < before for before, now in zip(numbers, numbers[1:]))
        wait_for(has_restarted, "the video restarts")
        self.desktop.key(window, "L", "Right")
        self.finish(process)

    def test_playlist(self):
        second = make_numbered(self.here / "second.mkv", 20, first=3000, sound=False)
        process, window, watch = self.watch(self.clip, second)
        titles = lambda: self.desktop.run("xdotool", "getwindowname", window).strip()
        wait_for(lambda: titles() == "numbers.mkv - glyphreel", "the title")
        self.desktop.key(window, "less")  # no effect: there is no previous input
        self.desktop.key(window, "greater")
        watch.wait(lambda number: number >= 3000, "the second video")
        wait_for(lambda: titles() == "second.mkv - glyphreel", "the title")
        self.desktop.key(window, "greater")  # no effect: there is no next input
        self.desktop.key(window, "less")
        watch.wait(lambda number: number < 3000, "the first video")
        self.leave(process, window)

    def test_lost_gpu(self):
        """After the GPU is lost or hangs, playback continues at the same position in a new window, with the same
        settings. After a hang, the CPU draws, except with --renderer gpu. Playback continues even if a call never
        returns from the driver."""
        for renderer, fault in (("gpu", "LOST_GPU_AT"), ("cpu", "LOST_GPU_AT"), ("gpu", "HUNG_GPU_AT"), ("auto", "HUNG_GPU_AT")):
            with self.subTest(renderer=renderer, fault=fault):
                trigger = self.here / f"{renderer}-{fault}"
                # If VK_INSTANCE_LAYERS is set, even to nothing, `auto` looks for a GPU; see may_have_gpu().
                env = {"LD_PRELOAD": TOOLS / "lost_gpu.so", fault: trigger, "VK_INSTANCE_LAYERS": ""}
                if renderer == "auto":
                    env["HUNG_PRESENT"] = "1"
                process, first, watch = self.watch(self.clip, "--renderer", renderer, "--audio", "no", "--vsync", "fifo", env=env)
                self.desktop.key(first, "braceleft")
                wait_for(lambda: self.time_of(watch, 1) > 1.2, "half speed")
                trigger.touch()
                wait_for(lambda: "Restarting the display" in self.log(), "the message of the lost GPU")
                before = max(number for _, number in watch.numbers())
                watch.stop()
                window = self.desktop.window_of(process)
                again = Watch(self.desktop, window)
                self.addCleanup(again.stop)
                wait_for(lambda: again.number() is not None, "a frame")
                # At half speed, 10 s of the clip give a busy machine 20 s to open the new window.
                self.assertIn(again.number() - before, range(-2, 10 * RATE), "position after the restart")
                self.assertGreater(self.time_of(again, 1), 1.2, "speed after the restart")
                self.assertEqual("has not finished a frame for 8 s" in self.log(), fault == "HUNG_GPU_AT")
                self.assertEqual("Renderer: CPU" in self.log().split("Restarting the display")[1], renderer != "gpu")
                self.leave(process, window)

    def test_covered_window(self):
        self.play_covered("acquire")

    def test_covered_window_that_blocks_the_driver(self):
        self.play_covered("present")

    def play_covered(self, call):
        """While the covered window blocks a Vulkan call, the playback position advances, and keys work."""
        covered = self.here / "covered"
        env = {"LD_PRELOAD": TOOLS / "covered_window.so", "COVERED_WHILE": covered, "COVERED_CALL": call}
        process, window, watch = self.watch(self.clip, "--vsync", "fifo", env=env)
        covered.touch()
        still = watch.wait_until_still(1)
        since = time.monotonic()
        covered.unlink()
        # First, the player shows two old frames: the one whose Vulkan call was blocked, and one that was waiting to be
        # shown next. The frame after these must be at least half a second later in the clip.
        watch.wait(lambda shown: shown > still + 2, "playback is visible again")
        self.assertGreater(next(shown for _, shown in watch.numbers(since) if shown > still + 2), still + RATE // 2)
        n = self.pause(window, watch, seek="Down")
        covered.touch()
        self.desktop.key(window, "shift+Right")

        def is_saved():
            self.desktop.key(window, "s")
            return any(self.number_of_picture(picture) == n + RATE for picture in self.here.glob("glyphreel-*.png"))
        wait_for(is_saved, "a screenshot of the frame that the seek led to")
        self.assertEqual(watch.number(), n)
        covered.unlink()
        watch.wait(lambda shown: shown == n + RATE, "the frame that the seek led to")
        covered.touch()
        self.desktop.key(window, "space")
        self.leave(process, window)

    def test_queued_keys(self):
        videos = [make_numbered(self.here / f"{name}.mkv", 20, first=first, sound=False) for name, first in (("b", 3000), ("c", 3600))]
        process, window, watch = self.watch(self.clip, *videos)
        watch.wait(lambda number: number < 3000, "the first video")
        os.kill(process.pid, signal.SIGSTOP)
        self.desktop.key(window, "greater", "greater", "space")
        os.kill(process.pid, signal.SIGCONT)
        watch.wait(lambda number: number >= 3600, "the third video")
        self.handle_keys(window)
        self.assertLess(watch.wait_until_still(0.5), 3600 + 20 * RATE, "paused by the last key")
        self.leave(process, window)

    def test_screenshot(self):
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        self.desktop.key(window, "s", "s")
        for name in ("glyphreel-0001", "glyphreel-0002"):
            picture, text = self.here / f"{name}.png", self.here / f"{name}.txt"
            wait_for(lambda: text.is_file() and text.stat().st_size > 0, f"{name} is saved")
            wait_for(lambda: self.number_of_picture(picture) == n, "the frame number in the file")
            self.assertEqual(self.number_in_file(text), n)
        # In full color, the window draws the frame number with blank cells on colored backgrounds. The saved text
        # has no colors, so it must show the frame number with characters.
        self.desktop.key(window, "c", "c", "c", "s")
        text = self.here / "glyphreel-0003.txt"
        wait_for(lambda: text.is_file() and text.stat().st_size > 0, "the text in full color is saved")
        self.assertEqual(self.number_in_file(text), n)
        self.leave(process, window)

    def number_in_file(self, path):
        rows = path.read_text().split("\f")[0].splitlines()
        return number_in_text(rows, max(map(len, rows)), len(rows))

    def number_of_picture(self, path):
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", f"scale={COLUMNS}:{ROWS}:flags=area,format=gray",
                               "-f", "rawvideo", "-"], capture_output=True)
        return number_of(sum((shade > 40) << i for i, shade in enumerate(done.stdout))) if len(done.stdout) == COLUMNS * ROWS else None

    def test_statistics_and_help_pages(self):
        process, window, watch = self.watch(self.clip, "--osd-level", "1", "--audio", "no")
        self.pause(window, watch, seek="Down")
        wait_for(lambda: self.find_bar(window), "the progress bar")
        wait_for(lambda: not self.find_bar(window), "the progress bar disappears")
        plain = self.stable_picture(window)
        # The statistics keep changing, so do not wait for a stable picture, only for a first change.
        self.desktop.key(window, "i")
        self.wait_for_change(window, plain)
        self.desktop.key(window, "i")
        wait_for(lambda: self.desktop.picture_of(window) == plain, "the statistics disappear")
        # The key shows the next page of the help, and after the last page, it hides the help. The number of pages depends
        # on the window's size.
        page, pages = None, 0
        while page != plain:
            self.assertLess(pages, 7, "the help does not close")
            self.desktop.key(window, "question")
            self.wait_for_change(window, page or plain)
            page, pages = self.stable_picture(window), pages + 1
        self.assertGreater(pages, 1)
        self.leave(process, window)

    def test_split_view(self):
        """With each renderer, both halves of the split view show the same picture. Closing the view restores
        the picture."""
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window, watch = self.watch(self.clip, "--renderer", renderer, "--audio", "no", env=VALIDATED)
                self.pause(window, watch)
                plain = self.stable_picture(window)
                for _ in range(3):
                    self.desktop.key(window, "t")
                    wait_for(lambda: self.is_split(window), "two halves")
                    self.desktop.key(window, "t")
                    wait_for(lambda: self.desktop.picture_of(window) == plain, "the picture without the split view")
                # Open the view during playback, press other keys, and resize the window.
                self.desktop.key(window, "space", "t")
                for key in ("g", "c", "2", "f", "f", "Right", "h"):
                    self.desktop.key(window, key)
                    wait_for(lambda: self.is_split(window), f"two halves after {key}")
                self.desktop.key(window, "plus", "minus")
                for width, height in ((900, 500), (301, 207), (640, 352)):
                    self.desktop.run("xdotool", "windowsize", window, width, height)
                    self.desktop.key(window, "t", "t")
                wait_for(lambda: self.desktop.geometry(window)[2:] == (640, 352) and self.is_split(window),
                         "two halves")
                self.leave(process, window)

    def is_split(self, window):
        """Whether the window shows two titles and, below them, two equal halves that are not blank, with a black seam
        between."""
        _, _, width, height = self.desktop.geometry(window)
        picture = self.desktop.picture_of(window)
        if picture is None or len(picture) != width * height * 3:
            return False
        columns = width // CELL[0]
        half = (columns - (1 if columns % 2 else 2)) // 2
        left = (width - columns * CELL[0]) // 2
        right = left + (columns - half) * CELL[0]
        part = lambda y, begin, end: picture[(y * width + begin) * 3:(y * width + end) * 3]
        above = max(3 * CELL[1], height // 12)  # the height of the two titles and the message below, which grow with the window
        halves = [b"".join(part(y, begin, begin + half * CELL[0]) for y in range(above, height)) for begin in (left, right)]
        seam = b"".join(part(y, left + half * CELL[0], right) for y in range(above, height))
        # The picture is gray, so orange pixels belong to a title.
        titles = [b"".join(part(y, begin, begin + 5 * CELL[0]) for y in range(above)) for begin in (left, right)]
        oranges = [sum(red > blue + 60 for red, blue in zip(title[::3], title[2::3])) for title in titles]
        return halves[0] == halves[1] and not is_blank(halves[0]) and not any(seam) and min(oranges) > 5

    def test_effects(self):
        """On a paused picture, each effect looks different and does not move. `none` restores the picture."""
        folder = self.here / "config" / "glyphreel"
        folder.mkdir(parents=True)
        (folder / "input.conf").write_text("k set effect tube\n")
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--geometry", GEOMETRY, "--color", "full", "--audio", "no",
                                            "--renderer", renderer, "--start", "20", env={**VALIDATED, "XDG_CONFIG_HOME": folder.parent})
                self.wait_for_picture(window)
                self.desktop.key(window, "space")
                self.handle_keys(window)
                seen = [self.stable_picture(window)]
                for effect in ("rain", "tube", "glitch", "ripple", "none"):
                    self.desktop.key(window, "e")
                    wait_for(lambda: f"effect: {effect}" in self.log(), f"effect: {effect}")
                    self.wait_for_change(window, seen[-1])
                    seen.append(self.stable_picture(window))
                self.assertEqual(seen[-1], seen[0], "effect none must restore the picture")
                rain, tube, glitch, ripple = seen[1:5]
                for one in (rain, tube, ripple):  # not glitch, which leaves the picture unchanged between bursts
                    self.assertEqual([one == other for other in seen].count(True), 1)
                self.desktop.key(window, "k")
                wait_for(lambda: self.stable_picture(window) == tube, "effect tube, set by name")
                self.leave(process, window)

    def test_window_opens_under_the_pointer(self):
        """The progress bar, which appears when the pointer moves, does not cover the first frames."""
        self.desktop.run("xdotool", "mousemove", 420, 276)
        process, window, watch = self.watch(self.clip, "--osd-level", "1", "--pause")
        self.assertIsNone(self.find_bar(window))
        self.desktop.run("xdotool", "mousemove_relative", 5, 5)
        wait_for(lambda: self.find_bar(window), "the progress bar")
        self.leave(process, window)

    def test_mouse(self):
        process, window, watch = self.watch(self.clip, "--osd-level", "1")
        self.pause(window, watch, seek="Down")
        x, y, width, height = self.desktop.geometry(window)
        move = lambda across, down: self.desktop.run("xdotool", "mousemove", x + int(across), y + int(down))
        move(width / 2, height / 2)
        move(width / 2 + 9, height / 2)
        left, right, row = wait_for(lambda: self.find_bar(window), "the progress bar")
        for part in (0.5, 0.9, 0.25):
            move(left + part * (right - left), row)
            self.desktop.run("xdotool", "click", "1")  # quick clicks at different places are not a double click
            wanted, near = part * SECONDS * RATE, 2 * SECONDS * RATE * 8 / (right - left)
            watch.wait(lambda number: abs(number - wanted) <= near, f"a click at {part} of the bar")
        # Drag the position along the bar.
        move(left + 0.3 * (right - left), row)
        self.desktop.run("xdotool", "mousedown", "1")
        for part in (0.4, 0.5, 0.6):
            move(left + part * (right - left), row - 40)
        self.desktop.run("xdotool", "mouseup", "1")
        watch.wait(lambda number: abs(number - 0.6 * SECONDS * RATE) <= near, "dragged to 0.6")
        move(width / 2, height / 2)
        self.desktop.run("xdotool", "click", "3")
        n = watch.number()
        watch.wait(lambda number: number != n, "the right button resumes playback")
        self.desktop.run("xdotool", "click", "--repeat", "2", "--delay", "60", "1")
        wait_for(lambda: self.desktop.geometry(window) == (0, 0, *SCREEN), "a double click switches to fullscreen")
        self.desktop.run("xdotool", "click", "--repeat", "2", "--delay", "60", "1")
        wait_for(lambda: self.desktop.geometry(window)[2:] == (width, height), "a double click leaves fullscreen")
        for there, back in (("f", "f"), ("f", "Escape")):
            self.desktop.key(window, there)
            wait_for(lambda: self.desktop.geometry(window) == (0, 0, *SCREEN), "fullscreen")
            self.desktop.key(window, back)
            wait_for(lambda: self.desktop.geometry(window)[2:] == (width, height), "the previous window size")
        self.leave(process, window)

    def find_bar(self, window):
        """Returns the left and right ends and the row of the progress bar's unplayed part, in window pixels. Returns
        None if no unplayed part is wider than a third of the window."""
        picture = self.desktop.picture_of(window)
        _, _, width, height = self.desktop.geometry(window)
        if picture is None:
            return None
        for row in range(height):
            if TRACK * (width // 4) not in picture[row * width * 3:(row + 1) * width * 3]:
                continue
            pixels = [picture[at:at + 3] == TRACK for at in range(row * width * 3, (row + 1) * width * 3, 3)]
            if sum(pixels) > width // 3:
                right = width - pixels[::-1].index(True)
                left = pixels.index(True)
                return left, right, row + 4
        return None

    def test_input_conf(self):
        folder = self.here / "config" / "glyphreel"
        folder.mkdir(parents=True)
        (folder / "input.conf").write_text("k seek 2 exact\nfly to the moon\nQ no-osd set speed 2; quit\nq ignore\n"
                                           "Ctrl+k seek 0 absolute exact # to the start\nF5 seek 1 exact\nINS seek -1 exact\n")
        environment = {"XDG_CONFIG_HOME": folder.parent}
        process, window, watch = self.watch(self.clip, env=environment)
        self.assertRegex(self.log(), r'input\.conf, line 2: "to the moon": there is no command to; ')
        self.assertEqual(self.log().count("input.conf, line"), 1, self.log())
        n = self.pause(window, watch)
        self.press(window, watch, "k", n + 2 * RATE)
        self.press(window, watch, "F5", n + 3 * RATE)
        self.press(window, watch, "Insert", n + 2 * RATE)
        self.press(window, watch, "ctrl+k", 0)
        self.press(window, watch, "period", 1)  # other keys keep their default binding
        self.desktop.key(window, "q")
        self.press(window, watch, "period", 2)
        self.desktop.key(window, "Q")
        self.finish(process)


class LevelMeter:
    """Measures the sound level (RMS) at the sound server's output."""

    def __init__(self, server):
        self.process = subprocess.Popen(["parec", "--format=float32le", "--rate=48000", "--channels=1", "--latency-msec=20",
                                         "-d", "testsink.monitor"], env=server.environment, stdout=subprocess.PIPE)
        self.recent = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        while True:
            got = self.process.stdout.read(4800 * 4)
            if len(got) < 4800 * 4:
                return
            samples = array.array("f", got)
            self.recent.append((time.monotonic(), (sum(value * value for value in samples) / len(samples)) ** 0.5))

    def wait_for(self, least, most, what):
        """Waits until the level has been between `least` and `most` for 0.3 s; returns the last level."""
        wait_for(lambda: len(self.recent) > 3 and all(least <= level <= most for _, level in self.recent[-3:]),
                 f"{what}: {least:.3f} to {most:.3f}")
        return self.recent[-1][1]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.thread.join(10)
        self.process.stdout.close()


class AudiblePlayerTest(PlayerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = sound.shared_server()

    def sound(self):
        """The environment that connects the program to the sound server."""
        return {"PULSE_SERVER": self.server.environment["PULSE_SERVER"]}


class PlayerSound(AudiblePlayerTest):
    def test_device(self):
        process, window, _ = self.watch(self.clip, "--audio-device", "none such", env=self.sound())
        wait_for(lambda: "There is no sound device none such" in self.log(), self.log)
        self.leave(process, window)
        level = LevelMeter(self.server)
        self.addCleanup(level.stop)
        process, window, _ = self.watch(self.clip, "--audio-device", "pulse/testsink", env=self.sound())
        level.wait_for(0.1, 0.3, "the sound")
        self.leave(process, window)

    def test_volume_mute_and_pause(self):
        level = LevelMeter(self.server)
        self.addCleanup(level.stop)
        process, window, watch = self.watch(self.clip, env=self.sound())
        full = level.wait_for(0.1, 0.3, "the full level")
        quiet = []
        for _ in range(2):
            self.desktop.key(window, *"99999")
            quiet.append(level.wait_for(0.2 * full, (0.9 if not quiet else 0.8 * quiet[0] / full) * full, "9 lowers the volume"))
        self.desktop.key(window, *"0000000000")
        level.wait_for(0.95 * full, 1.05 * full, "0 raises the volume")
        for key in ("m", "space"):
            self.desktop.key(window, key)
            level.wait_for(0, 0.001, f"{key} silences the sound")
            self.desktop.key(window, key)
            level.wait_for(0.95 * full, 1.05 * full, f"{key} restores the sound")
        x, y, width, height = self.desktop.geometry(window)
        self.desktop.run("xdotool", "mousemove", x + width // 2, y + height // 2)
        self.desktop.run("xdotool", "click", "--repeat", "8", "5")
        level.wait_for(0.2 * full, 0.8 * full, "the wheel lowers the volume")
        self.desktop.run("xdotool", "click", "--repeat", "8", "4")
        level.wait_for(0.95 * full, 1.05 * full, "the wheel raises the volume")
        # Double speed keeps the level.
        self.desktop.key(window, "braceright")
        self.handle_keys(window)
        self.time_of(watch, 2)
        level.wait_for(0.8 * full, 1.2 * full, "the level at double speed")
        self.leave(process, window)


if __name__ == "__main__":
    unittest.main()
