"""Tests that the GPU and the CPU render identical frames, in `glyphreel compare` and in recordings."""

import json
import os
import re
import signal
import subprocess
import unittest

from harness import (DEMO, EXIT_INTERRUPTED, EXIT_USAGE, H264, PATIENCE, VALIDATION, ProgramTest, frame_count, lavfi,
                     make_clip, picture_hashes, wait_for)

FIELDS = {"cells", "frames", "mismatched_cells", "mismatched_pixels", "max_pixel_difference", "first_mismatch", "gpu_ms",
          "cpu_ms", "speedup", "ssim"}
WIDE = "ascii+♈♉♊♋♌⚡"


class Compare(ProgramTest):
    def compare(self, *options, frames=3, validated=True):
        """Compares a part of the demo. Only one case of each test here uses validation, because validation doubles the
        time, and gpu_tests validate every effect and mode."""
        outcome = self.succeed("compare", DEMO, "--json", "--frames", frames, *options,
                               env={"GLYPHREEL_VALIDATION": "1"} if validated else {})
        self.assertNotRegex(outcome.stderr, VALIDATION)
        answer = json.loads(outcome.stdout)
        self.assertEqual(answer["mismatched_cells"], 0, outcome)
        self.assertEqual(answer["mismatched_pixels"], 0, outcome)
        return answer

    def test_fields_and_statistics(self):
        stats = self.here / "stats.json"
        answer = self.compare("--grid", "40x11", "--stats", stats)
        self.assertEqual(set(answer), FIELDS)
        self.assertEqual((answer["frames"], answer["cells"], answer["max_pixel_difference"]), (3, 3 * 40 * 11, 0))
        self.assertIsNone(answer["first_mismatch"])
        self.assertGreater(answer["gpu_ms"], 0)
        self.assertGreater(answer["cpu_ms"], 0)
        self.assertAlmostEqual(answer["speedup"], answer["cpu_ms"] / answer["gpu_ms"], delta=0.01 * answer["speedup"])
        self.assertEqual(json.loads(stats.read_text())["frames"]["mapped"], 3)

    def compare_each(self, cases, *common, frames=3):
        """Calls compare() for each case, with the options of that case."""
        for number, options in enumerate(cases):
            with self.subTest(options=options):
                self.compare("--start", "11", *common, *options, frames=frames, validated=number == 0)

    def test_modes_and_colors(self):
        """Tests two modes and three colors, each at least once. tests/parity/matrix.py tests all combinations."""
        self.compare_each((["--mode", "shape", "--color", "full"], ["--mode", "ramp", "--color", "fg"],
                           ["--mode", "shape", "--color", "mono"]))

    def test_effects(self):
        self.compare_each((["--effect", "rain", "--color", "fg"], ["--effect", "tube", "--color", "mono"],
                           ["--effect", "glitch", "--color", "ansi256"], ["--effect", "ripple", "--charset", WIDE],
                           ["--effect", "tube"]), "--grid", "100x28", frames=6)

    def test_light(self):
        self.compare_each((["--look", "tube"], ["--look", "neon", "--cell", "7x13"]), "--grid", "100x28")

    def test_other_options(self):
        """Tests each option once. tests/parity/matrix.py tests all combinations."""
        self.compare_each((["--sample", "corner", "--mode", "ramp", "--luma", "601"],
                           ["--luma", "709", "--fg", "lime", "--bg", "navy", "--color", "mono"],
                           ["--charset", "█▓▒░ ", "--cell", "1x1"],
                           ["--ramp", " .:#", "--thresholds", "10,100,200", "--cell", "32x64"]), "--grid", "50x14", frames=2)

    def test_table_and_speed(self):
        """The speed is the frame rate of the comparison divided by that of the video. It does not depend on --start."""
        outcome = self.succeed("compare", DEMO, "--start", 20, "--frames", 3, "--grid", "40x11")
        self.assertRegex(outcome.stdout, r"mismatched cells\s+0\n")
        self.assertNotIn("{", outcome.stdout)
        fps, speed = re.search(r"fps ([\d.]+) ([\d.]+)x", outcome.stderr).groups()
        self.assertAlmostEqual(float(speed), float(fps) / 30, delta=0.02 + 0.05 * float(speed))

    def test_quiet(self):
        self.assertEqual(self.succeed("compare", DEMO, "--frames", 1, "--grid", "40x11", "--quiet").stderr, "")

    def test_report(self):
        folder = self.here / "new" / "report"
        self.compare("--grid", "40x11", "--report", folder, validated=False)
        page = (folder / "index.html").read_text(encoding="utf-8")
        self.assertIn("demo.mp4", page)
        for link in re.findall(r"""(?:src|href)=["']([^"'#]+)["']""", page):
            self.assertTrue(link.startswith("data:"), f"the page refers to an external resource: {link}")
        report = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
        self.assertEqual(set(report["comparison"]), FIELDS)
        self.assertEqual([stage["name"] for stage in report["stages"] if stage["gpu"] and stage["cpu"]], ["map", "draw"])
        self.assertEqual(report["timed_frames"], 3)
        self.assertEqual(len(report["frame_ms"]["gpu"]), 3)
        self.assertEqual([frame["index"] for frame in report["frames"]], [0, 1, 2])
        shown = {file for frame in report["frames"] for file in frame["files"].values()}
        self.assertEqual(shown, {picture.name for picture in folder.glob("*.png")})
        for picture in folder.glob("**/*.png"):
            self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_interrupt(self):
        process = self.start("compare", DEMO, "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # The program installs its signal handler before it starts a thread, so once it has threads, the signal is handled.
        wait_for(lambda: len(os.listdir(f"/proc/{process.pid}/task")) > 1, "threads have started")
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, EXIT_INTERRUPTED, stderr)
        self.assertLess(json.loads(stdout)["frames"], 720)

    def test_usage(self):
        self.refuse(EXIT_USAGE, "INPUT", "compare")
        self.refuse(EXIT_USAGE, "--renderer", "compare", DEMO, "--renderer", "cpu")


