"""Recordings of what is played: their pictures tell their numbers, their sound its place."""

import array
import re
import signal
import subprocess
import unittest

from harness import EXIT_DONE, EXIT_INTERRUPTED, PATIENCE, frame_times, probe, wait_for
from numbered import COLUMNS, PLAIN, ROWS, Watch, make_flashes, make_numbered, number_of
from test_player import GEOMETRY, RATE, AudiblePlayer


def decoded(path, *arguments):
    return subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), *arguments, "-"], capture_output=True, check=True).stdout


def recorded_bits(path, columns=COLUMNS, rows=ROWS):
    """(seconds, bits) of each picture of a recording, as Watch tells them of a window."""
    shades = decoded(path, "-vf", f"scale={columns}:{rows}:flags=area,format=gray", "-fps_mode", "passthrough", "-f", "rawvideo")
    count = columns * rows
    pictures = [shades[at:at + count] for at in range(0, len(shades), count)]
    return [(float(when), sum((shade > 40) << i for i, shade in enumerate(picture)))
            for when, picture in zip(frame_times(path), pictures, strict=True)]


def recorded_numbers(path):
    """(seconds, number) of each picture, those left out that show the one before again."""
    numbers = [(when, number_of(bits)) for when, bits in recorded_bits(path)]
    return [numbers[0]] + [now for before, now in zip(numbers, numbers[1:]) if now[1] != before[1]]


def recorded_sound(path):
    """Samples of one channel at 48 kHz."""
    return array.array("f", decoded(path, "-ac", "1", "-ar", "48000", "-f", "f32le"))


def loudness(samples, seconds=0.05):
    """Of each part so long; the last, which is shorter, left out."""
    length = int(seconds * 48000)
    return [(sum(value * value for value in samples[at:at + length]) / length) ** 0.5 for at in range(0, len(samples) - length, length)]


def onsets(samples):
    """Seconds at which sounds begin that 20 ms of quiet went before."""
    begins, quiet = [], 0
    for at, level in enumerate(loudness(samples, 0.002)):
        if level > 0.1 and quiet >= 10:
            begins.append(at * 0.002)
        # Between quiet and loud: on the way up.
        quiet = quiet + 1 if level < 0.05 else quiet if level <= 0.1 else 0
    return begins


class RecordingTest(AudiblePlayer):
    def watch(self, *words, **options):
        return super().watch(*words, env=self.sound(), **options)

    def saved(self, name="glyphreel.mp4"):
        path = self.here / name
        wait_for(path.is_file, f"{name} is there: {self.said()}")
        return path

    def check_numbers(self, numbers, cuts=0):
        """Each picture in its time, but for so many cuts; returns the number after each cut. A busy machine may leave
        pictures out, here or in the recording."""
        jumps = []
        # The first was on the screen before.
        for (then, before), (when, now) in zip(numbers[1:], numbers[2:]):
            self.assertIsNotNone(now, f"at {when}")
            if abs(when - then - (now - before) / RATE) > 0.003:
                # The last before a cut stands for less than its time, if at all.
                self.assertTrue(not 0 < now - before < 5 * RATE, (then, before, when, now))
                jumps.append(now)
        self.assertEqual(len(jumps), cuts, numbers)
        return jumps

    def check_complete(self, shown, numbers):
        """What was seen is in the recording, but for the pictures that it says are missing."""
        told = sum(map(int, re.findall(r"^(\d+) pictures? (?:is|are) missing", self.said(), re.MULTILINE)))
        missing = sorted(set(shown) - {number for _, number in numbers})
        self.assertLessEqual(len(missing), told, missing)

    def play_on(self, watch, seconds):
        """Waits until so much more of the clip has been shown."""
        now = watch.wait(lambda number: True, "a picture")
        watch.wait(lambda number: number >= now + seconds * RATE, "the clip goes on")

    def flashes_and_clicks(self, film):
        """Seconds of both in a recording, and by how much the click next to each flash is late."""
        bright = recorded_bits(film, 1, 1)
        flashes = [when for (_, was), (when, now) in zip(bright, bright[1:]) if now and not was]
        clicks = onsets(recorded_sound(film))
        self.assertTrue(flashes and clicks, (bright, clicks))
        return flashes, clicks, [min((click - flash for click in clicks), key=abs) for flash in flashes]


