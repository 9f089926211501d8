#!/usr/bin/python3
"""Tests faults and extremes with every format that `record` writes: a full disk, a target that disappears or cannot be
written, sizes that encoders refuse, kill -9, one and two interrupts, and a video of ten hours. With --large, tests only
files of more than 4 GiB.

    tests/robustness/exports.py [--program PROGRAM] [--formats mp4,gif] [--large]

Needs ffmpeg and python3-pil. Prints a line for each format and fault.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
VIDEOS = ("mp4", "mkv", "mov", "webm")
MOVING = (*VIDEOS, "gif", "apng", "webp", "txt", "ans", "utf8ans", "cast", "svg", "y4m", "yuv", "html", "cells")
STILL = ("png", "jpg", "avif", "xb")  # formats with a single frame
GRID = ["--grid", "64x20", "--cell", "8x16"]
PICTURE = (512, 320)
SVG = ["--grid", "32x10", "--fps", "10"]  # within the limits of an .svg animation
HOURS = 10
# Options with which a file of noise exceeds 4 GiB; the last is the number of frames.
LARGE = {"y4m": ("--frames", "1450"), "mkv": ("--codec", "ffv1", "--frames", "4000"),
         "mp4": ("--bitrate", "900M", "--preset", "ultrafast", "--frames", "2400")}


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, stdin=subprocess.DEVNULL, **options)


def ffprobe(path, *entries):
    done = run("ffprobe", "-v", "error", "-select_streams", "v:0", *entries, "-of", "csv=p=0", path)
    return done.stdout.decode().strip().split("\n")


class Harness:
    def __init__(self, program, folder):
        self.program, self.folder, self.failures, self.number = program, folder, 0, 0
        self.clip = folder / "clip.mkv"
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=8,noise=alls=25:allf=t", "-f", "lavfi", "-i",
            "sine=d=8", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-c:a", "aac", self.clip, check=True)
        self.long = folder / "hours.mkv"
        run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=320x180:r=1/100:d={HOURS * 3600}", "-c:v", "libx264",
            "-preset", "ultrafast", self.long, check=True)

    def report(self, ending, fault, holds, detail=""):
        self.failures += not holds
        print(f"{'ok  ' if holds else 'FAIL'} {ending:8} {fault:22} {detail}", flush=True)

    def output(self, ending):
        self.number += 1
        place = self.folder / str(self.number)
        place.mkdir()
        return place / f"out.{ending}"

    def record(self, clip, out, *options, **more):
        return run(self.program, "record", clip, "-o", out, "--quiet", *self.grid(out), *options, **more)

    @staticmethod
    def grid(out):
        return SVG if out.suffix == ".svg" else GRID

    def frames(self, path, ending):
        """Returns how many frames a reader of the format finds."""
        content = path.read_bytes() if path.exists() else b""
        if ending == "cells":
            decoded = path.with_name("decoded.mkv")
            run(self.program, "record", path, "-o", decoded, "--force", "--quiet")
            path = decoded
        if ending in (*VIDEOS, "gif", "apng", "y4m", "cells"):
            found = ffprobe(path, "-count_frames", "-show_entries", "stream=nb_read_frames")[0].strip(",")
            return int(found) if found.isdigit() else 0
        if ending == "html":
            chunks = re.findall(rb"<script type=x-cells class=cells>FRAM.*?</script>", content, re.DOTALL)
            return 48 * len(chunks)  # a chunk has at least 48 frames
        if ending == "cast":
            lines = content.split(b"\n")[:-1]
            return sum(json.loads(line)[1] == "o" for line in lines[1:])
        if ending == "svg":
            return self.svg_frames(content) if content else 0
        if ending in ("webp", "png", "jpg"):
            picture = Image.open(path) if content else None
            return getattr(picture, "n_frames", 1) if picture else 0
        if ending == "avif":
            return len(ffprobe(path, "-show_entries", "frame=pts")) if content else 0
        return {"txt": content.count(b"\f"), "yuv": len(content) // (PICTURE[0] * PICTURE[1] * 3 // 2),
                "utf8ans": content.count(b"\x1b[20A") + 1 if content else 0, "xb": int(content[:4] == b"XBIN"),
                "ans": int(len(content) > 64 * 20)}[ending]

    @staticmethod
    def svg_frames(content):
        """Returns the number of frames of an .svg document, which must be well-formed XML."""
        root = xml.etree.ElementTree.fromstring(content)
        keyframes = re.findall(r"translateY\(", root.findtext("{http://www.w3.org/2000/svg}style"))
        return max(1, len(keyframes)) if root.tag.endswith("svg") else 0

    def alarm(self, done):
        text = done.stderr.decode(errors="replace")
        return done.returncode < 0 or re.search(r"terminate called|Sanitizer|Assertion|internal error", text) is not None

    def full_disk(self, ending):
        out = self.output(ending)
        room = 20_000 if ending in MOVING else 300
        done = self.record(self.clip, out, *(["--frames", "1"] if ending not in MOVING else []),
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
        part = out.with_suffix(f".part.{ending}")
        last = done.stderr.decode().strip().split("\n")[-1]
        says = re.search("disk|file size|No space", last) is not None
        self.report(ending, "full disk", done.returncode == 1 and says and not out.exists() and not self.alarm(done),
                    f"exit {done.returncode}, {part.stat().st_size if part.exists() else 0} bytes kept: {last[:90]}")

    def start_stalled(self, ending, *options):
        """Starts a recording whose input stalls after three quarters of the clip."""
        out, content = self.output(ending), self.clip.read_bytes()
        process = subprocess.Popen([self.program, "record", "-", "-o", out, "--quiet", *self.grid(out), *options], stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        process.stdin.write(content[:len(content) * 3 // 4])
        process.stdin.flush()
        return out, out.with_suffix(f".part.{ending}"), process

    def wait_until_still(self, part, process):
        """Waits until the .part file stops growing. The recording then needs more input to continue."""
        before, deadline = -1, time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            size = part.stat().st_size if part.exists() else -1
            if size > 0 and size == before:
                return
            before = size
            time.sleep(2)

    def target_removed(self, ending):
        out, part, process = self.start_stalled(ending)
        self.wait_until_still(part, process)
        part.unlink(missing_ok=True)
        process.stdin.close()
        errors = process.stderr.read().decode()
        code = process.wait(60)
        self.report(ending, "target removed", code == 1 and out.name in errors, f"exit {code}: {errors.strip()[-100:]}")

    def unwritable(self, ending):
        results = []
        for out in (self.folder / "missing" / f"out.{ending}", pathlib.Path(f"/proc/out.{ending}")):
            done = self.record(self.clip, out, "--frames", "1")
            results.append(done.returncode == 1 and out.name in done.stderr.decode() and not self.alarm(done))
        self.report(ending, "unwritable", all(results))

    def refused_size(self, ending):
        out = self.output(ending)
        done = run(self.program, "record", self.clip, "-o", out, "--quiet", "--grid", "2100x4", "--cell", "32x16", "--frames", "1")
        lines = [line for line in done.stderr.decode().split("\n") if line]
        good = not self.alarm(done)
        if done.returncode != 0:
            good &= done.returncode in (1, 2) and len(lines) == 1 and not any(out.parent.iterdir())
        elif ending in ("gif", "apng", "png", "y4m"):
            width = ffprobe(out, "-show_entries", "stream=width")[0].strip(",")
            good &= width == "67200"
            lines = [f"width {width}"]
        self.report(ending, "67200 pixels wide", good, f"exit {done.returncode} {' '.join(lines)[:100]}")

    def killed(self, ending):
        out, part, process = self.start_stalled(ending)
        self.wait_until_still(part, process)
        process.kill()
        process.wait(60)
        frames = self.frames(part, ending)
        # The recording has received six seconds: 150 frames, or 60 for .svg. At least two chunks of 48 frames must be
        # readable, or 40 frames of an .svg file, or one frame of an .ans file.
        least = {"ans": 1, "svg": 40}.get(ending, 96)
        self.report(ending, "kill -9", frames >= least and not out.exists(), f"{frames} frames are readable")

    def interrupted(self, ending):
        out, part, process = self.start_stalled(ending)
        self.wait_until_still(part, process)
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        frames = self.frames(out, ending)
        self.report(ending, "Ctrl-C", code == 130 and frames > 0 and not part.exists(), f"exit {code}, {frames} frames")
        out, part, process = self.start_stalled(ending)
        self.wait_until_still(part, process)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        code = process.wait(60)
        self.report(ending, "Ctrl-C twice", code in (130, -signal.SIGINT), f"exit {code}")

    def seconds_of(self, path, ending):
        if ending == "cast":
            return json.loads(path.read_text().strip().split("\n")[-1])[0]
        if ending in ("gif", "apng", "webp"):
            picture, total = Image.open(path), 0
            for number in range(picture.n_frames):
                picture.seek(number)
                picture.load()
                total += picture.info["duration"]
            return total / 1000
        if ending == "cells":
            return json.loads(run(self.program, "info", path, "--json").stdout)["duration_s"]
        return float(ffprobe(path, "-show_entries", "format=duration")[0])

    def ten_hours(self, ending):
        out = self.output(ending)
        done = self.record(self.long, out)
        if ending == "svg":
            refusal = done.stderr.decode().strip()
            self.report(ending, f"{HOURS} hours", done.returncode == 2 and ".html" in refusal and not any(out.parent.iterdir()), refusal)
        elif ending in (*VIDEOS, "gif", "apng", "webp", "cast", "cells"):
            seconds = self.seconds_of(out, ending) if done.returncode == 0 else 0
            self.report(ending, f"{HOURS} hours", abs(seconds - HOURS * 3600) <= 0.05, f"{seconds} s, {self.frames(out, ending)} frames")
        else:
            self.report(ending, f"{HOURS} hours", done.returncode == 0, f"{self.frames(out, ending)} frames")

    def large(self, ending, *options):
        out = self.output(ending)
        grid = ["--grid", "240x67", "--cell", "8x16", "--color", "full"]
        done = run(self.program, "record", "lavfi:nullsrc=s=480x268:r=25,geq=random(1)*255:128:128", "-o", out, "--quiet", *grid, *options)
        size = out.stat().st_size if out.exists() else 0
        count = ffprobe(out, "-count_packets", "-show_entries", "stream=nb_read_packets")[0].strip(",")
        self.report(ending, "over 4 GiB", done.returncode == 0 and size > 1 << 32 and count == options[-1],
                    f"{size} bytes, {count} frames {done.stderr.decode().strip()[-100:]}")
        out.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("GLYPHREEL") or ROOT / "build" / "check" / "src" / "glyphreel"
    parser.add_argument("--program", type=pathlib.Path, default=default)
    parser.add_argument("--formats", default=",".join((*MOVING, *STILL)))
    parser.add_argument("--large", action="store_true", help="only write files of more than 4 GiB, in mkv, mp4 and y4m")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="exports-"))
    try:
        harness = Harness(options.program.resolve(), folder)
        if options.large:
            for ending, words in LARGE.items():
                if ending in options.formats.split(","):
                    harness.large(ending, *words)
        else:
            for ending in options.formats.split(","):
                harness.full_disk(ending)
                harness.unwritable(ending)
                harness.refused_size(ending)
                if ending in MOVING:
                    for fault in (harness.target_removed, harness.killed, harness.interrupted, harness.ten_hours):
                        fault(ending)
        print(f"{harness.failures} failed")
    finally:
        shutil.rmtree(folder)
    return 1 if harness.failures else 0


if __name__ == "__main__":
    sys.exit(main())
