#!/usr/bin/env python3
"""Tests that Ctrl-C ends the wait for a blocking input at once, and that endless inputs are refused."""

import os
import pathlib
import resource
import signal
import subprocess
import unittest

from harness import (EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_USAGE, H264, PATIENCE, ProgramTest, interrupt, lavfi,
                     make_clip, part_of, wait_for)
from test_terminal import TerminalTest

MAX_MEMORY = 1536 << 20


def has_open(pid, path):
    """Whether the process has this file open."""
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{number}") == str(path) for number in os.listdir(folder))
    except FileNotFoundError:
        return False


def is_asleep(process):
    """Whether all threads of the process are sleeping."""
    stats = [stat.read_text() for stat in pathlib.Path(f"/proc/{process.pid}/task").glob("*/stat")]
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in stats)


def make_fifo(path):
    os.mkfifo(path)
    return path


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


class FifoInput(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=160x90:duration=1"), *H264)

    def test_first_signal_ends_wait_for_fifo(self):
        fifo = make_fifo(self.here / "fifo")
        out = self.here / "out.txt"
        for words in ([fifo], [self.clip, "--palette", fifo], [self.clip, "--charset", f"@{fifo}"]):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(words=words, signal=number):
                    process = self.start("record", *words, "-o", out)
                    wait_for(lambda: has_open(process.pid, fifo), "the program waits for the pipe")
                    interrupt(process, number)
                    self.assertEqual(process.wait(PATIENCE), EXIT_INTERRUPTED)
                    self.assert_nothing_written(out)


class StalledInput(ProgramTest):
    def test_first_signal_completes_stalled_recording(self):
        content = make_clip(self.here / "clip.mkv", *lavfi("testsrc2=size=160x90:duration=2"), *H264).read_bytes()
        out = self.here / "out.txt"
        process = self.start("record", "-", "-o", out, "--grid", "20x6", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process.stdin.write(content[:-2000])
        process.stdin.flush()
        wait_for(lambda: part_of(out).is_file() and b"\f" in part_of(out).read_bytes() and is_asleep(process),
                 "everything received so far is recorded")
        interrupt(process)
        self.assertEqual(process.wait(PATIENCE), EXIT_INTERRUPTED)
        self.assertIn(b"\f", out.read_bytes())


class FifoSubtitles(TerminalTest):
    def test_ctrl_c_ends_wait_for_subtitles(self):
        fifo = make_fifo(self.here / "subtitles")
        self.play("--sub-file", fifo)
        wait_for((self.here / "pid").exists, "the program's PID file")
        pid = wait_for((self.here / "pid").read_text, "the program's PID").strip()
        wait_for(lambda: has_open(pid, fifo), "the program waits for the pipe")
        self.tmux("send-keys", "C-c")
        self.check_end(EXIT_INTERRUPTED)


class EndlessInput(ProgramTest):
    def refuse_endless(self, code, mentions, *words):
        out = self.here / "out.txt"
        self.refuse(code, mentions, "record", *words, "-o", out, preexec_fn=limit_memory)
        self.assert_nothing_written(out)

    def test_endless_configuration_file(self):
        self.refuse_endless(EXIT_USAGE, ["/dev/zero", "1 MiB"], "clip.mp4", "--config", "/dev/zero")

    def test_self_referencing_playlist(self):
        playlist = self.here / "self.m3u8"
        playlist.write_text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nself.m3u8\n")
        self.refuse_endless(EXIT_BAD_INPUT, [str(playlist), "other files"], playlist)


if __name__ == "__main__":
    unittest.main()
