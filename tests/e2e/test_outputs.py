"""Tests outputs. No existing file is lost, even if two runs write the same files. If an output cannot be written, the
program reports an error and leaves no partial file."""

import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import stat
import subprocess
import unittest

from harness import (AAC, DEMO, EXIT_BAD_INPUT, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, H264, PATIENCE,
                     Outcome, ProgramTest, frame_count, interrupt, lavfi, make_clip, part_of, pattern, rgb_pictures, tool,
                     wait_for)

GRID = ["--grid", "20x6"]
ESCAPE = "\x1b]0;pwned\a"


class HdrBrightness(ProgramTest):
    def test_hdr_of_an_sdr_scene_is_as_bright(self):
        """An SDR scene that is stored as PQ or HLG with white at 203 cd/m2 is drawn about as bright as the SDR clip."""
        source = ["-ss", "6", "-i", DEMO, "-frames:v", "3"]
        linear = ("scale=320:180,setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv,"
                  "zscale=t=linear:npl=203:m=gbr,format=gbrpf32le,")
        means = {}
        for name, transfer in (("sdr", None), ("pq", "smpte2084"), ("hlg", "arib-std-b67")):
            to_hdr = f"{linear}zscale=p=2020:t={transfer}:m=2020_ncl:r=tv:npl=203,format=yuv420p10le"
            tags = ("-color_primaries", "bt2020", "-color_trc", str(transfer), "-colorspace", "bt2020nc", "-color_range", "tv")
            clip = make_clip(self.here / f"{name}.mkv", *source, "-vf", to_hdr if transfer else "scale=320:180", "-c:v", "ffv1",
                             *(tags if transfer else ()))
            drawn = self.here / f"{name}-text.mkv"
            self.succeed("record", clip, "-o", drawn, "--codec", "ffv1", "--charset", "blocks", "--renderer", "cpu")
            means[name] = [sum(picture) / len(picture) for picture in rgb_pictures(drawn)][-1]
        self.assertAlmostEqual(means["pq"], means["sdr"], delta=0.03 * 255, msg=means)
        self.assertAlmostEqual(means["hlg"], means["sdr"], delta=0.03 * 255, msg=means)


class Looks(ProgramTest):
    def test_options_override_a_look(self):
        """A look changes the picture. If options override all settings of the look, the look has no
        effect."""
        def drawn(*options):
            out = self.here / "text.mkv"
            self.succeed("record", DEMO, "-o", out, "--force", "--codec", "ffv1", "--start", "6", "--frames", "1", "--renderer", "cpu",
                         *GRID, *options)
            return list(rgb_pictures(out))
        plain = drawn()
        self.assertNotEqual(drawn("--look", "tube"), plain)
        self.assertEqual(drawn("--glow", "0", "--look", "tube", "--scanlines", "0", "--saturation", "0"), plain)


