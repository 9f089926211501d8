"""Tests decoding with CUDA on fakes of NVIDIA's drivers (tests/tools/fake_cuda), which can fail at any call. Also tests
recording with encoders that need a GPU, and recording to a video device. A fake VA-API driver stands in for the GPU,
and a preloaded library for the video device."""

import json
import os
import pathlib
import re

from harness import EXIT_DONE, EXIT_FAILED, EXIT_USAGE, H264, ProgramTest, lavfi, make_clip, pattern, probe
from test_terminal import TerminalTest

# With these options, every packet contains exactly one shown frame. The fake driver, which uses FFmpeg, requires that.
VP9 = ["-an", "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-auto-alt-ref", "0", "-lag-in-frames",
       "0", "-g", "6"]

# These tables list the failures of each CUDA function. "5": its fifth call fails; "5+": all calls from the fifth on fail.
STARTING = {"cuInit": ["1+"], "cuCtxCreate_v2": ["1+"], "cuvidGetDecoderCaps": ["1+"], "cuvidCreateDecoder": ["1+"]}
# If these functions fail, the GPU that draws cannot be identified, so frames are downloaded to the host.
FINDING = {"cuDeviceGetCount": ["1+"], "cuDeviceGetUuid": ["1+"]}
DECODING = {"cuvidDecodePicture": ["1", "1+", "9", "9+"], "cuvidMapVideoFrame64": ["1", "1+", "9", "9+"]}
IMPORTING = {"cuCtxGetDevice": ["1+"], "cuImportExternalMemory": ["1+", "2"], "cuExternalMemoryGetMappedBuffer": ["1+"],
             "cuEventCreate": ["1+"], "cuEventRecord": ["1+", "5", "9+"], "cuStreamSynchronize": ["1", "5"],
             "cuMemcpy2DAsync_v2": ["1", "6"]}
# These functions are needed even to download frames to the host.
FETCHING = {"cuStreamSynchronize": ["1+", "5+"], "cuMemcpy2DAsync_v2": ["1+", "6+"]}

# The exit code and the message for each fault of the video device (tests/tools/pretend_v4l2.cpp).
DEVICE_FAULTS = {
    "missing": (EXIT_FAILED, "There is no device /dev/video9"),
    "camera": (EXIT_USAGE, "/dev/video9 is not an output device"),
    "busy": (EXIT_FAILED, "/dev/video9 is used by another program"),
    "fixed": (EXIT_USAGE, "/dev/video9 refuses 320x176 pixels as YUYV"),
    "gone": (EXIT_FAILED, "/dev/video9 accepts no more frames"),
}
GRID = ["--grid", "40x11", "--cell", "8x16"]
TOOLS = pathlib.Path(os.environ["GLYPHREEL_TEST_TOOLS"])


def fake_cuda(**environment):
    tools = TOOLS / "fake_cuda"
    if not (tools / "libcuda.so.1").exists():
        raise AssertionError(f"{tools} is not built")
    return {"LD_LIBRARY_PATH": str(tools), "FAKE_CUDA_DELAY_US": "100", **environment}


