"""Tests recordings: frames and timestamps, bit-exact audio, interruption, progress and statistics."""

import base64
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import unittest
import zlib
from fractions import Fraction

from harness import (AAC, DEMO, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, H264, PATIENCE,
                     ProgramTest, audio_hashes, frame_count, frame_times, interrupt, lavfi, make_clip, part_of,
                     pattern, picture_hashes, probe, rgb_pictures, run_ffprobe, timeline, tool, wait_for)

GRID = ("--grid", "40x11", "--cell", "4x8")  # 160x88 pixels
VIDEO_ENDINGS = ("mp4", "mkv", "mov", "webm")
# For each source, the containers that it is recorded into. Sound is copied into all but WebM.
CONTAINERS = {"24": ("mp4", "mkv"), "60": ("mov", "webm"), "ntsc": ("mp4", "webm"), "vfr": ("mp4", "webm"),
              "bframes": ("mov", "mkv"), "late": ("mov", "mkv", "webm"), "ts": ("mp4", "mkv"), "silent": ("mov", "webm")}
STREAMS_AND_PACKETS = ("-show_entries", "stream=codec_type:packet=pts_time,duration_time")


class Timestamps(ProgramTest):
    """Tests frame counts, timestamps and audio, for each kind of source and container."""

    @classmethod
    def make_clips(cls):
        uneven = "settb=1/90000,setpts='3000*N+1000*mod(N*N,3)'"  # frame durations of 2000, 3000 and 4000 ticks
        cls.clips = {
            "24": make_clip(cls.folder / "24.mp4", *pattern(rate="24"), *H264, *AAC),
            "60": make_clip(cls.folder / "60.mp4", *pattern(rate="60"), *H264, *AAC),
            "ntsc": make_clip(cls.folder / "ntsc.mp4", *pattern(rate="30000/1001"), *H264, *AAC),
            "vfr": make_clip(cls.folder / "vfr.mp4", *pattern(rate="30"), "-vf", uneven, "-fps_mode", "passthrough",
                             "-enc_time_base", "1:90000", "-video_track_timescale", "90000", *H264, *AAC),
            "bframes": make_clip(cls.folder / "bframes.mp4", *pattern(rate="25"), "-c:v", "libx264", "-bf", "3", "-b_strategy",
                                 "0", *AAC),
            "late": make_clip(cls.folder / "late.mkv", *pattern(rate="25"), *H264, *AAC, "-output_ts_offset", "2.5"),
            "ts": make_clip(cls.folder / "ts.ts", *pattern(rate="25"), *H264, *AAC),
            "silent": make_clip(cls.folder / "silent.mkv", *pattern(rate="12.5"), *H264, "-an"),
        }
        cls.recordings = {}

    def recorded(self, name, ending):
        """Records a clip; returns the file and the program's messages. The tests of the class share each recording."""
        if (name, ending) not in self.recordings:
            out = self.folder / f"recorded-{name}-{ending}.{ending}"
            self.recordings[name, ending] = out, self.succeed("record", self.clips[name], "-o", out, *GRID).stderr
        return self.recordings[name, ending]

    def test_clips_have_expected_timing(self):
        self.assertGreater(frame_times(self.clips["late"])[0], 2)
        gaps = {b - a for a, b in zip(frame_times(self.clips["vfr"]), frame_times(self.clips["vfr"])[1:])}
        self.assertGreater(len(gaps), 2)
        packets = probe(self.clips["bframes"], "v:0", "packet=pts")["packets"]
        self.assertNotEqual([p["pts"] for p in packets], sorted(p["pts"] for p in packets))

    def check_times(self, clip, out):
        (clip_tick, source), (tick, recorded) = timeline(clip), timeline(out)
        self.assertEqual(len(recorded), len(source))
        coarse = max(tick, clip_tick)
        for number, (there, here) in enumerate(zip(source, recorded)):
            # The timestamp is exact if the container's time base can represent it; otherwise it is the nearest tick.
            exact = (there / tick).denominator == 1
            self.assertLessEqual(abs(here - there), 0 if exact else tick / 2, f"picture {number} of {out.name}")
        self.assertLessEqual(coarse, Fraction(1, 1000))

    def check_length(self, clip, out):
        frame = max(b - a for a, b in zip(frame_times(clip), frame_times(clip)[1:]))
        lengths = []
        for path in (clip, out):
            # Do not use the header's duration: in Matroska, some FFmpeg releases add the encoder's priming samples to it.
            packets = run_ffprobe(path, *STREAMS_AND_PACKETS)["packets"]
            lengths.append(max(Fraction(packet["pts_time"]) + Fraction(packet["duration_time"]) for packet in packets))
        self.assertLessEqual(abs(lengths[0] - lengths[1]), frame, f"the length of {out.name}")

    def test_every_source_into_every_time_base(self):
        """MP4 and MOV have the same time base and muxer, and so have Matroska and WebM. So each source is recorded into
        at least one container of each pair. The program media_tests writes every container."""
        for name, endings in CONTAINERS.items():
            clip = self.clips[name]
            for ending in endings:
                with self.subTest(source=name, ending=ending):
                    out, _ = self.recorded(name, ending)
                    self.assert_complete(out)
                    self.check_times(clip, out)
                    if name in ("24", "60", "ntsc", "bframes"):
                        self.check_length(clip, out)
                    kinds = [stream["codec_type"] for stream in run_ffprobe(out, *STREAMS_AND_PACKETS)["streams"]]
                    self.assertEqual(kinds, ["video"] if name == "silent" else ["video", "audio"])

    def test_lossless(self):
        for name in ("24", "vfr", "bframes"):
            with self.subTest(source=name):
                out = self.here / f"{name}.mkv"
                self.succeed("record", self.clips[name], "-o", out, "--codec", "ffv1", *GRID)
                self.assert_complete(out)
                self.check_times(self.clips[name], out)
                facts = probe(out, "v:0", "stream=codec_name,width,height,pix_fmt")["streams"][0]
                self.assertEqual((facts["codec_name"], facts["width"], facts["height"]), ("ffv1", 160, 88))
                self.assertNotIn("yuv", facts["pix_fmt"])

    def test_cells_redraw_the_recording(self):
        """A .cells file has the recording's pictures, times and sound, and can be drawn at another cell size."""
        for name, options in (("vfr", []), ("24", ["--start", "0.5", "--charset", "octants"])):
            first, second, cells = (self.here / f"{name}{ending}" for ending in ("-1.mkv", "-2.mkv", ".cells"))
            self.succeed("record", self.clips[name], "-o", cells, *GRID, *options)
            self.succeed("record", self.clips[name], "-o", first, "--codec", "ffv1", *GRID, *options)
            for renderer in ("cpu",) if name == "vfr" else ("cpu", "gpu"):
                with self.subTest(source=name, renderer=renderer):
                    self.succeed("record", cells, "-o", second, "--codec", "ffv1", "--force", "--renderer", renderer)
                    self.assertEqual(picture_hashes(second), picture_hashes(first))
                    self.assertEqual(frame_times(second), frame_times(first))
        kinds = [stream["codec_type"] for stream in run_ffprobe(second, *STREAMS_AND_PACKETS)["streams"]]
        self.assertEqual(kinds, ["video", "audio"])
        self.succeed("record", cells, "-o", second, "--codec", "ffv1", "--force", "--cell", "4x9", "--start", "0.25")
        facts = probe(second, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual((facts["width"], facts["height"]), (160, 99))
        self.assertEqual(frame_count(second), frame_count(first) - 6)

    def test_html_contains_the_cells(self):
        page, embedding = self.here / "page.html", self.here / "show.html"
        self.succeed("record", self.clips["24"], "-o", page, *GRID)
        html = page.read_bytes()
        self.assertEqual(html.count(b"<script type=x-cells class=cells>"), html.count(b"</script>") - 1)
        self.assertTrue(html.endswith(b"</html>\n"))
        self.succeed("record", self.clips["24"], "-o", embedding, "--embed", *GRID)
        self.assertIn(b'src="show.cells"', embedding.read_bytes())
        self.assertIn(b'src="show.js"', embedding.read_bytes())
        script = embedding.with_suffix(".js").read_bytes()
        self.assertLess(len(script), 22_000)
        packed = base64.b64decode(re.search(rb"atob\('([^']+)'\)", script)[1], validate=True)
        self.assertIn(b"customElements.define('glyphreel-player'", zlib.decompress(packed, -15))
        self.succeed("record", self.here / "show.cells", "-o", "again.html", *GRID)
        self.refuse(EXIT_USAGE, ".html", "record", self.clips["24"], "-o", "x.mp4", "--embed")

    def test_text(self):
        for name, clip in self.clips.items():
            out = self.here / f"{name}.txt"
            self.succeed("record", clip, "-o", out, *GRID)
            frames = out.read_text(encoding="utf-8").split("\f")
            self.assertEqual(frames.pop(), "")
            self.assertEqual(len(frames), frame_count(clip))
            for frame in frames:
                self.assertTrue(frame.endswith("\n"))
                self.assertEqual([len(row) for row in frame[:-1].split("\n")], [40] * 11)

    def test_text_shows_the_picture_without_colors(self):
        """In a text recording, dark parts are blank and bright parts have dense characters. With --color full, the
        characters are different: they show the picture only together with their colors."""
        clip = make_clip(self.here / "halves.mkv", *lavfi("color=black:size=160x176:rate=5:duration=0.4,pad=320:176:color=white"),
                         "-c:v", "ffv1")
        texts = []
        for options in ([], ["--color", "mono"], ["--color", "full"]):
            self.succeed("record", clip, "-o", "out.txt", "--force", *GRID, *options)
            texts.append((self.here / "out.txt").read_text())
        for row in texts[0].split("\f")[0].splitlines():
            self.assertEqual(row[:19].strip(), "")
            self.assertEqual(len(row[21:].replace(" ", "")), 19)
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_endings_in_upper_case(self):
        clip = self.clips["silent"]
        self.succeed("record", clip, "-o", "a.TXT", "--frames", 2, *GRID)
        self.assertEqual((self.here / "a.TXT").read_bytes().count(b"\f"), 2)
        for name in ("a.MKV", "a.MP4", "a.WebM"):
            self.succeed("record", clip, "-o", name, "--frames", 2, *GRID)
            self.assertEqual(frame_count(self.here / name), 2)

    def test_sound_is_copied_bit_for_bit(self):
        for name in ("24", "bframes", "late", "ts"):
            for ending in set(CONTAINERS[name]) - {"webm"}:
                with self.subTest(source=name, ending=ending):
                    out, messages = self.recorded(name, ending)
                    self.assertIn("sound copied", messages)
                    if name == "ts":
                        # Transport streams wrap each packet in an ADTS header, which the other containers do not allow.
                        plain = make_clip(self.folder / "plain.m4a", "-i", self.clips[name], "-map", "0:a", "-c", "copy",
                                          "-bsf:a", "aac_adtstoasc")
                        source = [(key, None) for key, _ in audio_hashes(plain)]
                    else:
                        source = audio_hashes(self.clips[name])
                    recorded = audio_hashes(out)
                    self.assertEqual([key for key, _ in recorded], [key for key, _ in source])
                    for (_, there), (_, here) in zip(source, recorded):
                        if there is not None:
                            self.assertLessEqual(abs(there - here), Fraction(2, 1000))

    def test_sound_is_transcoded_where_the_container_needs_it(self):
        out, messages = self.recorded("ntsc", "webm")
        self.assertIn("sound transcoded", messages)
        self.assertEqual(probe(out, "a:0", "stream=codec_name")["streams"][0]["codec_name"], "opus")

    def test_sound_track(self):
        """--aid and --alang select the track that is recorded."""
        clip = make_clip(self.here / "tracks.mkv", "-i", self.clips["24"], "-f", "lavfi", "-i", "sine=300:d=1", "-map", "0:v",
                         "-map", "0:a", "-map", "1:a", "-c", "copy", "-c:a:1", "aac", "-metadata:s:a:0", "language=eng",
                         "-metadata:s:a:1", "language=ger")
        alone = [[key for key, _ in audio_hashes(
            make_clip(self.here / f"{number}.mka", "-i", clip, "-map", f"0:a:{number}", "-c", "copy"))] for number in (0, 1)]
        for options, number in ((["--alang", "de"], 1), (["--aid", "2"], 1), (["--alang=fr,en"], 0), ([], 0)):
            with self.subTest(options=options):
                out = self.here / "out.mkv"
                self.succeed("record", clip, "-o", out, "--force", *GRID, *options)
                self.assertEqual([key for key, _ in audio_hashes(out)], alone[number])

    def test_aspect(self):
        out = self.here / "out.mkv"
        self.succeed("record", self.clips["silent"], "-o", out, "--aspect", "1:1", "--frames", 1, "--cell", "4x4")
        size = probe(out, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual(size["width"], size["height"])

    def test_default_grid(self):
        """The default grid has at least 160 columns, even for small and for wide videos."""
        for out, options, columns, rows in ((self.here / "a.txt", [], 160, 45), (self.here / "b.txt", ["--aspect", "4.1"], 164, 20)):
            self.succeed("record", self.clips["silent"], "-o", out, "--frames", 1, *options)
            self.assertEqual([len(row) for row in out.read_text().split("\n")[:-1]], [columns] * rows)

    def test_exact_size(self):
        """--size sets the exact size. The cells are drawn in the middle, and the rest has the background color."""
        pictures, out = {}, self.here / "out.mkv"
        for options in (("--size", "335x191"), ("--grid", "41x11")):
            self.succeed("record", self.clips["silent"], "-o", out, "--force", "--frames", 1, "--codec", "ffv1", "--bg", "#204060", *options)
            pictures[options[0]] = rgb_pictures(out)[0]
        padded, cells, width, left, top = pictures["--size"], (41 * 8, 11 * 16), 335, 2, 6
        rows = [padded[at:at + 3 * width] for at in range(0, len(padded), 3 * width)]
        self.assertEqual(len(rows), 191)
        self.assertEqual(b"".join(row[3 * left:3 * (left + cells[0])] for row in rows[top:top + cells[1]]), pictures["--grid"])
        border = b"".join(rows[:top] + rows[top + cells[1]:] + [row[:3 * left] + row[3 * (left + cells[0]):] for row in rows])
        self.assertEqual(border, bytes((0x20, 0x40, 0x60)) * (len(border) // 3))

    def test_size_and_pixel_format(self):
        out, clip = self.here / "out.mp4", self.clips["silent"]
        for options, size, pixels in ((["--size", "334x190"], (334, 190), "yuv420p"),
                                      (["--size", "335x191", "--pix-fmt", "yuv444p"], (335, 191), "yuv444p"),
                                      (["--size", "320x90", "--grid", "20x5"], (320, 90), "yuv420p"),
                                      ([*GRID, "--pix_fmt=nv12"], (160, 88), "yuv420p")):
            with self.subTest(options=options):
                self.succeed("record", clip, "-o", out, "--force", "--frames", 1, *options)
                self.assertEqual(tuple(probe(out, "v:0", "stream=width,height,pix_fmt")["streams"][0].values()), (*size, pixels))
        for options, mentions in ((["--size", "335x190"], ["336x190", "yuv444p"]), (["--size", "10x10"], ["1x1 cells", "10x10"]),
                                  ([*GRID, "--pix-fmt", "rgb24"], ["libx264", "rgb24", "yuv444p"]),
                                  ([*GRID, "--codec", "mpeg4", "--pix-fmt", "yuv444p"], ["mpeg4", "yuv420p"])):
            with self.subTest(options=options):
                self.refuse(EXIT_USAGE, mentions, "record", clip, "-o", out, "--force", *options)

    def test_audio_no(self):
        out = self.here / "out.mp4"
        self.succeed("record", self.clips["24"], "-o", out, "--audio", "no", *GRID)
        self.assertEqual(probe(out, "a", "stream=codec_name")["streams"], [])

    def test_standard_input(self):
        out = self.here / "out.mkv"
        with open(self.clips["late"], "rb") as clip:
            self.succeed("record", "-", "-o", out, *GRID, stdin=clip)
        self.check_times(self.clips["late"], out)

    def test_animated_webp(self):
        clip = make_clip(self.here / "moving.webp", *lavfi("testsrc2=size=64x48:rate=8:duration=2"), "-c:v", "libwebp_anim",
                         "-lossless", "1")
        for ending in VIDEO_ENDINGS:
            with self.subTest(ending=ending):
                out = self.here / f"moving.{ending}"
                self.succeed("record", clip, "-o", out, *GRID)
                self.assert_complete(out)
                self.assertEqual(frame_times(out), [Fraction(number, 8) for number in range(16)])
        self.assertIn("webp, 64x48", self.succeed("info", clip).stdout)

    def test_part_of_the_demo(self):
        """Records seven seconds of camera video, more frames than all queues together can hold."""
        part, out = make_clip(self.here / "part.mp4", "-i", DEMO, "-t", "7", "-c", "copy"), self.here / "out.mp4"
        self.succeed("record", part, "-o", out, "--grid", "80x22", "--cell", "4x8")
        self.assert_complete(out)
        self.assertGreater(frame_count(out), 200)
        self.check_times(part, out)
        self.check_length(part, out)
        self.assertEqual([key for key, _ in audio_hashes(out)], [key for key, _ in audio_hashes(part)])

    def test_codecs(self):
        for codec, name in (("libx265", "out.mp4"), ("mpeg4", "out.mp4"), ("libvpx-vp9", "out.mkv"), ("libx264", "out.mov"),
                            ("h264", "out.mov"), ("hevc", "out.mp4"), ("vp9", "out.webm")):
            with self.subTest(codec=codec):
                out, is_alias = self.here / name, codec in ("h264", "hevc", "vp9")
                self.succeed("record", self.clips["24"], "-o", out, "--codec", codec, "--force", *GRID,
                             *(("--frames", 3) if is_alias else ()))
                self.assert_complete(out)
                if is_alias:
                    self.assertEqual(frame_count(out), 3)
                else:
                    self.check_times(self.clips["24"], out)
                names = {"libx265": "hevc", "libvpx-vp9": "vp9", "libx264": "h264"}
                self.assertEqual(probe(out, "v:0", "stream=codec_name")["streams"][0]["codec_name"], names.get(codec, codec))

    def test_one_and_two_frames(self):
        """Records one frame, and two frames. In such short streams, libx265 leaves the dts of packets uninitialized."""
        for frames in (1, 2):
            out = self.here / "few.mp4"
            self.succeed("record", self.clips["24"], "-o", out, "--force", "--codec", "libx265", "--pix-fmt", "yuv444p", "--audio",
                         "no", "--frames", frames, *GRID, env={"MALLOC_PERTURB_": "50"})
            self.assertEqual(frame_count(out), frames)

    def test_quality_and_rate(self):
        sizes = []
        for options in (["--crf", "10"], ["--crf", "45"], ["--bitrate", "100k"], ["--crf", "10", "--preset", "slow"]):
            out = self.here / "out.mp4"
            self.succeed("record", self.clips["24"], "-o", out, "--force", "--audio", "no", *options, *GRID)
            sizes.append(out.stat().st_size)
        self.assertGreater(sizes[0], 1.5 * sizes[1])
        self.assertLess(sizes[2], sizes[0])
        self.assertLess(sizes[3], 0.9 * sizes[0])


class TimeRanges(ProgramTest):
    """Tests --start, --end, --length and --frames."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern(rate="25", duration="4"), *H264, "-g", "30", "-bf", "2", *AAC)

    def test_ranges(self):
        whole = self.here / "whole.mkv"
        alone = ["--grid", "20x6", "--cell", "4x8", "--stability", "0"]  # otherwise frames depend on earlier frames
        self.succeed("record", self.clip, "-o", whole, "--codec", "ffv1", *alone)
        everything = picture_hashes(whole)
        self.assertEqual(len(everything), 100)
        for options, first, count in ((["--start", "1"], 25, 75), (["--start", "0:01.5"], 38, 62), (["--end", "1"], 0, 25),
                                      (["--start", "1", "--end", "2"], 25, 25), (["--start", "3.9", "--length", "9"], 98, 2),
                                      (["--start", "00:00:01.000", "--length", "0.04"], 25, 1), (["--frames", "7"], 0, 7),
                                      (["--start", "2", "--frames", "7"], 50, 7), (["--frames", "1000"], 0, 100),
                                      (["--start=50%", "--end=75%"], 50, 25), (["--start", "-1"], 75, 25), (["--end=-3"], 0, 25)):
            with self.subTest(options=options):
                out = self.here / "out.mkv"
                self.succeed("record", self.clip, "-o", out, "--codec", "ffv1", "--force", *options, *alone)
                self.assertEqual(picture_hashes(out), everything[first:first + count])

    def test_frame_rate(self):
        """--fps drops or repeats frames. The times are exact, and the length and the sound do not change."""
        for options, frames in ((["--fps", "10"], 40), (["--fps", "29.97"], 120), (["--fps", "50", "--start", "1"], 150),
                                (["--fps", "10", "--frames", "7"], 7)):
            with self.subTest(options=options):
                out = self.here / "out.mp4"
                self.succeed("record", self.clip, "-o", out, "--force", *options, *GRID)
                times = frame_times(out)
                self.assertEqual(len(times), frames)
                rate = Fraction(30000, 1001) if options[1] == "29.97" else Fraction(options[1])
                self.assertEqual([time - times[0] for time in times], [number / rate for number in range(frames)])
                self.assertEqual(len(audio_hashes(out)) > 0, True)
        self.refuse(EXIT_USAGE, "frames per second", "record", self.clip, "-o", self.here / "no.mp4", "--fps", "0", *GRID)

    def test_time_range_begins_at_zero(self):
        """A recording of a time range starts at 0 and has the requested length."""
        for ending in ("mp4", "mkv", "webm"):
            with self.subTest(ending=ending):
                out = self.here / f"out.{ending}"
                self.succeed("record", self.clip, "-o", out, "--start", "2", "--length", "1", *GRID)
                self.assert_complete(out)
                times = frame_times(out)
                self.assertEqual(len(times), 25)
                self.assertLessEqual(abs(times[0]), Fraction(1, 25), "the first picture")
                duration = Fraction(json.loads(tool("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of",
                                                    "json", out))["format"]["duration"])
                self.assertLessEqual(abs(duration - 1), Fraction(2, 25))
                sound = [time for _, time in audio_hashes(out)]
                self.assertLessEqual(abs(sound[0] - times[0]), Fraction(1, 10))
                self.assertLessEqual(abs(sound[-1] - times[-1]), Fraction(1, 10))


class Interruption(ProgramTest):
    """Tests Ctrl-C, SIGTERM and SIGKILL. The input is a pipe that stays open, so recording cannot end before the signal."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("320x180", "25", "8"), *H264, "-g", "25", *AAC)

    def start_stalled(self, out, *options):
        """Records from a pipe that delivers three quarters of the clip and then stalls."""
        content = self.clip.read_bytes()
        process = self.start("record", "-", "-o", out, *options, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        process.stdin.write(content[:len(content) * 3 // 4])
        process.stdin.flush()
        return process

    def decodable_frames(self, path):
        if path.suffix == ".cells":
            path, cells = self.here / "decoded.mkv", path
            self.run_program("record", cells, "-o", path, "--force")
        done = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-count_frames", "-show_entries",
                               "stream=nb_read_frames", "-of", "csv=p=0", str(path)], capture_output=True, text=True)
        return int(done.stdout) if done.returncode == 0 and done.stdout.strip().isdigit() else 0

    def stop(self, ending, number, code, *options):
        out = self.here / f"out-{number}.{ending}"
        process = self.start_stalled(out, *options)
        wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 20_000, "the recording has started")
        self.assertFalse(out.exists())
        interrupt(process, number)
        stderr = process.stderr.read().decode()
        self.assertEqual(process.wait(PATIENCE), code, stderr)
        return out, stderr

    def test_interrupt_completes_the_recording(self):
        for ending, number in (("mp4", signal.SIGTERM), ("mkv", signal.SIGINT), ("webm", signal.SIGINT)):
            with self.subTest(ending=ending, signal=number):
                out, stderr = self.stop(ending, number, EXIT_INTERRUPTED, "--grid", "40x11")
                self.assert_complete(out)
                self.assertTrue(25 < frame_count(out) < 200, stderr)
                self.assertIn(out.name, stderr)

    def test_interrupt_completes_text(self):
        out = self.here / "out.txt"
        process = self.start_stalled(out, "--grid", "100x40")
        wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 20_000, "the recording has started")
        interrupt(process)
        self.assertEqual(process.wait(PATIENCE), EXIT_INTERRUPTED)
        text = out.read_text()
        self.assertEqual(text[-1], "\f")
        self.assertEqual({frame.count("\n") for frame in text[:-1].split("\f")}, {40})
        self.assertFalse(part_of(out).exists())

    def test_interrupt_of_a_file(self):
        out = self.here / "out.mp4"
        process = self.start("record", DEMO, "-o", out, "--grid", "80x22", "--threads", "1", stderr=subprocess.PIPE)
        wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 0, "the recording has started")
        interrupt(process)
        stderr = process.stderr.read().decode()
        self.assertEqual(process.wait(PATIENCE), EXIT_INTERRUPTED, stderr)
        self.assert_complete(out)
        self.assertTrue(0 < frame_count(out) < 720)

    def test_second_interrupt_ends_at_once(self):
        out = self.here / "out.mp4"
        process = self.start_stalled(out, "--grid", "40x11")
        wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 0, "the recording has started")
        interrupt(process)
        if process.poll() is None:
            interrupt(process)
        self.assertIn(process.wait(PATIENCE), (EXIT_INTERRUPTED, -signal.SIGINT))

    def test_removed_recording_is_an_error(self):
        for ending in ("mp4", "cells", "gif"):
            with self.subTest(ending=ending):
                out = self.here / f"removed.{ending}"
                process = self.start_stalled(out, *GRID)
                wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 0, "the recording has started")
                part_of(out).unlink()
                process.stdin.close()
                stderr = process.stderr.read().decode()
                self.assertEqual(process.wait(PATIENCE), EXIT_FAILED, stderr)
                self.assertIn(out.name, stderr)

    def test_killed_recording_is_playable(self):
        for ending in ("mp4", "mkv", "cells"):  # the C++ test KilledWriter also covers MOV and WebM
            with self.subTest(ending=ending):
                out = self.here / f"out.{ending}"
                process = self.start_stalled(out, "--grid", "40x11")
                wait_for(lambda: part_of(out).is_file() and part_of(out).stat().st_size > 20_000, "the recording has started")
                wait_for(lambda: self.decodable_frames(part_of(out)) > 50, "two seconds of playable frames")
                process.kill()
                process.wait(PATIENCE)
                self.assertFalse(out.exists())
                self.assertGreater(self.decodable_frames(part_of(out)), 50)
                # The last packet may be cut short; everything before it must decode.
                decoded = self.here / "decoded.mkv" if ending == "cells" else part_of(out)
                log = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(decoded), "-map", "0:v", "-f", "null",
                                      "-"], capture_output=True, text=True)
                self.assertEqual(log.returncode, 0, log.stderr)
                # The unfinished recording is kept unless --force is given.
                again = ["record", self.clip, "-o", out, "--frames", "3", "--grid", "40x11"]
                unfinished = part_of(out).read_bytes()
                self.refuse(EXIT_USAGE, [part_of(out).name, "--force"], *again)
                self.assertTrue(part_of(out).read_bytes() == unfinished)
                self.succeed(*again, "--force")
                self.assertGreater(self.decodable_frames(out), 2)


