"""A sound server of the test's own, with a sink that plays to nobody, and what is heard there."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

TOOLS = pathlib.Path(os.environ.get("GLYPHREEL_TEST_TOOLS", "."))


class SoundServer:
    """A private PulseAudio with a null sink, `testsink`; `environment` leads programs to it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="glyphreel-sound-")
        self.environment = dict(
            os.environ,
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
        deadline = time.monotonic() + 20
        while subprocess.run(["pactl", "info"], env=self.environment, capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                raise RuntimeError("PulseAudio does not start")
            time.sleep(0.05)
        # A null sink that nothing plays to holds two seconds; a player of short latency, once those are over, keeps it awake.
        self.silence = subprocess.Popen(
            ["pacat", "--latency-msec=10", "-d", "testsink", "/dev/zero"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        time.sleep(2.5)

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
                process.wait(timeout=10)
        self.silence = self.server = None

    def record(self, seconds=600):
        """Starts to record for so long, or until stopped; give the result to onsets()."""
        return subprocess.Popen(
            [TOOLS / "audio_onsets", str(seconds)], env=self.environment, stdout=subprocess.PIPE, text=True
        )


def onsets(recorder, what="begin"):
    """Monotonic times at which sounds begin, or end; stops the recorder."""
    time.sleep(0.5)
    recorder.terminate()
    out, _ = recorder.communicate(timeout=60)
    return [float(line.split()[1]) for line in out.splitlines() if line.startswith(what)]


BEEPS = "lt(mod(t,1),0.1)*gte(t,1)"  # 0.1 s at each full second but the first
ALWAYS = "1"


def make_tone(path, seconds, when=BEEPS):
    """A tone of 1 kHz."""
    subprocess.run(
        [
            "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i",
            f"aevalsrc='0.5*sin(2*PI*1000*t)*{when}':s=48000:d={seconds}", "-c:a", "flac", str(path),
        ],
        check=True,
    )


class Played:
    """What sound_probe printed."""

    def __init__(self, text):
        self.clock = []  # (now, media, rate)
        self.did = []  # (now, command)
        self.silent = []
        self.summary = ""
        for line in text.splitlines():
            word, *rest = line.split()
            if word == "clock":
                self.clock.append(tuple(float(value) for value in rest))
            elif word == "did":
                self.did.append((float(rest[0]), rest[1]))
            elif word == "silent":
                self.silent.append(float(rest[0]))
            else:
                self.summary = line

    def expected(self, period=1.0):
        """(monotonic time, media time) at which the clock passes each beep, by neighbouring readings without a jump."""
        found = []
        for (t0, m0, r0), (t1, m1, _) in zip(self.clock, self.clock[1:]):
            beep = -(-m0 // period) * period
            is_steady = abs(m1 - m0 - (t1 - t0) * r0) < 0.02 and t1 - t0 < 0.1
            if is_steady and beep >= 1 and m0 <= beep < m1:
                found.append((t0 + (beep - m0) / r0, beep))
        return found


def play(server, arguments, timeout=300):
    result = subprocess.run(
        [TOOLS / "sound_probe", *map(str, arguments)], env=server.environment, capture_output=True, text=True,
        timeout=timeout, check=False,
    )
    if result.returncode != 0:
        raise RuntimeError(f"sound_probe: {result.returncode} {result.stderr}")
    return Played(result.stdout)


def offsets(heard, expected, nearest=0.3):
    """Seconds by which each expected beep was heard late; None where none was heard near it."""
    result = []
    for time_expected, _ in expected:
        close = [h - time_expected for h in heard if abs(h - time_expected) < nearest]
        result.append(min(close, key=abs) if close else None)
    return result
