"""Tests `glyphreel bench`: its JSON, table, report, comparisons and errors."""

import json
import re
import unittest

from harness import EXIT_BAD_INPUT, EXIT_DONE, EXIT_FAILED, EXIT_USAGE, H264, PATIENCE, PROGRAM, ProgramTest, lavfi, make_clip

# The JSON fields that Google Benchmark's tools read.
CONTEXT = {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "aslr_enabled", "caches",
           "load_avg", "library_build_type", "json_schema_version"}
ENTRY = {"name", "run_name", "run_type", "repetitions", "threads", "iterations", "real_time", "cpu_time", "time_unit"}
TINY = ("--grid", "20x6", "--frames", "3")
CPU = (*TINY, "--renderer", "cpu", "--mode", "ramp", "--color", "mono")


class Bench(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=64x48:rate=10:duration=0.5"), *H264)

    def bench(self, *options):
        return json.loads(self.succeed("bench", "--json", *options, self.clip).stdout)

    def test_json_and_report(self):
        folder = self.here / "new" / "report"
        run = self.bench(*TINY, "--repetitions", 2, "--report", folder, "--stats", self.here / "stats.json")
        self.assertLessEqual(CONTEXT, set(run["context"]))
        self.assertEqual(run["context"]["executable"], PROGRAM)
        self.assertRegex(run["context"]["gpu"]["uuid"], r"^[0-9a-f]{32}$")
        self.assertGreater(run["context"]["gpu"]["copy_bytes_per_second"], 0)
        entries = run["benchmarks"]
        for entry in entries:
            self.assertLessEqual(ENTRY, set(entry))
            self.assertGreaterEqual(entry["real_time"], 0)
        measured = [entry for entry in entries if entry["run_type"] == "iteration"]
        names = list(dict.fromkeys(entry["name"] for entry in measured))
        self.assertEqual([name.split("/")[0] for name in names],
                         ["decode", "map", "map", "draw", "map", "map", "draw", "text", "video"])
        self.assertEqual([entry["repetition_index"] for entry in measured], len(names) * [0, 1])
        self.assertEqual({entry["iterations"] for entry in measured}, {3})
        self.assertEqual([entry["aggregate_name"] for entry in entries if entry["run_name"] == names[0] and entry not in measured],
                         ["mean", "median", "stddev", "cv"])
        stages = {name: {key[:-3] for key in entry if key.endswith("_ms")} - {"first_frame", "reference"}
                  for name, entry in zip(names, measured[::2])}
        self.assertEqual(stages["map/cpu/64x48/20x6/shape/full"], {"map"})
        self.assertEqual(stages["draw/gpu/64x48/20x6/shape/full"], {"import", "map", "draw"})
        self.assertEqual(stages["video/cpu/64x48/20x6/shape/full"], {"decode", "map", "draw", "encode"})
        self.assertEqual(json.loads((self.here / "stats.json").read_text())["frames"]["encoded"], 6)

        self.assertEqual(json.loads((folder / "bench.json").read_text()), run)
        page = (folder / "index.html").read_text(encoding="utf-8")
        self.assertNotIn("REPORT_", page)
        self.assertEqual(json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1]), run)
        self.assertEqual(re.findall(r"""(?:src|href)=["']""", page), [])

    def test_table(self):
        table = self.succeed("bench", *CPU, "--repetitions", 1, self.clip).stdout
        self.assertRegex(table, r"(?m)^map/cpu/64x48/20x6/ramp/mono +\d+\.\d+ ")
        self.assertRegex(table, r"(?m)^video/.* map [\d.]+, draw [\d.]+, encode [\d.]+$")

    def test_against(self):
        """Compares the program with itself. Whether the comparison gives a verdict depends on the machine's load."""
        base = self.here / "base.json"
        base.write_text(json.dumps(self.bench(*CPU, "--repetitions", 1)))
        outcome = self.run_program("bench", "--json", *CPU, "--against", base, "--repetitions", 12, self.clip, timeout=4 * PATIENCE)
        self.assertIn(outcome.code, (EXIT_DONE, EXIT_FAILED))
        run = json.loads(outcome.stdout)
        self.assertEqual([entry["name"].split("/")[0] for entry in run["against"]["compared"]],
                         ["all", "decode", "map", "draw", "text", "video"])
        self.assertEqual(sum(entry["run_type"] == "iteration" for entry in run["benchmarks"]), 5 * 12)
        self.assertEqual(outcome.code, EXIT_FAILED if run["against"]["verdict"] == "slower" else EXIT_DONE)

    def test_against_saved_times(self):
        """The program that made the saved result is gone, so only the saved times can be compared."""
        base = self.here / "base.json"
        saved = self.bench(*CPU, "--repetitions", 9)
        saved["context"]["executable"] = "/gone/glyphreel"
        for entry in saved["benchmarks"]:
            entry["cpu_time"] /= 1000
        base.write_text(json.dumps(saved))
        outcome = self.run_program("bench", *CPU, "--against", base, self.clip)
        self.assertIn("its program is gone", outcome.stdout)
        self.assertRegex(outcome.stdout, r"(?m)^map/.*slower$")

    def test_errors(self):
        text = self.here / "notes.json"
        text.write_text("a user's notes")
        base = self.here / "base.json"
        base.write_text(json.dumps(self.bench(*CPU, "--repetitions", 1)))
        for code, message, words in (
                (EXIT_USAGE, "at least 12 repetitions", ["--against", base, "--repetitions", "11"]),
                (EXIT_USAGE, "notes.json is not a result", ["--against", text]),
                (EXIT_USAGE, "cannot read", ["--against", self.here / "missing.json"]),
                (EXIT_USAGE, "--peers and --against cannot be combined", ["--peers", "--against", base]),
                (EXIT_FAILED, "cannot run this benchmark", ["--against", "/bin/true"])):
            with self.subTest(message=message):
                self.refuse(code, message, "bench", *CPU, *words, self.clip)
        self.refuse(EXIT_USAGE, "several times", "bench", "-")
        self.refuse(EXIT_BAD_INPUT, "missing.mp4", "bench", self.here / "missing.mp4")
        self.refuse(EXIT_BAD_INPUT, "local file", "bench", "--peers", "lavfi:testsrc2")

    def test_saved_run_with_few_repetitions(self):
        base = self.here / "base.json"
        saved = self.bench(*CPU, "--repetitions", 1)
        saved["context"]["program_fingerprint"] = "another"
        base.write_text(json.dumps(saved))
        self.refuse(EXIT_USAGE, "only 1 repetitions", "bench", *CPU, "--against", base, self.clip)


if __name__ == "__main__":
    unittest.main()
