"""What the tests of readers share: running programs, decoding files, reporting checks."""

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
    """The frames of a file, by FFmpeg."""
    raw = run("ffmpeg", "-v", "error", "-i", path, "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    return np.frombuffer(raw, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


def pillow_frames(path):
    """The frames of a file and their durations in milliseconds, by Pillow."""
    picture = Image.open(path)
    frames, durations = [], []
    for number in range(getattr(picture, "n_frames", 1)):
        picture.seek(number)
        picture.load()
        durations.append(picture.info.get("duration", 0))
        frames.append(np.asarray(picture.convert("RGB")))
    return frames, durations


class Recorder:
    """Records a clip to files of a folder. All files show the same part of it."""

    def __init__(self, program, clip, folder):
        self.program, self.clip, self.folder = program, clip, folder

    def record(self, name, *options):
        out = self.folder / name
        run(self.program, "record", self.clip, "-o", out, "--force", "--quiet", "--start", "11", *GRID, *options)
        return out
