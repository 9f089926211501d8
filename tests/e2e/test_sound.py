"""Tests audio output without tight timing bounds; tests/bench/timing_sound.py measures the timing."""

import pathlib
import tempfile
import unittest

import sound
from harness import wait_for


class SoundTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.beeps = sound.make_tone(cls.folder / "beeps.flac", 70)

    def own_server(self):
        """A private server that a test may kill or suspend."""
        server = sound.SoundServer()
        self.addCleanup(server.__exit__)
        server.start()
        return server

    def record(self, server):
        recorder = server.record()
        self.addCleanup(recorder.close)
        return recorder

    def play(self, server, *arguments):
        played = sound.SoundProbe(server, arguments)
        self.addCleanup(played.close)
        return played


class AudioClock(SoundTest):
    """Tests properties of the clock that do not depend on the machine's load."""

    def test_clock_and_recorded_beeps(self):
        server = sound.shared_server()
        recorder = self.record(server)
        played = self.play(server, self.beeps, "3.5:quit").wait()
        recorder.stop()
        self.assertGreaterEqual(len(recorder.begins), 3, played.summary)
        media = [reading[1] for reading in played.clock]
        self.assertEqual(media, sorted(media), "the clock runs backwards")
        (begin, first, _), (end, last, _) = played.clock[0], played.clock[-1]
        self.assertGreater(last, 3)
        self.assertLess(last - first, end - begin + 0.1, "the clock runs faster than real time")

    def test_clock_speed_pause_and_seek(self):
        played = self.play(sound.shared_server(), self.beeps, "0.4:speed=2", "0.8:pause", "1.2:resume", "1.6:seek=30.4",
                           "2:quit").wait()
        at = played.command_times
        between = lambda begin, end: [reading for reading in played.clock if at[begin] < reading[0] < at[end]]
        self.assertEqual({rate for *_, rate in between("pause", "resume")} - {2.0}, set())
        self.assertEqual(between("resume", "seek")[-1][2], 2)
        (paused_at, before, _), (resumed_at, after, _) = between("speed", "pause")[-1], between("resume", "seek")[0]
        self.assertGreaterEqual(after, before, "the clock runs backwards across the pause")
        played_on = 2 * (at["pause"] - paused_at + resumed_at - at["resume"])
        self.assertLess(after - before, played_on + 0.1, "the clock skips ahead across the pause")
        sought = between("seek", "quit")
        self.assertGreaterEqual(sought[-1][1], 30.4 - 0.1)
        self.assertLess(sought[-1][1], 30.4 + 2 * (sought[-1][0] - at["seek"]) + 0.1)


class AudioDevice(SoundTest):
    def test_no_server(self):
        server = self.own_server()
        server.kill()
        with self.assertRaisesRegex(RuntimeError, "3 No PulseAudio or PipeWire server responds"):
            self.play(server, self.beeps).wait()

    def test_pause_is_silent(self):
        tone = sound.make_tone(self.folder / "tone.flac", 20, sound.ALWAYS)
        server = sound.shared_server()
        recorder = self.record(server)
        played = self.play(server, tone, "1:pause", "1.7:resume", "2.4:quit").wait()
        recorder.stop()
        events = sorted([(when, "begin") for when in recorder.begins] + [(when, "end") for when in recorder.ends])
        began = next(when for when, what in events if what == "begin" and when > played.command_times["resume"])
        silent = max(when for when, what in events if what == "end" and when < began)
        self.assertGreater(silent, played.command_times["pause"], events)
        self.assertLess(silent, played.command_times["resume"], events)

    def test_server_restart(self):
        server = self.own_server()
        played = self.play(server, self.beeps, "65:quit")
        wait_for(lambda: len(played.clock) > 100, "the clock runs")
        server.kill()
        wait_for(lambda: len(played.silent) > 10, "the clock is unavailable without output")
        before = played.clock[-1]
        server.start()
        recorder = self.record(server)
        wait_for(lambda: played.clock[-1][1] > before[1] + 1, "the clock runs again")
        wait_for(lambda: recorder.begins, "a recorded beep")
        self.assertIsNone(played.process.poll())

    def test_device_resumes_after_suspend(self):
        server = self.own_server()
        played = self.play(server, self.beeps, "65:quit")
        wait_for(lambda: len(played.clock) > 100, "the clock runs")
        server.suspend(True)
        wait_for(lambda: len(played.silent) > 10, "the clock is unavailable without output")
        before = played.clock[-1]
        server.suspend(False)
        recorder = self.record(server)
        wait_for(lambda: played.clock[-1][1] > before[1] + 1, "the clock runs again")
        wait_for(lambda: recorder.begins, "a recorded beep")
        self.assertIsNone(played.process.poll())


if __name__ == "__main__":
    unittest.main()
