"""Tests that the GPU and the CPU render the same: `glyphreel compare`, and recordings with either."""

import json
import os
import re
import signal
import subprocess
import unittest

from harness import (DEMO, EXIT_INTERRUPTED, EXIT_USAGE, H264, PATIENCE, VALIDATION, ProgramTest, lavfi, make_clip,
                     picture_hashes, wait_for)

FIELDS = {"cells", "frames", "mismatched_cells", "mismatched_pixels", "max_pixel_difference", "first_mismatch", "gpu_ms",
          "cpu_ms", "speedup", "ssim"}


class Compare(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clips = [make_clip(cls.folder / f"{number}.mkv", *lavfi(f"testsrc2=size={size}:rate=10:duration=0.3,format={form}"),
                               "-c:v", "ffv1")
                     for number, (size, form) in enumerate([("322x180", "gbrp"), ("320x180", "yuv420p"), ("641x361", "yuv444p"),
                                                            ("320x180", "yuv420p10le"), ("320x180", "gray"),
                                                            ("320x180", "yuv422p"), ("320x180", "rgb48le")])]
        cls.clips.append(make_clip(cls.folder / "turned.mp4", *lavfi("testsrc2=size=320x180:rate=10:duration=0.3"), *H264,
                                   "-metadata:s:v:0", "rotate=90", "-vf", "setsar=4/3"))

    def compare(self, clip, *options, frames=3):
        outcome = self.succeed("compare", clip, "--json", "--frames", frames, *options, env={"GLYPHREEL_VALIDATION": "1"})
        self.assertNotRegex(outcome.stderr, VALIDATION)
        answer = json.loads(outcome.stdout)
        self.assertEqual(answer["mismatched_cells"], 0, outcome)
        self.assertEqual(answer["mismatched_pixels"], 0, outcome)
        return answer

    def test_fields(self):
        answer = self.compare(DEMO, "--grid", "40x11")
        self.assertEqual(set(answer), FIELDS)
        self.assertEqual((answer["frames"], answer["cells"], answer["max_pixel_difference"]), (3, 3 * 40 * 11, 0))
        self.assertIsNone(answer["first_mismatch"])
        self.assertGreater(answer["gpu_ms"], 0)
        self.assertGreater(answer["cpu_ms"], 0)
        self.assertAlmostEqual(answer["speedup"], answer["cpu_ms"] / answer["gpu_ms"], delta=0.01 * answer["speedup"])

    def test_modes_and_colors(self):
        for mode in ("ramp", "shape"):
            for color in ("mono", "fg", "full"):
                with self.subTest(mode=mode, color=color):
                    self.compare(DEMO, "--start", "11", "--mode", mode, "--color", color)

    def test_effects(self):
        for effect, options in (("rain", ["--color", "fg"]), ("tube", ["--color", "mono"]), ("glitch", ["--color", "ansi256"]),
                                ("ripple", ["--charset", "ascii+cjk"]), ("tube", [])):
            with self.subTest(effect=effect, options=options):
                self.compare(DEMO, "--start", "11", "--grid", "100x28", "--effect", effect, *options, frames=6)

    def test_light(self):
        for options in (["--look", "tube"], ["--look", "neon", "--cell", "7x13"]):
            with self.subTest(options=options):
                self.compare(DEMO, "--start", "11", "--grid", "100x28", *options)

    def test_formats(self):
        """Tests each pixel format with one --fit, and one format with every --fit. tests/parity tests all combinations."""
        fits = ("contain", "cover", "stretch")
        cases = {(clip, fits[number % 3]) for number, clip in enumerate(self.clips)} | {(self.clips[0], fit) for fit in fits}
        for clip, fit in sorted(cases):
            with self.subTest(clip=clip.name, fit=fit):
                self.compare(clip, "--grid", "37x13", "--fit", fit, "--cell", "7x13")

    def test_other_options(self):
        for options in (["--sample", "corner", "--mode", "ramp"], ["--luma", "601"], ["--luma", "709"],
                        ["--charset", "█▓▒░ "], ["--fg", "lime", "--bg", "navy", "--color", "mono"], ["--cell", "1x1"],
                        ["--cell", "32x64"], ["--ramp", " .:#", "--thresholds", "10,100,200"]):
            with self.subTest(options=options):
                self.compare(DEMO, "--start", "11", "--grid", "50x14", *options, frames=2)

    def test_table(self):
        outcome = self.succeed("compare", DEMO, "--frames", 2, "--grid", "40x11")
        self.assertRegex(outcome.stdout, r"mismatched cells\s+0\n")
        self.assertNotIn("{", outcome.stdout)

    def test_speed_does_not_count_skipped_time(self):
        """The speed is the frame rate divided by the video's, wherever the comparison starts."""
        outcome = self.succeed("compare", DEMO, "--start", 20, "--frames", 3, "--grid", "40x11")
        fps, speed = re.search(r"fps ([\d.]+) ([\d.]+)x", outcome.stderr).groups()
        self.assertAlmostEqual(float(speed), float(fps) / 30, delta=0.02 + 0.05 * float(speed))

    def test_quiet(self):
        self.assertEqual(self.succeed("compare", DEMO, "--frames", 1, "--grid", "40x11", "--quiet").stderr, "")

    def test_statistics(self):
        stats = self.here / "stats.json"
        self.compare(DEMO, "--grid", "40x11", "--stats", stats)
        self.assertEqual(json.loads(stats.read_text())["frames"]["mapped"], 3)

    def test_report(self):
        folder = self.here / "new" / "report"
        self.compare(DEMO, "--grid", "40x11", "--report", folder)
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
    """The CPU and the GPU record identical frames."""

    @classmethod
    def make_clips(cls):
        cls.clips = [make_clip(cls.folder / "rgb.mkv", *lavfi("testsrc2=size=322x182:rate=10:duration=0.5"), "-c:v", "ffv1",
                               "-pix_fmt", "gbrp"),
                     make_clip(cls.folder / "ten.mkv", *lavfi("testsrc2=size=320x180:rate=10:duration=0.5"), "-c:v", "ffv1",
                               "-pix_fmt", "yuv422p10le"),
                     make_clip(cls.folder / "demo.mp4", "-ss", "11", "-i", DEMO, "-t", "0.4", *H264, "-an")]

    def record_with(self, renderer, clip, name, *options):
        out = self.here / f"{renderer}-{name}"
        self.succeed("record", clip, "-o", out, "--force", "--renderer", renderer, *options)
        return out

    def test_lossless_rgb(self):
        # Test all choices with the first clip, and one choice with each other clip.
        choices = (["--grid", "53x17"], ["--grid", "60x20", "--mode", "ramp", "--color", "fg"],
                   ["--size", "333x222", "--color", "mono", "--cell", "7x15", "--fit", "cover"])
        for clip, options in [*((self.clips[0], options) for options in choices), *zip(self.clips[1:], choices[1:])]:
            with self.subTest(clip=clip.name, options=options):
                hashes = [picture_hashes(self.record_with(renderer, clip, "out.mkv", "--codec", "ffv1", *options))
                          for renderer in ("cpu", "gpu")]
                self.assertEqual(*hashes)
                self.assertGreater(len(set(hashes[0])), 1, "the frames must differ for the test to mean anything")

    def test_lossless_yuv(self):
        """Lossless libx264 reproduces the renderer's YUV frames exactly."""
        for clip in self.clips:
            for options in (["--size", "334x190", "--cell", "5x9"], ["--grid", "60x20"]):
                with self.subTest(clip=clip.name, options=options):
                    hashes = [picture_hashes(self.record_with(renderer, clip, "out.mkv", "--crf", "0", *options))
                              for renderer in ("cpu", "gpu")]
                    self.assertEqual(*hashes)
                    self.assertGreater(len(set(hashes[0])), 1, "the frames must differ for the test to mean anything")

    def test_text(self):
        for clip in self.clips:
            texts = [self.record_with(renderer, clip, "out.txt", "--grid", "70x21").read_text() for renderer in ("cpu", "gpu")]
            self.assertEqual(*texts)

    def test_no_validation_message(self):
        for name, options in (("out.mkv", ["--codec", "ffv1"]), ("out.mp4", []), ("out.txt", [])):
            outcome = self.succeed("record", self.clips[2], "-o", self.here / name, "--renderer", "gpu", "--grid", "53x17",
                                   *options, env={"GLYPHREEL_VALIDATION": "1"})
            self.assertNotRegex(outcome.stderr, VALIDATION)


if __name__ == "__main__":
    unittest.main()
