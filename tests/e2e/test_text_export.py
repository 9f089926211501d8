"""Compares the text export with classic_reference.py, which reimplements the classic program that
docs/mapping.md describes. Also tests wide characters and the other output formats."""

import array
import json
import re
import subprocess
import sys
import unicodedata
import unittest

from harness import AAC, DEMO, EXIT_USAGE, H264, SOURCE_ROOT, ProgramTest, frame_count, lavfi, make_clip, part_of, pattern, run_ffprobe

REFERENCE = SOURCE_ROOT / "tests" / "e2e" / "classic_reference.py"
CLASSIC = ("--mode", "ramp", "--ramp", " 1728", "--thresholds", "52,103,154,215", "--sample", "corner", "--luma", "601",
           "--color", "mono")


class ClassicReference(ProgramTest):
    @classmethod
    def make_clips(cls):
        demo = make_clip(cls.folder / "demo.mkv", "-ss", "11", "-i", DEMO, "-t", "0.2", "-an", "-c:v", "ffv1")
        part = ["-i", demo]
        cls.rgb = {
            "ffv1-gbrp": make_clip(cls.folder / "gbrp.mkv", *part, "-c:v", "ffv1", "-pix_fmt", "gbrp"),
            "ffv1-bgr0": make_clip(cls.folder / "bgr0.mkv", *part, "-vf", "scale=640:360", "-c:v", "ffv1", "-pix_fmt", "bgr0"),
            "raw-rgb24": make_clip(cls.folder / "rgb24.nut", *part, "-vf", "scale=640:360", "-c:v", "rawvideo", "-pix_fmt",
                                   "rgb24"),
            # Columns and rows do not divide the width and height. A cell has a whole number of pixels, rounded down;
            # the remaining pixels at the right and the bottom are ignored.
            "uneven": make_clip(cls.folder / "uneven.mkv", *part, "-vf", "scale=757:426", "-c:v", "ffv1", "-pix_fmt", "gbrp"),
            "noise": make_clip(cls.folder / "noise.mkv", *lavfi("nullsrc=size=640x360:rate=10:duration=0.3,format=gbrp,"
                                                               "geq=r='random(1)*255':g='random(2)*255':b='random(3)*255'"),
                               "-c:v", "ffv1", "-pix_fmt", "gbrp"),
        }
        sd = "scale=854:480:out_color_matrix=bt601"
        cls.yuv = {
            "709": make_clip(cls.folder / "709.mp4", *part, *H264),
            "709-sd": make_clip(cls.folder / "709-sd.mp4", *part, "-vf", "scale=854:480", *H264),
            "601": make_clip(cls.folder / "601.mp4", *part, "-vf", f"{sd},setparams=colorspace=smpte170m", *H264),
            "untagged": make_clip(cls.folder / "untagged.mkv", *part, "-vf",
                                  f"{sd},setparams=colorspace=unknown:color_primaries=unknown:color_trc=unknown", *H264),
        }

    def compare(self, clip, export, at_least, columns=160, rows=45):
        done = subprocess.run([sys.executable, str(REFERENCE), str(clip), "--columns", str(columns), "--rows", str(rows),
                               "--decoder", "ffmpeg", "--compare", str(export), "--at-least", str(at_least)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def export(self, clips, renderer, *options):
        """Exports the clips into one file, in one process; returns the file."""
        out = self.here / f"{renderer}.txt"
        self.succeed("record", *clips, "-o", out, "--grid", "160x45", "--renderer", renderer, "--force", *CLASSIC, *options)
        return out

    def compare_exports(self, clips, at_least, *options):
        """Exports with both renderers, which must write the same text. Compares the frames with the reference."""
        cpu, gpu = (self.export(clips.values(), renderer, *options).read_text() for renderer in ("cpu", "gpu"))
        self.assertTrue(cpu == gpu, "the renderers differ")
        frames, part = cpu.split("\f")[:-1], self.here / "part.txt"
        for name, clip in clips.items():
            with self.subTest(source=name):
                count = frame_count(clip)
                text, frames = "".join(f"{frame}\f" for frame in frames[:count]), frames[count:]
                self.assertGreaterEqual(len(set(text) - {"\n", "\f"}), 4, "too few different characters")
                part.write_text(text)
                self.compare(clip, part, at_least)
        self.assertEqual(frames, [])

    def test_rgb_is_exact(self):
        self.compare_exports(self.rgb, 1)

    def test_stretched_aspect_ratio(self):
        """The classic program ignores the aspect ratio, like --fit stretch."""
        clip = make_clip(self.here / "wide.mkv", "-i", self.rgb["ffv1-bgr0"], "-vf", "scale=999:211", "-c:v", "ffv1")
        self.compare_exports({"wide": clip}, 1, "--fit", "stretch")

    def test_yuv_differs_only_at_thresholds(self):
        self.compare_exports(self.yuv, 0.999)

    def test_text_format(self):
        out = self.export([self.yuv["709"]], "cpu", "--frames", "3")
        text = out.read_bytes()
        self.assertEqual(text.count(b"\f"), 3)
        self.assertTrue(text.endswith(b"\n\f"))
        for frame in text[:-1].split(b"\f"):
            self.assertEqual([len(row) for row in frame[:-1].split(b"\n")], [160] * 45)
        self.assertEqual(set(text.decode()) - set(" 1728\n\f"), set())

    def test_reference_notices_a_difference(self):
        clip = self.rgb["ffv1-gbrp"]
        out = self.export([clip], "cpu")
        text = out.read_text()
        at = text.index("8")
        out.write_text(text[:at] + "2" + text[at + 1:])
        with self.assertRaises(AssertionError):
            self.compare(clip, out, 1)


class WideCharacters(ProgramTest):
    """Wide characters occupy two columns, so rows have fewer characters, but the same width."""

    def rows(self, *options):
        out = self.here / "wide.txt"
        self.succeed("record", DEMO, "-o", out, "--force", "--start", 11, "--frames", 3, *options)
        return [row for frame in out.read_text().split("\f")[:-1] for row in frame[:-1].split("\n")]

    def test_rows_keep_their_width(self):
        # Cover each mode, charset and grid at least once. The program gpu_parity_tests covers all combinations.
        modes = re.search(r"--mode ([a-z|]+)", self.succeed("record", "--help").stdout).group(1).split("|")
        cases = [("♈♉♊♋♌⚡" if i % 2 == 0 else "ascii+♈♉♊♋♌⚡", mode, f"{40 + i % 2}x12") for i, mode in enumerate(modes)]
        for charset, mode, grid in cases:
            with self.subTest(charset=charset, grid=grid, mode=mode):
                options = ("--charset", charset, "--grid", grid, "--mode", mode, "--color", "mono")
                rows = self.rows(*options, "--renderer", "cpu")
                if charset.startswith("ascii"):  # every second mode; gpu_parity_tests covers every mode
                    self.assertEqual(rows, self.rows(*options, "--renderer", "gpu"))
                self.assertEqual(len(rows), 3 * 12)
                widths = {sum(2 if unicodedata.east_asian_width(c) == "W" else 1 for c in row) for row in rows}
                self.assertEqual(widths, {int(grid.split("x")[0])})
                if not charset.startswith("ascii"):
                    # In mono, edge mode dims everything but contours, so wide characters appear only along contours.
                    self.assertGreater(sum(c != " " for row in rows for c in row), 10 if mode == "edge" else 100)


class Formats(ProgramTest):
    """Tests that a recording in each format is one file with the right number of frames, or one file per frame."""
    GRID = ("--grid", "20x6")

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", "-ss", "11", "-i", DEMO, "-frames:v", "5", "-an", "-vf", "scale=320:180", "-c:v",
                             "ffv1")

    def test_animations_and_uncompressed_video(self):
        for name in ("a.gif", "a.apng", "a.y4m"):
            with self.subTest(name=name):
                self.succeed("record", self.clip, "-o", name, *self.GRID)
                self.assertEqual(frame_count(self.here / name), 5)
                self.assertFalse(part_of(self.here / name).exists())

    def test_pictures_are_exact_and_numbered(self):
        def frames(name):
            return subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                                  cwd=self.here, check=True, capture_output=True).stdout
        self.succeed("record", self.clip, "-o", "a.mkv", "--codec", "ffv1", *self.GRID)
        self.succeed("record", self.clip, "-o", "a-%03d.png", *self.GRID)
        self.assertEqual(sorted(path.name for path in self.here.glob("*.png")), [f"a-{i:03}.png" for i in range(1, 6)])
        self.assertEqual(frames("a-%03d.png"), frames("a.mkv"))
        self.succeed("record", self.clip, "-o", "a.apng", *self.GRID)
        self.assertEqual(frames("a.apng"), frames("a.mkv"))

    def test_text_formats(self):
        for name, start in (("a.ans", b"\x1b[0"), ("a.utf8ans", b"\x1b["), ("a.xb", b"XBIN"), ("a.cast", b'{"version":2'),
                            ("a.svg", b"<svg"), ("a.webp", b"RIFF"), ("a.jpg", b"\xff\xd8")):
            with self.subTest(name=name):
                self.succeed("record", self.clip, "-o", name, *self.GRID)
                self.assertTrue((self.here / name).read_bytes().startswith(start))
        self.refuse(EXIT_USAGE, ["--format"], "record", self.clip, "-o", "-", *self.GRID)
        self.refuse(EXIT_USAGE, ["dos"], "record", self.clip, "-o", "b.ans", "--charset", "braille", *self.GRID)

    def test_palette_of_the_input(self):
        def colors(name, *options):
            self.succeed("record", self.clip, "-o", name, "--color", "full", *options, *self.GRID)
            return set(re.findall(rb"[34]8;2;\d+;\d+;\d+", (self.here / name).read_bytes()))
        values = {color[5:] for color in colors("a.utf8ans", "--palette", "auto:6")}
        self.assertIn(len(values), range(3, 7))
        self.assertGreater(len(colors("b.utf8ans")), 50)
        self.refuse(EXIT_USAGE, ["standard input"], "record", "-", "-o", "c.txt", "--palette", "auto:6")

    def test_cells_redraw_in_other_settings(self):
        """A .cells file can be redrawn with another font or palette, without its source, and keeps its characters. The
        commands `compare` and `bench` read .cells files."""
        source, cells, charset = self.here / "source.mkv", "show.cells", ("--charset", "ascii")
        source.symlink_to(self.clip)
        self.succeed("record", source, "-o", cells, *charset, *self.GRID)
        self.succeed("record", source, "-o", "source.txt", *charset, "--color", "full", *self.GRID)
        source.unlink()
        redrawn = {}
        for name, *options in (("a.png",), ("b.png", "--font", "DejaVu Sans Mono:bold"), ("c.utf8ans", "--palette", "vga"),
                               ("d.utf8ans",)):
            self.succeed("record", cells, "-o", name, *options)
            redrawn[name] = (self.here / name).read_bytes()
        self.assertNotEqual(redrawn["a.png"], redrawn["b.png"])
        for name, is_limited in (("c.utf8ans", True), ("d.utf8ans", False)):
            text = re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", redrawn[name].decode())
            self.assertEqual(text, (self.here / "source.txt").read_text().replace("\f", ""))
            self.assertEqual(len(set(re.findall(rb"[34]8;2;(\d+;\d+;\d+)", redrawn[name]))) <= 16, is_limited)
        answer = json.loads(self.succeed("compare", cells, "--json", "--frames", 2, "--palette", "vga", "--cell", "10x20").stdout)
        self.assertEqual((answer["frames"], answer["mismatched_cells"], answer["mismatched_pixels"]), (2, 0, 0))
        bench = self.succeed("bench", "--json", "--frames", 2, "--repetitions", 1, "--renderer", "cpu", cells)
        names = {entry["name"] for entry in json.loads(bench.stdout)["benchmarks"]}
        self.assertLessEqual({"decode/20x6", "map/cpu/20x6/20x6/shape/full"}, names)


