#!/usr/bin/env python3
"""Tests playback from servers that stall, disconnect and restart, with numbered frames."""

import json
import re
import time
import unittest

from harness import EXIT_BAD_INPUT, EXIT_DONE, H264, ProgramTest, lavfi, make_clip, tool, wait_for
from numbered import make_numbered
from servers import HttpServer, Sender, free_port, wait_for_listener
from test_player import RATE, AudiblePlayerTest
from test_terminal import TerminalTest


class NetworkTest(AudiblePlayerTest):
    MEASURES = False  # True in tests/bench/timing_network.py, which also checks dropped frames and speed

    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", 60)
        cls.stream = make_clip(cls.folder / "stream.mkv", "-i", cls.clip, "-t", "9", "-c:v", "copy", "-c:a", "aac")

    def watch(self, *words):
        """Plays with audio, which is the master clock. Writes the statistics that check_statistics() reads."""
        self.stats = self.here / "stats.json"
        return super().watch(*words, "--stats", self.stats, env=self.sound())

    def start_sender(self, *output):
        sender = Sender(self.clip, *output)
        self.addCleanup(sender.close)
        return sender

    def check_flow(self, watch, since, until=None):
        """Checks that the frames shown between the times `since` and `until` are in order; returns their numbers."""
        numbers = [number for when, number in watch.numbers(since) if until is None or when < until]
        self.assertEqual(numbers, sorted(numbers), "frames out of order")
        if self.MEASURES:
            self.assertLess(max((b - a for a, b in zip(numbers, numbers[1:])), default=1), RATE // 3, numbers)
        return numbers

    def check_statistics(self, max_dropped):
        answer = json.loads(self.stats.read_text())
        self.assertGreater(answer["frames"]["presented"], 0)
        if self.MEASURES:
            self.assertLessEqual(answer["frames"]["dropped"], max_dropped, answer["frames"])
            self.assertLess(abs(answer["av"]["mean_ms"]), 40, answer["av"])


class Https(ProgramTest):
    """Tests HTTPS inputs. FFmpeg calls the interrupt callback even while it closes a TLS connection, because it then
    sends a TLS alert."""

    def test_hls_master_playlist(self):
        tool("ffmpeg", "-v", "error", *lavfi("testsrc2=size=64x48:rate=10:duration=2"), *H264, "-g", "10", "-f", "hls", "-hls_time",
             "1", "-hls_playlist_type", "vod", self.here / "variant.m3u8")
        variant = "#EXT-X-STREAM-INF:BANDWIDTH={}\n{}\n"
        (self.here / "master.m3u8").write_text("#EXTM3U\n" + variant.format(1, "variant.m3u8") + variant.format(2, "variant.m3u8"))
        (self.here / "none.m3u8").write_text("#EXTM3U\n" + variant.format(1, "missing.m3u8"))
        server = HttpServer(self.here, tls=True)
        self.addCleanup(server.close)
        out = self.here / "out.txt"
        self.succeed("record", server.url("master.m3u8"), "-o", out, "--grid", "20x6")
        self.assertEqual(out.read_bytes().count(b"\f"), 20)
        for name in ("none.m3u8", "missing.m3u8"):
            outcome = self.run_program("record", server.url(name), "-o", "none.txt")
            self.assertEqual(outcome.code, EXIT_BAD_INPUT, outcome)


class NoRanges(ProgramTest):
    def test_mp4_with_its_index_at_the_end(self):
        """The server does not support range requests. If the MP4 index is at the end of the file, the program prints a
        one-sentence error. With the index at either end, the program sends only one request."""
        for flags, code in (("+faststart", EXIT_DONE), ("0", EXIT_BAD_INPUT)):
            clip = make_clip(self.here / f"{code}.mp4", *lavfi("mandelbrot=size=320x240:rate=24"), "-t", "2", *H264, "-b:v", "3M",
                             "-movflags", flags)
            self.assertGreater(clip.stat().st_size, 300_000)
            server = HttpServer(self.here, has_ranges=False)
            self.addCleanup(server.close)
            words = ("record", server.url(clip.name), "-o", self.here / f"{code}.txt", "--grid", "20x6")
            if code == EXIT_DONE:
                self.succeed(*words)
            else:
                self.refuse(code, "its server cannot seek; download", *words)
            self.assertEqual(server.requests, 1, flags)


class WebServer(NetworkTest):
    def test_stall_and_disconnect(self):
        server = HttpServer(self.folder, self.stream.stat().st_size // 8)  # slightly faster than playback
        self.addCleanup(server.close)
        began = time.monotonic()
        process, window, watch = self.watch(server.url(self.stream.name))
        watch.wait(lambda number: number > RATE, "one second of playback")
        server.stall()
        number = watch.wait_until_still(2)
        server.resume()
        watch.wait(lambda shown: shown > number + RATE, "playback continues")
        server.disconnect()
        number = watch.wait_until_still(1)
        server.listen()
        watch.wait(lambda shown: shown > number + RATE, "playback continues when the server is back")
        self.finish(process)
        numbers = self.check_flow(watch, began)
        self.assertGreater(numbers[-1], 9 * RATE - 4)
        self.check_statistics(max_dropped=4)


class Hls(NetworkTest):
    def test_expired_segments(self):
        server = HttpServer(self.here)
        self.addCleanup(server.close)
        sender = self.start_sender("-c:v", "copy", "-c:a", "aac", "-f", "hls", "-hls_time", "1", "-hls_list_size", "3", "-hls_flags",
                                   "delete_segments+temp_file", self.here / "live.m3u8")
        wait_for(lambda: (self.here / "live2.ts").exists(), "segments")
        process, window, watch = self.watch(server.url("live.m3u8"))
        number = watch.wait(lambda shown: shown > 2 * RATE, "pictures")
        server.disconnect()
        segments = lambda: set(re.findall(r"\S+\.ts", (self.here / "live.m3u8").read_text()))
        known = segments()
        number = watch.wait_until_still(1)
        wait_for(lambda: segments().isdisjoint(known), "all segments known to the player have expired")
        server.listen()
        # This may take a while: FFmpeg waits longer before each new attempt to reconnect (7 s before the fourth one).
        shown = watch.wait(lambda shown: shown > number + 4 * RATE, "frames sent after the restart")
        since = time.monotonic()
        watch.wait(lambda number: number > shown + 1.5 * RATE, "playback continues")
        self.check_flow(watch, since)
        self.assertIsNone(sender.process.poll(), "the sender has ended")
        self.leave(process, window)
        self.check_statistics(max_dropped=12)


class LiveSenders(NetworkTest):
    def check_restart(self, sender, process, window, watch):
        """After the sender restarts, its first frames are shown again, and then all frames in order."""
        watch.wait(lambda shown: shown > 2 * RATE, "pictures")
        sender.kill()
        watch.wait_until_still(0.6)
        sender.start()
        watch.wait(lambda shown: shown < RATE, "the first pictures again")
        watch.wait(lambda shown: shown == RATE or RATE < shown < 2 * RATE, "the second after that")
        since = time.monotonic()
        watch.wait(lambda shown: shown > 3 * RATE, "playback continues")
        shown = watch.numbers(since)
        self.check_flow(watch, since)
        if self.MEASURES:
            speed = (shown[-1][1] - shown[0][1]) / (shown[-1][0] - shown[0][0]) / RATE
            self.assertLess(abs(speed - 1), 0.1)
        self.leave(process, window)
        self.check_statistics(max_dropped=6)

    def test_rtmp_sender_restart(self):
        port = free_port()
        url = f"rtmp://127.0.0.1:{port}/live/video"
        sender = self.start_sender("-c:v", "copy", "-c:a", "aac", "-f", "flv", "-listen", "1", url)
        wait_for_listener(port)
        self.check_restart(sender, *self.watch(url))

    def test_udp_sender_restart(self):
        """UDP has no connection to lose, and buffers no frames. A restarted sender restarts its timestamps."""
        url = f"udp://127.0.0.1:{free_port()}"
        sender = self.start_sender("-c:v", "copy", "-c:a", "aac", "-f", "mpegts", url)
        self.check_restart(sender, *self.watch(url))


class BufferingMessage(TerminalTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", 6, sound=False)

    def test_buffering(self):
        server = HttpServer(self.folder, self.clip.stat().st_size // 5)
        self.addCleanup(server.close)
        self.clip = server.url(self.clip.name)
        self.play()
        self.wait_for_text()
        server.stall()
        wait_for(lambda: "buffering" in self.pane(), "the buffering message")
        server.resume()
        wait_for(lambda: "buffering" not in self.pane(), "playback continues")
        self.check_end(EXIT_DONE)


if __name__ == "__main__":
    unittest.main()
