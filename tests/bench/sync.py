#!/usr/bin/env python3
"""sync.py [SHARE]: measures A/V sync at the window under Xvfb and at a private PulseAudio server. The scenarios are three
minutes at 1x, twenty seeks, pauses, half and double speed, and busy CPUs. SHARE scales their durations (default 1).

$GLYPHREEL names the program, and $GLYPHREEL_TEST_TOOLS the folder of the tests' tools. Prints for each scenario the offset
of each beep from its flash in milliseconds, positive if the audio is late, and the player's own measurement."""

import json
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import av_sync


def main():
    part = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rng = random.Random(4)
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        with av_sync.Player(folder, int(60 + 700 * part)) as player:
            def measure(scenario, seconds):
                player.measure(scenario, seconds)
                loads.append(os.getloadavg()[0])

            measure("1x", 180 * part)
            for _ in range(max(1, round(20 * part))):
                seek = rng.choice(("Right", "Left", "shift+Right", "shift+Left"))
                player.key(*[seek] * rng.randrange(1, 5))
                measure("after seeks", 3)
            for _ in range(max(1, round(10 * part))):
                player.key("space")
                measure("paused", rng.uniform(0.2, 2))
                player.key("space")
                measure("after pauses", 3)
            player.key("braceleft")
            measure("0.5x", 60 * part)
            player.key("BackSpace", "braceright")
            measure("2x", 60 * part)
            player.key("BackSpace")
            with av_sync.busy_cpus():
                measure("4 busy processes", 30 * part)
            measure("1x again", 20 * part)
            figures = player.quit()
            result = player.offsets()
    result.pop("paused")
    for scenario, (offsets, missed) in result.items():
        print(av_sync.line(scenario, offsets, missed))
    everything = [offset for offsets, _ in result.values() for offset in offsets]
    print(av_sync.line("all", everything, sum(missed for _, missed in result.values())))
    print(f"player: {json.dumps(figures['av'])}; frames {json.dumps(figures['frames'])}")
    print(f"load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} CPUs")


if __name__ == "__main__":
    main()
