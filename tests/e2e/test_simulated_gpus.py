"""Tests that glyphreel starts, plays, records and compares on GPUs whose limits, memory and queues are simulated, and
records with broken drivers."""

import json
import pathlib
import unittest

from desktop import shared_desktop
from harness import (AAC, DEMO, EXIT_FAILED, H264, TOOLS, VALIDATION, ProgramTest, frame_count, make_clip, part_of,
                     pattern, picture_hashes)

# For each simulated GPU: its name and kind; how it reads a frame that the CPU has decoded, according to the statistics; and
# how it reads frames and from which memory, according to the log.
GPUS = {"pi5": ("V3D 7.1.7", "integrated GPU", "host copy", "in place from uncached host memory"),
        "adreno": ("Adreno 740", "integrated GPU", "in place", "in place from host memory that needs flushes"),
        "uhd630": ("Intel UHD Graphics 630", "integrated GPU", "in place", "in place from coherent host memory"),
        "rtx4070": ("NVIDIA GeForce RTX 4070", "discrete GPU", "GPU copy",
                    "from GPU memory after a copy from coherent host memory"),
        "h200": ("NVIDIA H200", "discrete GPU", "GPU copy", "from GPU memory after a copy from coherent host memory")}
FRAMES = 6
# `compare` runs only on the two GPUs that differ most. SimulatedGpus.test_record() checks the pictures of all.
COMPARED = ("pi5", "rtx4070")
GRID = ("--grid", "40x11")
SIZE = ("--grid", "60x17", "--frames", FRAMES)


class SimulatedGpus(ProgramTest):
    def simulate(self, gpu, *words, **changes):
        env = {"LD_PRELOAD": TOOLS / "simulated_gpu.so", "SIMULATED_GPU": gpu, "GLYPHREEL_VALIDATION": "1"}
        outcome = self.succeed(*words, *SIZE, env={**env, **changes})
        self.assertNotRegex(outcome.stderr, VALIDATION)
        return outcome

    def test_compare(self):
        for gpu in COMPARED:
            with self.subTest(gpu):
                answer = json.loads(self.simulate(gpu, "compare", DEMO, "--json").stdout)
                self.assertEqual((answer["mismatched_cells"], answer["mismatched_pixels"]), (0, 0), answer)

    def test_record(self):
        out, report = self.here / "out.mkv", self.here / "report.json"
        self.succeed("record", DEMO, "-o", out, "--renderer", "cpu", *SIZE)
        expected = picture_hashes(out)
        for gpu, (name, kind, read, policy) in GPUS.items():
            with self.subTest(gpu):
                log = self.simulate(gpu, "record", DEMO, "-o", out, "--renderer", "gpu", "--force", "--verbose", "--stats",
                                    report).stderr
                self.assertIn(f"GPU 0: {name} (simulated) ({kind})", log)
                self.assertIn(f"{name} (simulated): frames are read {policy}", log)
                self.assertEqual(json.loads(report.read_text())["stages"]["import"]["engine"], read)
                self.assertEqual(picture_hashes(out), expected)

    def test_play(self):
        report = self.here / "report.json"
        for gpu, (name, *_) in GPUS.items():
            with self.subTest(gpu):
                log = self.simulate(gpu, DEMO, "--audio", "no", "--stats", report, "--verbose", SIMULATED_LATENCY_MS="30",
                                    DISPLAY=shared_desktop().display).stderr
                # Mesa's drivers list an sRGB format first, which the program must not use: it would encode the colors
                # twice.
                self.assertRegex(log, r"window: \d+x\d+, \d+ images of B8G8R8A8_UNORM\n")
                answer = json.loads(report.read_text())
                self.assertEqual(answer["settings"]["renderer"], f"{name} (simulated)")
                self.assertGreater(answer["frames"]["presented"], 0)
                self.assertGreaterEqual(answer["pacing"]["display_latency_ms"], 30)

    def test_refused_extensions(self):
        """If a device cannot be created, the program tries again with fewer extensions."""
        for refused, attempts in (("video", 1), ("all", 2)):
            with self.subTest(refused):
                log = self.record_like_the_cpu(SIMULATED_REFUSED=refused)
                self.assertEqual(log.count("is opened with fewer extensions"), attempts, log)

    def test_full_memory_heap(self):
        """The host can map only a small part of a discrete GPU's memory. If that part is full, other memory is used."""
        self.assertIn("heap 2 is full", self.record_like_the_cpu(SIMULATED_HEAP="2:64"))

    def record_like_the_cpu(self, **changes):
        """Records with the simulated GPU, checks that the CPU draws the same pictures, and returns the GPU's log."""
        gpu, cpu = self.here / "gpu.mkv", self.here / "cpu.mkv"
        log = self.simulate("rtx4070", "record", DEMO, "-o", gpu, "--force", "--verbose", "--renderer", "gpu", **changes).stderr
        self.succeed("record", DEMO, "-o", cpu, "--force", "--renderer", "cpu", *SIZE)
        self.assertEqual(picture_hashes(gpu), picture_hashes(cpu))
        return log

    def test_play_without_a_swapchain(self):
        """If the GPU cannot draw to the screen, the CPU does."""
        report = self.here / "report.json"
        log = self.simulate("uhd630", DEMO, "--audio", "no", "--stats", report, SIMULATED_16_BIT_SCREEN="1",
                            DISPLAY=shared_desktop().display).stderr
        self.assertIn("The window supports no 8-bit or 10-bit RGB format", log)
        answer = json.loads(report.read_text())
        self.assertRegex(answer["settings"]["renderer"], "^CPU")
        self.assertIn("shared memory", answer["stages"]["present"]["engine"])
        self.assertEqual(answer["frames"]["presented"], FRAMES)


