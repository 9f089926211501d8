"""Tests bad inputs and options: the exit code, a one-sentence message, and that no partial output remains."""

import os
import pathlib
import random
import re
import signal
import struct
import subprocess
import unittest
import zlib

from harness import (AAC, EXIT_BAD_INPUT, EXIT_DONE, EXIT_NO_DEVICE, EXIT_USAGE, H264, NO_VULKAN, PATIENCE,
                     Outcome, ProgramTest, frame_count, lavfi, make_clip, part_of, pattern, picture_hashes, tool)

GRID = ("--grid", "20x6")


class BadInput(ProgramTest):
    """Tests inputs that are not videos, or are damaged."""

    @classmethod
    def make_clips(cls):
        cls.good = make_clip(cls.folder / "good.mp4", *pattern(duration="2"), *H264, "-g", "12", *AAC)

    def refuse_input(self, path, *mentions):
        for verb in (["record", path, "-o", self.here / "out.mp4"], ["compare", path], ["play", path], ["info", path]):
            with self.subTest(verb=verb[0]):
                self.refuse(EXIT_BAD_INPUT, [str(path), *mentions], *verb)
        self.assert_nothing_written(self.here / "out.mp4")
        self.assertEqual(list(self.here.glob("glyphreel*.mp4")), [])

    def test_no_such_file(self):
        self.refuse_input(self.here / "missing.mp4", "no file")

    def test_no_such_folder(self):
        self.refuse_input(self.here / "missing" / "clip.mp4", "no file")

    def test_directory_without_media(self):
        folder = self.here / "folder"
        folder.mkdir()
        self.refuse_input(folder, "directory")

    def test_empty_file(self):
        path = self.here / "empty.mp4"
        path.touch()
        self.refuse_input(path, "empty")

    def test_text_named_mp4(self):
        path = self.here / "text.mp4"
        path.write_text("This is not a video.\n" * 200)
        self.refuse_input(path)

    def test_name_that_looks_like_a_protocol(self):
        self.refuse(EXIT_BAD_INPUT, "nonsense:clip", "record", "nonsense:clip", "-o", self.here / "out.mp4")
        self.assert_nothing_written(self.here / "out.mp4")

    def test_unreachable_url(self):
        self.refuse(EXIT_BAD_INPUT, "http://127.0.0.1:1/clip.mp4", "record", "http://127.0.0.1:1/clip.mp4", "-o",
                    self.here / "out.mp4")

    def test_nothing_on_standard_input(self):
        self.refuse(EXIT_BAD_INPUT, "standard input", "record", "-", "-o", self.here / "out.mp4")
        self.assert_nothing_written(self.here / "out.mp4")

    def test_file_names_with_special_characters(self):
        for name in ("a:b.mp4", "100%03d.mp4", "ünï çödé.mp4", "-dash.mp4", "new\nline.mp4"):
            with self.subTest(name=name):
                path = self.here / name
                path.write_bytes(self.good.read_bytes())
                out = self.here / "out.txt"
                self.succeed("record", "-o", out, "--force", "--frames", 1, *GRID, "--", name)
                self.assertTrue(out.is_file())

    def test_truncated_mp4_with_index_at_end(self):
        path = self.here / "no_moov.mp4"
        content = self.good.read_bytes()
        self.assertGreater(content.index(b"moov"), content.index(b"mdat"))
        path.write_bytes(content[:len(content) * 2 // 3])
        self.refuse_input(path, "cut short")

    def test_truncated_mp4_with_index_in_front(self):
        whole = make_clip(self.here / "whole.mp4", "-i", self.good, "-c", "copy", "-movflags", "+faststart")
        content = whole.read_bytes()
        path = self.here / "cut.mp4"
        path.write_bytes(content[:len(content) * 2 // 3])
        out = self.here / "out.mkv"
        self.succeed("record", path, "-o", out, *GRID)
        self.assert_complete(out)
        self.assertTrue(0 < frame_count(out) < 48)

    def test_mp4_truncated_before_first_frame(self):
        whole = make_clip(self.here / "whole.mp4", "-i", self.good, "-c", "copy", "-movflags", "+faststart")
        content = whole.read_bytes()
        path = self.here / "cut.mp4"
        path.write_bytes(content[:content.index(b"mdat") + 8])
        out = self.here / "out.mp4"
        self.refuse(EXIT_BAD_INPUT, str(path), "record", path, "-o", out, *GRID, lines=None)
        self.assertFalse(out.exists())

    def test_flipped_bytes(self):
        """The program refuses the input, or skips the damage and warns if the decoder detects it. It never crashes."""
        warned = recorded = 0
        for ending in ("mp4", "mkv", "ts", "avi"):
            clip = make_clip(self.here / f"clip.{ending}", "-i", self.good, "-c", "copy")
            content = clip.read_bytes()
            for seed in range(5):
                with self.subTest(ending=ending, seed=seed):
                    rng = random.Random(seed)
                    damaged = bytearray(content)
                    for _ in range(10 * 4 ** seed):
                        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
                    path = self.here / f"damaged-{seed}.{ending}"
                    path.write_bytes(damaged)
                    out = self.here / f"out-{ending}-{seed}.mkv"
                    outcome = self.run_program("record", path, "-o", out, *GRID)
                    self.assertIn(outcome.code, (EXIT_DONE, EXIT_BAD_INPUT), outcome)
                    warned += "damaged" in outcome.stderr and outcome.code == EXIT_DONE
                    recorded += outcome.code == EXIT_DONE
                    if outcome.code == EXIT_DONE:
                        self.assertGreater(len(picture_hashes(out)), 0)  # damaged audio is not checked: it is copied unchanged
                        self.assertFalse(part_of(out).exists())
                    else:
                        self.assertFalse(out.exists())
        self.assertGreater(recorded, 5)
        self.assertGreater(warned, 3, "damage that the decoder reports must be mentioned")

    def test_audio_only_input(self):
        path = make_clip(self.here / "sound.m4a", *lavfi("sine=duration=1"), *AAC)
        for verb in (["record", path, "-o", self.here / "out.mp4"], ["play", path], ["compare", path]):
            self.refuse(EXIT_BAD_INPUT, [str(path), "no video"], *verb)
        self.assert_nothing_written(self.here / "out.mp4")

    def test_audio_with_cover_art(self):
        cover = make_clip(self.here / "cover.png", *lavfi("testsrc2=size=64x64:duration=0.04"), "-frames:v", "1")
        path = make_clip(self.here / "song.m4a", *lavfi("sine=duration=1"), "-i", cover, "-map", "0", "-map", "1", *AAC,
                         "-c:v", "mjpeg", "-disposition:v", "attached_pic")
        self.refuse(EXIT_BAD_INPUT, "no video", "record", path, "-o", self.here / "out.mp4")

    def test_small_and_odd_sizes(self):
        clips = []
        for size, codec in (("321x179", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]),
                            ("321x179", ["-c:v", "ffv1", "-pix_fmt", "gbrp"]), ("2x2", H264), ("16x16", H264),
                            ("1x1", ["-c:v", "ffv1", "-pix_fmt", "gbrp"]), ("3x1", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"]),
                            ("1x480", ["-c:v", "ffv1", "-pix_fmt", "yuv444p"]),
                            ("2000x2", ["-c:v", "ffv1", "-pix_fmt", "yuv420p"])):
            source = f"testsrc2=size=64x64:rate=10:duration=0.3,format=gbrp,scale={size.replace('x', ':')}"
            clips.append(make_clip(self.here / f"{len(clips)}.mkv", *lavfi(source), *codec))
        # The CPU records each clip with the default grid for its size. The GPU records the smallest and a tall
        # clip in this way. Then each renderer records all clips, joined, with a fixed grid, in one process.
        cases = [("cpu", [clip], ["--cell", "4x8"]) for clip in clips]
        cases += [("gpu", [clip], ["--cell", "4x8"]) for clip in (clips[4], clips[6])]
        cases += [(renderer, clips, GRID) for renderer in ("cpu", "gpu")]
        for renderer, inputs, grid in cases:
            with self.subTest(inputs=[clip.name for clip in inputs], renderer=renderer, grid=grid):
                out = self.here / "out.mp4"
                self.succeed("record", *inputs, "-o", out, "--force", "--renderer", renderer, *grid)
                self.assert_complete(out)
                self.assertEqual(frame_count(out), 3 * len(inputs))

    def test_grids_with_odd_pixel_sizes(self):
        for grid, cell in (("1x1", "1x1"), ("3x3", "7x13"), ("1x1", "255x255"), ("41x7", "5x9")):
            with self.subTest(grid=grid, cell=cell):
                out = self.here / "out.mp4"
                self.succeed("record", self.good, "-o", out, "--force", "--grid", grid, "--cell", cell, "--frames", 2,
                             "--charset", " .:#")  # few characters, since the largest glyphs take long to draw
                self.assertEqual(frame_count(out), 2)

    def test_zero_or_huge_frame_size(self):
        for header in (b"YUV4MPEG2 W0 H0 F25:1 Ip A1:1 C420\nFRAME\n", b"YUV4MPEG2 W16 H0 F25:1 Ip A1:1 C420\nFRAME\n",
                       b"YUV4MPEG2 W2000000000 H2000000000 F25:1 Ip A1:1 C420\nFRAME\n"):
            with self.subTest(header=header):
                path = self.here / "clip.y4m"
                path.write_bytes(header + bytes(600))
                out = self.here / "out.mp4"
                self.refuse(EXIT_BAD_INPUT, str(path), "record", path, "-o", out)
                self.assert_nothing_written(out)

    def test_header_size_differs_from_stream(self):
        """The size in an AVI's header is 0 or far too large. The program must not crash."""
        clip = make_clip(self.here / "clip.avi", *pattern(duration="0.5"), "-c:v", "mpeg4", "-an")
        content = clip.read_bytes()
        at = content.index(b"strf") + 12
        self.assertEqual(struct.unpack_from("<ii", content, at), (160, 90))
        for width, height in ((0, 0), (160, 0), (30000, 30000)):
            with self.subTest(width=width, height=height):
                path = self.here / "damaged.avi"
                path.write_bytes(content[:at] + struct.pack("<ii", width, height) + content[at + 8:])
                outcome = self.run_program("record", path, "-o", self.here / "out.mkv", "--force", *GRID)
                self.assertIn(outcome.code, (EXIT_DONE, EXIT_BAD_INPUT), outcome)

    def test_frame_size_changes_mid_stream(self):
        small = make_clip(self.here / "small.ts", *pattern("160x90"), *H264, "-an")
        large = make_clip(self.here / "large.ts", *pattern("320x240"), *H264, "-an", "-output_ts_offset", "1")
        path = self.here / "both.ts"
        path.write_bytes(small.read_bytes() + large.read_bytes())
        for renderer in ("cpu", "gpu"):
            out = self.here / f"{renderer}.mkv"
            self.succeed("record", path, "-o", out, "--renderer", renderer, *GRID)
            self.assert_complete(out)
            self.assertGreater(frame_count(out), 40)

    def test_start_after_the_end(self):
        for name in ("out.mp4", "out.mkv", "out.txt"):
            # If the program detects the error before it starts to record, the error is the only line on stderr.
            for options, lines in ((["--start", "100"], 1), (["--start", "1.001", "--length", "0.001"], None)):
                with self.subTest(name=name, options=options):
                    out = self.here / name
                    self.refuse(EXIT_USAGE, [str(self.good), "--start"], "record", self.good, "-o", out, *options, *GRID,
                                lines=lines)
                    self.assert_nothing_written(out)
        self.refuse(EXIT_USAGE, [str(self.good), "2 seconds", "--start"], "compare", self.good, "--start", "2.1", *GRID)
        self.refuse(EXIT_USAGE, [str(self.good), "2 seconds", "--start"], "play", self.good, "--start", "2.1", *GRID)

    def test_missing_sound_track(self):
        silent = make_clip(self.here / "silent.mkv", "-i", self.good, "-an", "-c", "copy")
        for clip, mention in ((self.good, "no sound track 5"), (silent, "no sound;")):
            self.refuse(EXIT_USAGE, [mention, "--aid"], "record", clip, "-o", self.here / "out.mp4", "--aid", "5", *GRID)
            self.refuse(EXIT_USAGE, [mention, "--aid"], "play", clip, "--aid", "5", *GRID)
            self.assert_nothing_written(self.here / "out.mp4")

    def test_piped_mp4_with_index_at_end(self):
        """A video whose index is at its end cannot be read from a pipe."""
        out = self.here / "out.mkv"
        process = self.start("record", "-", "-o", out, *GRID, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        stderr = process.communicate(self.good.read_bytes(), timeout=PATIENCE)[1].decode()
        outcome = Outcome(["record", "-"], process.returncode, "", stderr)
        self.assert_clean_exit(outcome)
        self.assertEqual(outcome.code, EXIT_BAD_INPUT, outcome)
        self.assertIn("standard input", outcome.lines()[-1])
        self.assertFalse(out.exists())

    def test_images(self):
        for ending in ("png", "jpg", "webp", "gif", "bmp"):
            with self.subTest(ending=ending):
                picture = make_clip(self.here / f"picture.{ending}", *lavfi("testsrc2=size=64x48:duration=0.04"), "-frames:v", "1")
                out = self.here / f"{ending}.mkv"
                self.succeed("record", picture, "-o", out, *GRID)
                self.assertEqual(frame_count(out), 1)

    def test_encrypted(self):
        path = make_clip(self.here / "encrypted.mp4", "-i", self.good, "-an", "-c", "copy", "-encryption_scheme", "cenc-aes-ctr",
                         "-encryption_key", "76a6c65c5ea762046bd749a2e632ccbb", "-encryption_kid", "a7e61c373e219033c21091fa607bf3b8")
        self.assertRegex(self.succeed("info", path).stdout, r"#0 video .*, encrypted\n")
        out = self.here / "out.txt"
        self.refuse(EXIT_BAD_INPUT, [str(path), "is encrypted"], "record", path, "-o", out, *GRID, lines=None)
        self.assertFalse(out.exists())


def png(width, height, bits, frames=1):
    """Returns a transparent RGBA PNG of any size, compressed to a few kilobytes."""
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    row, squeeze = bytes(1 + width * bits // 2), zlib.compressobj(1)
    pixels = b"".join(squeeze.compress(row) for _ in range(height)) + squeeze.flush()
    content = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 6, 0, 0, 0))
    if frames > 1:
        content += chunk(b"acTL", struct.pack(">II", frames, 1))
    for number in range(frames):
        if frames > 1:
            content += chunk(b"fcTL", struct.pack(">IIIIIHHBB", max(0, 2 * number - 1), width, height, 0, 0, 1, 10, 0, 0))
        content += chunk(b"IDAT", pixels) if number == 0 else chunk(b"fdAT", struct.pack(">I", 2 * number) + pixels)
    return content + chunk(b"IEND", b"")


def gif(width, height):
    """Returns an animation of four one-pixel frames on a canvas of this size."""
    picture = b"\x21\xf9\x04\x04\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + 4 * picture + b";"


class LargePictures(ProgramTest):
    """Tests small files whose pictures would exhaust memory."""

    MAX_BYTES = 2 ** 30

    def measure(self, content, name, *words):
        """Records; returns (exit code, peak memory in bytes, last line of stderr)."""
        path = self.here / name
        path.write_bytes(content)
        process = self.start("record", path, "-o", self.here / "out.txt", "--force", *GRID, "--quiet", *words,
                             stderr=subprocess.PIPE)
        stderr = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_maxrss * 1024, (stderr.splitlines() or [""])[-1]

    def test_oversized_pictures_are_refused(self):
        for name, content, mentions in (("a.gif", gif(16000, 16000), "16000x16000: at most 67 million pixels"),
                                        ("b.png", png(16000, 8192, 8), "more than 67 million pixels"),
                                        ("c.png", png(8192, 8192, 16), "64 bits per pixel: at most 256 MiB"),
                                        ("d.y4m", b"YUV4MPEG2 W100000 H100000 F25:1\nFRAME\n" + bytes(999), "damaged")):
            with self.subTest(name):
                code, memory, message = self.measure(content, name)
                self.assertEqual(code, EXIT_BAD_INPUT, message)
                self.assertIn(mentions, message)
                self.assertNotIn("connection", message)
                self.assertLess(memory, self.MAX_BYTES)

    def test_memory_of_largest_supported_pictures(self):
        for name, content in (("a.gif", gif(8192, 8192)), ("b.png", png(8192, 8192, 8, frames=4)), ("c.png", png(65535, 1000, 8))):
            with self.subTest(name):
                code, memory, message = self.measure(content, name, "--threads", "8")
                self.assertEqual(code, EXIT_DONE, message)
                self.assertLess(memory, self.MAX_BYTES)


class BadOptions(ProgramTest):
    """Tests invalid options and values."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern(), *H264, *AAC)

    def refuse_options(self, mentions, *options):
        out = self.here / "out.mp4"
        self.refuse(EXIT_USAGE, mentions, "record", self.clip, "-o", out, *options)
        self.assert_nothing_written(out)

    def test_missing_font_file(self):
        font = self.here / "missing.ttf"
        self.refuse_options(str(font), "--font", font)

    def test_unknown_font_name(self):
        self.refuse_options("No Such Font Anywhere", "--font", "No Such Font Anywhere")

    def test_file_that_is_not_a_font(self):
        for content in (b"", b"no font at all\n" * 50, bytes(range(256)) * 8):
            font = self.here / "none.ttf"
            font.write_bytes(content)
            self.refuse_options(str(font), "--font", font)
        self.refuse_options(str(self.here), "--font", self.here)

    def test_damaged_font(self):
        content = bytearray(self.font_file().read_bytes())
        rng = random.Random(7)
        for _ in range(2000):
            content[rng.randrange(12, len(content))] = rng.randrange(256)
        font = self.here / "damaged.ttf"
        font.write_bytes(content)
        outcome = self.run_program("record", self.clip, "-o", self.here / "out.mp4", "--font", font, *GRID)
        self.assertIn(outcome.code, (EXIT_DONE, EXIT_USAGE), outcome)

    def font_file(self):
        return pathlib.Path(tool("fc-match", "-f", "%{file}", "DejaVu Sans Mono"))

    def test_unknown_glyph(self):
        # U+10FFFD is a private-use character that none of the installed fonts has.
        self.refuse_options(["U+10FFFD"], "--charset", " .\U0010fffd")

    def test_control_character(self):
        self.refuse_options("--charset", "--charset", " .\x07")

    def test_empty_charset(self):
        self.refuse_options("--charset", "--charset", "")
        empty = self.here / "empty.txt"
        empty.touch()
        self.refuse_options(str(empty), "--charset", f"@{empty}")
        self.refuse_options("missing.txt", "--charset", "@missing.txt")

    def test_charset_of_one_character(self):
        for mode in ("ramp", "shape"):
            with self.subTest(mode=mode):
                out = self.here / f"{mode}.txt"
                self.succeed("record", self.clip, "-o", out, "--charset", "#", "--mode", mode, *GRID, "--frames", 1)
                self.assertEqual(set(out.read_text()), {"#", "\n", "\f"})

    def test_thresholds(self):
        ramp = ["--ramp", " 1728"]
        self.refuse_options("--thresholds", "--thresholds", "1,2,3,4")
        for wrong in ("", "52,103,154", "52,103,154,215,230", "52,52,154,215", "215,154,103,52", "0,1,2,3", "1,2,3,256",
                      "a,b,c,d", "1,2,,3", "1,2,3,4,", "-1,2,3,4"):
            with self.subTest(thresholds=wrong):
                self.refuse_options("--thresholds", *ramp, f"--thresholds={wrong}")

    def test_values_out_of_range(self):
        for option, wrong in (("--grid", "0x10"), ("--grid", "10"), ("--grid", "10x-1"), ("--grid", "5000x5000"),
                              ("--cell", "0x0"), ("--cell", "256x256"), ("--size", "0x0"), ("--threads", "-1"),
                              ("--frames", "0"), ("--frames", "1.5"), ("--start", "101%"), ("--start", "1:2:3:4"),
                              ("--length", "0"), ("--end", "0"), ("--crf", "64"), ("--bitrate", "fast"),
                              ("--color", "many"), ("--mode", "none"), ("--fg", "#12"), ("--renderer", "magic"),
                              ("--fit", "none"), ("--luma", "2020"), ("--audio", "maybe"), ("--mode", ""),
                              ("--reverse", "yes"), ("--brightness", "101"), ("--contrast", "-101"), ("--gamma", "0.5"),
                              ("--saturation", "none"), ("--auto-levels", "maybe"), ("--dither", "noise"),
                              ("--legibility", "1.5"), ("--legibility", "-1"), ("--stability", "half"),
                              ("--stability", "1.01"), ("--palette", "")):
            with self.subTest(option=option, value=wrong):
                self.refuse_options(option, f"{option}={wrong}")

    def test_mutually_exclusive_color_options(self):
        palette = self.here / "palette.txt"
        palette.write_text("#000000\n#FFFFFF\n")
        self.refuse_options(["--reverse", "--color mono"], "--reverse", "auto")
        self.refuse_options(["--reverse", "--color mono"], "--reverse", "auto", "--color", "fg")
        for color in ("mono", "ansi16", "ansi256"):
            self.refuse_options(["--palette", color], "--palette", palette, "--color", color)
        self.refuse_options(["--ramp", "--mode edge"], "--ramp", " x", "--mode", "edge")

    def test_malformed_palettes(self):
        palette = self.here / "palette"
        for content, mentions in (("#000000\n#12345\n", "line 2"), ("GIMP Palette\nName: x\n0 0 0\n0 0 256 bad\n", "line 4"),
                                  ("", "color"), ("#000000\n" * 257, "256"), ("#000000\n", "color"),
                                  ("\0\0", "text")):
            with self.subTest(content=content[:40]):
                palette.write_text(content)
                self.refuse_options([str(palette), mentions], "--palette", palette)
        for number in ("1", "257", "x", ""):
            self.refuse_options("from 2 to 256, such as auto:16", "--palette", f"auto:{number}")
        self.refuse_options(str(self.here / "missing"), "--palette", self.here / "missing")
        self.refuse_options(str(self.here), "--palette", self.here)

    def test_unknown_option_and_verb(self):
        self.refuse_options("--grid", "--gird", "10x10")
        self.refuse(EXIT_USAGE, "one", "compare", self.clip, self.clip)
        self.refuse(EXIT_USAGE, "-o", "record", self.clip)
        self.refuse(EXIT_USAGE, "INPUT", "record", "-o", self.here / "out.mp4")

    def test_mistyped_verb(self):
        """A mistyped verb is an error, and the file after it is not played. If a file has the name of the mistyped
        verb, that file is played."""
        self.refuse(EXIT_USAGE, ["'recrod'", "did you mean 'glyphreel record'?"], "recrod", self.clip)
        (self.here / "recrod").write_bytes(self.clip.read_bytes())
        self.succeed("recrod", "--frames", "1")

    def test_end_before_start(self):
        self.refuse_options("--end", "--start", "0.5", "--end", "0.4")

    def test_unknown_device(self):
        out = self.here / "out.mp4"
        for device in ("99", "no such device"):
            for renderer in ("auto", "gpu", "cpu"):
                self.refuse(EXIT_NO_DEVICE, device, "record", self.clip, "-o", out, "--renderer", renderer, "--device", device)
            self.refuse(EXIT_NO_DEVICE, device, "play", self.clip, "--device", device)
            self.assert_nothing_written(out)
        self.refuse(EXIT_NO_DEVICE, "no Vulkan driver", "record", self.clip, "-o", out, "--device", "0", env=NO_VULKAN)

    def test_charset_name_in_capital_letters(self):
        self.refuse_options("did you mean blocks?", "--charset", "Blocks")


class NoDevice(ProgramTest):
    """Tests systems without a Vulkan driver, a display or a terminal."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern(), *H264, *AAC)

    def test_record_falls_back_to_cpu(self):
        out = self.here / "out.mp4"
        outcome = self.succeed("record", self.clip, "-o", out, *GRID, env=NO_VULKAN)
        self.assertRegex(outcome.stderr, r"Renderer: CPU.*Vulkan")
        self.assert_complete(out)

    def test_required_gpu_is_missing(self):
        out = self.here / "out.mp4"
        self.refuse(EXIT_NO_DEVICE, "Vulkan", "record", self.clip, "-o", out, "--renderer", "gpu", *GRID, env=NO_VULKAN)
        self.assert_nothing_written(out)
        self.refuse(EXIT_NO_DEVICE, "Vulkan", "compare", self.clip, *GRID, env=NO_VULKAN)

    def test_info_tells_that_there_is_none(self):
        self.assertIn("none", self.succeed("info", env=NO_VULKAN).stdout)

    def test_window_or_terminal_is_required(self):
        self.refuse(EXIT_NO_DEVICE, "no display", "play", self.clip, "--window")
        self.refuse(EXIT_NO_DEVICE, "not a terminal", "play", self.clip, "--terminal")
        self.assertFalse((self.here / "glyphreel.mp4").exists())

    def test_play_records_where_it_cannot_play(self):
        for name in ("glyphreel.mp4", "glyphreel-2.mp4"):
            outcome = self.succeed("play", self.clip, *GRID, stdout=subprocess.DEVNULL)
            self.assertIn(name, outcome.stderr)
            self.assert_complete(self.here / name)
            self.assertEqual(frame_count(self.here / name), 24)

    def test_play_records_what_comes_through_a_pipe_from_its_beginning(self):
        with subprocess.Popen(["cat", self.clip], stdout=subprocess.PIPE) as pipe:
            self.succeed("play", "-", *GRID, stdin=pipe.stdout, stdout=subprocess.DEVNULL)
        self.assertEqual(frame_count(self.here / "glyphreel.mp4"), 24)

    def test_play_records_a_part_of_a_long_input(self):
        clip = make_clip(self.here / "long.mp4", *lavfi("testsrc2=size=64x36:rate=10:duration=14"), *H264)
        self.succeed(clip, *GRID, stdout=subprocess.DEVNULL)
        self.assertEqual(frame_count(self.here / "glyphreel.mp4"), 100)

    def test_play_writes_text_into_a_pipe_or_file(self):
        """The frames are rows of colored text. The cursor moves up between frames. NO_COLOR turns the colors off."""
        unknown = {"TERM": None, "COLORTERM": None, "NO_COLOR": None, "TMUX": None}
        for changes, colors in (({}, r"\x1b\[[\d;]*38;2;"), ({"TERM": "xterm-256color"}, r"\x1b\[[\d;]*38;5;"),
                                ({"NO_COLOR": "1"}, None)):
            with self.subTest(changes):
                text = self.succeed("play", self.clip, *GRID, "--frames", 3, env={**unknown, **changes}).stdout
                frames = text.split("\x1b[6A")
                self.assertEqual(len(frames), 3)
                for frame in frames:
                    rows = re.sub(r"\x1b\[[\d;]*m", "", frame).splitlines()
                    self.assertEqual([len(row) for row in rows], [20] * 6)
                self.assertRegex(text, colors or r"\A[^\x1b]*\x1b\[6A")
        with open(self.here / "out.ans", "wb") as file:
            self.succeed("play", self.clip, stdout=file)
        self.assertEqual((self.here / "out.ans").read_bytes().count(b"\x1b[23A"), 23)
        self.assertEqual([path.name for path in self.here.iterdir() if path.suffix == ".mp4"], [])

    def test_reader_of_text_may_end_early(self):
        process = self.start("play", self.clip, "--loop-file", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.read(100)
        process.stdout.close()
        self.assertNotRegex(process.stderr.read().decode(), "failed|cannot")
        self.assertEqual(process.wait(PATIENCE), -signal.SIGPIPE)

    def test_play_where_nothing_can_be_recorded(self):
        folder = self.here / "gone"
        folder.mkdir()
        (folder / "glyphreel.mp4").mkdir()
        outcome = self.succeed("play", self.clip, *GRID, cwd=folder, stdout=subprocess.DEVNULL)
        self.assertIn("glyphreel-2.mp4", outcome.stderr)


if __name__ == "__main__":
    unittest.main()
