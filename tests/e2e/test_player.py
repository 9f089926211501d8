"""Every key and button of the player, pressed from outside, and what it does: to pictures that tell their numbers, to the
sound at the sink's monitor, to the text in a terminal."""

import array
import pathlib
import re
import signal
import subprocess
import threading
import time
import unittest

import sound
from desktop import SCREEN, is_blank
from harness import EXIT_DONE, EXIT_INTERRUPTED, NO_VULKAN, frame_times, make_clip, probe, wait_for
from numbered import COLUMNS, PLAIN, ROWS, Watch, make_flashes, make_numbered, number_in_text, number_of
from test_terminal import COLUMNS as PANE_COLUMNS
from test_terminal import ROWS as PANE_ROWS
from test_terminal import TerminalTest
from test_window import VALIDATED, WindowTest

RATE = 24  # also the distance of key frames
SECONDS = 150
GEOMETRY = "640x352+100+100"
CELL = 8, 16  # pixels
TITLE = bytes((0xF4, 0xB8, 0x60))  # the colour of a split view's titles
TRACK = bytes((0x4C, 0x50, 0x5A))  # the colour of a progress bar's part that is yet to come


def subtitle(begin, end, text):
    def clock(seconds):
        return f"00:00:{seconds:02}.000".replace(".", ",")
    return f"1\n{clock(begin)} --> {clock(end)}\n{text}\n\n"


