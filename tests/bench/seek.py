#!/usr/bin/env python3
"""seek.py CLIP [COUNT]: from a key to the picture that it leads to, in a paused window under Xvfb, and a storm of seeks.

GLYPHREEL names the program, GLYPHREEL_TEST_TOOLS the folder of the tests' tools. Prints the time from the key to the first
change of the window, as seen from outside, and the player's own figure from the request to the picture."""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import sync
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
        self.hands = subprocess.Popen(["xdotool", "-"], env=self.desktop.environment, stdin=subprocess.PIPE, text=True)
        self.watch = Watch(self.desktop, self.window, 0, 0)
        time.sleep(2)

    def press(self, key):
        self.hands.stdin.write(f"key --delay 0 {key}\n")
        self.hands.stdin.flush()

    def seek(self, key):
        """Milliseconds to the first change of the picture; None where it does not change."""
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
        self.hands.stdin.close()
        end_process(self.hands)
        end_process(self.process)
        self.desktop.close()


def tell(name, times, inside):
    found = [value for value in times if value is not None]
    print(f"{name}: n {len(found)}  p50 {sync.share(found, 0.5):.0f}  p99 {sync.share(found, 0.99):.0f}  max {max(found):.0f} ms from outside, "
          f"{len(times) - len(found)} without a change; inside {json.dumps(inside.get('seek'))}; load {os.getloadavg()[0]:.1f}", flush=True)


def measure(clip, name, keys, count):
    dice = random.Random(9)
    step = 1 if keys[0].startswith("shift") else 5
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        seeks = Seeks(folder, clip)
        try:
            for key in ("space", "Right", "Right", "Right"):
                seeks.press(key)
                time.sleep(0.5)
            at, times = 15, []
            for _ in range(count):  # not at the ends of a clip of half a minute
                on = at <= 8 or (at < 22 and dice.random() < 0.5)
                times.append(seeks.seek(keys[0] if on else keys[1]))
                at += step if on else -step
            tell(name, times, seeks.quit())
        finally:
            seeks.close()


def storm(clip):
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
                print(f"storm of 100 seeks in {sent - began:.1f} s: it plays on after {(time.monotonic() - sent) * 1000:.0f} ms; "
                      f"memory {memory[-1]:.0f} MB", flush=True)
            inside = seeks.quit()
            print(f"inside {json.dumps(inside.get('seek'))}", flush=True)
        finally:
            seeks.close()


def main():
    clip = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    measure(clip, "exact", ("shift+Right", "shift+Left"), count)
    measure(clip, "key frame", ("Right", "Left"), count)
    storm(clip)


if __name__ == "__main__":
    main()