class OutputFiles(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("160x90", "25", "1"), *H264, *AAC)

    def copy_of_clip(self, name):
        path = self.here / name
        path.write_bytes(self.clip.read_bytes())
        return path

    def assert_intact(self, path):
        self.assertEqual(path.read_bytes(), self.clip.read_bytes(), f"{path.name} was changed")

    def start_waiting(self, out, *options):
        """Starts a recording to `out` and waits until its .part file exists. Returns a function that completes the
        recording."""
        process = self.start("record", "-", "-o", out, *options, *GRID, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        content = self.clip.read_bytes()
        process.stdin.write(content[:-1000])
        process.stdin.flush()
        wait_for(lambda: part_of(out).exists(), "the recording has started")

        def complete():
            process.stdin.write(content[-1000:])
            process.stdin.close()
            self.assertEqual(process.wait(PATIENCE), EXIT_DONE, process.stderr.read())
        return complete

    def test_concurrent_recording_to_same_file_is_refused(self):
        for name in ("out.mkv", "out.txt"):
            out = self.here / name
            complete = self.start_waiting(out, "--force")
            for force in ([], ["--force"]):
                with self.subTest(name=name, force=force):
                    self.refuse(EXIT_USAGE, "being written", "record", self.clip, "-o", out, *GRID, *force)
            complete()
            self.assertFalse(part_of(out).exists())
            if name == "out.mkv":
                self.assertEqual(frame_count(out), 25)
            else:
                self.assertEqual(out.read_bytes().count(b"\f"), 25)

    def test_inputs_are_not_replaced(self):
        """Inputs are never overwritten, under any name and by any kind of output, even with --force."""
        clip = self.copy_of_clip("clip.mkv")
        os.link(clip, self.here / "hard.mkv")
        (self.here / "soft.mkv").symlink_to("clip.mkv")
        for name in ("clip.mkv", "hard.mkv", "soft.mkv", "../test_inputs_are_not_replaced/clip.mkv"):
            with self.subTest(output=name):
                self.refuse(EXIT_USAGE, "is an input", "record", clip, "-o", name, "--force", *GRID)
        for option in ("--stats", "--log-file"):
            with self.subTest(option=option):
                self.refuse(EXIT_USAGE, "is an input", "record", clip, "-o", "out.txt", option, clip, *GRID)
        subtitles = self.here / "a.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:01,000\nHello\n")
        self.refuse(EXIT_USAGE, "is an input", "play", clip, "--sub-file", subtitles, "--stats", subtitles)
        with clip.open("rb") as piped:
            self.refuse(EXIT_USAGE, "is an input", "record", "-", "-o", "out.txt", "--stats", clip, stdin=piped)
        self.assert_intact(clip)
        self.assertIn("Hello", subtitles.read_text())
        self.assertFalse((self.here / "out.txt").exists())

    def test_files_referenced_by_inputs_are_not_replaced(self):
        """Files that a playlist or an FFmpeg script lists, or that match a filename pattern, are inputs too."""
        clip = self.copy_of_clip("clip 1.mkv")
        make_clip(self.here / "shot%d.png", "-i", self.clip, "-frames:v", "2")
        shot = (self.here / "shot2.png").read_bytes()
        tool("ffmpeg", "-v", "error", "-i", self.clip, "-c", "copy", self.here / "v.m3u8")
        (self.here / "list.ffconcat").write_text("ffconcat version 1.0\nfile 'clip 1.mkv'\n")
        for name in ("list.m3u", "LIST.M3U8"):
            (self.here / name).write_text("clip 1.mkv\n")
        for part, words in (("clip 1.mkv", ["record", "list.ffconcat", "-o", "out.txt"]),
                            ("clip 1.mkv", ["play", "list.m3u"]), ("clip 1.mkv", ["play", "LIST.M3U8"]),
                            ("v0.ts", ["record", "v.m3u8", "-o", "out.txt"]),
                            ("shot2.png", ["record", "mf://shot%d.png", "-o", "out.txt"]),
                            ("shot2.png", ["record", "mf://shot*.png", "-o", "out.txt"]), ("shot2.png", ["play", "."])):
            with self.subTest(words=words):
                self.refuse(EXIT_USAGE, "is an input", *words, "--stats", part)
        self.refuse(EXIT_USAGE, "is an input", "record", "list.ffconcat", "-o", "clip 1.mkv", "--force", *GRID)
        self.assert_intact(clip)
        self.assertEqual((self.here / "shot2.png").read_bytes(), shot)

    def test_outputs_of_one_command_must_differ(self):
        for other in (["--stats", "o.txt"], ["--log-file", "o.txt"], ["--stats", "o.part.txt"], ["--stats", "./o.txt"]):
            with self.subTest(other=other):
                self.refuse(EXIT_USAGE, "same file", "record", self.clip, "-o", "o.txt", *other, *GRID)
        (self.here / "link.txt").symlink_to("o.txt")
        self.refuse(EXIT_USAGE, "same file", "record", self.clip, "-o", "link.txt", "--stats", "o.txt", *GRID)
        self.assertEqual(os.listdir(self.here), ["link.txt"])
        self.succeed("record", self.clip, "-o", "o.txt", "--stats", "/dev/null", "--log-file", "/dev/null", *GRID)

    def test_part_file_as_input(self):
        for name in ("video.mp4", "video.mkv", "video.txt"):
            with self.subTest(name=name):
                part = self.copy_of_clip(pathlib.Path(name).stem + ".part" + pathlib.Path(name).suffix)
                self.succeed("record", part, "-o", name, *GRID)
                self.assert_intact(part)
                part.unlink()
        self.assertEqual(frame_count(self.here / "video.mp4"), 25)
        finishing = self.copy_of_clip("video.finishing.mp4")
        self.succeed("record", finishing, "-o", "video.mp4", "--force", *GRID)
        self.assert_intact(finishing)

    def test_leftover_part_file_is_kept(self):
        """Without --force, a leftover .part file is never overwritten, even if the command fails for another reason."""
        for name in ("out.mp4", "out.txt"):
            part = part_of(self.here / name)
            part.write_text("precious")
            self.refuse(EXIT_USAGE, [part.name, "--force"], "record", self.clip, "-o", name, *GRID)
            self.refuse(EXIT_USAGE, part.name, "record", self.clip, "--start", 0.501, "--length", 0.001, "-o", name, *GRID,
                            lines=None)
            self.assertEqual(part.read_text(), "precious")
            self.succeed("record", self.clip, "-o", name, "--force", *GRID)
            self.assertFalse(part.exists())

    def test_links_at_temporary_names_are_not_followed(self):
        victim = self.here / "victim"
        victim.write_text("precious")
        for name in ("o.part.txt", "o.part.mp4", "s.json.part"):
            (self.here / name).symlink_to("victim")
        self.succeed("record", self.clip, "-o", "o.txt", "--stats", "s.json", "--force", *GRID)
        self.succeed("record", self.clip, "-o", "o.mp4", "--force", *GRID)
        self.assertEqual(victim.read_text(), "precious")
        self.assertTrue(json.loads((self.here / "s.json").read_text()))
        self.assertFalse((self.here / "o.txt").is_symlink())
        (self.here / "q.finishing.mp4").mkdir()
        self.succeed("record", self.clip, "-o", "q.mp4", *GRID)
        self.assertTrue((self.here / "q.finishing.mp4").is_dir())

    def test_links_at_outputs_are_followed(self):
        (self.here / "folder").mkdir()
        (self.here / "out.txt").symlink_to("folder/real.txt")
        self.succeed("record", self.clip, "-o", "out.txt", *GRID)
        self.assertTrue((self.here / "out.txt").is_symlink())
        self.assertEqual((self.here / "folder" / "real.txt").read_bytes().count(b"\f"), 25)

    def test_no_empty_outputs(self):
        # Write a valid header, but packets that cannot be decoded.
        garbage = make_clip(self.here / "garbage.mp4", *lavfi("testsrc2=size=64x48:rate=5:duration=1"), *H264)
        content = bytearray(garbage.read_bytes())
        start, end = content.index(b"mdat") + 4, content.index(b"moov") - 4
        content[start:end] = bytes(end - start)
        garbage.write_bytes(content)
        for name in ("e.txt", "e.mkv", "e.mp4", "e.html", "e.cells"):
            with self.subTest(name=name):
                outcome = self.run_program("record", garbage, "-o", name, *GRID)
                self.assertEqual(outcome.code, EXIT_BAD_INPUT, outcome)
                self.assertEqual(os.listdir(self.here), ["garbage.mp4"])
                self.refuse(EXIT_USAGE, "no frame", "record", self.clip, "--start", 0.501, "--length", 0.001, "-o", name, *GRID,
                            lines=None)
                self.assertEqual(os.listdir(self.here), ["garbage.mp4"])

    def test_statistics_file_is_a_directory(self):
        self.refuse(EXIT_USAGE, "directory", "record", self.clip, "-o", "o.txt", "--stats", ".", *GRID)
        self.assertEqual(os.listdir(self.here), [])

    def test_socket_as_output(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.here / "s.txt"))
            self.refuse(EXIT_FAILED, "s.txt", "record", self.clip, "-o", "s.txt", *GRID)

    def test_fifo_as_output(self):
        for name in ("out.txt", "out.mkv", "out.mp4"):
            with self.subTest(name=name):
                fifo = self.here / name
                os.mkfifo(fifo)
                reader = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE)
                self.addCleanup(reader.stdout.close)
                process = self.start("record", self.clip, "-o", name, *GRID)
                received = reader.communicate(timeout=PATIENCE)[0]
                self.assertEqual(process.wait(PATIENCE), EXIT_DONE)
                self.assertTrue(stat.S_ISFIFO(fifo.stat().st_mode))
                copy = self.here / f"copy-{name}"
                copy.write_bytes(received)
                frames = received.count(b"\f") if name == "out.txt" else frame_count(copy)
                self.assertEqual(frames, 25)

    def test_piped_mp4_reports_what_is_added_at_the_end_of_a_file(self):
        """When a recording to an .mp4 file ends, the program rewrites the file and adds cover pictures and subtitles.
        A pipe cannot be rewritten, so they are missing there, and the program says so."""
        cover, subtitles = make_clip(self.here / "front.png", *lavfi("color=red:s=16x16"), "-frames:v", "1"), self.here / "a.srt"
        subtitles.write_text("1\n00:00:00,000 --> 00:00:00,500\nText\n")
        attached = ("-attach", cover, "-metadata:s:t", "mimetype=image/png")
        for name, options, missing in (("cover", attached, "cover pictures"), ("text", ("-i", subtitles), "subtitles"),
                                       ("both", ("-i", subtitles, *attached), "subtitles and cover pictures")):
            clip = make_clip(self.here / f"{name}.mkv", *pattern(rate="10"), *options, "-t", "1", *H264)
            outcome = self.succeed("record", clip, "-o", "/dev/stdout", "--format", "mp4", *GRID)
            self.assertIn(f"does not contain the input's {missing};", outcome.stderr)

    def test_fifo_without_reader_can_be_interrupted(self):
        os.mkfifo(self.here / "out.txt")
        process = self.start("record", self.clip, "-o", "out.txt", *GRID, stderr=subprocess.PIPE)
        wait_for(lambda: self.catches_interrupts(process), "the program installs its signal handler")
        interrupt(process)
        self.assertEqual(process.wait(PATIENCE), EXIT_INTERRUPTED)

    def catches_interrupts(self, process):
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
        return int(caught.split()[1], 16) & 1 << 1  # bit 1 of the mask is signal 2, SIGINT

    @unittest.skipUnless(os.geteuid() == 0, "only root may make device nodes")
    def test_device_nodes_are_kept(self):
        for name in ("null", "null.txt"):
            made = subprocess.run(["mknod", self.here / name, "c", "1", "3"], capture_output=True)
            if made.returncode != 0:
                self.skipTest("cannot make device nodes here")
        self.succeed("record", self.clip, "-o", "c.txt", "--stats", "null", *GRID)
        self.succeed("record", self.clip, "-o", "null.txt", "--force", *GRID)
        for name in ("null", "null.txt"):
            self.assertTrue(stat.S_ISCHR((self.here / name).stat().st_mode), name)


