"""Compares the sizes of the GIF files that glyphreel, FFmpeg and gifski make, also at equal fidelity or error."""

import math
import pathlib
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fidelity"))
import measures

CELL = (8, 16)  # pixels
GRID = (80, 24)
RATE = 20  # frames per second
COLORS = (256, 128, 64, 32, 16)  # numbers of colors of FFmpeg's palettes, which are used without dithering
QUALITIES = (100, 90, 80, 70, 55, 40)  # quality settings of gifski


@dataclass
class Figures:
    setting: str
    size: float  # KB
    squared: float  # mean squared error
    fidelity: float  # the measure F of tests/fidelity/measures.py

    def __str__(self):
        return f"{self.setting}{': ' if self.setting else ''}{self.size:.0f} ({self.squared:.1f}, {self.fidelity:.2f})"


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True).stdout


def frames_of(path):
    found = run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path).decode()
    width, height = map(int, found.strip().split(",")[:2])
    raw = run("ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)


def pictures_of(path):
    return [(number * 1000 / RATE, frame) for number, frame in enumerate(frames_of(path))]


def durations_of(path):
    """Returns how long each frame of a GIF is shown, in milliseconds."""
    animation, durations = Image.open(path), []
    for number in range(animation.n_frames):
        animation.seek(number)
        durations.append(animation.info["duration"])
    return durations


def figures_of(setting, path, pictures):
    """Compares an animation with the pictures that it should show. A frame of the animation may last for several
    pictures. The squared error is the mean over all pictures. The fidelity is measured on every tenth picture."""
    # frames_of() decodes with FFmpeg, because Pillow 9.4 shows wrong colors after a frame whose palette is all 256
    # grays.
    frames, durations, errors, number, time, sampled = frames_of(path), durations_of(path), [], -1, 0.0, []
    for count, (at, picture) in enumerate(pictures):
        while number < 0 or (number + 1 < len(frames) and at > time - 5):
            number += 1
            time += durations[number]
        shown = frames[number]
        errors.append(((shown.astype(np.float32) - picture) ** 2).mean())
        if count % 10 == 0:
            sampled.append((picture, shown))
    fidelity = measures.score_run(*zip(*sampled), pitch=CELL[1]).F
    return Figures(setting, path.stat().st_size / 1e3, float(np.mean(errors)), fidelity)


def size_at(own, figures, measure):
    """Returns the size of a rival's file at this program's fidelity or squared error, whichever `measure` names, and a
    sign. Interpolates the logarithm of the size between the rival's settings. The sign is ">" if even the rival's best
    setting is worse than this program; the size is then that of the best setting. The sign is "<" if even the rival's
    worst setting is better; the size is then that of the worst setting. Otherwise, the sign is empty."""
    better = 1 if measure == "fidelity" else -1
    ordered = sorted((better * getattr(each, measure), each.size) for each in figures)
    wanted = better * getattr(own, measure)
    for (low, low_size), (high, high_size) in zip(ordered, ordered[1:]):
        if low <= wanted <= high:
            share = (wanted - low) / max(high - low, 1e-9)
            return math.exp(math.log(low_size) * (1 - share) + math.log(high_size) * share), ""
    return (ordered[0][1], "<") if wanted < ordered[0][0] else (ordered[-1][1], ">")


class Comparison:
    """Makes GIF files of the first 4 seconds of a clip with glyphreel, FFmpeg and gifski. Returns their Figures."""

    def __init__(self, program, clip, folder, gifski):
        self.folder, self.gifski = folder, gifski
        self.lossless = folder / "lossless.mkv"
        options = ["--grid", "{}x{}".format(*GRID), "--cell", "{}x{}".format(*CELL), "--fps", str(RATE), "--length", "4", "--audio", "no",
                   "--force", "--quiet"]
        run(program, "record", clip, "-o", folder / "own.gif", *options)
        run(program, "record", clip, "-o", self.lossless, "--codec", "ffv1", *options)
        self.pictures = pictures_of(self.lossless)
        self.own = figures_of("", folder / "own.gif", self.pictures)

    def ffmpeg(self, setting, generate="palettegen", use="paletteuse"):
        path = self.folder / "ffmpeg.gif"
        run("ffmpeg", "-v", "error", "-y", "-i", self.lossless, "-vf", f"split[a][b];[a]{generate}[p];[b][p]{use}", path)
        return figures_of(setting, path, self.pictures)

    def ffmpeg_dithers(self):
        return [self.ffmpeg("default"), self.ffmpeg("bayer", use="paletteuse=dither=bayer")]

    def ffmpeg_colors(self):
        return [self.ffmpeg(str(colors), f"palettegen=max_colors={colors}", "paletteuse=dither=none") for colors in COLORS]

    def gifski_qualities(self):
        for old in self.folder.glob("frame-*.png"):
            old.unlink()
        run("ffmpeg", "-v", "error", "-i", self.lossless, self.folder / "frame-%04d.png")
        frames, result = sorted(self.folder.glob("frame-*.png")), []
        for quality in QUALITIES:
            path = self.folder / "gifski.gif"
            run(self.gifski, "--quiet", "--fps", RATE, "-W", GRID[0] * CELL[0], "-H", GRID[1] * CELL[1], "-Q", quality, "-o", path, *frames)
            result.append(figures_of(str(quality), path, self.pictures))
        return result


def print_header():
    print("| clip | .gif, KB (squared error, F) | FFmpeg, dithered | FFmpeg, colors | at this F | at this error | gifski, qualities | "
          "at this F | at this error |")
    print("|---|---|---|---|---|---|---|---|---|")


def print_row(program, clip, folder, gifski):
    """Prints the figures of all GIF files of a clip. For each rival, also prints the size of this program's file
    divided by that of the rival's file, at the same fidelity and at the same error."""
    comparison = Comparison(program, clip, folder, gifski)
    own, row = comparison.own, [", ".join(map(str, comparison.ffmpeg_dithers()))]
    for figures in (comparison.ffmpeg_colors(), comparison.gifski_qualities() if gifski else []):
        row.append(", ".join(map(str, figures)) or "-")
        for measure in ("fidelity", "squared"):
            if figures:
                size, sign = size_at(own, figures, measure)
                row.append(f"{sign}{size:.0f}: {own.size / size:.2f}")
            else:
                row.append("-")
    print(f"| {clip.stem} | {own} | {' | '.join(row)} |", flush=True)