class CastPage(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("160x90", "5", "11"), *H264, *AAC)

    def test_segments_are_what_the_player_accepts(self):
        """Checks the segments by the rules of asciinema-player 3.17 (src/driver/recording/segmented.js)."""
        out = self.here / "show #1.cast"
        self.succeed("record", self.clip, "-o", out, "--embed", "--grid", "20x6")
        events = [json.loads(line) for line in out.read_text().splitlines()[1:]]
        index = json.loads((self.here / "show #1.json").read_text())
        self.assertEqual((index["version"], index["term"]["cols"], index["term"]["rows"]), (1, 20, 6))
        self.assertEqual(index["duration"], events[-1][0])
        starts = [segment["start"] for segment in index["segments"]]
        self.assertEqual([int(start) for start in starts], [0, 5, 10])
        joined = []
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], index["duration"] + 1])):
            self.assertEqual(index["segments"][number]["url"], f"show%20%231-{number + 1:04}.json")
            segment = json.loads((self.here / f"show #1-{number + 1:04}.json").read_text())
            self.assertEqual((segment["snapshot"]["cols"], segment["snapshot"]["rows"]), (20, 6))
            if number > 0:
                self.assertEqual(segment["events"][0][0], start)
            self.assertTrue(all(start <= event[0] < end for event in segment["events"]))
            joined += segment["events"]
        self.assertEqual(joined, events, "the segments together are the cast")
        page = (self.here / "show #1.html").read_text()
        self.assertIn("url: 'show%20%231.json', format: 'segmented'", page)
        self.assertIn("audioUrl: 'show%20%231.ogg'", page)
        self.assertRegex(page, r'(?s)<p>This page .*\splays <a href="show%20%231.cast">show #1.cast</a>\.</p>\n<script>\nif \(window.Asc')
        sound = run_ffprobe(self.here / "show #1.ogg", "-show_entries", "format=duration:stream=codec_name")
        self.assertEqual(sound["streams"][0]["codec_name"], "opus")
        self.assertAlmostEqual(float(sound["format"]["duration"]), 11, delta=0.1)

    def test_sound_begins_with_silence(self):
        """If sound begins one second after the picture, the sound file begins with one second of silence. Otherwise,
        browsers would start with the first sample and skip the pictures before it. The shorter clip's sound fits in a
        single Ogg page and must be delayed as well."""
        for length in (3, 1.5):
            late = make_clip(self.here / "late.mkv", *lavfi(f"testsrc2=size=160x90:rate=5:duration={length}"), "-itsoffset", "1",
                             *lavfi(f"anoisesrc=duration={length - 1}:seed=1"), *H264, *AAC)
            self.succeed("record", late, "-o", self.here / "late.cast", "--embed", "--grid", "20x6", "--force")
            sound = self.here / "late.ogg"
            self.assertEqual(float(run_ffprobe(sound, "-show_entries", "format=start_time")["format"]["start_time"]), 0)
            decoded = subprocess.run(["ffmpeg", "-v", "error", "-i", sound, "-ac", "1", "-ar", "1000", "-f", "s16le", "-"],
                                     check=True, capture_output=True)
            samples = array.array("h", decoded.stdout)
            loud = next(at for at, sample in enumerate(samples) if abs(sample) > 500)
            self.assertAlmostEqual(loud, 1000, delta=40, msg="milliseconds")

    def test_existing_files_are_kept(self):
        (self.here / "show-0001.json").write_text("mine")
        self.refuse(EXIT_USAGE, "show-0001.json", "record", self.clip, "-o", self.here / "show.cast", "--embed", "--grid", "20x6")
        self.assertEqual([path.name for path in self.here.iterdir()], ["show-0001.json"])
        self.refuse(EXIT_USAGE, "--cast-version", "record", self.clip, "-o", self.here / "b.cast", "--embed", "--cast-version", "3")


if __name__ == "__main__":
    unittest.main()
