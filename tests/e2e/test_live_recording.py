"""Tests recordings made during playback, with numbered frames and audio at known positions."""

import array
import re
import signal
import subprocess
import unittest

from harness import EXIT_DONE, EXIT_INTERRUPTED, PATIENCE, frame_times, probe, wait_for
from numbered import COLUMNS, PLAIN, ROWS, Watch, make_flashes, make_numbered, number_of
from test_player import GEOMETRY, RATE, AudiblePlayerTest


def decoded(path, *arguments):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), *arguments, "-"], capture_output=True, check=True).stdout


def recorded_bits(path, columns=COLUMNS, rows=ROWS):
    """Returns (seconds, bits) of each frame of a recording. As in Watch, bit i is set if block i of the frame is
    bright."""
    shades = decoded(path, "-vf", f"scale={columns}:{rows}:flags=area,format=gray", "-fps_mode", "passthrough", "-f", "rawvideo")
    count = columns * rows
    pictures = [shades[at:at + count] for at in range(0, len(shades), count)]
    return [(float(when), sum((shade > 40) << i for i, shade in enumerate(picture)))
            for when, picture in zip(frame_times(path), pictures, strict=True)]


def recorded_numbers(path):
    """Returns (seconds, number) of each frame, without repeated frames."""
    numbers = [(when, number_of(bits)) for when, bits in recorded_bits(path)]
    return [numbers[0]] + [now for before, now in zip(numbers, numbers[1:]) if now[1] != before[1]]


def recorded_sound(path):
    """Returns the audio as mono float samples at 48 kHz."""
    return array.array("f", decoded(path, "-ac", "1", "-ar", "48000", "-f", "f32le"))


def loudness(samples, seconds=0.05):
    """Splits the samples into blocks that last `seconds`. Returns the RMS of each block."""
    length = int(seconds * 48000)
    return [(sum(value * value for value in samples[at:at + length]) / length) ** 0.5 for at in range(0, len(samples) - length, length)]


def onsets(samples):
    """Returns the seconds at which sounds begin after at least 20 ms of silence."""
    begins, quiet = [], 0
    for at, level in enumerate(loudness(samples, 0.002)):
        if level > 0.1 and quiet >= 10:
            begins.append(at * 0.002)
        # A level from 0.05 to 0.1 may be the beginning of a sound, so it neither prolongs nor ends the silence.
        quiet = quiet + 1 if level < 0.05 else quiet if level <= 0.1 else 0
    return begins


class LiveRecordingTest(AudiblePlayerTest):
    def watch(self, *words, **options):
        return super().watch(*words, env=self.sound(), **options)

    def saved(self, name="glyphreel.mp4"):
        path = self.here / name
        wait_for(path.is_file, f"{name} is written: {self.log()}")
        return path

    def check_numbers(self, numbers, cuts=0):
        """Checks that successive frames are as far apart in time as in the clip, except at exactly `cuts` cuts. Returns the
        frame number after each cut. Frames may be missing, since a busy machine drops frames in playback or in recording."""
        frames_after_cuts = []
        # Skip the first frame: it was on the screen before the recording began.
        for (then, before), (when, now) in zip(numbers[1:], numbers[2:]):
            self.assertIsNotNone(now, f"at {when}")
            if abs(when - then - (now - before) / RATE) > 0.003:
                # A cut goes backward or at least 5 s forward. The duration of the frame before the cut is not checked,
                # because that frame may be shortened or missing.
                self.assertTrue(not 0 < now - before < 5 * RATE, (then, before, when, now))
                frames_after_cuts.append(now)
        self.assertEqual(len(frames_after_cuts), cuts, numbers)
        return frames_after_cuts

    def check_complete(self, shown, numbers):
        """Checks that every frame shown is in the recording, apart from those that the program reports as missing."""
        missing = sorted(set(shown) - {number for _, number in numbers})

        def all_reported():
            reported = re.findall(r"^glyphreel: (\d+) pictures? (?:is|are) missing", self.log(), re.MULTILINE)
            return len(missing) <= sum(map(int, reported))
        # Wait for the report: the player writes it only after it has renamed the file.
        wait_for(all_reported, f"these frames are reported as missing: {missing}")

    def keep_playing(self, watch, seconds):
        """Waits until the player has shown the next `seconds` of the clip."""
        now = watch.wait(lambda number: True, "a frame")
        watch.wait(lambda number: number >= now + seconds * RATE, f"{seconds} s more of the clip")

    def flashes_and_clicks(self, video):
        """Returns the times of flashes and clicks in a recording, and how late the click nearest to each flash is."""
        bright = recorded_bits(video, 1, 1)
        flashes = [when for (_, was), (when, now) in zip(bright, bright[1:]) if now and not was]
        clicks = onsets(recorded_sound(video))
        self.assertTrue(flashes and clicks, (bright, clicks))
        return flashes, clicks, [min((click - flash for click in clicks), key=abs) for flash in flashes]


