"""Tests that glyphreel starts, plays, records and compares on GPUs whose limits, memory and queues are simulated."""

import json
import unittest

from desktop import shared_desktop
from harness import DEMO, TOOLS, VALIDATION, ProgramTest, picture_hashes

# For each simulated GPU: its name and kind; how it reads a frame that the CPU has decoded, according to the statistics; and
# how it reads frames and from which memory, according to the log.
GPUS = {"pi5": ("V3D 7.1.7", "integrated GPU", "host copy", "in place from uncached host memory"),
        "adreno": ("Adreno 740", "integrated GPU", "in place", "in place from host memory that needs flushes"),
        "uhd630": ("Intel UHD Graphics 630", "integrated GPU", "in place", "in place from coherent host memory"),
        "rtx4070": ("NVIDIA GeForce RTX 4070", "discrete GPU", "GPU copy",
                    "from GPU memory after a copy from coherent host memory"),
        "h200": ("NVIDIA H200", "discrete GPU", "GPU copy", "from GPU memory after a copy from coherent host memory")}
FRAMES = 6


class SimulatedGpus(ProgramTest):
    def simulate(self, gpu, *words, **changes):
        env = {"LD_PRELOAD": TOOLS / "simulated_gpu.so", "SIMULATED_GPU": gpu, "GLYPHREEL_VALIDATION": "1"}
        outcome = self.succeed(*words, "--grid", "120x34", "--frames", FRAMES, env={**env, **changes})
        self.assertNotRegex(outcome.stderr, VALIDATION)
        return outcome

    def test_compare(self):
        for gpu in GPUS:
            with self.subTest(gpu):
                answer = json.loads(self.simulate(gpu, "compare", DEMO, "--json").stdout)
                self.assertEqual((answer["mismatched_cells"], answer["mismatched_pixels"]), (0, 0), answer)

    def test_record(self):
        out, report = self.here / "out.mkv", self.here / "report.json"
        expected = None
        for gpu, (name, kind, read, policy) in GPUS.items():
            with self.subTest(gpu):
                log = self.simulate(gpu, "record", DEMO, "-o", out, "--renderer", "gpu", "--force", "--verbose", "--stats",
                                    report).stderr
                self.assertIn(f"GPU 0: {name} (simulated) ({kind})", log)
                self.assertIn(f"{name} (simulated): frames are read {policy}", log)
                self.assertEqual(json.loads(report.read_text())["stages"]["import"]["engine"], read)
                expected = expected or picture_hashes(out)
                self.assertEqual(picture_hashes(out), expected)

    def test_play(self):
        report = self.here / "report.json"
        for gpu, (name, *_) in GPUS.items():
            with self.subTest(gpu):
                self.simulate(gpu, DEMO, "--audio", "no", "--stats", report, SIMULATED_LATENCY_MS="30",
                              DISPLAY=shared_desktop().display)
                answer = json.loads(report.read_text())
                self.assertEqual(answer["settings"]["renderer"], f"{name} (simulated)")
                self.assertGreater(answer["frames"]["presented"], 0)
                self.assertGreaterEqual(answer["pacing"]["display_latency_ms"], 30)


if __name__ == "__main__":
    unittest.main()