class Recording(RecordingTest):
    def test_what_is_played(self):
        """Pauses are not in it, a seek is a cut, and the sound is without a gap."""
        process, window, watch = self.watch(self.clip)
        self.play_on(watch, 0.5)
        self.desktop.key(window, "r")
        began = watch.number()
        self.play_on(watch, 1.5)
        self.desktop.key(window, "space")
        self.handle_keys(window)
        watch.still(0.7)
        self.desktop.key(window, "space")
        self.play_on(watch, 0.7)
        before = watch.number()
        self.desktop.key(window, "Up")
        watch.wait(lambda number: number > before + 30 * RATE, "the picture a minute on")
        self.play_on(watch, 1)
        self.desktop.key(window, "m", "r")
        film = self.saved()
        numbers = recorded_numbers(film)
        last = numbers[-1][1]
        self.check_complete([number for _, number in watch.numbers() if began < number < last], numbers)
        (there,) = self.check_numbers(numbers, cuts=1)
        self.assertGreater(there, 55 * RATE)
        self.assertGreater(len(numbers), 2 * RATE)
        length = numbers[-1][0] + 1 / RATE
        samples = recorded_sound(film)
        self.assertAlmostEqual(len(samples) / 48000, length, delta=0.06)
        self.assertGreater(min(loudness(samples)), 0.1, "silence within")
        self.assertEqual([path.name for path in self.here.glob("*.part.*")], [])
        # A second one has a name of its own, and quitting completes it.
        self.desktop.key(window, "r")
        self.play_on(watch, 1)
        self.leave(process, window)
        self.check_numbers(recorded_numbers(self.saved("glyphreel-2.mp4")))

    def test_sound_fits(self):
        """Each click within its flash, of which a busy machine may drop the first pictures; tests/bench/timing_recording.py
        measures how well."""
        clip = make_flashes(self.folder / "flashes.mkv", 20)
        process, window = self.play(clip, "--geometry", "320x176+100+100", *PLAIN, env=self.sound())
        self.wait_for_picture(window)
        self.desktop.key(window, "r")
        watch = Watch(self.desktop, window, 1, 1)
        self.addCleanup(watch.stop)
        wait_for(lambda: len(watch.rises()) >= 3, "three flashes")
        self.desktop.key(window, "r")
        flashes, clicks, offsets = self.flashes_and_clicks(self.saved())
        self.assertLess(max(map(abs, offsets)), 0.12, (offsets, flashes, clicks))
        self.leave(process, window)

    def test_inputs_one_after_another(self):
        """Up to the end of the playlist, whose second film has no sound."""
        first = make_numbered(self.here / "first.mkv", 3)
        second = make_numbered(self.here / "second.mkv", 2, first=3000, sound=False)
        process, window, watch = self.watch(first, second)
        self.desktop.key(window, "r")
        self.finish(process)
        film = self.saved()
        numbers = recorded_numbers(film)
        self.assertEqual(self.check_numbers(numbers, cuts=1), [3000])
        self.check_complete([number for _, number in watch.numbers() if number > numbers[0][1]], numbers)
        level = loudness(recorded_sound(film))
        cut = int(next(when for when, number in numbers if number == 3000) / 0.05)
        self.assertGreater(min(level[:cut - 1]), 0.1)
        self.assertLess(max(level[cut + 2:]), 0.01)
        self.assertAlmostEqual(len(level) * 0.05, numbers[-1][0], delta=0.15)

    def test_size_stays(self):
        process, window, watch = self.watch(self.clip)
        self.desktop.key(window, "r")
        self.play_on(watch, 0.3)
        self.desktop.run("xdotool", "windowsize", window, "900", "352")
        wait_for(lambda: self.desktop.place(window)[2:] == (900, 352), "the window's other size")
        # In which the pictures' numbers cannot be read.
        before = len(watch.seen)
        wait_for(lambda: len(watch.seen) > before + RATE // 2, "the clip goes on")
        self.desktop.key(window, "r")
        film = self.saved()
        size = probe(film, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual((size["width"], size["height"]), (640, 352))
        self.leave(process, window)

    def test_how_it_may_end(self):
        for end, code, name in ((signal.SIGTERM, EXIT_INTERRUPTED, "glyphreel.mp4"), (signal.SIGKILL, -signal.SIGKILL, "glyphreel-2.part.mp4")):
            with self.subTest(end=end):
                process, window, watch = self.watch(self.clip)
                self.desktop.key(window, "r")
                if end == signal.SIGKILL:
                    wait_for(lambda: self.pictures_so_far(self.here / name) > RATE + 1, "more than a second that plays")
                else:
                    self.play_on(watch, 2)
                process.send_signal(end)
                self.finish(process, code)
                numbers = recorded_numbers(self.saved(name))
                self.check_numbers(numbers)
                self.assertGreater(len(numbers), RATE)

    def pictures_so_far(self, path):
        """Of a recording that is being written, which may not play yet."""
        shown = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", "scale=1:1,format=gray", "-f", "rawvideo",
                                "-"], capture_output=True)
        return len(shown.stdout)

    def test_nowhere_to_write(self):
        gone = self.here / "gone"
        gone.mkdir()
        process = self.start(self.clip, "--geometry", GEOMETRY, *PLAIN, cwd=gone, stderr=subprocess.PIPE,
                             env={"DISPLAY": self.desktop.display, **self.sound()})
        window = self.desktop.window_of(process)
        watch = Watch(self.desktop, window)
        self.addCleanup(watch.stop)
        gone.rmdir()
        self.desktop.key(window, "r")
        n = watch.wait(lambda number: True, "a picture")
        watch.wait(lambda number: number > n + RATE, "the film goes on")
        self.desktop.key(window, "q")
        _, said = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, EXIT_DONE, said)
        self.assertEqual(said.decode().count("cannot be written"), 1, said)


if __name__ == "__main__":
    unittest.main()
