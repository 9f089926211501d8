"""Runs a private sound server with a null sink, and records when sounds on the sink begin and end."""

import atexit
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from harness import PATIENCE, TOOLS, end_process, wait_for



class SoundServer:
    """A private PulseAudio with a null sink, `testsink`. Programs run with `environment` use it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="glyphreel-sound-")
        self.environment = dict(
            os.environ,
            LC_ALL="C",
            HOME=self.folder,
            XDG_RUNTIME_DIR=self.folder,
            PULSE_RUNTIME_PATH=self.folder,
            PULSE_SERVER=f"unix:{self.folder}/native",
        )
        self.server = None
        self.silence = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        socket = pathlib.Path(self.folder, "native")
        socket.unlink(missing_ok=True)
        self.server = subprocess.Popen(
            [
                "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
                "-L", f"module-native-protocol-unix socket={socket} auth-anonymous=1",
                "-L", "module-null-sink sink_name=testsink rate=48000 channels=2",
            ],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: self.ask("info") is not None, "PulseAudio starts")
        # A low-latency stream of silence prevents the sink from rendering two seconds ahead. Suspending the sink drops the
        # audio that it rendered before that stream started.
        self.silence = subprocess.Popen(
            ["pacat", "--latency-msec=10", "-d", "testsink", "/dev/zero"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: self.latency_us("configured") <= 10_000, "the sink's latency is short")
        self.suspend(True)
        self.suspend(False)
        wait_for(lambda: self.latency_us("Latency:") <= 50_000, lambda: f"the sink does not render ahead: {self.ask('list', 'sinks')}")

    def ask(self, *words):
        """Runs pactl; returns its output, or None if it fails."""
        done = subprocess.run(["pactl", *words], env=self.environment, capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def latency_us(self, which):
        """Returns a latency of the sink in microseconds. `which`: "Latency:" (how far the sink currently renders ahead)
        or "configured" (the latency that its clients have requested)."""
        return int(re.search(rf"{which} (\d+) usec", self.ask("list", "sinks"))[1])

    def suspend(self, is_suspended):
        subprocess.run(["pactl", "suspend-sink", "testsink", "1" if is_suspended else "0"], env=self.environment, check=True)

    def kill(self):
        for process in (self.silence, self.server):
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGKILL)
        self._wait()

    def stop(self):
        for process in (self.silence, self.server):
            if process is not None and process.poll() is None:
                process.terminate()
        self._wait()

    def _wait(self):
        for process in (self.silence, self.server):
            if process is not None:
                process.wait(PATIENCE)
        self.silence = self.server = None

    def record(self):
        """Returns a Recorder that has started to record."""
        recorder = Recorder(self.environment)
        wait_for(lambda: recorder.captured_until is not None, "the recorder starts")
        return recorder


@functools.cache
def shared_server():
    """Returns the sound server shared by all tests of this process, except those that kill or suspend theirs."""
    server = SoundServer()
    server.start()
    atexit.register(server.__exit__)
    return server


class Recorder:
    """Records the monotonic times at which sounds begin and end at the sink's monitor."""

    def __init__(self, environment):
        self.begins, self.ends = [], []
        self.captured_until = None  # sounds up to this time are in the lists
        self.process = subprocess.Popen([TOOLS / "audio_onsets", str(24 * 3600)], env=environment, stdout=subprocess.PIPE,
                                        text=True)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            what, when = line.split()
            if what == "until":
                self.captured_until = float(when)
            else:
                {"begin": self.begins, "end": self.ends}[what].append(float(when))

    def stop(self):
        """Waits until all sounds played until now are in the lists, and stops."""
        now = time.monotonic()
        wait_for(lambda: self.captured_until > now, "the recorder catches up")
        self.close()

    def close(self):
        end_process(self.process)
        self.thread.join(PATIENCE)


BEEPS = "lt(mod(t,1),0.1)*gte(t,1)"  # 0.1 s long, at each full second except 0
ALWAYS = "1"


def make_tone(path, seconds, when=BEEPS):
    """Makes a 1 kHz tone; returns the path."""
    subprocess.run(
        [
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
            f"aevalsrc='0.5*sin(2*PI*1000*t)*{when}':s=48000:d={seconds}", "-c:a", "flac", str(path),
        ],
        check=True,
    )
    return path


class SoundProbe:
    """A running audio_probe. Its output is added to the fields as it arrives."""

    def __init__(self, server, arguments):
        self.clock = []  # audio_probe's readings: (monotonic time, media time, rate)
        self.command_times = {}  # command: monotonic time at which it started
        self.silent = []
        self.summary = ""
        self.process = subprocess.Popen([TOOLS / "audio_probe", *map(str, arguments)], env=server.environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "clock":
                self.clock.append(tuple(float(value) for value in rest))
            elif word == "did":
                self.command_times[rest[1]] = float(rest[0])
            elif word == "silent":
                self.silent.append(float(rest[0]))
            else:
                self.summary = line

    def wait(self, seconds=300):
        """Waits until audio_probe exits."""
        if self.process.wait(seconds) != 0:
            raise RuntimeError(f"audio_probe: {self.process.returncode} {self.process.stderr.read()}")
        self.thread.join(PATIENCE)
        self.close()
        return self

    def close(self):
        end_process(self.process)
        self.thread.join(PATIENCE)

    def expected(self, period=1.0):
        """Returns the (monotonic time, media time) of each beep, interpolated between readings of the clock. Omits
        beeps near a jump of the clock or a gap in the readings."""
        found = []
        for (t0, m0, r0), (t1, m1, _) in zip(self.clock, self.clock[1:]):
            beep = -(-m0 // period) * period
            is_steady = abs(m1 - m0 - (t1 - t0) * r0) < 0.02 and t1 - t0 < 0.1
            if is_steady and beep >= 1 and m0 <= beep < m1:
                found.append((t0 + (beep - m0) / r0, beep))
        return found


def offsets(onsets, expected, nearest=0.3):
    """Returns by how many seconds each expected beep was late; None if no sound began within `nearest` seconds of it."""
    result = []
    for time_expected, _ in expected:
        close = [onset - time_expected for onset in onsets if abs(onset - time_expected) < nearest]
        result.append(min(close, key=abs) if close else None)
    return result
