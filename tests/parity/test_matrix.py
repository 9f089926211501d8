"""Tests that matrix.py fails when it should. A stand-in for the program gives the answers requested by each test."""

import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import stat
import tempfile
import unittest

import combinations
import matrix

# A program that answers like `glyphreel compare --json`. $STAND_IN is a kind of failure and a text, separated by a
# space. If the program's command line contains the text, the program fails in that way.
STAND_IN = """#!/usr/bin/env python3
import json, os, sys, time
words = sys.argv[1:]
if words[0] == "info":
    print("CPU       a stand-in")
    sys.exit(0)
value = lambda name: words[words.index(name) + 1]
frames = int(value("--frames"))
columns, rows = map(int, value("--grid").split("x"))
answer = {"cells": frames * columns * rows, "frames": frames, "mismatched_cells": 0, "mismatched_pixels": 0,
          "first_mismatch": None}
status = 0
kind, _, where = os.environ.get("STAND_IN", "").partition(" ")
if kind and where in " ".join(words):
    if kind == "cells":
        answer.update(mismatched_cells=7, mismatched_pixels=93, first_mismatch={"frame": 3})
        status = 1
    elif kind == "pixels-with-exit-0":
        answer.update(mismatched_pixels=1)
    elif kind == "short":
        answer.update(frames=frames - 1, cells=(frames - 1) * columns * rows)
    elif kind == "fewer-cells":
        answer.update(cells=answer["cells"] - columns)
    elif kind == "crash":
        sys.stdout.flush()
        os.kill(os.getpid(), 11)
    elif kind == "refuse":
        sys.exit("glyphreel: no such thing.")
    elif kind == "silent":
        sys.exit(0)
    elif kind == "gpu-shaders":
        status = 1 if os.environ.get("GLYPHREEL_SHADERS") == "gpu" else 0
    elif kind == "hang":
        time.sleep(60)
print(json.dumps(answer))
sys.exit(status)
"""


class CombinationList(unittest.TestCase):
    def test_modes_are_complete(self):
        listed = (pathlib.Path(__file__).resolve().parents[2] / "shaders" / "shared" / "modes.glsl").read_text()
        self.assertEqual(combinations.MODES, tuple(re.findall(r'^ *MODE\(\w+, \d+u, "(\w+)"', listed, re.MULTILINE)))

    def test_names_and_commands_are_unique(self):
        found = combinations.combinations()
        self.assertEqual(len({combination.name for combination in found}), len(found))
        self.assertEqual(len({combination[2:] for combination in found}), len(found))

    def test_all_products_are_listed(self):
        names = {combination.name for combination in combinations.combinations()}
        for mode in combinations.MODES:
            for color in combinations.COLORS:
                for stability in combinations.STABILITIES:
                    for charset in combinations.CHARSETS:
                        self.assertIn(f"{mode}/{color}/none/{stability}/{charset}", names)
                        for dither in ("bayer", "blue"):
                            counts = mode == "ramp" or color in combinations.PALETTED
                            self.assertEqual(f"{mode}/{color}/{dither}/{stability}/{charset}" in names, counts)
            for variation, about in combinations.VARIATIONS.items():
                found = any(name.startswith(mode) and name.endswith(f"/with-{variation}") for name in names)
                self.assertEqual(found, mode in about.modes, variation)


class MatrixVerdicts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = self.folder / "glyphreel"
        self.program.write_text(STAND_IN)
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.clip = self.folder / "clip.mkv"
        self.clip.write_bytes(b"")
        self.addCleanup(os.environ.pop, "STAND_IN", None)

    def matrix(self, behavior, *options, only="/(loose|steady)/(ascii|cjk)$"):
        """Runs a sample of the matrix with this stand-in behavior; returns exit status, output and JSON lines."""
        os.environ["STAND_IN"] = behavior
        out, stdout = self.folder / "out.jsonl", io.StringIO()
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
            status = matrix.main(["--binary", str(self.program), "--only", only, "--every", "31", "--frames", "5",
                                  "--out", str(out), *options, str(self.clip)])
        kept = re.search(r"are kept in (.+)\.$", stdout.getvalue(), re.MULTILINE)
        if kept:
            shutil.rmtree(kept[1])
        return status, stdout.getvalue(), [json.loads(line) for line in out.read_text().splitlines()]

    def test_passes_where_nothing_differs(self):
        for jobs in ("1", "3"):
            status, output, records = self.matrix("", "--jobs", jobs)
            self.assertEqual(status, 0, output)
            self.assertNotIn("FAILED", output)
            self.assertGreater(len(records), 5)
            self.assertTrue(all(record["ok"] for record in records))
            frames, cells = 5 * len(records), 5 * 64 * 18 * len(records)
            self.assertRegex(output, rf"all +{len(records)} +0 +{frames} +{cells} +0 +0 ")

    def fails(self, behavior, message, *options):
        """Checks that all runs in edge mode, and no other runs, fail with this message."""
        status, output, records = self.matrix(f"{behavior} --mode edge", *options)
        self.assertEqual(status, 1, output)
        failed = [record for record in records if not record["ok"]]
        self.assertEqual({record["name"] for record in failed},
                         {record["name"] for record in records if record["mode"] == "edge"})
        self.assertGreater(len(failed), 0)
        lines = [line for line in output.splitlines() if line.startswith("FAILED ")]
        self.assertEqual(len(lines), len(failed))
        for line in lines:
            self.assertRegex(line, f"^FAILED edge/[^ ]+: {message}")
            self.assertIn(f"{self.program} compare --quiet --json", line)
        return output, failed

    def test_mismatch(self):
        output, failed = self.fails("cells", r'7 of 5760 cells and 93 pixels differ, first \{"frame": 3\}')
        self.assertRegex(output, rf"edge +{len(failed)} +{len(failed)} .* {7 * len(failed)} +{93 * len(failed)} ")

    def test_mismatch_with_exit_status_0(self):
        self.fails("pixels-with-exit-0", "0 of 5760 cells and 1 pixels differ")

    def test_fewer_frames_or_cells_than_asked_for(self):
        self.fails("short", "compared 4608 cells of 4 frames instead of 5760 cells of 5 frames")
        self.fails("fewer-cells", "compared 5696 cells of 5 frames")

    def test_crash(self):
        self.fails("crash", "ended by signal 11")

    def test_error(self):
        self.fails("refuse", "exit status 1: glyphreel: no such thing")

    def test_no_answer(self):
        self.fails("silent", "the answer is not a JSON object")

    def test_gpu_shaders(self):
        status, output, _ = self.matrix("gpu-shaders --mode edge")
        self.assertEqual(status, 0, output)
        output, _ = self.fails("gpu-shaders", "exit status 1", "--gpu-shaders")
        self.assertIn(f": GLYPHREEL_SHADERS=gpu {self.program} compare", output)

    def test_hang(self):
        status, output, _ = self.matrix("hang", "--timeout", "1", "--every", "1000")
        self.assertEqual(status, 1)
        self.assertIn("no answer after 1 s", output)

    def test_usage_errors(self):
        for options in (["--only", "no such name"], ["--only", "("], ["--frames", "0"], ["--binary", "/nowhere"]):
            with self.subTest(options=options), self.assertRaises(SystemExit) as left:
                self.matrix("", *options)
            self.assertEqual(left.exception.code, 2)

    def test_clip_that_cannot_be_made(self):
        status, output, records = self.matrix("", only="with-10-bit")
        self.assertEqual((status, records), (1, []), output)


if __name__ == "__main__":
    unittest.main()
