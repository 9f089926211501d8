#!/usr/bin/env python3
"""soak.py CLIP [MINUTES]: runs two players for MINUTES (default 60). Measures the memory of both players.

One player loops a minute of flashes and beeps, and its A/V sync is measured as in sync.py. The other player loops CLIP.
$GLYPHREEL names the program, and $GLYPHREEL_TEST_TOOLS the folder of the tests' tools. Prints the A/V offsets of each
of twelve intervals. Prints each player's resident memory after the first minute, its maximum from then on, and its
value at the end."""

import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import av_sync
from harness import PROGRAM, clean_environment, end_process

CLIP_SECONDS = 60
INTERVALS = 12


def resident_mb(process):
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Memory(threading.Thread):
    """Samples the processes' memory every ten seconds from the second minute on."""

    def __init__(self, processes):
        super().__init__(daemon=True)
        self.processes = processes
        self.readings = {name: [] for name in processes}

    def run(self):
        time.sleep(60)
        while True:
            for name, process in self.processes.items():
                if process.poll() is None:
                    self.readings[name].append(resident_mb(process))
            time.sleep(10)

    def print_summary(self):
        for name, readings in self.readings.items():
            print(f"memory of {name}: {readings[0]:.1f} MB after a minute, {max(readings):.1f} MB maximum, {readings[-1]:.1f} MB at the end")


def main():
    clip = str(pathlib.Path(sys.argv[1]).resolve())
    seconds = 60 * float(sys.argv[2] if len(sys.argv) > 2 else 60)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        with av_sync.Player(folder, CLIP_SECONDS, "--loop-file") as player:
            video = subprocess.Popen(
                [PROGRAM, "play", clip, "--loop-file", "--grid", "160x45", "--geometry", "960x540+500+100"],
                env=clean_environment(pathlib.Path(folder), DISPLAY=player.desktop.display,
                                      PULSE_SERVER=player.server.environment["PULSE_SERVER"]),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                memory = Memory({"flashes": player.process, pathlib.Path(clip).name: video})
                memory.start()
                for number in range(INTERVALS):
                    player.measure(f"interval {number + 1}", seconds / INTERVALS)
                assert video.poll() is None, "the second player has ended"
                memory.print_summary()
                figures = player.quit()
            finally:
                end_process(video)
            for scenario, (offsets, missed) in player.offsets().items():
                print(av_sync.line(scenario, offsets, missed))
    print(f"frames {figures['frames']}")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
