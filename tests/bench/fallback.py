#!/usr/bin/env python3
"""fallback.py CLIP [ROUNDS]: measures how much a failure of hardware decoding delays the first frame, compared with
software decoding.

$GLYPHREEL names the program, and $GLYPHREEL_TEST_TOOLS the folder of the tests' tools. The player draws with Vulkan in a
window under Xvfb. It plays CLIP with broken driver files, and a VP9 video with fakes of NVIDIA's drivers that fail at one
call. Each round plays every case once with hardware decoding and once with software decoding. Prints the medians and
maxima of the delays as Markdown."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from desktop import Desktop
from harness import PROGRAM, clean_environment, make_clip, pattern
from test_hardware import DECODING, FETCHING, FINDING, IMPORTING, STARTING, VP9


class Case:
    def __init__(self, name, clip, hwdec, **environment):
        self.name, self.clip, self.hwdec, self.environment = name, clip, hwdec, environment
        self.later, self.decoders = [], set()


def first_frame(desktop, folder, case, hwdec):
    """Returns the milliseconds from the program's start to its first frame, and the decoder in use at the end."""
    stats = folder / "stats.json"
    subprocess.run([PROGRAM, "play", case.clip, "--renderer", "gpu", "--hwdec", hwdec, "--frames", "12", "--audio", "no", "--grid",
                    "160x45", "--stats", stats],
                   env=clean_environment(folder, DISPLAY=desktop.display, **case.environment), stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    report = json.loads(stats.read_text())
    return report["startup_ms"]["first_frame"], report["input"]["hwdec"]


def cases_of(clip, folder):
    tools = pathlib.Path(os.environ["GLYPHREEL_TEST_TOOLS"]) / "fake_cuda"
    broken = folder / "broken"
    broken.mkdir()
    for name in ("libcuda.so.1", "libnvcuvid.so.1", "broken_drv_video.so"):
        (broken / name).write_bytes(b"not a driver")
    no_driver = {"LD_LIBRARY_PATH": broken, "LIBVA_DRIVERS_PATH": broken, "LIBVA_DRIVER_NAME": "broken"}
    for hwdec in ("auto", "vaapi", "cuda", "vulkan"):
        yield Case(f"{hwdec}, broken driver files", clip, hwdec, **no_driver)
    video = make_clip(folder / "video.webm", *pattern("1280x720", "24", "1"), *VP9, "-pix_fmt", "yuv420p")
    yield Case("cuda, nothing fails", video, "cuda", LD_LIBRARY_PATH=tools)
    for calls in (STARTING, FINDING, DECODING, IMPORTING, FETCHING):
        for call, numbers in calls.items():
            for number in numbers:
                yield Case(f"cuda, {call}:{number}", video, "cuda", LD_LIBRARY_PATH=tools, FAKE_CUDA_FAIL=f"{call}:{number}")


def main():
    clip, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        desktop = Desktop(folder)
        try:
            cases = list(cases_of(clip, folder))
            first_frame(desktop, folder, cases[0], "no")  # fills the driver's shader cache
            for _ in range(rounds):
                for case in cases:
                    software, _ = first_frame(desktop, folder, case, "no")
                    hardware, decoder = first_frame(desktop, folder, case, case.hwdec)
                    case.later.append(hardware - software)
                    case.decoders.add(decoder)
        finally:
            desktop.close()
        print("| `--hwdec`, failure | decoder | median delay, ms | maximum, ms |\n|---|---|---|---|")
        for case in cases:
            print(f"| {case.name} | {', '.join(sorted(case.decoders))} | {statistics.median(case.later):.0f} "
                  f"| {max(case.later):.0f} |")


main()
