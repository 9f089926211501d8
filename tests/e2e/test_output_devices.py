"""Tests recording to a video device, with a stand-in for v4l2loopback, and with encoders that need a GPU."""

import json
import os
import pathlib
import re
import unittest

from harness import EXIT_FAILED, EXIT_USAGE, H264, ProgramTest, lavfi, make_clip, probe

TOOLS = pathlib.Path(os.environ["GLYPHREEL_TEST_TOOLS"])
FAULTS = {
    "missing": (EXIT_FAILED, "There is no device /dev/video9"),
    "camera": (EXIT_USAGE, "/dev/video9 is not an output device"),
    "busy": (EXIT_FAILED, "/dev/video9 is used by another program"),
    "fixed": (EXIT_USAGE, "/dev/video9 refuses 320x176 pixels as YUYV"),
    "gone": (EXIT_FAILED, "/dev/video9 takes no more frames"),
}
GRID = ["--grid", "40x11", "--cell", "8x16"]


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
        for fault, (code, message) in FAULTS.items():
            with self.subTest(fault=fault):
                self.refuse(code, message, "record", self.clip, "-o", "/dev/video9", "--renderer", "cpu", "--quiet", *GRID,
                            env=self.device(fault))

    def test_encoders_without_their_hardware(self):
        for codec in ("h264_vaapi", "h264_nvenc"):
            with self.subTest(codec=codec):
                out = self.here / f"{codec}.mkv"
                self.refuse(EXIT_USAGE, [codec, "this machine", "use another --codec, such as libx264"], "record", self.clip, "-o", out,
                            "--codec", codec, "--renderer", "cpu", "--quiet", *GRID, lines=None, env={"LIBVA_DRIVERS_PATH": "/nowhere"})
                self.assertFalse(out.exists())

    def test_uploaded_pictures_are_counted(self):
        media, gpu = (TOOLS.parent / name for name in ("media", "gpu"))
        pretended = {"LD_PRELOAD": str(gpu / "libpretend_dma_bufs.so"), "LIBVA_DRIVER_NAME": "pretend_encoder", "LIBVA_DRIVERS_PATH": str(media)}
        copied = {}
        for codec in ("libx264", "h264_vaapi"):
            out, stats = self.here / f"{codec}.mkv", self.here / f"{codec}.json"
            self.succeed("record", self.clip, "-o", out, "--codec", codec, "--renderer", "cpu", "--stats", stats, *GRID, env=pretended)
            copied[codec] = json.loads(stats.read_text())["copies"]["host_bytes_per_frame"]
            stream = probe(out, "v:0", "stream=codec_name,width,height")["streams"][0]
            self.assertEqual((stream["codec_name"], stream["width"], stream["height"]), ("h264", 320, 176))
        self.assertEqual(copied["h264_vaapi"] - copied["libx264"], 320 * 176 * 3 // 2, "one copy of NV12")


if __name__ == "__main__":
    unittest.main()
