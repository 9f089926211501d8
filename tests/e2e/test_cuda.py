"""Decoding by CUDA, with drivers that stand for NVIDIA's (tests/tools/fake_cuda) and fail wherever they may."""

import json
import os
import pathlib

from harness import H264, ProgramTest, make_clip, pattern

# FFmpeg decodes these for real in the fake driver: as long as each frame is shown.
VP9 = ["-an", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-lag-in-frames",
       "0", "-g", "6"]

# Each with the numbers of the calls of it that fail; 5+: the fifth and all after it.
STARTING = {"cuInit": ["1+"], "cuCtxCreate_v2": ["1+"], "cuvidGetDecoderCaps": ["1+"], "cuvidCreateDecoder": ["1+"]}
# Without the GPU that draws, another one's frames come back to the host.
FINDING = {"cuDeviceGetCount": ["1+"], "cuDeviceGetUuid": ["1+"]}
DECODING = {"cuvidDecodePicture": ["1", "1+", "9", "9+"], "cuvidMapVideoFrame64": ["1", "1+", "9", "9+"]}
IMPORTING = {"cuCtxGetDevice": ["1+"], "cuImportExternalMemory": ["1+", "2"], "cuExternalMemoryGetMappedBuffer": ["1+"],
             "cuEventCreate": ["1+"], "cuEventRecord": ["1+", "5", "9+"], "cuStreamSynchronize": ["1", "5"],
             "cuMemcpy2DAsync_v2": ["1", "6"]}
# By which frames come to the host as well: these are decoded anew.
FETCHING = {"cuStreamSynchronize": ["1+", "5+"], "cuMemcpy2DAsync_v2": ["1+", "6+"]}


class Cuda(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.vp9 = make_clip(cls.folder / "vp9.webm", *pattern("320x180", "24", "1"), *VP9, "-pix_fmt", "yuv420p")
        cls.deep = make_clip(cls.folder / "deep.webm", *pattern("320x180", "24", "0.5"), *VP9, "-profile:v", "2",
                             "-pix_fmt", "yuv420p10")
        cls.h264 = make_clip(cls.folder / "h264.mp4", *pattern("320x180", "24", "0.5"), "-an", *H264)

    def cells(self, clip, hwdec, name="out", renderer="gpu", **environment):
        """The text of all frames, the statistics and what was said."""
        tools = pathlib.Path(os.environ["GLYPHREEL_TEST_TOOLS"]) / "fake_cuda"
        self.assertTrue((tools / "libcuda.so.1").exists(), tools)
        out, stats = self.here / f"{name}.txt", self.here / f"{name}.json"
        environment = {"LD_LIBRARY_PATH": str(tools), "FAKE_CUDA_DELAY_US": "100", **environment}
        outcome = self.succeed("record", clip, "-o", out, "--force", "--grid", "80x24", "--renderer", renderer,
                               "--hwdec", hwdec, "--stats", stats, env=environment)
        return out.read_bytes(), json.loads(stats.read_text()), outcome

    def test_frames_never_visit_the_host(self):
        for clip in (self.vp9, self.deep):
            with self.subTest(clip=clip.name):
                expected, _, _ = self.cells(clip, "no", "software")
                cells, stats, outcome = self.cells(clip, "cuda")
                self.assertEqual(stats["input"]["hwdec"], "cuda", outcome)
                self.assertEqual(stats["input"]["hwdec_fallbacks"], [])
                self.assertIn("CUDA", json.dumps(stats["stages"]))
                self.assertEqual(stats["copies"]["host_bytes_per_frame"], 0)
                self.assertEqual(cells, expected)

    def test_any_failure_ends_in_the_same_cells(self):
        expected, _, _ = self.cells(self.vp9, "no", "software")
        for calls in (STARTING, FINDING, DECODING, IMPORTING, FETCHING):
            for call, number in ((call, number) for call, numbers in calls.items() for number in numbers):
                # What fails before there are frames to import needs no GPU that draws: half the time.
                renderer = "cpu" if calls in (STARTING, DECODING) and number.endswith("+") else "gpu"
                with self.subTest(call=call, number=number, renderer=renderer):
                    cells, stats, outcome = self.cells(self.vp9, "cuda", renderer=renderer, FAKE_CUDA_FAIL=f"{call}:{number}")
                    self.assertEqual(cells, expected, outcome)
                    if calls in (STARTING, FETCHING):
                        self.assertNotEqual(stats["input"]["hwdec"], "cuda")
                        self.assertTrue(stats["input"]["hwdec_fallbacks"], outcome)

    def test_frames_that_the_processor_cannot_fetch_are_decoded_anew(self):
        # Of an odd height, whose last row of chroma is half a row.
        odd = make_clip(self.folder / "odd.webm", *pattern("321x179", "24", "1"), *VP9, "-pix_fmt", "yuv420p")
        expected, _, _ = self.cells(odd, "no", "software", renderer="cpu")
        cells, stats, outcome = self.cells(odd, "cuda", renderer="cpu")
        self.assertEqual(stats["input"]["hwdec"], "cuda", outcome)
        self.assertEqual(cells, expected, outcome)
        for call in ("cuStreamSynchronize", "cuMemcpy2DAsync_v2"):
            for number in ("1", "5", "1+", "5+"):
                with self.subTest(call=call, number=number):
                    cells, stats, outcome = self.cells(odd, "cuda", renderer="cpu", FAKE_CUDA_FAIL=f"{call}:{number}")
                    self.assertEqual(cells, expected, outcome)
                    self.assertIn("cannot be downloaded from NVDEC", json.dumps(stats["input"]["hwdec_fallbacks"]))

    def test_what_nvdec_cannot_decode_software_does(self):
        expected, _, _ = self.cells(self.h264, "no", "software")
        for limits in ({"FAKE_NVDEC_CODECS": "vp9,hevc"}, {"FAKE_NVDEC_MAX": "256x256"}):
            with self.subTest(limits=limits):
                cells, stats, outcome = self.cells(self.h264, "cuda", **limits)
                self.assertEqual(cells, expected, outcome)
                self.assertNotEqual(stats["input"]["hwdec"], "cuda")

    def test_frames_of_another_gpu_come_back_to_the_host(self):
        expected, _, _ = self.cells(self.vp9, "no", "software")
        cells, stats, outcome = self.cells(self.vp9, "cuda", FAKE_CUDA_UUIDS="a" * 32)
        self.assertEqual(cells, expected, outcome)
        self.assertEqual(stats["input"]["hwdec"], "cuda")
        self.assertGreater(stats["copies"]["host_bytes_per_frame"], 320 * 180)