class PlayerWindow(WindowTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", SECONDS)

    def watch(self, *words, env=None):
        process, window = self.play(*words, "--geometry", GEOMETRY, *PLAIN, env=env)
        watch = Watch(self.desktop, window)
        self.addCleanup(watch.stop)
        wait_for(lambda: watch.number() is not None, 20, f"a numbered picture: {self.said()}")
        return process, window, watch

    def pause(self, window, watch):
        self.desktop.key(window, "space")
        return watch.still()

    def press(self, window, watch, key, number):
        """A key that leads to the picture of this number, which then stands."""
        self.desktop.key(window, key)
        watch.wait(lambda shown: shown == number, f"{key} leads to {number}")
        self.assertEqual(watch.still(0.2), number, key)

    def speed(self, watch, wanted):
        """Waits until the pictures go on at this speed, by their numbers over time."""
        def measured():
            since = time.monotonic() - 1.5
            numbers = watch.numbers(since)
            if len(numbers) < 8 or numbers[-1][0] - numbers[0][0] < 1.2:
                return None
            rate = (numbers[-1][1] - numbers[0][1]) / (numbers[-1][0] - numbers[0][0]) / RATE
            return abs(rate / wanted - 1) < 0.06
        wait_for(measured, 12, f"speed {wanted}")


class Keys(PlayerWindow):
    def test_pause_steps_and_seeks(self):
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "the film goes on")
        self.desktop.key(window, "p")
        n = watch.still()
        for number in (n + 1, n + 2, n + 3):
            self.press(window, watch, "period", number)
        for number in (n + 2, n + 1, n, n - 1):
            self.press(window, watch, "comma", number)
        self.press(window, watch, "period", n)
        self.press(window, watch, "shift+Right", n + RATE)
        self.press(window, watch, "shift+Left", n)
        # To the next key frame in their direction.
        there = -(-(n + 5 * RATE) // RATE) * RATE
        self.press(window, watch, "Right", there)
        self.press(window, watch, "Up", there + 60 * RATE)
        self.press(window, watch, "Left", there + 55 * RATE)
        self.press(window, watch, "Down", there - 5 * RATE)
        # What was stepped and sought goes on from there.
        before = time.monotonic()
        self.desktop.key(window, "space")
        n = watch.wait(lambda shown: shown > there - 4 * RATE, "the film goes on")
        self.assertLess(n, there - 3 * RATE)
        shown = [number for _, number in watch.numbers(before)]
        self.assertEqual(shown, sorted(shown), "a picture from elsewhere")
        self.desktop.key(window, "Up")
        n = watch.wait(lambda shown: shown > there + 55 * RATE, "a minute on while it plays")
        self.leave(process, window)

    def test_seeks_add_up(self):
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        self.desktop.focus(window)
        self.desktop.run("xdotool", "key", "--delay", "5", *["shift+Right"] * 20)
        watch.wait(lambda shown: shown == n + 20 * RATE, "twenty seconds on")
        self.desktop.run("xdotool", "key", "--delay", "5", *["shift+Left"] * 15)
        watch.wait(lambda shown: shown == n + 5 * RATE, "fifteen seconds back")
        # At the ends of the film.
        self.desktop.run("xdotool", "key", "--delay", "5", *["Down"] * 4)
        watch.wait(lambda shown: shown == 0, "the first picture")
        self.leave(process, window)

    def test_storm_of_seeks(self):
        """A hundred seeks in five seconds: each picture is one of the film, the last key counts, no memory stays."""
        process, window, watch = self.watch(self.clip)
        self.pause(window, watch)
        self.desktop.key(window, "Up")
        n = watch.wait(lambda shown: shown >= 60 * RATE, "a minute on")
        self.desktop.focus(window)
        memory = []
        for _ in range(2):
            self.desktop.run("xdotool", "key", "--delay", "50", *["shift+Right", "shift+Right", "shift+Left", "shift+Left"] * 25)
            watch.wait(lambda shown: shown == n, "the last key's picture", 3)
            memory.append(int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6)
        self.assertLess(memory[1] - memory[0], 8, memory)
        self.assertTrue({number % RATE for _, number in watch.numbers()[-40:]} <= {n % RATE}, "pictures between")
        self.desktop.key(window, "space")
        watch.wait(lambda shown: shown > n + 5, "the film goes on", 3)
        self.leave(process, window)

    def test_speeds(self):
        process, window, watch = self.watch(self.clip)
        for keys, speed in ((("braceright",), 2), (("braceleft", "braceleft"), 0.5), (("BackSpace",), 1),
                            (("bracketright",) * 3, 1.331), (("bracketleft",) * 6, 0.7513), (("BackSpace",), 1)):
            with self.subTest(keys=keys):
                self.desktop.key(window, *keys)
                self.speed(watch, speed)
        self.leave(process, window)

    def test_loop_from_a_to_b(self):
        process, window, watch = self.watch(self.clip)
        a = self.pause(window, watch)
        self.desktop.key(window, "l")
        self.press(window, watch, "shift+Right", a + RATE)
        self.desktop.key(window, "l")
        began = time.monotonic()
        self.desktop.key(window, "space")

        def rounds():
            numbers = [number for _, number in watch.numbers(began)]
            return sum(now < before for before, now in zip(numbers, numbers[1:])) >= 3
        wait_for(rounds, 15, "three rounds")
        shown = [number for _, number in watch.numbers(began)]
        self.assertGreaterEqual(min(shown), a)
        self.assertLessEqual(max(shown), a + RATE)
        self.assertEqual(min(shown), a, "from A on, exactly")
        self.desktop.key(window, "l")
        watch.wait(lambda number: number > a + 2 * RATE, "no loop any more")
        self.leave(process, window)

    def test_loop_of_the_file(self):
        short = make_numbered(self.here / "short.mkv", 2)
        process, window, watch = self.watch(short)
        began = time.monotonic()
        self.desktop.key(window, "L")
        wait_for(lambda: any(now < before for (_, before), (_, now) in zip(watch.numbers(began), watch.numbers(began)[1:])),
                 15, "the film begins anew")
        self.desktop.key(window, "L")
        self.finish(process)

    def test_playlist(self):
        second = make_numbered(self.here / "second.mkv", 20, first=3000, sound=False)
        process, window, watch = self.watch(self.clip, second)
        titles = lambda: self.desktop.run("xdotool", "getwindowname", window).strip()
        wait_for(lambda: titles() == "numbers.mkv - glyphreel", 5, "the title")
        self.desktop.key(window, "less")  # the first has none before it
        self.desktop.key(window, "greater")
        watch.wait(lambda number: number >= 3000, "the second film")
        wait_for(lambda: titles() == "second.mkv - glyphreel", 5, "the title")
        self.desktop.key(window, "greater")  # the last has none after it
        self.desktop.key(window, "less")
        watch.wait(lambda number: number < 3000, "the first film")
        self.leave(process, window)

    def test_screenshot(self):
        process, window, watch = self.watch(self.clip)
        n = self.pause(window, watch)
        self.desktop.key(window, "s", "s")
        for name in ("glyphreel-0001", "glyphreel-0002"):
            picture, text = self.here / f"{name}.png", self.here / f"{name}.txt"
            wait_for(lambda: text.is_file() and text.stat().st_size > 0, 10, f"{name} is saved")
            wait_for(lambda: self.number_of_picture(picture) == n, 10, "the picture in the file")
            rows = text.read_text().split("\f")[0].splitlines()
            self.assertEqual(number_in_text(rows, max(map(len, rows)), len(rows)), n)
        self.leave(process, window)

    def number_of_picture(self, path):
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", path, "-vf", f"scale={COLUMNS}:{ROWS}:flags=area,format=gray",
                               "-f", "rawvideo", "-"], capture_output=True)
        return number_of(sum((shade > 40) << i for i, shade in enumerate(done.stdout))) if len(done.stdout) == COLUMNS * ROWS else None

    def test_pages_over_the_picture(self):
        process, window, watch = self.watch(self.clip, "--osd-level", "1", "--audio", "no")
        self.pause(window, watch)
        time.sleep(2)  # until the progress bar has gone
        plain = self.settled(window)
        for key, times in (("question", 6), ("i", 1)):
            with self.subTest(key=key):
                self.desktop.key(window, key)
                self.wait_for_change(window, plain)
                for _ in range(times):
                    self.desktop.key(window, key)
                    if self.comes_back(window, plain):
                        break
                else:
                    self.fail("the page stays")
        self.leave(process, window)

    def test_split_view(self):
        """Both halves show the same picture, whoever showed it before; and then it is as it was."""
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window, watch = self.watch(self.clip, "--renderer", renderer, "--audio", "no", env=VALIDATED)
                self.pause(window, watch)
                plain = self.settled(window)
                for _ in range(3):
                    self.desktop.key(window, "t")
                    wait_for(lambda: self.is_split(window), 20, "two halves")
                    self.desktop.key(window, "t")
                    wait_for(lambda: self.desktop.picture_of(window) == plain, 10, "one picture again")
                # While it plays, under other keys, in other sizes.
                self.desktop.key(window, "space", "t")
                for key in ("g", "c", "2", "f", "f", "Right", "h"):
                    self.desktop.key(window, key)
                    wait_for(lambda: self.is_split(window), 20, f"two halves after {key}")
                self.desktop.key(window, "plus", "minus")
                for width, height in ((900, 500), (301, 207), (640, 352)):
                    self.desktop.run("xdotool", "windowsize", window, width, height)
                    self.desktop.key(window, "t", "t")
                wait_for(lambda: self.desktop.place(window)[2:] == (640, 352) and self.is_split(window), 20, "two halves")
                self.leave(process, window)

    def is_split(self, window):
        """Whether the headings are there, and below them two halves that are equal, with something in them, and dark
        between them."""
        _, _, width, height = self.desktop.place(window)
        picture = self.desktop.picture_of(window)
        if picture is None or len(picture) != width * height * 3:
            return False
        columns = width // CELL[0]
        half = (columns - (1 if columns % 2 else 2)) // 2
        left = (width - columns * CELL[0]) // 2
        right = left + (columns - half) * CELL[0]
        part = lambda y, begin, end: picture[(y * width + begin) * 3:(y * width + end) * 3]
        below = range((height % CELL[1]) // 2 + 2 * CELL[1], height)
        halves = [b"".join(part(y, begin, begin + half * CELL[0]) for y in below) for begin in (left, right)]
        seam = b"".join(part(y, left + half * CELL[0], right) for y in below)
        titles = [sum(part(y, begin, begin + 5 * CELL[0]).count(TITLE) for y in range(below[0])) for begin in (left, right)]
        return halves[0] == halves[1] and not is_blank(halves[0]) and not any(seam) and min(titles) > 5

    def test_split_view_without_a_gpu(self):
        process, window, watch = self.watch(self.clip, "--audio", "no", env=NO_VULKAN)
        self.pause(window, watch)
        plain = self.settled(window)
        self.desktop.key(window, "t")
        wait_for(lambda: "Split view needs a Vulkan device" in self.said(), 10, "why there are no halves")
        self.assertEqual(self.settled(window), plain)
        self.leave(process, window)

    def test_effects(self):
        """On a paused picture: each is another one, stands still, and none is the picture as it was."""
        folder = self.here / "config" / "glyphreel"
        folder.mkdir(parents=True)
        (folder / "input.conf").write_text("k set effect tube\n")
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                process, window = self.play(self.clip, "--geometry", GEOMETRY, "--color", "full", "--audio", "no",
                                            "--renderer", renderer, "--start", "20", env={**VALIDATED, "XDG_CONFIG_HOME": folder.parent})
                self.wait_for_picture(window)
                self.desktop.key(window, "space")
                seen = [self.settled(window)]
                for effect in ("rain", "tube", "glitch", "ripple", "none"):
                    self.desktop.key(window, "e")
                    wait_for(lambda: f"effect: {effect}" in self.said(), 10, f"effect: {effect}")
                    seen.append(self.settled(window))
                self.assertEqual(seen[-1], seen[0], "none is the picture as it was")
                rain, tube, glitch, ripple = seen[1:5]
                for one in (rain, tube, ripple):  # a glitch may be between two bursts
                    self.assertEqual([one == other for other in seen].count(True), 1)
                self.desktop.key(window, "k")
                wait_for(lambda: self.settled(window) == tube, 15, "the tube by its name")
                self.leave(process, window)

    def comes_back(self, window, plain):
        deadline = time.monotonic() + 2
        while self.desktop.picture_of(window) != plain:
            if time.monotonic() > deadline:
                return False
        return True

    def test_mouse(self):
        process, window, watch = self.watch(self.clip, "--osd-level", "1")
        self.pause(window, watch)
        x, y, width, height = self.desktop.place(window)
        move = lambda across, down: self.desktop.run("xdotool", "mousemove", x + int(across), y + int(down))
        move(width / 2, height / 2)
        move(width / 2 + 9, height / 2)
        left, right, row = wait_for(lambda: self.find_bar(window), 5, "the progress bar")
        for part in (0.5, 0.9, 0.25):
            move(left + part * (right - left), row)
            self.desktop.run("xdotool", "click", "1")  # in quick succession, and no double click for that
            wanted, near = part * SECONDS * RATE, 2 * SECONDS * RATE * 8 / (right - left)
            watch.wait(lambda number: abs(number - wanted) <= near, f"a click at {part} of the bar")
        # Dragged.
        move(left + 0.3 * (right - left), row)
        self.desktop.run("xdotool", "mousedown", "1")
        for part in (0.4, 0.5, 0.6):
            move(left + part * (right - left), row - 40)
        self.desktop.run("xdotool", "mouseup", "1")
        watch.wait(lambda number: abs(number - 0.6 * SECONDS * RATE) <= near, "dragged to 0.6")
        move(width / 2, height / 2)
        self.desktop.run("xdotool", "click", "3")
        n = watch.number()
        watch.wait(lambda number: number != n, "the right button lets it go on")
        self.desktop.run("xdotool", "click", "--repeat", "2", "--delay", "60", "1")
        wait_for(lambda: self.desktop.place(window) == (0, 0, *SCREEN), 10, "a double click leads to fullscreen")
        self.desktop.run("xdotool", "click", "--repeat", "2", "--delay", "60", "1")
        wait_for(lambda: self.desktop.place(window)[2:] == (width, height), 10, "and back")
        for there, back in (("f", "f"), ("f", "Escape")):
            self.desktop.key(window, there)
            wait_for(lambda: self.desktop.place(window) == (0, 0, *SCREEN), 10, "fullscreen")
            self.desktop.key(window, back)
            wait_for(lambda: self.desktop.place(window)[2:] == (width, height), 10, "the window as it was")
        self.leave(process, window)

    def find_bar(self, window):
        """(left, right, row) of the longest line in the bar's colour, in the window's pixels; it has just begun to fill."""
        picture = self.desktop.picture_of(window)
        _, _, width, height = self.desktop.place(window)
        if picture is None:
            return None
        for row in range(height):
            pixels = [picture[at:at + 3] == TRACK for at in range(row * width * 3, (row + 1) * width * 3, 3)]
            if sum(pixels) > width // 3:
                right = width - pixels[::-1].index(True)
                left = pixels.index(True)
                return left, right, row + 4
        return None

    def test_own_keys(self):
        folder = self.here / "config" / "glyphreel"
        folder.mkdir(parents=True)
        (folder / "input.conf").write_text("k seek 2 exact\nQ quit\nq ignore\nCtrl+k seek 0 absolute exact # to the start\n")
        environment = {"XDG_CONFIG_HOME": folder.parent}
        process, window, watch = self.watch(self.clip, env=environment)
        n = self.pause(window, watch)
        self.press(window, watch, "k", n + 2 * RATE)
        self.press(window, watch, "ctrl+k", 0)
        self.press(window, watch, "period", 1)  # others stay as they were
        self.desktop.key(window, "q")
        self.press(window, watch, "period", 2)
        self.desktop.key(window, "Q")
        self.finish(process)
        (folder / "input.conf").write_text("k fly to the moon\n")
        outcome = self.run_program(self.clip, env={"DISPLAY": self.desktop.display, **environment})
        self.assertEqual(outcome.code, 2, outcome)
        self.assertIn("input.conf, line 1", outcome.stderr)


class Level:
    """How loud it is at the sink's monitor."""

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

    def settles(self, least, most, what, seconds=10):
        """Waits until it is that loud for three tenths of a second."""
        wait_for(lambda: len(self.recent) > 3 and all(least <= level <= most for _, level in self.recent[-3:]), seconds,
                 f"{what}: {least:.3f} to {most:.3f}")
        return self.recent[-1][1]

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.thread.join(10)
        self.process.stdout.close()


class AudiblePlayer(PlayerWindow):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.enterClassContext(sound.SoundServer()) if hasattr(cls, "enterClassContext") else sound.SoundServer().__enter__()
        cls.addClassCleanup(cls.server.stop)


class Sound(AudiblePlayer):
    def test_volume_mute_and_pause(self):
        level = Level(self.server)
        self.addCleanup(level.stop)
        process, window, watch = self.watch(self.clip, env={"PULSE_SERVER": self.server.environment["PULSE_SERVER"]})
        full = level.settles(0.1, 0.3, "as loud as the film")
        quiet = []
        for _ in range(2):
            self.desktop.key(window, *"99999")
            quiet.append(level.settles(0.2 * full, (0.9 if not quiet else 0.8 * quiet[0] / full) * full, "9 makes it quieter"))
        self.desktop.key(window, *"0000000000")
        level.settles(0.95 * full, 1.05 * full, "0 makes it louder")
        for silencer in ("m", "space"):
            self.desktop.key(window, silencer)
            level.settles(0, 0.001, f"{silencer} makes it silent")
            self.desktop.key(window, silencer)
            level.settles(0.95 * full, 1.05 * full, f"{silencer} lets it sound again")
        x, y, width, height = self.desktop.place(window)
        self.desktop.run("xdotool", "mousemove", x + width // 2, y + height // 2)
        self.desktop.run("xdotool", "click", "--repeat", "8", "5")
        level.settles(0.2 * full, 0.8 * full, "the wheel makes it quieter")
        self.desktop.run("xdotool", "click", "--repeat", "8", "4")
        level.settles(0.95 * full, 1.05 * full, "the wheel makes it louder")
        # Twice as fast it is as loud, and as high.
        self.desktop.key(window, "braceright")
        self.speed(watch, 2)
        level.settles(0.8 * full, 1.2 * full, "at twice the speed")
        self.leave(process, window)


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


class Recording(AudiblePlayer):
    def watch(self, *words, **options):
        return super().watch(*words, env={"PULSE_SERVER": self.server.environment["PULSE_SERVER"]}, **options)

    def saved(self, name="glyphreel.mp4"):
        path = self.here / name
        wait_for(path.is_file, 20, f"{name} is there: {self.said()}")
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

    def test_what_is_played(self):
        """Pauses are not in it, a seek is a cut, and the sound is without a gap."""
        process, window, watch = self.watch(self.clip)
        time.sleep(0.5)
        self.desktop.key(window, "r")
        began = watch.number()
        time.sleep(2)
        self.pause(window, watch)
        time.sleep(1)
        self.desktop.key(window, "space")
        time.sleep(1)
        self.desktop.key(window, "Up")
        time.sleep(1.5)
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
        time.sleep(1)
        self.leave(process, window)
        self.check_numbers(recorded_numbers(self.saved("glyphreel-2.mp4")))

    def test_sound_fits(self):
        """Each click within 20 ms of its flash, after a seek and at other speeds too."""
        clip = make_flashes(self.folder / "flashes.mkv", SECONDS)
        process, window = self.play(clip, "--geometry", "320x176+100+100", *PLAIN, env={"PULSE_SERVER": self.server.environment["PULSE_SERVER"]})
        self.wait_for_picture(window)
        self.desktop.key(window, "r")
        time.sleep(2.3)
        # Exactly, so that no flash is cut into.
        self.desktop.key(window, "shift+Right", "shift+Right", "shift+Left")
        time.sleep(2.5)
        for speed in ("braceright", "BackSpace", "braceleft"):
            self.desktop.key(window, speed)
            time.sleep(2.5)
        self.desktop.key(window, "r")
        film = self.saved()
        bright = recorded_bits(film, 1, 1)
        flashes = [when for (_, was), (when, now) in zip(bright, bright[1:]) if now and not was]
        clicks = onsets(recorded_sound(film))
        self.assertGreater(len(flashes), 8, bright)
        offsets = [min((click - flash for click in clicks), key=abs) for flash in flashes]
        # A busy machine drops a picture, which may be a flash's first.
        sizes = sorted(map(abs, offsets))
        self.assertLess(sizes[int(0.8 * len(sizes))], 0.02, (offsets, flashes, clicks))
        self.assertLess(sizes[-1], 0.02 + 1 / 30, (offsets, flashes, clicks))
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
        time.sleep(0.5)
        self.desktop.run("xdotool", "windowsize", window, "900", "352")
        time.sleep(1)
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
                time.sleep(3.5)
                process.send_signal(end)
                self.finish(process, code)
                numbers = recorded_numbers(self.saved(name))
                self.check_numbers(numbers)
                self.assertGreater(len(numbers), RATE)

    def test_nowhere_to_write(self):
        gone = self.here / "gone"
        gone.mkdir()
        process = self.start(self.clip, "--geometry", GEOMETRY, *PLAIN, cwd=gone, stderr=subprocess.PIPE,
                             env={"DISPLAY": self.desktop.display, "PULSE_SERVER": self.server.environment["PULSE_SERVER"]})
        window = self.desktop.window_of(process)
        watch = Watch(self.desktop, window)
        self.addCleanup(watch.stop)
        gone.rmdir()
        self.desktop.key(window, "r")
        time.sleep(0.5)
        n = watch.wait(lambda number: True, "a picture")
        watch.wait(lambda number: number > n + RATE, "the film goes on")
        self.desktop.key(window, "q")
        _, said = process.communicate(timeout=20)
        self.assertEqual(process.returncode, EXIT_DONE, said)
        self.assertEqual(said.decode().count("cannot be written"), 1, said)


class InTerminal(TerminalTest):
    @classmethod
    def make_clips(cls):
        spoken = {"first": subtitle(0, 59, "Hello there"), "second": subtitle(0, 59, "Guten Tag")}
        for name, text in spoken.items():
            (cls.folder / f"{name}.srt").write_text(text)
        # Subtitles on pictures without sound, and the key frames as they are.
        plain = make_numbered(cls.folder / "plain.mkv", SECONDS, sound=False)
        cls.clip = make_clip(cls.folder / "numbers.mkv", "-i", plain, "-i", cls.folder / "first.srt", "-i", cls.folder / "second.srt",
                             "-map", "0", "-map", "1", "-map", "2", "-c:v", "copy", "-c:s", "srt")

    def start_film(self, *options):
        self.play(*PLAIN, "--grid", f"{PANE_COLUMNS}x{PANE_ROWS - 1}", *options)
        wait_for(lambda: self.number() is not None, 20, "a numbered picture")

    def number(self):
        return number_in_text(self.pane().splitlines(), PANE_COLUMNS, PANE_ROWS - 1)

    def press(self, key):
        self.tmux("send-keys", key)

    def says(self, key, message):
        self.press(key)
        wait_for(lambda: message in self.pane(), 10, f"{key} says {message!r}:\n{self.pane()}")

    def leads(self, key, number):
        self.press(key)
        seen = []

        def there():
            seen.append(self.number())
            return seen[-1] == number
        try:
            wait_for(there, 10, f"{key} leads to {number}")
        except AssertionError as late:
            raise AssertionError(f"{late}, but to {seen[-1]}:\n{self.pane()}") from None

    def paused(self):
        self.press("Space")
        same = []

        def stands():
            same.append(self.number())
            return len(same) > 8 and same[-1] is not None and len(set(same[-8:])) == 1
        wait_for(stands, 10, "the picture stands")
        return same[-1]

    def quit(self):
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_pause_steps_and_seeks(self):
        self.start_film("--sid", "no")
        n = self.paused()
        for key, number in ((".", n + 1), (".", n + 2), (",", n + 1), (",", n), ("S-Right", n + RATE), ("S-Left", n)):
            self.leads(key, number)
        there = -(-(n + 5 * RATE) // RATE) * RATE
        for key, number in (("Right", there), ("Up", there + 60 * RATE), ("Left", there + 55 * RATE), ("Down", there - 5 * RATE)):
            self.leads(key, number)
        self.press("p")
        wait_for(lambda: (self.number() or 0) > there - 4 * RATE, 10, "the film goes on")
        self.quit()

    def test_recording(self):
        self.start_film("--sid", "no")
        self.says("r", "Recording to glyphreel.mp4")
        wait_for(lambda: "● 0:02" in self.pane(), 10, "the mark")
        self.says("r", "Saved glyphreel.mp4 (0:0")
        self.assertNotIn("●", self.pane())
        self.quit()
        film = self.here / "glyphreel.mp4"
        size = probe(film, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual((size["width"], size["height"]), (PANE_COLUMNS * 8, (PANE_ROWS - 1) * 16))
        numbers = [number for _, number in recorded_numbers(film)]
        # A busy terminal takes fewer pictures than there are.
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreater(len(numbers), RATE)

    def test_what_keys_say(self):
        self.start_film("--sid", "no")
        n = self.paused()
        for key, message in (("]", "Speed: 1.10"), ("[", "Speed: 1.00"), ("{", "Speed: 0.50"), ("}", "Speed: 1.00"),
                             ("}", "Speed: 2.00"), ("BSpace", "Speed: 1.00"), ("9", "Volume: 98 %"), ("0", "Volume: 100 %"),
                             ("m", "Mute: yes"), ("m", "Mute: no"), ("\x1b[45;5u", "Sound: -100 ms"), ("\x1b[43;5u", "Sound: +0 ms"), ("l", "Loop from 0:0"),
                             ("L", "Loop: the file"), ("L", "Loop: no"), ("1", "contrast: -1"), ("2", "contrast: 0"),
                             ("3", "brightness: -1"), ("4", "brightness: 0"), ("5", "gamma: -1"), ("6", "gamma: 0"),
                             ("e", "effect: rain"), ("e", "effect: tube"), ("e", "effect: glitch"), ("e", "effect: ripple"),
                             ("e", "effect: none"), ("7", "saturation: -1"), ("8", "saturation: 0"), ("<", "This is the first input."),
                             (">", "This is the last input."), ("s", "Saved glyphreel-0001.png and its text.")):
            with self.subTest(key=key, message=message):
                self.says(key, message)
        self.assertEqual(number_in_text((self.here / "glyphreel-0001.txt").read_text().split("\f")[0].splitlines(), PANE_COLUMNS,
                                        PANE_ROWS - 1), n)
        self.says("i", "dropped")
        self.press("i")
        wait_for(lambda: "dropped" not in self.pane(), 10, "the statistics go")
        self.says("?", "pause and go on")
        for _ in range(6):
            self.press("?")
            time.sleep(0.2)
            if not re.search("pause and go on|quit|next frame|subtitles", self.pane()):
                break
        else:
            self.fail("the help stays:\n" + self.pane())
        self.quit()

    def test_split_view(self):
        self.start_film("--sid", "no")
        n = self.paused()
        self.press("t")
        wait_for(lambda: re.search(r"^ GPU .* ms +CPU .* ms *$\n +0 of 1,188 cells differ, 0 in [1-9]", self.pane(), re.MULTILINE), 20,
                 f"what is said of the halves:\n{self.pane()}")
        half = (PANE_COLUMNS - 2) // 2

        def equal_halves():  # once the progress bar of the pause has gone
            rows = [row.ljust(PANE_COLUMNS) for row in self.pane().splitlines()[2:PANE_ROWS - 1]]
            is_filled = any(row[:half].strip() for row in rows)
            return rows if is_filled and [row[:half] for row in rows] == [row[-half:] for row in rows] else None

        rows = wait_for(equal_halves, 10, f"two equal halves:\n{self.pane()}")
        self.says("s", "Saved glyphreel-0001.png and its text.")
        saved = [row.ljust(PANE_COLUMNS) for row in (self.here / "glyphreel-0001.txt").read_text().split("\f")[0].splitlines()]
        self.assertEqual(saved[2:], rows, "what is saved is what is seen")
        self.assertNotIn("GPU", "".join(saved[:2]))
        self.press(".")
        self.press("t")
        wait_for(lambda: self.number() == n + 1, 10, "the whole picture again, a frame on")
        self.quit()

    def test_split_view_without_a_gpu(self):
        self.start_film("--sid", "no", "--device", "no such device")
        n = self.paused()
        self.says("t", "Split view needs a Vulkan device")
        self.assertEqual(self.number(), n)
        self.quit()

    def test_subtitles(self):
        self.start_film()
        wait_for(lambda: "Hello there" in self.pane(), 10, "the first track")
        self.says("v", "Subtitles: hidden")
        wait_for(lambda: "Hello there" not in self.pane(), 10, "hidden")
        self.says("v", "Subtitles: shown")
        wait_for(lambda: "Hello there" in self.pane(), 10, "shown again")
        self.press("j")
        wait_for(lambda: "Guten Tag" in self.pane() and "Hello there" not in self.pane(), 10, "the second track")
        self.press("j")
        wait_for(lambda: "Guten Tag" not in self.pane() and "Hello there" not in self.pane(), 10, "no track")
        self.press("j")
        wait_for(lambda: "Hello there" in self.pane(), 10, "the first track again")
        self.press("Up")
        wait_for(lambda: "Hello there" not in self.pane(), 10, "over when it is over")
        self.press("Down")
        wait_for(lambda: "Hello there" in self.pane(), 10, "there again after a seek back")
        self.quit()


if __name__ == "__main__":
    unittest.main()
