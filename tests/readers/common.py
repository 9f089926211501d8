"""Shared functions of the reader tests: running programs, decoding files, reporting checks."""

import subprocess

import numpy as np
from PIL import Image

GRID = ["--grid", "40x12"]
SIZE = (40 * 8, 12 * 16)
failed = []


def check(name, holds, detail=""):
    if not holds:
        failed.append(name)
    print(f"{'ok  ' if holds else 'FAIL'} {name} {detail}")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, **options).stdout


def decoded(path):
    """Returns a file's frames as FFmpeg decodes them."""
    raw = run("ffmpeg", "-v", "error", "-i", path, "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    return np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def pillow_frames(path):
    """Returns a file's frames as Pillow decodes them, and their durations in milliseconds."""
    picture = Image.open(path)
    frames, durations = [], []
    for number in range(getattr(picture, "n_frames", 1)):
        picture.seek(number)
        picture.load()
        durations.append(picture.info.get("duration", 0))
        frames.append(np.asarray(picture.convert("RGB")))
    return frames, durations


class Recorder:
    """Records a clip to files in a folder. All recordings begin at the same position in the clip."""

    def __init__(self, program, clip, folder):
        self.program, self.clip, self.folder = program, clip, folder

    def record(self, name, *options):
        out = self.folder / name
        run(self.program, "record", self.clip, "-o", out, "--force", "--quiet", "--start", "11", *GRID, *options)
        return out