class RepeatedExports(ProgramTest):
    OPTIONS = ("--frames", "3", "--cell", "8x16", *GRID)

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("160x90", "25", "1"), *H264, *AAC)

    def files_of_a_run(self, folder, name, *options):
        """Records to a file in a new folder; returns the hashes of all files there, by name."""
        folder.mkdir(parents=True)
        self.succeed("record", self.clip, "-o", folder / name, *self.OPTIONS, *options)
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}

    def piped(self, name):
        """Records to a pipe in the format `name`; returns the recorded bytes."""
        process = self.start("record", self.clip, "-o", "-", "--format", name, *self.OPTIONS, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
        received, errors = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, EXIT_DONE, errors)
        return received

    def test_two_runs_write_the_same_bytes(self):
        """Records the same clip twice in every supported format: to a file and to a pipe. For most formats, both
        recordings must have the same bytes. Files in some video formats have an index, which recordings to a pipe
        lack. For these formats, two files must have the same bytes, and the recording to the pipe must have the same
        packets as the files."""
        refusal = self.refuse(EXIT_USAGE, "nonsense", "record", self.clip, "-o", "-", "--format", "nonsense", lines=None)
        formats = re.search(r"one of ([\w, ]+), not", refusal.stderr)[1].split(", ")
        self.assertGreater(len(formats), 15, refusal.stderr)
        videos = ("mp4", "mkv", "mov", "webm")  # files in these formats have an index; recordings in a pipe have none
        for name in formats:
            with self.subTest(format=name):
                received = self.piped(name)
                # An HTML page has the name of its file as its title. A page that is sent to a pipe has the title
                # "stdout".
                first = self.files_of_a_run(self.here / name, f"stdout.{name}")
                if name not in videos:
                    self.assertEqual(first, {f"stdout.{name}": hashlib.sha256(received).hexdigest()})
                    continue
                self.assertEqual(first, self.files_of_a_run(self.here / "second" / name, f"stdout.{name}"))
                (self.here / name / "piped").write_bytes(received)
                packets = {tool("ffmpeg", "-v", "error", "-i", self.here / name / file, "-c", "copy", "-f", "md5", "-")
                           for file in (f"stdout.{name}", "piped")}
                self.assertEqual(len(packets), 1, packets)
        cases = [("out.html", ["--embed"], 3), ("out.cast", ["--embed"], 5), ("out.cast", ["--cast-version", "3"], 1)]
        cases += [(f"out-%03d.{name}", [], 3) for name in ("png", "jpg", "webp", "txt", "ans", "xb", "svg")]
        for number, (name, options, files) in enumerate(cases):
            with self.subTest(name=name, options=options):
                first, second = (self.files_of_a_run(self.here / run / str(number), name, *options) for run in ("first", "second"))
                self.assertEqual(first, second)
                self.assertEqual(len(first), files, first)


