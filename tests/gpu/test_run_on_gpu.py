"""Tests what run_on_gpu.sh reports, and what it counts as a failure. Scripts stand in for the program."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

INFO = {"cpu": {"name": "a CPU", "kernels": "none"}, "ffmpeg": {"version": "7.1"},
        "gpus": [{"index": 0, "name": "a GPU", "kind": "discrete GPU", "driver": "580", "vulkan": "1.4", "memory_mb": 80000,
                  "usable": True, "reason": ""}]}

# The stand-in program. `asked` is the value of --hwdec.
PROGRAM = """\
#!/usr/bin/env python3
import json, sys, time
words = sys.argv[1:]
asked = words[words.index("--hwdec") + 1] if "--hwdec" in words else "no"
{known}
if words[0] == "info":
    {info}
elif words[0] == "record":
    stats = {{"input": {{"decoder": "h264", "hwdec": asked if asked in {works} else "no"}}, "fps": 60,
             "stages": {{"import": {{"engine": "CUDA" if asked != "no" else "in place"}}}}, "frames": {{"decoded": 60}},
             "copies": {{"host_bytes_per_frame": {bytes} if asked == "cuda" else 0}},
             "startup_ms": {{"device": 1, "pipelines": 2, "first_frame": 3}}}}
    open(words[words.index("--stats") + 1], "w").write(json.dumps(stats))
else:
    print(json.dumps({{"mismatched_cells": {cells}, "mismatched_pixels": 0}}))
"""


class RunOnGpu(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="glyphreel-run-on-gpu-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.bundle = self.place / "bundle"
        for name in ("bin", "lib/system", "share/glyphreel/fonts", "suite/clips", "suite/bin"):
            (self.bundle / name).mkdir(parents=True)
        (self.bundle / "lib/system/order").touch()
        for name in ("h264.mp4", "hevc.mp4", "hevc10.mp4", "av1.mp4", "vp9.webm"):
            (self.bundle / "suite/clips" / name).touch()
        self.suite_tool("gpu_timing", {"device": "a GPU", "codecs": {"cuda": ["h264", "hevc"], "vaapi": None, "vulkan": []}})

    def write_program(self, info="print(" + repr(json.dumps(INFO)) + ")", known="", works=("cuda",), copied=0, cells=0):
        program = self.bundle / "bin/glyphreel"
        program.write_text(PROGRAM.format(info=info, known=known, works=repr(works), bytes=copied, cells=cells))
        program.chmod(0o755)

    def run_script(self, *words):
        """Runs the script; returns its exit status, output and results."""
        done = subprocess.run(["bash", HERE / "run_on_gpu.sh", "--out", self.place / "out", *words, self.bundle],
                              capture_output=True, text=True, timeout=60)
        results = self.place / "out/gpu-results.json"
        return done.returncode, done.stdout + done.stderr, json.loads(results.read_text()) if results.exists() else {}

    def rows(self, results, asked):
        return [row for row in results["decoders"]["rows"] if row["asked"] == asked]

    def test_successful_run_and_report(self):
        self.write_program()
        code, output, results = self.run_script("--only", "device", "--only", "decoders", "--only", "start")
        self.assertEqual(code, 0, output)
        self.assertEqual({row["path"] for row in self.rows(results, "cuda")}, {"CUDA"})
        self.assertEqual({row["result"] for row in self.rows(results, "vaapi")}, {"fell back to --hwdec no"})
        written = (self.place / "out/gpu-results.md").read_text()
        self.assertIn("a GPU", written)
        self.assertIn("| h264 | cuda | ran | h264 | CUDA | 0 | 0 |", written)

    def test_fallback_of_listed_codec_fails(self):
        self.write_program(works=())
        code, _, results = self.run_script("--only", "decoders")
        self.assertEqual(code, 1)
        self.assertIn("hevc by cuda: fell back to --hwdec no, although the device lists hevc",
                      results["decoders"]["failure"])
        self.assertNotIn("av1", results["decoders"]["failure"], "the device does not list AV1")

    def write_suites(self, device):
        answer = {"tests": 1, "time": "1s", "testsuites": [{"testsuite": [
            {"classname": "Device", "name": "Opens", "result": "COMPLETED", "device": device}]}]}
        for name in ("gpu_tests", "gpu_parity_tests", "vulkan_video_tests", "dma_buf_tests", "cuda_tests"):
            tool = self.bundle / "suite/bin" / name
            tool.write_text(f"""#!/bin/sh