class RendererParity(ProgramTest):
    """The CPU and the GPU record identical frames. Each recording joins clips of several formats, so that one renderer must
    switch between the formats. gpu_parity_tests and tests/parity/matrix.py test all combinations of formats and options."""

    @classmethod
    def make_clips(cls):
        cls.clips = [make_clip(cls.folder / f"{form}.mkv", *lavfi(f"testsrc2=size={size}:rate=10:duration=0.3,format={form}"),
                               "-c:v", "ffv1")
                     for size, form in (("322x182", "gbrp"), ("320x180", "yuv420p"), ("641x361", "yuv444p"),
                                        ("320x180", "yuv420p10le"), ("320x180", "gray"), ("320x180", "yuv422p"),
                                        ("320x180", "rgb48le"), ("320x180", "yuv422p10le"))]
        cls.clips += [make_clip(cls.folder / "turned.mp4", *lavfi("testsrc2=size=320x180:rate=10:duration=0.3"), *H264,
                                "-metadata:s:v:0", "rotate=90", "-vf", "setsar=4/3"),
                      make_clip(cls.folder / "demo.mp4", "-ss", "11", "-i", DEMO, "-t", "0.2", *H264, "-an")]
        cls.some = [cls.clips[0], cls.clips[7], cls.clips[9]]

    def record_both(self, name, clips, *options, validated=True):
        """Records the clips into one file with each renderer; returns both files."""
        outs = []
        for renderer in ("cpu", "gpu"):
            outs.append(self.here / f"{renderer}-{name}")
            outcome = self.succeed("record", *clips, "-o", outs[-1], "--force", "--renderer", renderer, *options,
                                   env={"GLYPHREEL_VALIDATION": "1"} if validated and renderer == "gpu" else {})
            self.assertNotRegex(outcome.stderr, VALIDATION)
        return outs

    def check_same(self, clips, *options, validated):
        hashes = [picture_hashes(out) for out in self.record_both("out.mkv", clips, *options, validated=validated)]
        self.assertEqual(*hashes)
        self.assertEqual(len(hashes[0]), sum(map(frame_count, clips)))
        self.assertGreater(len(set(hashes[0])), len(clips), "the frames must differ for the test to mean anything")

    def test_lossless_rgb(self):
        """Tests each format of the clips once, and each value of --fit once."""
        for number, options in enumerate((["--grid", "53x17"],
                                          ["--grid", "60x20", "--mode", "ramp", "--color", "fg", "--fit", "stretch"],
                                          ["--size", "333x222", "--color", "mono", "--cell", "7x15", "--fit", "cover"])):
            with self.subTest(options=options):
                self.check_same(self.clips[number::3], "--codec", "ffv1", *options, validated=number == 0)

    def test_lossless_yuv(self):
        """Lossless libx264 reproduces the renderer's YUV frames exactly."""
        for number, options in enumerate((["--size", "334x190", "--cell", "5x9"], ["--grid", "60x20"])):
            with self.subTest(options=options):
                self.check_same(self.some, "--crf", "0", *options, validated=number == 0)

    def test_text(self):
        texts = [out.read_text() for out in self.record_both("out.txt", self.some, "--grid", "70x21")]
        self.assertEqual(*texts)
        self.assertEqual(texts[0].count("\f"), sum(map(frame_count, self.some)))


if __name__ == "__main__":
    unittest.main()
