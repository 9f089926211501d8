"""Tests recordings in segments: --resume gives the frames, times and sound of a plain recording, even after a kill."""

import json
import signal
import unittest

from harness import (AAC, EXIT_USAGE, H264, PATIENCE, TOOLS, ProgramTest, audio_hashes, frame_times, make_clip, part_of,
                     picture_hashes, wait_for)

GRID = ("--grid", "40x11")
LOSSLESS = ("--codec", "ffv1")
# Scenes of 0.7 s, then one that is longer than a segment.
SCENES = "if(lt(T,5),lum(X,Y)*0.3+180*mod(floor(T/0.7),2),lum(X,Y)*0.5+8*T)"


class Resume(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "scenes.mp4", "-f", "lavfi", "-i", "testsrc2=size=160x96:rate=15:duration=10", "-f",
                             "lavfi", "-i", "sine=duration=10", "-vf", f"geq=lum='{SCENES}'", *H264, "-g", "15", *AAC)

    def check_same(self, one, other):
        self.assertEqual(picture_hashes(other), picture_hashes(one))
        self.assertEqual(frame_times(other), frame_times(one))
        self.assertEqual(audio_hashes(other), audio_hashes(one))

    def test_killed_recording_continues(self):
        whole, out = self.here / "whole.mkv", self.here / "out.mkv"
        segments = self.here / "out.mkv.segments"
        command = ("record", self.clip, "-o", out, *GRID, *LOSSLESS, "--resume", "--segment", "2")
        self.succeed("record", self.clip, "-o", whole, *GRID, *LOSSLESS)
        run = self.start(*command)
        wait_for(lambda: (segments / "00001.segment").exists() or run.poll() is not None, "the second segment")
        run.kill()
        run.wait()
        self.assertFalse(out.exists())
        kept = (segments / "00001.segment").stat().st_mtime_ns
        self.refuse(EXIT_USAGE, "a recording with other options, another input", *command, "--mode", "ramp")
        self.assertEqual((segments / "00001.segment").stat().st_mtime_ns, kept)
        printed = self.succeed(*command).stderr
        self.assertNotIn("Segment 1 of", printed)
        self.assertIn("Segment 5 of 5", printed)
        self.assertFalse(segments.exists())
        self.check_same(whole, out)

    def test_recording_killed_while_joining_continues(self):
        whole, count = self.here / "whole.mkv", self.here / "calls"
        options = ("--grid", "20x6", "--cell", "4x8", *LOSSLESS, "--resume", "--segment", "4", "--threads", "1", "--quiet")
        self.succeed("record", self.clip, "-o", whole, *options,
                     env={"LD_PRELOAD": TOOLS / "kill_points.so", "GLYPHREEL_KILL_LOG": count})
        for before_end in (20, 12):
            out = self.here / f"{before_end}.mkv"
            command = ("record", self.clip, "-o", out, *options)
            killed = self.start(*command, env={"LD_PRELOAD": TOOLS / "kill_points.so",
                                               "GLYPHREEL_KILL_AT": str(int(count.read_text()) - before_end)})
            self.assertEqual(killed.wait(PATIENCE), -signal.SIGKILL)
            self.assertTrue(part_of(out).exists(), "the program was not killed while it joined the segments")
            self.succeed(*command)
            self.assert_complete(out)
            self.check_same(whole, out)

    def test_batch_in_segments(self):
        options = ("--grid", "20x6", "--cell", "4x8", *LOSSLESS)
        self.succeed("record", self.clip, "-o", "whole.mkv", *options)
        self.succeed("batch", self.clip, "-o", "out", "--to", "mkv", *options, "--segment", "2", "--jobs", "2")
        listed = self.succeed("batch", "-o", "out", "--list", "--json").stdout
        self.assertEqual(json.loads(listed)["segments"], 5)
        self.check_same(self.here / "whole.mkv", self.here / "out" / "scenes.mkv")

    def test_existing_output_is_refused_before_work(self):
        for name in ("out.mkv", "out.part.mkv"):
            (self.here / name).write_text("precious")
            self.refuse(EXIT_USAGE, name, "record", self.clip, "-o", "out.mkv", *GRID, *LOSSLESS, "--resume")
            self.assertFalse((self.here / "out.mkv.segments").exists())
            self.assertEqual((self.here / name).read_text(), "precious")
            (self.here / name).unlink()

    def test_other_files_in_the_folder_remain(self):
        folder = self.here / "out.mkv.segments"
        folder.mkdir()
        (folder / "notes.txt").write_text("precious")
        self.succeed("record", self.clip, "-o", "out.mkv", *GRID, *LOSSLESS, "--resume", "--length", "1")
        self.assertEqual([path.name for path in folder.iterdir()], ["notes.txt"])

    def test_start_end_and_gpu(self):
        whole, out = self.here / "whole.mkv", self.here / "out.mkv"
        part = ("--start", "1.5", "--end", "5.5", "--grid", "20x6", "--cell", "4x8", *LOSSLESS)
        self.succeed("record", self.clip, "-o", whole, *part, "--renderer", "cpu")
        self.succeed("record", self.clip, "-o", out, *part, "--renderer", "gpu", "--resume", "--segment", "1.5")
        self.check_same(whole, out)

    def test_what_has_no_segments_is_refused(self):
        for options in (("-o", "out.gif"), ("-o", "out.mkv", "--fps", "10"), ("-o", "out.mkv", self.clip),
                        ("-o", "-", "--format", "mkv")):
            self.refuse(EXIT_USAGE, "cannot be made in segments", "record", self.clip, *options, "--resume")


if __name__ == "__main__":
    unittest.main()
