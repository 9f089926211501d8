"""Harness of the end-to-end tests: runs the program, makes and probes clips, waits for conditions."""

import contextlib
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from fractions import Fraction

PROGRAM = os.environ.get("GLYPHREEL", "")
TOOLS = pathlib.Path(os.environ.get("GLYPHREEL_TEST_TOOLS", "."))
SOURCE_ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = SOURCE_ROOT / "assets" / "demo.mp4"

EXIT_DONE, EXIT_FAILED, EXIT_USAGE, EXIT_NO_DEVICE, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 1, 2, 3, 4, 130
EXIT_TRY_AGAIN = 75  # the exit code of cluster tasks that must run again, possibly on another node

# Output of a crash, a failed assertion, a sanitizer or an uncaught exception on stderr.
ALARMS = re.compile(r"terminate called|Segmentation|Aborted|Assertion|Sanitizer|internal error|failed unexpectedly"
                    r"|\.(cpp|h|hpp):\d+|^#\d+ 0x", re.MULTILINE)
# Vulkan validation messages in the program's output.
VALIDATION = re.compile(r"vulkan validation|VUID-|SYNC-HAZARD")


# Seconds to wait for a required event: long enough for any machine under any load.
PATIENCE = 120


def wait_for(condition, what, seconds=PATIENCE):
    """Polls until condition() is true; returns its value. This is the only place in these tests that sleeps."""
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        value = condition()
        if value:
            return value
        now = time.monotonic()
        if now > deadline:
            raise AssertionError(f"timed out after {seconds} s waiting for: {what() if callable(what) else what}")
        time.sleep(max(0.01, now - began))  # so that checking the condition uses at most half a core


def hold_for(seconds, condition, what):
    """Fails if condition() becomes false within this time. Use it to check that nothing happens."""
    end = time.monotonic() + seconds

    def is_over():
        if not condition():
            raise AssertionError(f"no longer true: {what}")
        return time.monotonic() >= end
    wait_for(is_over, what, seconds + PATIENCE)


def tool(*command, **options):
    """Runs a helper program, which must succeed; returns its standard output as text."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} failed ({done.returncode}): {done.stderr.decode(errors='replace')[-800:]}")
    return done.stdout.decode(errors="replace")


def make_clip(path, *arguments):
    """Makes a clip with ffmpeg; returns its path."""
    tool("ffmpeg", "-v", "error", "-nostdin", "-y", *arguments, path)
    return path


def lavfi(source):
    return ["-f", "lavfi", "-i", source]


def pattern(size="160x90", rate="24", duration="1"):
    """Returns ffmpeg's options for two inputs: a moving test pattern and a tone of the same length."""
    return [*lavfi(f"testsrc2=size={size}:rate={rate}:duration={duration}"),
            *lavfi(f"sine=frequency=440:sample_rate=48000:duration={duration}")]


H264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"]
AAC = ["-c:a", "aac"]


@functools.lru_cache(maxsize=256)
def probed(path, _, words):
    return json.loads(tool("ffprobe", "-v", "error", *words, "-of", "json", path))


def run_ffprobe(path, *words):
    """Returns ffprobe's output as parsed JSON, cached until the file changes."""
    file = os.stat(path)
    return probed(str(path), (file.st_ino, file.st_size, file.st_mtime_ns), words)


def probe(path, stream, *entries):
    """Returns ffprobe's output for the selected stream."""
    return run_ffprobe(path, "-select_streams", stream, "-show_entries", ":".join(entries))


def timeline(path):
    """Returns the video's time base and the timestamps of all decoded frames in seconds, as exact fractions."""
    answer = probe(path, "v:0", "stream=time_base", "frame=best_effort_timestamp")
    tick = Fraction(answer["streams"][0]["time_base"])
    return tick, [int(frame["best_effort_timestamp"]) * tick for frame in answer["frames"]]


def frame_times(path):
    return timeline(path)[1]


def frame_count(path):
    return len(frame_times(path))


def audio_hashes(path):
    """Returns (hash, timestamp) of each audio packet, in order."""
    answer = run_ffprobe(path, "-select_streams", "a:0", "-show_packets", "-show_data_hash", "md5", "-show_entries",
                         "packet=data_hash,pts_time")
    return [(packet["data_hash"], Fraction(packet["pts_time"])) for packet in answer["packets"]]


def picture_hashes(path):
    """Returns a hash of each decoded frame, regardless of its timestamp."""
    lines = tool("ffmpeg", "-v", "error", "-nostdin", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough", "-f",
                 "framemd5", "-").splitlines()
    return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]


def rgb_pictures(path):
    """Returns every frame as 8-bit RGB bytes."""
    size = probe(path, "v:0", "stream=width,height")["streams"][0]
    raw = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), "-map", "0:v:0", "-fps_mode",
                          "passthrough", "-pix_fmt", "rgb24", "-f", "rawvideo", "-"], capture_output=True, check=True)
    length = size["width"] * size["height"] * 3
    return [raw.stdout[at:at + length] for at in range(0, len(raw.stdout), length)]