class Cuda(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.vp9 = make_clip(cls.folder / "vp9.webm", *pattern("320x180", "24", "0.5"), *VP9, "-pix_fmt", "yuv420p")
        cls.deep = make_clip(cls.folder / "deep.webm", *pattern("320x180", "24", "0.5"), *VP9, "-profile:v", "2",
                             "-pix_fmt", "yuv420p10")
        cls.h264 = make_clip(cls.folder / "h264.mp4", *pattern("320x180", "24", "0.5"), "-an", *H264)

    def cells(self, clip, hwdec, name="out", renderer="gpu", **environment):
        """Exports the clip as text; returns the text of all frames, the statistics and the outcome."""
        out, stats = self.here / f"{name}.txt", self.here / f"{name}.json"
        outcome = self.succeed("record", clip, "-o", out, "--force", "--grid", "40x12", "--renderer", renderer,
                               "--hwdec", hwdec, "--stats", stats, env=fake_cuda(**environment))
        return out.read_bytes(), json.loads(stats.read_text()), outcome

    def test_frames_stay_on_the_gpu(self):
        for clip in (self.vp9, self.deep):
            with self.subTest(clip=clip.name):
                expected, _, _ = self.cells(clip, "no", "software", renderer="cpu")
                cells, stats, outcome = self.cells(clip, "cuda")
                self.assertEqual(stats["input"]["hwdec"], "cuda", outcome)
                self.assertEqual(stats["input"]["hwdec_fallbacks"], [])
                self.assertIn("CUDA", json.dumps(stats["stages"]))
                self.assertEqual(stats["copies"]["host_bytes_per_frame"], 0)
                self.assertEqual(cells, expected)

    def test_driver_failures_do_not_change_cells(self):
        expected, _, _ = self.cells(self.vp9, "no", "software", renderer="cpu")
        for calls in (STARTING, FINDING, DECODING, IMPORTING):
            for call, number in ((call, number) for call, numbers in calls.items() for number in numbers):
                # Use the CPU renderer where it suffices, since it takes a third of the time: for failures before the
                # first import, and for those after which CUDA decodes no more frames.
                renderer = "cpu" if calls in (STARTING, DECODING) and number != "9" else "gpu"
                with self.subTest(call=call, number=number, renderer=renderer):
                    cells, stats, outcome = self.cells(self.vp9, "cuda", renderer=renderer, FAKE_CUDA_FAIL=f"{call}:{number}")
                    self.assertEqual(cells, expected, outcome)
                    if calls is STARTING:
                        self.assertNotEqual(stats["input"]["hwdec"], "cuda")
                        self.assertTrue(stats["input"]["hwdec_fallbacks"], outcome)

    def test_recording_ends_at_a_frame_that_cannot_be_downloaded(self):
        # The height is odd, so the last chroma row covers a single luma row.
        odd = make_clip(self.folder / "odd.webm", *pattern("321x179", "24", "0.5"), *VP9, "-pix_fmt", "yuv420p")
        expected, _, _ = self.cells(odd, "no", "software", renderer="cpu")
        cells, stats, outcome = self.cells(odd, "cuda", renderer="cpu")
        self.assertEqual(stats["input"]["hwdec"], "cuda", outcome)
        self.assertEqual(cells, expected, outcome)
        downloading = {"cpu": dict.fromkeys(("cuStreamSynchronize", "cuMemcpy2DAsync_v2"), ("1", "5", "1+", "5+")),
                       "gpu": FETCHING}
        for renderer, calls in downloading.items():
            for call, number in ((call, number) for call, numbers in calls.items() for number in numbers):
                with self.subTest(renderer=renderer, call=call, number=number):
                    out = self.here / "lost.txt"
                    self.refuse(EXIT_FAILED, "cannot be downloaded from the hardware decoder; try --hwdec no", "record",
                                odd, "-o", out, "--force", "--grid", "80x24", "--renderer", renderer, "--hwdec", "cuda",
                                lines=None, env=fake_cuda(FAKE_CUDA_FAIL=f"{call}:{number}"))

    def test_software_fallback_for_unsupported_streams(self):
        expected, _, _ = self.cells(self.h264, "no", "software", renderer="cpu")
        for limits in ({"FAKE_NVDEC_CODECS": "vp9,hevc"}, {"FAKE_NVDEC_MAX": "256x256"}):
            with self.subTest(limits=limits):
                cells, stats, outcome = self.cells(self.h264, "cuda", **limits)
                self.assertEqual(cells, expected, outcome)
                self.assertNotEqual(stats["input"]["hwdec"], "cuda")

    def test_frames_of_another_gpu_are_downloaded(self):
        expected, _, _ = self.cells(self.vp9, "no", "software", renderer="cpu")
        cells, stats, outcome = self.cells(self.vp9, "cuda", FAKE_CUDA_UUIDS="a" * 32)
        self.assertEqual(cells, expected, outcome)
        self.assertEqual(stats["input"]["hwdec"], "cuda")
        self.assertGreater(stats["copies"]["host_bytes_per_frame"], 320 * 180)


class CudaPlayback(TerminalTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "vp9.webm", *pattern("320x180", "24", "2"), *VP9, "-pix_fmt", "yuv420p")

    def test_continues_after_a_frame_that_cannot_be_downloaded(self):
        stats = self.here / "stats.json"
        for name, value in fake_cuda(FAKE_CUDA_FAIL="cuMemcpy2DAsync_v2:5+").items():
            self.tmux("send-keys", f"export {name}={value}", "Enter")
        self.play("--renderer", "cpu", "--hwdec", "cuda", "--stats", stats)
        self.check_end(EXIT_DONE)
        answer = json.loads(stats.read_text())
        self.assertIn("cannot be downloaded from NVDEC", json.dumps(answer["input"]["hwdec_fallbacks"]))
        self.assertEqual(answer["input"]["hwdec"], "no")


class OutputDevices(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x176:rate=25:duration=0.4"), *H264)

    def device(self, fault="", **changes):
        return {"LD_PRELOAD": str(TOOLS / "pretend_v4l2.so"), "PRETEND_V4L2": str(self.here), "PRETEND_V4L2_FAULT": fault, **changes}

    def test_video_device(self):
        raw = self.here / "same.yuv"
        self.succeed("record", self.clip, "-o", raw, "--renderer", "cpu", *GRID)
        self.succeed("record", self.clip, "-o", "/dev/video9", "--renderer", "cpu", *GRID, env=self.device())
        log = (self.here / "log").read_text().splitlines()
        self.assertEqual(log[:2], ["format YUYV 320x176 stride 640 size 112640", "time 1/25"])
        times = [float(re.fullmatch(r"frame 112640 at ([\d.]+)", line)[1]) for line in log[2:]]
        self.assertEqual(len(times), 10)
        for number, time in enumerate(times):
            self.assertGreaterEqual(time - times[0], number / 25 - 0.001, "no frame is early")
        shown, drawn = (self.here / "frames").read_bytes(), raw.read_bytes()
        luma = 320 * 176
        for number in range(10):
            yuyv = shown[number * 2 * luma:(number + 1) * 2 * luma]
            planar = drawn[number * luma * 3 // 2:(number + 1) * luma * 3 // 2]
            self.assertEqual(yuyv[::2], planar[:luma])
            self.assertEqual(yuyv[1:640:4], planar[luma:luma + 160])
            self.assertEqual(yuyv[3:640:4], planar[luma * 5 // 4:luma * 5 // 4 + 160])

    def test_rate_is_constant(self):
        self.succeed("record", self.clip, "-o", "/dev/video9", "--renderer", "cpu", "--fps", "50", "--length", "0.2", *GRID, env=self.device())
        log = (self.here / "log").read_text()
        self.assertIn("time 1/50", log)
        self.assertEqual(log.count("frame "), 10)

    def test_faults_of_video_devices(self):
        for fault, (code, message) in DEVICE_FAULTS.items():
            with self.subTest(fault=fault):
                self.refuse(code, message, "record", self.clip, "-o", "/dev/video9", "--renderer", "cpu", "--quiet", *GRID,
                            env=self.device(fault))

    def test_encoders_without_their_hardware(self):
        for codec in ("h264_vaapi", "h264_nvenc"):
            with self.subTest(codec=codec):
                out = self.here / f"{codec}.mkv"
                self.refuse(EXIT_USAGE, [codec, "this machine", "choose a different --codec, such as libx264"], "record", self.clip, "-o", out,
                            "--codec", codec, "--renderer", "cpu", "--quiet", *GRID, lines=None, env={"LIBVA_DRIVERS_PATH": "/nowhere"})
                self.assertFalse(out.exists())

    def test_uploaded_pictures_are_counted(self):
        drivers = TOOLS.parent / "gpu"
        pretended = {"LD_PRELOAD": str(drivers / "libpretend_dma_bufs.so"), "LIBVA_DRIVER_NAME": "pretend_encoder",
                     "LIBVA_DRIVERS_PATH": str(drivers)}
        copied = {}
        for codec in ("libx264", "h264_vaapi"):
            out, stats = self.here / f"{codec}.mkv", self.here / f"{codec}.json"
            self.succeed("record", self.clip, "-o", out, "--codec", codec, "--renderer", "cpu", "--stats", stats, *GRID, env=pretended)
            copied[codec] = json.loads(stats.read_text())["copies"]["host_bytes_per_frame"]
            stream = probe(out, "v:0", "stream=codec_name,width,height")["streams"][0]
            self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", 320, 176))
        self.assertEqual(copied["h264_vaapi"] - copied["libx264"], 320 * 176 * 3 // 2, "one copy of NV12")