class BrokenDrivers(ProgramTest):
    MEASURES = False  # True in tests/bench/timing_record.py, which also checks the delay of the first frame

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern("320x180", "30", "0.5"), *H264, *AAC)

    def test_broken_hardware_drivers(self):
        def record(renderer, hwdec, **environment):
            """Returns the text, the input's statistics, and the minimum time to the first frame in milliseconds."""
            stats, out = self.here / "stats.json", self.here / "out.txt"
            starts = []
            for _ in range(2 if self.MEASURES else 1):
                self.succeed("record", self.clip, "-o", out, "--force", "--renderer", renderer, "--hwdec", hwdec, "--stats", stats,
                             *GRID, env=environment)
                report = json.loads(stats.read_text())
                starts.append(report["startup_ms"]["first_frame"])
            return out.read_bytes(), report["input"], min(starts)

        folder = self.here / "drivers"
        folder.mkdir()
        (folder / "icd.json").write_text("{}")
        no_decoder = {"LD_LIBRARY_PATH": folder, "LIBVA_DRIVERS_PATH": folder, "LIBVA_DRIVER_NAME": "broken"}
        nothing = {**no_decoder, "VK_DRIVER_FILES": folder / "icd.json", "VK_ICD_FILENAMES": folder / "icd.json"}
        maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
        other = next(line.split()[-1] for line in maps if "/libm.so" in line)
        software = {renderer: record(renderer, "no") for renderer in ("cpu", "gpu")}
        for number, content in enumerate((b"not a driver", pathlib.Path(other).read_bytes())):
            for name in ("libcuda.so.1", "libnvcuvid.so.1", "broken_drv_video.so"):
                (folder / name).write_bytes(content)
            # With the CPU renderer, test each value of --hwdec with both contents of the broken driver files. With
            # the GPU renderer, test each value with only one of the contents.
            every = ("auto", "vaapi", "cuda", "vulkan")
            for renderer, broken, choices in (("cpu", nothing, every), ("gpu", no_decoder, every[number::2])):
                for hwdec in choices:
                    with self.subTest(hwdec, renderer=renderer, library=len(content)):
                        text, report, start = record(renderer, hwdec, **broken)
                        expected, _, software_start = software[renderer]
                        self.assertEqual(text, expected)
                        self.assertEqual(report["hwdec"], "no")
                        # If the CPU draws (the CPU renderer or a software Vulkan driver), `--hwdec auto` tries no
                        # hardware decoder.
                        self.assertEqual([step["from"] for step in report["hwdec_fallbacks"]], [hwdec] if hwdec != "auto" else [])
                        if self.MEASURES:
                            self.assertLess(start, software_start + 300)

    def test_hung_gpu(self):
        """The recording ends with an error and keeps the frames before the hang."""
        clip, out = make_clip(self.here / "long.mp4", *pattern("320x180", "30", "2"), *H264), self.here / "out.mp4"
        outcome = self.run_program("record", clip, "-o", out, "--renderer", "gpu", *GRID,
                                   env={"LD_PRELOAD": TOOLS / "lost_gpu.so", "HUNG_GPU_AT": "30"})
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertIn("has not finished a frame for 8 s", outcome.stderr)
        self.assertIn("The GPU was lost", outcome.lines()[-1])
        self.assertEqual(frame_count(part_of(out)), 29)  # each frame is one submission, and the 30th hangs


if __name__ == "__main__":
    unittest.main()
