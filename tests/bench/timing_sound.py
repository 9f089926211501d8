"""Compares the time at which audio is output with the player's clock."""

import statistics

import sound
import test_sound
from harness import hold_for, wait_for
from av_sync import busy_cpus

MAX_SECONDS = 0.010  # maximum difference between the clock and the recorded audio


class SoundTiming(test_sound.SoundTest):
    def check(self, played, onsets, least, max_seconds=MAX_SECONDS):
        expected = played.expected()
        self.assertGreaterEqual(len(expected), least, played.summary)
        offsets = sound.offsets(onsets, expected)
        self.assertNotIn(None, offsets, (expected, onsets))
        text = " ".join(f"{offset * 1000:.1f}" for offset in offsets)
        print(f"{self.id().split('.', 1)[-1]}: {text} ms; {played.summary}", flush=True)
        self.assertLess(abs(statistics.median(offsets)), max_seconds, text)
        # On a busy machine the sound server and the recorder may be late for a few beeps.
        self.assertLessEqual(sum(abs(offset) > max_seconds for offset in offsets), len(offsets) // 4, text)


class AudioClock(SoundTiming):
    def measure(self, seconds, *commands, least):
        server = sound.shared_server()
        recorder = self.record(server)
        played = self.play(server, self.beeps, *commands, f"{seconds}:quit").wait()
        recorder.stop()
        self.check(played, recorder.begins, least)

    def test_normal_speed(self):
        self.measure(15, least=14)

    def test_half_speed(self):
        self.measure(15, "0:speed=0.5", least=6)

    def test_double_speed(self):
        self.measure(12, "0:speed=2", least=20)

    def test_speed_changes(self):
        self.measure(14, "2:speed=2", "5:speed=0.75", "10:speed=1", least=10)

    def test_pauses(self):
        self.measure(12, "2.3:pause", "3:resume", "4.5:pause", "4.6:resume", "7.25:pause", "8.5:resume", least=8)

    def test_seeks(self):
        self.measure(14, "2.3:seek=30.4", "4.5:seek=10.6", "4.6:seek=60", "4.7:seek=11.2", "4.75:seek=40.5", "9.1:seek=3.4",
                     least=10)

    def test_busy_cpus(self):
        with busy_cpus():
            self.measure(15, least=8)


class AudioDevice(SoundTiming):
    def test_pause_latency(self):
        tone = sound.make_tone(self.folder / "tone.flac", 20, sound.ALWAYS)
        server = sound.shared_server()
        recorder = self.record(server)
        played = self.play(server, tone, "2:pause", "3:resume", "5:quit").wait()
        recorder.stop()
        paused, resumed = played.command_times["pause"], played.command_times["resume"]
        silent_after = min(when - paused for when in recorder.ends if abs(when - paused) < 0.5)
        sounds_after = min(when - resumed for when in recorder.begins if when > resumed)
        print(f"silent {1000 * silent_after:.1f} ms after the pause, sound {1000 * sounds_after:.1f} ms after resuming",
              flush=True)
        self.assertLess(silent_after, 0.030)
        self.assertLess(sounds_after, 0.060)

    def test_server_restart(self):
        server = self.own_server()
        played = self.play(server, self.beeps, "24:quit")
        wait_for(lambda: played.clock and played.clock[-1][1] > 4.3, "some beeps")
        server.kill()
        hold_for(2, lambda: played.process.poll() is None, "the player runs")
        server.start()
        recorder = self.record(server)
        played.wait()
        recorder.stop()
        onsets = recorder.begins
        self.assertGreater(len(played.silent), 100)
        before = max(reading for reading in played.clock if reading[0] < played.silent[0])
        played.clock = [reading for reading in played.clock if onsets[0] - 0.5 < reading[0] < onsets[-1] + 0.5]
        # The clock must also agree with real time during the outage of the server.
        first = played.clock[0]
        self.assertLess(abs((first[0] - before[0]) - (first[1] - before[1])), 0.5)
        self.check(played, onsets, 6)

    def test_device_resumes_after_suspend(self):
        server = self.own_server()
        recorder = self.record(server)
        played = self.play(server, self.beeps, "14:quit")
        for is_suspended in (True, False):
            hold_for(2.5, lambda: played.process.poll() is None, "the player runs")
            server.suspend(is_suspended)
        played.wait()
        recorder.stop()
        self.assertGreater(len(played.silent), 100)
        self.check(played, recorder.begins, 8)