class EscapedMessages(ProgramTest):
    """Tests that control characters from inputs are escaped in all messages."""

    def assert_escaped(self, outcome):
        text = outcome.stderr + outcome.stdout
        raw = [character for character in text if character != "\n" and (ord(character) < 32 or 127 <= ord(character) < 160)]
        self.assertEqual(raw, [], outcome)
        self.assertIn("pwned", text, outcome)

    def test_file_names_and_option_values(self):
        clip = make_clip(self.here / "clip.mkv", *lavfi("testsrc2=size=64x48:rate=5:duration=1"), *H264)
        named = self.here / f"a{ESCAPE}\n{ESCAPE}.mkv"
        named.write_bytes(clip.read_bytes())
        csi = "\u009bpwned"
        record = ["record", clip, "-o", "o.txt"]
        for words in (["record", f"{ESCAPE}.mp4", "-o", "o.txt"], ["record", f"{csi}.mp4", "-o", "o.txt"],
                      ["record", f"\n{ESCAPE}\n", "-o", "o.txt"], ["record", named, "-o", "named.txt", *GRID],
                      ["record", clip, "-o", f"{ESCAPE}.xyz"], ["record", clip, "-o", f"none{ESCAPE}/o.txt"],
                      [*record, "--font", ESCAPE], [*record, "--charset", f"@{ESCAPE}"], [*record, "--palette", ESCAPE],
                      [*record, "--config", ESCAPE], ["info", "--font", ESCAPE], ["info", "--json", "--font", csi], [f"--{ESCAPE}"]):
            with self.subTest(words=words):
                outcome = self.run_program(*words)
                self.assert_escaped(outcome)

    def test_playlists_and_logs(self):
        playlist = self.here / "evil.m3u"
        playlist.write_text(f"{ESCAPE}file:x\nhttp://{ESCAPE}/\n")
        outcome = self.run_program("play", playlist, "--log-file", "log")
        self.assert_escaped(outcome)
        self.assertNotIn("\x1b", (self.here / "log").read_text())


