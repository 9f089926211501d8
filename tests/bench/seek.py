#!/usr/bin/env python3
"""seek.py CLIP [COUNT]: measures the latency from a seek key to its frame, in a paused window under Xvfb, and runs a seek
stress test.

$GLYPHREEL names the program, and $GLYPHREEL_TEST_TOOLS the folder of the tests' tools. Prints the time from the key to the
first change of the window, and the player's own measurement from the request to the frame."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import av_sync
from desktop import Desktop
from harness import PROGRAM, clean_environment, end_process
from numbered import Watch


def resident_mb(process):
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * 4096 / 1e6


class Seeks:
    def __init__(self, folder, clip):
        self.folder = pathlib.Path(folder)
        self.desktop = Desktop(folder)
        self.stats = self.folder / "stats.json"
        self.process = subprocess.Popen(
            [PROGRAM, "play", clip, "--geometry", "1280x720+50+50", "--osd-level", "0", "--audio", "no", "--stats", self.stats],
            env=clean_environment(self.folder, DISPLAY=self.desktop.display), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.window = self.desktop.window_of(self.process)
        self.xdotool = subprocess.Popen(["xdotool", "-"], env=self.desktop.environment, stdin=subprocess.PIPE,
                                        text=True)
        self.watch = Watch(self.desktop, self.window, 0, 0)
        time.sleep(2)

    def press(self, key):
        self.xdotool.stdin.write(f"key --delay 0 {key}\n")
        self.xdotool.stdin.flush()

    def seek(self, key):
        """Returns the milliseconds to the first change of the picture; None if the picture does not change."""
        before, at = len(self.watch.seen), time.monotonic()
        self.press(key)
        while len(self.watch.seen) == before:
            if time.monotonic() - at > 2:
                return None
            time.sleep(0.001)
        time.sleep(0.25)
        return (self.watch.seen[before][0] - at) * 1000

    def quit(self):
        self.desktop.key(self.window, "q")
        self.process.wait(20)
        figures = json.loads(self.stats.read_text())
        self.close()
        return figures

    def close(self):
        self.watch.stop()
        self.xdotool.stdin.close()
        end_process(self.xdotool)
        end_process(self.process)
        self.desktop.close()


def print_result(name, times, figures):
    found = [value for value in times if value is not None]
    print(f"{name}: n {len(found)}  p50 {av_sync.share(found, 0.5):.0f}  p99 {av_sync.share(found, 0.99):.0f}  max {max(found):.0f} ms to the window, "
          f"{len(times) - len(found)} without a change; player: {json.dumps(figures.get('seek'))}; load {os.getloadavg()[0]:.1f}", flush=True)


def measure(clip, name, keys, count):
    rng = random.Random(9)
    step = 1 if keys[0].startswith("shift") else 5
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        seeks = Seeks(folder, clip)
        try:
            for key in ("space", "Right", "Right", "Right"):
                seeks.press(key)
                time.sleep(0.5)
            at, times = 15, []
            for _ in range(count):  # the position, `at`, stays within a 30 s clip
                on = at <= 8 or (at < 22 and rng.random() < 0.5)
                times.append(seeks.seek(keys[0] if on else keys[1]))
                at += step if on else -step
            print_result(name, times, seeks.quit())
        finally:
            seeks.close()


def stress(clip):
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        seeks = Seeks(folder, clip)
        try:
            memory = []
            seeks.press("space")
            for _ in range(4):
                began = time.monotonic()
                for n in range(100):
                    seeks.press(("Right", "shift+Left", "Left", "shift+Right")[n % 4])
                    time.sleep(max(0, began + (n + 1) * 0.05 - time.monotonic()))
                sent = time.monotonic()
                seeks.press("space")
                seen = len(seeks.watch.seen)
                while len(seeks.watch.seen) < seen + 5 and time.monotonic() - sent < 10:
                    time.sleep(0.001)
                seeks.press("space")
                memory.append(resident_mb(seeks.process))
                print(f"100 seeks in {sent - began:.1f} s: playback continues after {(time.monotonic() - sent) * 1000:.0f} ms; "
                      f"memory {memory[-1]:.0f} MB", flush=True)
            figures = seeks.quit()
            print(f"player: {json.dumps(figures.get('seek'))}", flush=True)
        finally:
            seeks.close()


def main():
    clip = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    measure(clip, "exact", ("shift+Right", "shift+Left"), count)
    measure(clip, "keyframe", ("Right", "Left"), count)
    stress(clip)


if __name__ == "__main__":
    main()