class LiveRecording(LiveRecordingTest):
    def test_pause_and_seek_in_recording(self):
        """Pauses are left out, a seek is a cut, and the audio has no gaps."""
        process, window, watch = self.watch(self.clip)
        self.keep_playing(watch, 0.5)
        self.desktop.key(window, "r")
        began = watch.number()
        self.keep_playing(watch, 1.5)
        self.desktop.key(window, "space")
        self.handle_keys(window)
        watch.wait_until_still(0.7)
        self.desktop.key(window, "space")
        self.keep_playing(watch, 0.7)
        before = watch.number()
        self.desktop.key(window, "Up")
        watch.wait(lambda number: number > before + 30 * RATE, "a frame a minute later")
        self.keep_playing(watch, 1)
        self.desktop.key(window, "m", "r")
        video = self.saved()
        numbers = recorded_numbers(video)
        last = numbers[-1][1]
        self.check_complete([number for _, number in watch.numbers() if began < number < last], numbers)
        (there,) = self.check_numbers(numbers, cuts=1)
        self.assertGreater(there, 55 * RATE)
        self.assertGreater(len(numbers), 2 * RATE)
        length = numbers[-1][0] + 1 / RATE
        samples = recorded_sound(video)
        self.assertAlmostEqual(len(samples) / 48000, length, delta=0.06)
        self.assertGreater(min(loudness(samples)), 0.1, "the sound has a gap")
        self.assertEqual([path.name for path in self.here.glob("*.part.*")], [])
        # A second recording gets its own name, and quitting completes it.
        self.desktop.key(window, "r")
        self.keep_playing(watch, 1)
        self.leave(process, window)
        self.check_numbers(recorded_numbers(self.saved("glyphreel-2.mp4")))

    def test_sound_matches_picture(self):
        """Each click is within 0.12 s of the start of its flash. A busy machine may drop the first frames of a flash, so only
        tests/bench/timing_recording.py checks smaller offsets."""
        clip = make_flashes(self.folder / "flashes.mkv", 20)
        process, window = self.play(clip, "--geometry", "320x176+100+100", *PLAIN, env=self.sound())
        self.wait_for_picture(window)
        self.desktop.key(window, "r")
        watch = Watch(self.desktop, window, 1, 1)
        self.addCleanup(watch.stop)
        wait_for(lambda: len(watch.flash_times()) >= 3, "three flashes")
        self.desktop.key(window, "r")
        flashes, clicks, offsets = self.flashes_and_clicks(self.saved())
        self.assertLess(max(map(abs, offsets)), 0.12, (offsets, flashes, clicks))
        self.leave(process, window)

    def test_recording_across_inputs(self):
        """Records to the end of a playlist whose second video has no audio."""
        first = make_numbered(self.here / "first.mkv", 3)
        second = make_numbered(self.here / "second.mkv", 2, first=3000, sound=False)
        process, window, watch = self.watch(first, second)
        self.desktop.key(window, "r")
        self.finish(process)
        video = self.saved()
        numbers = recorded_numbers(video)
        self.assertEqual(self.check_numbers(numbers, cuts=1), [3000])
        self.check_complete([number for _, number in watch.numbers() if number > numbers[0][1]], numbers)
        level = loudness(recorded_sound(video))
        cut = int(next(when for when, number in numbers if number == 3000) / 0.05)
        self.assertGreater(min(level[:cut - 1]), 0.1)
        self.assertLess(max(level[cut + 2:]), 0.01)
        self.assertAlmostEqual(len(level) * 0.05, numbers[-1][0], delta=0.15)

    def test_size_is_fixed_during_window_resize(self):
        process, window, watch = self.watch(self.clip)
        self.desktop.key(window, "r")
        self.keep_playing(watch, 0.3)
        self.desktop.run("xdotool", "windowsize", window, "900", "352")
        wait_for(lambda: self.desktop.geometry(window)[2:] == (900, 352), "the window is resized")
        # Watch cannot read frame numbers at this window size, so count the changes of the picture.
        before = len(watch.seen)
        wait_for(lambda: len(watch.seen) > before + RATE // 2, "playback continues")
        self.desktop.key(window, "r")
        video = self.saved()
        size = probe(video, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual((size["width"], size["height"]), (640, 352))
        self.leave(process, window)

    def test_interrupted_and_killed_recording(self):
        for end, code, name in ((signal.SIGTERM, EXIT_INTERRUPTED, "glyphreel.mp4"), (signal.SIGKILL, -signal.SIGKILL, "glyphreel-2.part.mp4")):
            with self.subTest(end=end):
                process, window, watch = self.watch(self.clip)
                self.desktop.key(window, "r")
                if end == signal.SIGKILL:
                    wait_for(lambda: self.playable_frames(self.here / name) > RATE + 1, "a second of playable frames")
                else:
                    self.keep_playing(watch, 2)
                process.send_signal(end)
                self.finish(process, code)
                numbers = recorded_numbers(self.saved(name))
                self.check_numbers(numbers)
                self.assertGreater(len(numbers), RATE)

    def playable_frames(self, path):
        """Returns the number of decodable frames in an unfinished recording; 0 if it is not playable yet."""
        shown = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", "scale=1:1,format=gray", "-f", "rawvideo",
                                "-"], capture_output=True)
        return len(shown.stdout)

    def test_missing_output_folder(self):
        gone = self.here / "gone"
        gone.mkdir()
        process = self.start(self.clip, "--geometry", GEOMETRY, *PLAIN, cwd=gone, stderr=subprocess.PIPE,
                             env={"DISPLAY": self.desktop.display, **self.sound()})
        window = self.desktop.window_of(process)
        watch = Watch(self.desktop, window)
        self.addCleanup(watch.stop)
        gone.rmdir()
        self.desktop.key(window, "r")
        n = watch.wait(lambda number: True, "a frame")
        watch.wait(lambda number: number > n + RATE, "playback continues")
        self.desktop.key(window, "q")
        _, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, EXIT_DONE, stderr)
        self.assertEqual(stderr.decode().count("cannot be written"), 1, stderr)


if __name__ == "__main__":
    unittest.main()