class BadOutput(ProgramTest):
    """Tests outputs that cannot be written."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *pattern(), *H264, *AAC)
        cls.long = make_clip(cls.folder / "long.mp4", *pattern("640x360", "30", "4"), *H264, *AAC)

    def test_no_such_folder(self):
        for name in ("out.mp4", "out.txt"):
            self.refuse(EXIT_FAILED, "missing/out.", "record", self.clip, "-o", self.here / "missing" / name, *GRID)

    def test_folder_that_is_a_file(self):
        file = self.here / "file"
        file.touch()
        for name in ("out.mp4", "out.txt"):
            self.refuse(EXIT_FAILED, "file/out.", "record", self.clip, "-o", file / name, *GRID)

    def test_folder_that_refuses_new_files(self):
        # /proc refuses new files even to root.
        for name in ("out.mp4", "out.txt"):
            self.refuse(EXIT_FAILED, "/proc/out.", "record", self.clip, "-o", f"/proc/{name}", *GRID)

    @unittest.skipIf(os.geteuid() == 0, "root ignores permissions; test_folder_that_refuses_new_files covers root")
    def test_folder_without_permission(self):
        folder = self.here / "locked"
        folder.mkdir()
        folder.chmod(0o555)
        for name in ("out.mp4", "out.txt"):
            self.refuse(EXIT_FAILED, name, "record", self.clip, "-o", folder / name, *GRID)

    def test_output_is_a_directory(self):
        for name in ("out.mp4", "out.txt"):
            (self.here / name).mkdir()
            for force in ([], ["--force"]):
                with self.subTest(name=name, force=force):
                    self.refuse(EXIT_USAGE, name, "record", self.clip, "-o", self.here / name, *force, *GRID)

    def test_existing_output(self):
        for name in ("out.mp4", "out.txt", "out.mkv"):
            with self.subTest(name=name):
                out = self.here / name
                out.write_text("precious")
                self.refuse(EXIT_USAGE, [name, "--force"], "record", self.clip, "-o", out, *GRID)
                self.assertEqual(out.read_text(), "precious")
                self.assertFalse(part_of(out).exists())
                self.succeed("record", self.clip, "-o", out, "--force", *GRID)
                self.assertNotEqual(out.read_bytes()[:8], b"precious")
                self.assertFalse(part_of(out).exists())
                if name != "out.txt":
                    self.assert_complete(out)

    def test_output_is_the_input(self):
        copy = self.here / "clip.mp4"
        copy.write_bytes(self.clip.read_bytes())
        self.refuse(EXIT_USAGE, "clip.mp4", "record", copy, "-o", copy, *GRID)
        self.assertEqual(copy.read_bytes(), self.clip.read_bytes())

    def test_failed_run_keeps_the_old_output(self):
        out = self.here / "out.mp4"
        out.write_text("precious")
        self.refuse(EXIT_BAD_INPUT, "missing.mp4", "record", self.here / "missing.mp4", "-o", out, "--force")
        self.assertEqual(out.read_text(), "precious")

    def test_unknown_ending(self):
        for name in ("out", "out.xyz", "out.mp4.", ".mp4"):
            with self.subTest(name=name):
                self.refuse(EXIT_USAGE, name, "record", self.clip, "-o", self.here / name, *GRID)
                self.assertEqual(os.listdir(self.here), [])

    def test_codec_unsupported_by_container(self):
        for codec, name in (("nonsense", "out.mp4"), ("libvpx-vp9", "out.mov"), ("libx264", "out.webm"), ("ffv1", "out.mp4"),
                            ("aac", "out.mp4"), ("libx264", "out.txt.webm")):
            with self.subTest(codec=codec, name=name):
                out = self.here / codec / name
                out.parent.mkdir(exist_ok=True)
                self.refuse(EXIT_USAGE, codec, "record", self.clip, "-o", out, "--codec", codec, *GRID)
                self.assert_nothing_written(out)

    def record_with_room(self, name, room, *options):
        """Records while no file may exceed `room` bytes."""
        out = self.here / name
        outcome = self.refuse(EXIT_FAILED, out.stem, "record", self.long, "-o", out, *options, lines=None,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))
        self.assertFalse(out.exists(), outcome)
        return out

    def test_file_size_limit(self):
        for name in ("out.mp4", "out.mkv", "out.mov", "out.txt"):
            with self.subTest(name=name):
                out = self.record_with_room(name, 100_000)
                self.assertTrue(part_of(out).exists())
                self.assertLessEqual(part_of(out).stat().st_size, 100_000)

    def test_tiny_file_size_limit(self):
        for name in ("out.mp4", "out.mkv", "out.txt"):
            with self.subTest(name=name):
                self.record_with_room(name, 16)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a small file system")
    def test_full_disk(self):
        disk = self.here / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount a file system here: {mounted.stderr.decode().strip()}")
        self.addCleanup(subprocess.run, ["umount", str(disk)], capture_output=True)
        for name in ("out.mp4", "out.mkv", "out.txt"):
            with self.subTest(name=name):
                out = disk / name
                outcome = self.refuse(EXIT_FAILED, name.split(".")[0], "record", self.long, "-o", out, lines=None)
                self.assertRegex(outcome.lines()[-1], "full|No space left")
                self.assertFalse(out.exists())
                part_of(out).unlink(missing_ok=True)

    def test_unwritable_statistics_log_and_report(self):
        out = self.here / "out.mp4"
        self.refuse(EXIT_FAILED, "missing/stats.json", "record", self.clip, "-o", out, "--stats", "missing/stats.json", *GRID)
        self.assert_nothing_written(out)
        file = self.here / "file"
        file.touch()
        outcome = self.succeed("record", self.clip, "-o", out, "--force", "--log-file", file / "log", *GRID)
        self.assertIn("file/log", outcome.stderr)
        self.assertEqual(outcome.stdout, "")
        self.refuse(EXIT_FAILED, "file", "compare", self.clip, "--frames", 1, *GRID, "--report", file, lines=None)

    def test_closed_pipe(self):
        """Runs with a standard output that is closed early, as in `glyphreel info | head -0`."""
        for words in (["info"], ["info", "--json"], ["--help"], ["info", self.clip]):
            with self.subTest(words=words):
                read_end, write_end = os.pipe()
                os.close(read_end)
                process = self.start(*words, stdout=write_end, stderr=subprocess.PIPE)
                os.close(write_end)
                stderr = process.communicate(timeout=PATIENCE)[1].decode()
                if process.returncode != -signal.SIGPIPE:  # SIGPIPE is normal for programs that only print
                    self.assert_clean_exit(Outcome(words, process.returncode, "", stderr))
