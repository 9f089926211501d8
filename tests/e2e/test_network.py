#!/usr/bin/env python3
"""Playing from servers that stall, break off and come back: by pictures that tell their numbers."""

import json
import re
import time
import unittest

from harness import EXIT_BAD_INPUT, EXIT_DONE, H264, ProgramTest, lavfi, make_clip, tool, wait_for
from numbered import make_numbered
from servers import HttpServer, Sender, free_port, wait_for_listener
from test_player import RATE, AudiblePlayer
from test_terminal import TerminalTest


class Network(AudiblePlayer):
    MEASURES = False  # also what a busy machine may miss, see tests/bench/timing_network.py

    @classmethod
    def make_clips(cls):
        cls.clip = make_numbered(cls.folder / "numbers.mkv", 60)
        cls.stream = make_clip(cls.folder / "stream.mkv", "-i", cls.clip, "-t", "9", "-c:v", "copy", "-c:a", "aac")

    def watch(self, *words):
        """With sound: it is the clock, and what comes late of it shows in the statistics."""
        self.stats = self.here / "stats.json"
        return super().watch(*words, "--stats", self.stats, env=self.sound())

    def sends(self, *output):
        sender = Sender(self.clip, *output)
        self.addCleanup(sender.close)
        return sender

    def check_flow(self, watch, since, until=None):
        """The pictures shown since then follow each other."""
        numbers = [number for when, number in watch.numbers(since) if until is None or when < until]
        self.assertEqual(numbers, sorted(numbers), "a picture from elsewhere")
        if self.MEASURES:
            self.assertLess(max((b - a for a, b in zip(numbers, numbers[1:])), default=1), RATE // 3, numbers)
        return numbers

    def check_statistics(self, most_dropped):
        answer = json.loads(self.stats.read_text())
        self.assertGreater(answer["frames"]["presented"], 0)
        if self.MEASURES:
            self.assertLessEqual(answer["frames"]["dropped"], most_dropped, answer["frames"])
            self.assertLess(abs(answer["av"]["mean_ms"]), 40, answer["av"])


class Https(ProgramTest):
    """Connections that say goodbye when they are closed."""

    def test_a_master_playlist(self):
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


class WebServer(Network):
    def test_a_web_server_that_stalls_and_breaks_off(self):
        server = HttpServer(self.folder, self.stream.stat().st_size // 8)  # little faster than it is played
        self.addCleanup(server.close)
        began = time.monotonic()
        process, window, watch = self.watch(server.url(self.stream.name))
        watch.wait(lambda number: number > RATE, "the second second")
        server.stall()
        number = watch.still(2)
        server.go_on()
        watch.wait(lambda shown: shown > number + RATE, "the film goes on")
        server.go_away()
        number = watch.still(1)
        server.come_back()
        watch.wait(lambda shown: shown > number + RATE, "the film goes on when the server is back")
        self.finish(process)
        numbers = self.check_flow(watch, began)
        self.assertGreater(numbers[-1], 9 * RATE - 4)
        self.check_statistics(most_dropped=4)


class Hls(Network):
    def test_hls_whose_segments_vanish(self):
        server = HttpServer(self.here)
        self.addCleanup(server.close)
        sender = self.sends("-c:v", "copy", "-c:a", "aac", "-f", "hls", "-hls_time", "1", "-hls_list_size", "3", "-hls_flags",
                            "delete_segments+temp_file", self.here / "live.m3u8")
        wait_for(lambda: (self.here / "live2.ts").exists(), "segments")
        process, window, watch = self.watch(server.url("live.m3u8"))
        number = watch.wait(lambda shown: shown > 2 * RATE, "pictures")
        server.go_away()
        segments = lambda: set(re.findall(r"\S+\.ts", (self.here / "live.m3u8").read_text()))
        known = segments()
        number = watch.still(1)
        wait_for(lambda: segments().isdisjoint(known), "all segments that the player knows are gone")
        server.come_back()
        # FFmpeg waits longer from try to try: 7 s before the fourth.
        shown = watch.wait(lambda shown: shown > number + 4 * RATE, "what is sent now")
        since = time.monotonic()
        watch.wait(lambda number: number > shown + 1.5 * RATE, "it goes on")
        self.check_flow(watch, since)
        self.assertIsNone(sender.process.poll(), "the sender has ended")
        self.leave(process, window)
        self.check_statistics(most_dropped=12)


class Senders(Network):
    def comes_back(self, sender, process, window, watch):
        """The sender starts over: its first picture is shown, and then all of them in their time."""
        watch.wait(lambda shown: shown > 2 * RATE, "pictures")
        sender.kill()
        watch.still(0.6)
        sender.begin()
        watch.wait(lambda shown: shown < RATE, "the first pictures again")
        watch.wait(lambda shown: shown == RATE or RATE < shown < 2 * RATE, "the second second")
        since = time.monotonic()
        watch.wait(lambda shown: shown > 3 * RATE, "it goes on")
        shown = watch.numbers(since)
        self.check_flow(watch, since)
        if self.MEASURES:
            speed = (shown[-1][1] - shown[0][1]) / (shown[-1][0] - shown[0][0]) / RATE
            self.assertLess(abs(speed - 1), 0.1)
        self.leave(process, window)
        self.check_statistics(most_dropped=6)

    def test_an_rtmp_sender_that_starts_over(self):
        port = free_port()
        url = f"rtmp://127.0.0.1:{port}/live/film"
        sender = self.sends("-c:v", "copy", "-c:a", "aac", "-f", "flv", "-listen", "1", url)
        wait_for_listener(port)
        self.comes_back(sender, *self.watch(url))

    def test_a_datagram_sender_that_starts_over(self):
        """Nothing lies ready when it is back, and its time begins anew without a break of the connection."""
        url = f"udp://127.0.0.1:{free_port()}"
        sender = self.sends("-c:v", "copy", "-c:a", "aac", "-f", "mpegts", url)
        self.comes_back(sender, *self.watch(url))


class Told(TerminalTest):
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
        wait_for(lambda: "buffering" in self.pane(), "it says that it waits")
        server.go_on()
        wait_for(lambda: "buffering" not in self.pane(), "it goes on")
        self.check_end(EXIT_DONE)


if __name__ == "__main__":
    unittest.main()