def clean_environment(home, **changes):
    """Returns the caller's environment with `changes`, but without display, configuration or caches. A change to None
    removes the variable."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "GLYPHREEL_VALIDATION")
            and not name.startswith("XDG_")}
    kept.update(HOME=str(home), XDG_CACHE_HOME=str(home / "cache"), XDG_CONFIG_HOME=str(home / "config"),
                LC_ALL="C.UTF-8")
    for name, value in changes.items():
        if value is None:
            kept.pop(name, None)
        else:
            kept[name] = str(value)
    return kept


NO_VULKAN = {"VK_DRIVER_FILES": "/nonexistent/driver.json", "VK_ICD_FILENAMES": "/nonexistent/driver.json"}


class Outcome:
    """The result of one run of the program."""

    def __init__(self, words, code, stdout, stderr):
        self.words, self.code, self.stdout, self.stderr = words, code, stdout, stderr

    def lines(self):
        return [line for line in self.stderr.splitlines() if line.strip()]

    def __str__(self):
        words = " ".join(map(str, self.words))
        return f"glyphreel {words}\nexit {self.code}\nstdout: {self.stdout[-1500:]}\nstderr: {self.stderr[-3000:]}"


class ProgramTest(unittest.TestCase):
    """A test that runs the program. Each class has a folder (`folder`), and each test has a subfolder of it (`here`)."""

    @classmethod
    def setUpClass(cls):
        if not PROGRAM:
            raise AssertionError("set GLYPHREEL to the path of the program to test")
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="glyphreel-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (cls.folder / "cache").mkdir()
        cls.make_clips()

    @classmethod
    def make_clips(cls):
        """Override to make the clips that the tests of the class share."""

    def setUp(self):
        self.here = self.folder / self._testMethodName
        self.here.mkdir()

    def environment(self, **changes):
        return clean_environment(self.folder, **{"XDG_STATE_HOME": self.here / "state", **changes})

    def start(self, *words, env=None, **options):
        """Starts the program in `here`; it is killed when the test ends."""
        process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=options.pop("cwd", self.here),
                                   env=self.environment(**(env or {})), stdin=options.pop("stdin", subprocess.DEVNULL),
                                   **options)
        self.addCleanup(end_process, process)
        return process

    def run_program(self, *words, env=None, timeout=PATIENCE, **options):
        """Runs the program to its end and checks for signs of a crash."""
        options.setdefault("stdout", subprocess.PIPE)
        process = self.start(*words, env=env, stderr=subprocess.PIPE, **options)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            stdout, stderr = process.communicate()
            outcome = Outcome(words, "none", (stdout or b"").decode(errors="replace"), stderr.decode(errors="replace"))
            raise AssertionError(f"still running after {timeout} s: {outcome}") from None
        outcome = Outcome(words, process.returncode, (stdout or b"").decode(errors="replace"),
                          stderr.decode(errors="replace"))
        self.assert_clean_exit(outcome)
        return outcome

    def assert_clean_exit(self, outcome):
        """Checks that the program exited with a documented code and printed no crash trace."""
        self.assertGreaterEqual(outcome.code, 0, outcome)
        self.assertIn(outcome.code, (0, 1, 2, 3, 4, 75, 130), outcome)
        self.assertIsNone(ALARMS.search(outcome.stderr), outcome)

    def succeed(self, *words, **options):
        outcome = self.run_program(*words, **options)
        self.assertEqual(outcome.code, EXIT_DONE, outcome)
        return outcome

    def refuse(self, code, mentions, *words, lines=1, **options):
        """Runs the program, which must fail with `code`. The last line on stderr must begin with "glyphreel: " and
        contain every text of `mentions`, ignoring case. `lines`: the number of lines on stderr; None: any number."""
        outcome = self.run_program(*words, **options)
        self.assertEqual(outcome.code, code, outcome)
        messages = outcome.lines()
        self.assertTrue(messages, f"failed without a message: {outcome}")
        if lines is not None:
            self.assertEqual(len(messages), lines, outcome)
        self.assertTrue(messages[-1].startswith("glyphreel: "), outcome)
        for word in [mentions] if isinstance(mentions, str) else mentions:
            self.assertIn(word.lower(), messages[-1].lower(), outcome)
        self.assertNotIn("\x1b", outcome.stderr, outcome)
        return outcome

    def assert_nothing_written(self, output):
        """Checks that neither the output nor a temporary file next to it exists."""
        output = pathlib.Path(output)
        left = sorted(path.name for path in output.parent.glob("*") if path.name.startswith(output.stem))
        self.assertEqual(left, [], "files left by a refused run")

    def assert_complete(self, output):
        """Checks that the output exists only under its final name and decodes without errors."""
        output = pathlib.Path(output)
        self.assertTrue(output.is_file(), f"{output.name} is missing; found {os.listdir(output.parent)}")
        left = [path.name for path in output.parent.glob(output.stem + ".*") if path.suffixes[:-1]]
        self.assertEqual(left, [], "temporary files left by a complete recording")
        self.assertEqual(decode_errors(output), "", f"{output.name} does not decode cleanly")

    def gpu_names(self):
        gpus = json.loads(self.succeed("info", "--json").stdout)["gpus"]
        return [gpu["name"] for gpu in gpus if gpu["usable"]]


def decode_errors(path):
    """Decodes the whole file; returns ffmpeg's messages, which are empty if there are no errors."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-xerror", "-i", str(path), "-map", "0", "-fps_mode",
                           "passthrough", "-enc_time_base", "-1", "-f", "null", "-"], capture_output=True)
    text = done.stderr.decode(errors="replace").strip()
    return text or ("" if done.returncode == 0 else f"ffmpeg exited with status {done.returncode}")


def end_process(process):
    if process.poll() is None:
        process.kill()
    with contextlib.suppress(Exception):
        process.wait(10)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(OSError):
                pipe.close()


def interrupt(process, number=signal.SIGINT):
    process.send_signal(number)


def part_of(output):
    """Returns NAME.part.EXT, the file of an unfinished recording."""
    output = pathlib.Path(output)
    return output.with_name(f"{output.stem}.part{output.suffix}")