for word; do case $word in --gtest_output=json:*) echo '{json.dumps(answer)}' >"${{word#*:}}";; esac; done
""")
            tool.chmod(0o755)

    def test_cuda_suite_runs_on_gpus_of_nvidia(self):
        for gpu in ("NVIDIA H200", "AMD Radeon"):
            with self.subTest(gpu=gpu):
                self.write_program(info="print(" + repr(json.dumps(INFO).replace("a GPU", gpu)) + ")")
                self.write_suites(gpu)
                code, output, results = self.run_script("--only", "suites")
                self.assertEqual(code, 0, output)
                names = [suite["name"] for suite in results["suites"]["suites"]]
                self.assertEqual(names[:3], ["gpu_tests", "gpu_parity_tests", "vulkan_video_tests"])
                self.assertEqual("cuda_tests" in names, gpu == "NVIDIA H200")

    def test_suite_on_another_device_fails(self):
        self.write_program()
        self.write_suites("llvmpipe")
        code, _, results = self.run_script("--only", "suites")
        self.assertEqual(code, 1)
        self.assertIn("dma_buf_tests used llvmpipe, but the program used a GPU", results["suites"]["failure"])

    def test_host_frames_and_shaders_are_reported(self):
        row = {"width": 1920, "height": 1080, "frames": "host memory, as decoded", "engine": "GPU copy",
               "bytes": 3_000_000, "import_ms": 0.01, "map_ms": 0.2, "frame_ms": 0.3}
        executable = {"name": "compute", "stages": 32, "subgroup": 32, "statistics": [
            {"name": "Register Count", "value": 40}, {"name": "Spilled bytes", "value": 8},
            {"name": "Local Memory Size", "value": 16}, {"name": "Shared Memory Size", "value": 32}]}
        pipelines = {"supported": True, "pipelines": [{"name": "match cells", "count": 2, "executables": [executable]}]}
        self.write_program()
        self.suite_tool("gpu_timing", {"device": "a GPU", "host": [row], "pipelines": pipelines})
        code, output, _ = self.run_script("--only", "host", "--only", "shaders")
        self.assertEqual(code, 0, output)
        self.assertIn("| host memory, as decoded | GPU copy | 3.0 | 0.010 | 0.200 | 0.300 | 10.0 |", output)
        self.assertIn("| match cells | 2 | compute | 32 | Register Count 40, Spilled bytes 8, "
                      "Local Memory Size 16, Shared Memory Size 32 |", output)
        self.assertIn("Spills: match cells: Spilled bytes 8; match cells: Local Memory Size 16.", output)

    def suite_tool(self, name, answer):
        tool = self.bundle / "suite/bin" / name
        tool.write_text(f"#!/bin/sh\necho '{json.dumps(answer)}'\n")
        tool.chmod(0o755)

    def test_time_bounds_apply_only_to_listed_gpus(self):
        for name in ("h264-long.mp4", "hevc-long.mp4"):
            (self.bundle / "suite/clips" / name).touch()
        def row(width, height, map_ms, looks="shape full"):
            return {"width": width, "height": height, "looks": looks, "map_ms": map_ms, "draw_ms": 0.02, "pack_ms": 0.1,
                    "map_bytes": width * height * 3 // 2, "draw_bytes": width * height * 4}
        rows = [row(1920, 1080, 0.05), row(1920, 1080, 0.061, "edge full"), row(3840, 2160, 0.129),
                row(3840, 2160, 0.132, "edge full"), row(7680, 4320, 1)]
        self.suite_tool("pipeline_timing", {"decoder": "h264", "hwdec": "cuda", "frames": 600, "decode_fps": 1060,
                                            "pipeline_fps": 1000, "host_bytes_per_frame": 0})
        for name, status in (("a GPU", 0), ("NVIDIA H100 80GB HBM3", 1)):
            self.suite_tool("gpu_timing",
                            {"device": name, "copy": {"bytes": 1 << 30, "median_ms": 1, "gigabytes_per_s": 2000, "runs": 5},
                             "stages": rows})
            self.write_program(info="print(" + repr(json.dumps({**INFO, "gpus": [{**INFO["gpus"][0], "name": name}]})) + ")")
            code, output, results = self.run_script("--only", "stages", "--only", "pipeline")
            self.assertEqual(code, status, output)
            written = (self.place / "out/gpu-results.md").read_text()
            for bound in ("8 % | 0.080 |", "7 % | 0.080, exceeded |", "15 % | 0.150 |", "15 % | 0.150, exceeded |", "% | none |"):
                self.assertIn(bound, written)
        self.assertEqual(results["stages"]["failure"],
                         "map and draw exceed their bound: "
                         "1920x1080 edge full: 0.081 ms, bound 0.080 ms, 7 % of copy bandwidth; "
                         "3840x2160 edge full: 0.152 ms, bound 0.150 ms, 15 % of copy bandwidth")
        self.assertIn("h264 by cuda: map, draw and pack add 6.0 % to decoding", results["pipeline"]["failure"])

    def test_software_driver_fails(self):
        software = {**INFO["gpus"][0], "name": "llvmpipe", "kind": "CPU"}
        self.write_program(info="print(" + repr(json.dumps({**INFO, "gpus": [software]})) + ")")
        self.suite_tool("gpu_timing", {"device": "another GPU"})
        code, _, results = self.run_script("--only", "device", "--only", "depths")
        self.assertEqual(code, 1)
        self.assertIn("finds no GPU, only llvmpipe", results["device"]["failure"])
        self.assertEqual(results["depths"]["failure"], "gpu_timing used another GPU, but the program used llvmpipe")

    def test_library_path_reaches_suite_programs(self):
        self.write_program()
        tool = self.bundle / "suite/bin/gpu_timing"
        tool.write_text("#!/bin/sh\necho \"{\\\"device\\\": \\\"$LD_LIBRARY_PATH\\\"}\"\n")
        tool.chmod(0o755)
        os.environ["LD_LIBRARY_PATH"] = "/the/drivers"
        self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
        _, _, results = self.run_script("--only", "depths")
        self.assertRegex(results["depths"]["failure"], "gpu_timing used .*/libraries:/the/drivers, but the program")

    @unittest.skipIf(any(pathlib.Path(folder, "vulkan/icd.d/nvidia_icd.json").exists() for folder in ("/etc", "/usr/share")),
                     "NVIDIA's Vulkan driver is installed")
    def test_driver_library_without_its_json_is_found(self):
        drivers = self.place / "drivers"
        drivers.mkdir()
        (drivers / "libGLX_nvidia.so.0").write_text("does not load")
        (drivers / "libEGL_nvidia.so.0").symlink_to("/lib/x86_64-linux-gnu/libm.so.6")
        self.write_program(known="import os", info=f"""gpu = {INFO["gpus"][0]}
    gpu["name"] = json.load(open(os.environ["VK_DRIVER_FILES"]))["ICD"]["library_path"]
    print(json.dumps({{**{INFO}, "gpus": [gpu]}}))""")
        os.environ["LD_LIBRARY_PATH"] = str(drivers)
        self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
        _, output, results = self.run_script("--only", "device")
        self.assertEqual(results["device"]["used"]["name"], str(drivers / "libEGL_nvidia.so.0"), output)

    def test_host_copies_on_hardware_path_fail(self):
        self.write_program(copied=4096)
        code, output, results = self.run_script("--only", "decoders")
        self.assertEqual(code, 1)
        self.assertIn("4096 bytes", results["decoders"]["failure"])
        self.assertIn("failed sections: decoders", output)

    def test_differing_cells_fail(self):
        self.write_program(cells=1)
        code, _, results = self.run_script("--only", "decoders")
        self.assertEqual(code, 1)
        self.assertIn("1 cells differ", results["decoders"]["failure"])

    def test_unsupported_option_is_reported_not_failed(self):
        self.write_program(known="if '--hwdec' in words: sys.stderr.write('unknown --hwdec'); sys.exit(2)")
        code, output, results = self.run_script("--only", "decoders")
        self.assertEqual(code, 0, output)
        self.assertEqual({row["result"] for row in self.rows(results, "cuda")}, {"not supported by this build"})
        self.assertEqual({row["result"] for row in self.rows(results, "no")}, {"ran"})

    def test_hanging_program_does_not_block_next_section(self):
        self.write_program(info="time.sleep(600)")
        code, output, results = self.run_script("--limit", "100", "--only", "device", "--only", "start")
        self.assertEqual(code, 1)
        self.assertIn("did not end within", results["device"]["failure"])
        self.assertNotIn("failure", results["start"], output)

    def test_missing_bundle_files_are_reported(self):
        self.write_program()
        (self.bundle / "suite/bin/gpu_timing").unlink()
        code, _, results = self.run_script("--only", "stages", "--only", "suites", "--only", "parity")
        self.assertEqual(code, 1)
        for section in ("stages", "suites", "parity"):
            self.assertIn("not in this bundle", results[section]["failure"])

    def test_earlier_sections_are_kept(self):
        self.write_program()
        self.run_script("--only", "device")
        _, _, results = self.run_script("--only", "start")
        self.assertEqual(set(results), {"device", "start"})


if __name__ == "__main__":
    unittest.main()
