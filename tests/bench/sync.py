#!/usr/bin/env python3
"""sync.py [SHARE]: how well sound and picture go together, measured from outside under Xvfb and a PulseAudio of its own:
three minutes at 1x, twenty seeks, pauses, half and double speed, and busy processors. SHARE of that time: 1 unless told.

GLYPHREEL names the program, GLYPHREEL_TEST_TOOLS the folder of the tests' tools. Prints for each scenario the offset of each
beep to its flash in milliseconds, positive where the sound is late, and the player's own figure."""

import json
import os
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import sync


def main():
    part = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    dice = random.Random(4)
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "cache").mkdir()
        with sync.Player(folder, int(60 + 700 * part)) as player:
            def measure(scenario, seconds):
                player.measure(scenario, seconds)
                loads.append(os.getloadavg()[0])

            measure("1x", 180 * part)
            for _ in range(max(1, round(20 * part))):
                way = dice.choice(("Right", "Left", "shift+Right", "shift+Left"))
                player.key(*[way] * dice.randrange(1, 5))
                measure("after each of the seeks", 3)
            for _ in range(max(1, round(10 * part))):
                player.key("space")
                measure("paused", dice.uniform(0.2, 2))
                player.key("space")
                measure("after each pause", 3)
            player.key("braceleft")
            measure("0.5x", 60 * part)
            player.key("BackSpace", "braceright")
            measure("2x", 60 * part)
            player.key("BackSpace")
            with sync.busy_processors():
                measure("4 busy processes", 30 * part)
            measure("1x again", 20 * part)
            inside = player.quit()
            result = player.offsets()
    result.pop("paused")
    for scenario, (offsets, missed) in result.items():
        print(sync.line(scenario, offsets, missed))
    everything = [offset for offsets, _ in result.values() for offset in offsets]
    print(sync.line("all", everything, sum(missed for _, missed in result.values())))
    print(f"inside: {json.dumps(inside['av'])}; frames {json.dumps(inside['frames'])}")
    print(f"load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} processors")


if __name__ == "__main__":
    main()