class ProgressAndStatistics(ProgramTest):
    """Tests progress on stderr, and the statistics file."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern("320x180", "30", "2"), *H264, *AAC)

    def test_plain_lines(self):
        outcome = self.succeed("record", self.clip, "-o", self.here / "out.mp4", *GRID)
        self.assertEqual(outcome.stdout, "")
        self.assertNotIn("\r", outcome.stderr)
        self.assertNotIn("\x1b", outcome.stderr)
        self.assertRegex(outcome.lines()[-1], r"60/60 fps \d")
        self.assertLess(len(outcome.lines()), 8)

    def test_progress_bar_on_a_terminal(self):
        control, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        process = self.start("record", self.clip, "-o", self.here / "out.mp4", *GRID, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        text = read_terminal(control)
        self.assertEqual(process.wait(PATIENCE), EXIT_DONE, text)
        bars = [piece for piece in re.split(r"[\r\n]", text) if re.match(r"\[#*\.*\]", piece)]
        self.assertTrue(bars, text)
        self.assertIn("\r[", text)
        self.assertIn("60/60", bars[-1])
        for bar in bars:
            self.assertLess(len(bar.replace("\x1b[K", "")), 100, "wider than the terminal")
        self.assertTrue(text.endswith("\n"))

    def test_quiet(self):
        for codec in ("libx264", "libx265", "av1"):
            outcome = self.succeed("record", self.clip, "-o", self.here / f"{codec}.mp4", "--codec", codec, "--quiet", "--frames",
                                   5, *GRID)
            self.assertEqual((outcome.stdout, outcome.stderr), ("", ""))

    def test_log_file(self):
        log = self.here / "log"
        self.succeed("record", self.clip, "-o", self.here / "out.mp4", "--log-file", log, "--quiet", *GRID)
        self.assertIn("Renderer", log.read_text())

    def test_requested_hardware_decoder(self):
        texts = {}
        for hwdec in ("no", "vaapi", "cuda", "vulkan"):
            with self.subTest(hwdec):
                stats, out = self.here / f"{hwdec}.json", self.here / f"{hwdec}.txt"
                self.succeed("record", self.clip, "-o", out, "--renderer", "cpu", "--hwdec", hwdec, "--stats", stats, *GRID)
                texts[hwdec] = out.read_bytes()
                report = json.loads(stats.read_text())["input"]
                # If the machine lacks the requested decoder, the program reports that, and the CPU decodes.
                self.assertIn(report["hwdec"], (hwdec, "no"))
                failed = [hwdec] if report["hwdec"] != hwdec else []
                self.assertEqual([step["from"] for step in report["hwdec_fallbacks"]], failed)
                self.assertTrue(all(step["reason"].endswith(".") for step in report["hwdec_fallbacks"]))
                if report["hwdec"] == "no":
                    self.assertEqual(texts[hwdec], texts["no"])

    def test_statistics(self):
        for renderer in ("cpu", "gpu"):
            with self.subTest(renderer=renderer):
                stats = self.here / f"{renderer}.json"
                self.succeed("record", self.clip, "-o", self.here / f"{renderer}.mp4", "--renderer", renderer, "--stats", stats,
                             *GRID)
                answer = json.loads(stats.read_text())
                self.assertEqual(answer["program"]["version"], self.succeed("--version").stdout.split()[-1])
                for name in ("cpu", "gpu", "driver"):
                    self.assertIsInstance(answer["machine"][name], str)
                self.assertEqual((answer["input"]["codec"], answer["input"]["fps"], answer["input"]["pix_fmt"]),
                                 ("h264", 30, "yuv420p"))
                self.assertIn("decoder", answer["input"])
                self.assertTrue(answer["settings"])
                frames = answer["frames"]
                self.assertEqual([frames[name] for name in ("decoded", "mapped", "drawn", "encoded")], [60] * 4)
                self.assertEqual([frames[name] for name in ("presented", "dropped", "repeated", "late")], [0] * 4)
                self.assertGreater(answer["wall_s"], 0)
                # `fps` is measured from the first decoded frame on, and `wall_s` from the start of the recording.
                self.assertGreater(answer["fps"], 0.99 * 60 / answer["wall_s"])
                for name in ("process", "device", "pipelines", "first_frame"):
                    self.assertGreaterEqual(answer["startup_ms"][name], 0)
                self.assertNotEqual(answer["startup_ms"]["process"], answer["startup_ms"]["first_frame"])
                if renderer == "gpu":
                    self.assertGreater(answer["startup_ms"]["device"], 0)
                    self.assertNotEqual(answer["machine"]["gpu"], "none")
                # The GPU renderer draws directly into the encoder's YUV planes, so its stage is "pack" and not "draw".
                for stage in ("decode", "map", "draw" if renderer == "cpu" else "pack", "encode", "audio"):
                    times = answer["stages"][stage]
                    self.assertGreaterEqual(times["count"], 60, stage)
                    self.assertTrue(0 <= times["p50_ms"] <= times["p99_ms"] <= times["max_ms"], (stage, times))
                    self.assertTrue(times["mean_ms"] <= times["max_ms"], (stage, times))
                    self.assertTrue(times["engine"], f"no engine for {stage}")
                self.assertGreater(answer["stages"]["map"]["mean_ms"], 0)
                self.assertGreaterEqual(answer["copies"]["host_bytes_per_frame"], 0)
                self.assertGreater(answer["overlap"], 0)
                self.assertGreater(answer["memory"]["rss_peak_mb"], 10)
                self.assertIn("jitter_p50_ms", answer["pacing"])
                self.assertFalse((self.here / f"{renderer}.json.part").exists())


def read_terminal(control):
    """Returns everything written to a pseudo-terminal until its other side is closed."""
    text = b""
    while select.select([control], [], [], 30)[0]:
        try:
            piece = os.read(control, 65536)
        except OSError:  # how Linux reports a closed terminal
            break
        if not piece:
            break
        text += piece
    os.close(control)
    return text.decode(errors="replace")


if __name__ == "__main__":
    unittest.main()
