"""Measures A/V sync at the outputs: beeps at the monitor source of the PulseAudio sink, flashes in the window."""

import contextlib
import json
import pathlib
import statistics
import subprocess
import time

import sound
from desktop import shared_desktop
from harness import PATIENCE, PROGRAM, clean_environment, end_process, hold_for, wait_for
from numbered import PLAIN, Watch, make_flashes

# For this many seconds after a command, picture and audio may still be unaffected by the command.
SETTLING = 0.7
NEAREST = 0.4


@contextlib.contextmanager
def busy_cpus(count=4):
    workers = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


class Player:
    """Plays a clip of flashes and beeps on the shared desktop and sound server."""

    def __init__(self, folder, seconds, *options):
        self.folder = pathlib.Path(folder)
        self.options = options
        self.seconds = seconds
        self.ends = contextlib.ExitStack()
        self.quiet_until = 0.0
        self.measured = []  # (scenario, begin, end), settling times excluded

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.ends.close()
            raise
        return self

    def _start(self):
        clip = make_flashes(self.folder / "flashes.mkv", self.seconds)
        self.stats = self.folder / "stats.json"
        self.server = sound.shared_server()
        self.desktop = shared_desktop()
        self.recorder = self.server.record()
        self.ends.callback(self.recorder.close)
        environment = clean_environment(self.folder, DISPLAY=self.desktop.display, PULSE_SERVER=self.server.environment["PULSE_SERVER"])
        self.process = subprocess.Popen(
            [PROGRAM, "play", str(clip), "--geometry", "320x176+100+100", "--osd-level", "0", "--stats", str(self.stats), *PLAIN, *self.options],
            env=environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.ends.callback(end_process, self.process)
        self.window = self.desktop.window_of(self.process)
        self.watch = Watch(self.desktop, self.window, 1, 1)
        self.ends.callback(self.watch.stop)
        self.start_settling()

    def __exit__(self, *_):
        self.ends.close()

    def key(self, *names):
        self.desktop.run("xdotool", "key", "--delay", "20", *names)
        self.start_settling()

    def start_settling(self):
        self.quiet_until = time.monotonic() + SETTLING

    def measure(self, scenario, seconds):
        """Measures for `seconds` and attributes the result to the scenario. Begins when the last command has taken
        effect."""
        begin = max(self.quiet_until, time.monotonic())
        hold_for(max(0, begin + seconds - time.monotonic()), lambda: self.process.poll() is None, "the player runs")
        self.measured.append((scenario, begin, begin + seconds))

    def quit(self):
        """Ends the player; returns its statistics."""
        now = time.monotonic()
        wait_for(lambda: self.recorder.captured_until > now, "the recorder catches up")
        self.desktop.key(self.window, "q")
        self.process.wait(PATIENCE)
        wait_for(self.stats.is_file, "the statistics")
        return json.loads(self.stats.read_text())

    def offsets(self):
        """For each scenario, returns the seconds from each flash to its beep, and the number of flashes without a beep."""
        found = {}
        for scenario, begin, end in self.measured:
            offsets, missed = found.setdefault(scenario, ([], []))
            for flash in self.watch.flash_times():
                if not begin <= flash < end:
                    continue
                near = [beep - flash for beep in list(self.recorder.begins) if abs(beep - flash) < NEAREST]
                if near:
                    offsets.append(min(near, key=abs))
                else:
                    missed.append(flash)
        return {scenario: (offsets, len(missed)) for scenario, (offsets, missed) in found.items()}


def share(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def line(scenario, offsets, missed):
    """Formats one scenario's offsets in milliseconds. Positive: the audio is late."""
    if not offsets:
        return f"{scenario:<24} nothing measured, {missed} flashes without a beep"
    sizes = [abs(offset) for offset in offsets]
    return (f"{scenario:<24} n {len(offsets):4}  median {statistics.median(offsets) * 1000:+6.1f}  |p50| {share(sizes, 0.5) * 1000:5.1f}"
            f"  |p99| {share(sizes, 0.99) * 1000:6.1f}  max {max(sizes) * 1000:6.1f} ms  without a beep {missed}")
