#!/usr/bin/python3
"""Lets third-party programs read the files that `glyphreel record` writes, and compares what they show with glyphreel's
own pictures or characters. Needs ffmpeg and Debian's ansilove, asciinema, tmux, chromium and python3-pil.

    tests/readers/run.py PROGRAM [CLIP] [--only PART]
"""

import argparse
import pathlib
import sys
import tempfile

import numpy as np
from PIL import Image

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from browser import BrowserReaders
from common import SIZE, Recorder, check, decoded, failed, pillow_frames, run
from terminal import TerminalReaders
from text_art import TextArtReaders
from video import VideoReaders


class Readers(Recorder):
    def run(self):
        for part in (self.animations, self.stills, self.sequences, self.svg):
            part()

    def animations(self):
        clip = ["--length", "1"]
        wanted = decoded(self.record("lossless.mkv", "--codec", "ffv1", *clip))
        for name in ("a.apng", "a.webp"):
            path = self.record(name, *clip)
            frames, durations = pillow_frames(path)
            check(f"{name} by Pillow", len(frames) == len(wanted) and all(map(np.array_equal, frames, wanted)),
                  f"{len(frames)} frames")
            check(f"{name} lasts", sum(durations) == 1000, f"{sum(durations)} ms")
        check("a.apng by ffmpeg", np.array_equal(decoded(self.folder / "a.apng"), wanted))
        mono = decoded(self.record("mono.mkv", "--codec", "ffv1", "--color", "ansi16", "--charset", "half", *clip))
        frames, durations = pillow_frames(self.record("mono.gif", "--color", "ansi16", "--charset", "half", *clip))
        seen = [mono[0]] + [b for a, b in zip(mono, mono[1:]) if not np.array_equal(a, b)]
        check("16-color gif by Pillow is exact", len(frames) == len(seen) and all(map(np.array_equal, frames, seen)),
              f"{len(frames)} frames")
        path = self.record("a.gif", *clip)
        frames, durations = pillow_frames(path)
        check("a.gif lasts", sum(durations) == 1000, f"{sum(durations)} ms, {len(frames)} frames")
        still = [np.abs(frame.astype(int) - picture).mean() for frame, picture in zip(frames, wanted)]
        check("a.gif is close to the picture", max(still) < 6, f"mean difference {max(still):.2f}")
        change = [(a != b).any(axis=2) for a, b in zip(wanted, wanted[1:])]
        flicker = sum(int(((x != y).any(axis=2) & ~c).sum()) for x, y, c in zip(frames, frames[1:], change))
        check("a.gif does not flicker where the picture is still", flicker == 0, f"{flicker} pixels")
        self.beats_ffmpeg(path, wanted)

    def beats_ffmpeg(self, path, wanted):
        """Checks that FFmpeg would need a larger .gif file for the same squared error. Estimates the size of that file
        by interpolation between files that FFmpeg makes with palettes of different sizes."""
        def figures(each):
            frames = pillow_frames(each)[0]
            return np.mean([((frame.astype(float) - picture) ** 2).mean() for frame, picture in zip(frames, wanted)]), each.stat().st_size
        error, size = figures(path)
        for dither in ("sierra2_4a", "none"):
            rivals = []
            for colors in (256, 192, 128, 64):
                other = self.folder / "ffmpeg.gif"
                filters = f"split[a][b];[a]palettegen=max_colors={colors}[p];[b][p]paletteuse=dither={dither}"
                run("ffmpeg", "-v", "error", "-y", "-i", self.folder / "lossless.mkv", "-vf", filters, other)
                rivals.append(figures(other))
            errors, sizes = np.array(sorted(rivals)).T
            equal = np.exp(np.interp(error, errors, np.log(sizes)))
            check(f"a.gif is smaller than FFmpeg's at the same error, dither={dither}", size < equal and error < errors[-1],
                  f"{size} and {equal:.0f} bytes at a squared error of {error:.1f}; FFmpeg's are {np.round(errors, 1)}")

    def stills(self):
        wanted = decoded(self.record("one.mkv", "--codec", "ffv1", "--frames", "1"))[0]
        check("a.png by Pillow", np.array_equal(pillow_frames(self.record("a.png"))[0][0], wanted))
        still = self.record("still.webp", "--frames", "1")
        check("still.webp by Pillow", np.array_equal(pillow_frames(still)[0][0], wanted) and b"ANIM" not in still.read_bytes())
        for name, most in (("a.jpg", 3), ("a.avif", 5)):
            difference = np.abs(decoded(self.record(name))[0].astype(int) - wanted).mean()
            check(f"{name} by ffmpeg", difference < most, f"mean difference {difference:.2f}")

    def svg(self):
        wanted = decoded(self.record("svg.mkv", "--codec", "ffv1", "--frames", "1"))[0].astype(int)
        for name, options, most in (("text.svg", [], 12), ("outlines.svg", ["--svg-outlines"], 8)):
            path = self.record(name, "--frames", "1", *options)
            run("chromium", "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE[0]},{SIZE[1]}",
                f"--screenshot={self.folder / name}.png", path.as_uri())
            shown = np.asarray(Image.open(f"{self.folder / name}.png").convert("RGB")).astype(int)
            difference = np.abs(shown - wanted).mean() if shown.shape == wanted.shape else 255
            check(f"{name} by Chromium", difference < most, f"mean difference {difference:.2f}")

    def sequences(self):
        wanted = decoded(self.record("sequence.mkv", "--codec", "ffv1", "--frames", "3"))
        self.record("p-%03d.png", "--frames", "3")
        shown = [pillow_frames(self.folder / f"p-{number:03}.png")[0][0] for number in (1, 2, 3)]
        check("png sequence by Pillow equals FFV1 by ffmpeg", all(map(np.array_equal, shown, wanted)))
        cells = self.record("redraw.cells", "--frames", "3")
        run(self.program, "record", cells, "-o", self.folder / "redrawn.mkv", "--codec", "ffv1", "--quiet")
        check("redrawn .cells by ffmpeg equals FFV1", np.array_equal(decoded(self.folder / "redrawn.mkv"), wanted))
        raw = run("ffmpeg", "-v", "error", "-i", self.record("r.y4m", "--frames", "5"), "-f", "rawvideo", "-")
        check("r.y4m by ffmpeg equals r.yuv", raw == self.record("r.yuv", "--frames", "5").read_bytes())


def main():
    kinds = {"files": Readers, "browser": BrowserReaders, "terminal": TerminalReaders, "text-art": TextArtReaders,
             "video": VideoReaders}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("clip", nargs="?", default="demo:")
    parser.add_argument("--only", choices=kinds, action="append", help="run only this part; may be repeated")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="readers-") as folder:
        for name in options.only or kinds:
            kinds[name](options.program.resolve(), options.clip, pathlib.Path(folder)).run()
    print(f"{len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
