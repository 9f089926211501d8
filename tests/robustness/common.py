"""Functions for the robustness scripts: running the program in separate folders, checking its contract, reporting."""

import argparse
import collections
import concurrent.futures
import dataclasses
import os
import pathlib
import random
import resource
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from harness import ALARMS, SOURCE_ROOT, clean_environment, make_clip, tool  # noqa: E402,F401

EXIT_CODES = (0, 1, 2, 3, 4, 130)
LARGEST_FILE = 1 << 28  # bytes; keeps an endless run from filling the disk
KEPT_PER_KIND = 5


def arguments(description, count, **more):
    """Parses the options common to all scripts. `more`: additional options with their default values."""
    parser = argparse.ArgumentParser(description=description)
    default = os.environ.get("GLYPHREEL") or SOURCE_ROOT / "build" / "check" / "src" / "glyphreel"
    parser.add_argument("--program", type=pathlib.Path, default=default,
                        help="program to test (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=count, help="number of cases (default: %(default)s)")
    parser.add_argument("--only", type=int, help="run only the case with this number")
    parser.add_argument("--jobs", type=int, default=2, help="parallel cases (default: %(default)s)")
    parser.add_argument("--failures", type=pathlib.Path,
                        help="folder for the files of failed cases (default: one in the temporary folder)")
    for name, value in more.items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    options = parser.parse_args()
    options.program = pathlib.Path(options.program).resolve()
    if not os.access(options.program, os.X_OK):
        parser.error(f"{options.program} is not executable: build it, or pass --program")
    script = pathlib.Path(sys.argv[0]).stem
    options.failures = options.failures or pathlib.Path(tempfile.gettempdir()) / f"glyphreel-{script}-{options.seed}"
    return options


@dataclasses.dataclass
class Outcome:
    """The result of one run. `code`: the exit code, or minus the number of the signal that ended the run. `late`: the
    run exceeded its time limit and received SIGINT. `hung`: SIGINT did not end it either."""
    words: list
    code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    peak_mb: float
    late: bool = False
    hung: bool = False
    seconds_to_stop: float = 0.0

    def command(self):
        words = [word if len(word) < 300 else word[:100] for word in self.words]
        return "glyphreel " + " ".join(shlex.quote(os.fsdecode(word)) if printable(word) else ascii(word)
                                       for word in words)

    def __str__(self):
        return (f"$ {self.command()}\nexit {self.code}, {self.seconds:.2f} s, {self.peak_mb:.0f} MB"
                f"{', hung' if self.hung else ', interrupted at its time limit' if self.late else ''}\n"
                f"stdout: {ascii(self.stdout[-600:])}\nstderr: {ascii(self.stderr[-2000:])}\n")


def printable(word):
    return os.fsdecode(word).isprintable()


class Run:
    """One process of the program in its own process group, with its output in files."""

    def __init__(self, program, words, folder, environment, log, prefix=(), **pipes):
        self.words = [os.fspath(word) for word in words]
        self.stdout, self.stderr = open(f"{log}.stdout", "w+b"), open(f"{log}.stderr", "w+b")
        given = {"stdin": subprocess.DEVNULL, "stdout": self.stdout, "stderr": self.stderr,
                 "start_new_session": not prefix, **pipes}
        self.begun = time.monotonic()
        self.process = subprocess.Popen([*prefix, os.fspath(program), *self.words], cwd=folder, env=environment,
                                        **given)
        self.pidfd = os.pidfd_open(self.process.pid)
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        self.timers = []

    def send_later(self, number, seconds):
        """Sends a signal after `seconds`, unless the process has ended."""
        timer = threading.Timer(seconds, self.send, [number])
        self.timers.append(timer)
        timer.start()

    def send(self, number):
        try:
            signal.pidfd_send_signal(self.pidfd, number)
        except ProcessLookupError:
            pass

    def ended_within(self, seconds):
        waiting = select.poll()
        waiting.register(self.pidfd, select.POLLIN)
        return bool(waiting.poll(max(0.0, seconds) * 1000))

    def finish(self, limit, patience=5.0):
        """Waits for the process. Sends SIGINT after `limit` seconds. If the process then runs for another `patience`
        seconds, the run counts as hung. In the end, kills the process group."""
        late = not self.ended_within(limit)
        hung, asked = False, time.monotonic()
        if late:
            self.send(signal.SIGINT)
            hung = not self.ended_within(patience)
        to_stop = time.monotonic() - asked
        for timer in self.timers:
            timer.cancel()
            timer.join()
        try:  # The group still exists if a child process is left.
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self.pidfd)
        outputs = []
        for file in (self.stdout, self.stderr):
            file.seek(0)
            outputs.append(file.read(1 << 22))
            file.close()
        return Outcome(self.words, self.process.returncode, *outputs, time.monotonic() - self.begun,
                       usage.ru_maxrss / 1024, late, hung, to_stop if late else 0.0)


class Case:
    """A numbered case with its own random generator and folder. Collects problems as (kind, detail)."""

    def __init__(self, options, number, parent):
        self.options, self.number = options, number
        self.random = random.Random(f"{options.seed}:{number}")
        self.root = parent / f"case-{number:05}"
        self.work = self.root / "work"
        self.work.mkdir(parents=True)
        self.home = self.root / "home"
        self.home.mkdir()
        self.outcomes, self.problems, self.notes = [], [], []

    def start(self, words, prefix=(), pipes=None, **changes):
        folders = {f"XDG_{name}_HOME": self.home / name.lower() for name in ("CACHE", "CONFIG", "DATA", "STATE")}
        environment = clean_environment(self.home, **folders, **changes)
        log = self.root / f"run-{len(list(self.root.glob('*.stdout')))}"
        return Run(self.options.program, words, self.work, environment, log, prefix, **(pipes or {}))

    def run(self, words, limit=20.0, patience=5.0, **more):
        outcome = self.start(words, **more).finish(limit, patience)
        self.outcomes.append(outcome)
        return outcome

    def problem(self, kind, detail=""):
        self.problems.append((kind, detail))

    def note(self, kind):
        self.notes.append(kind)

    def check_contract(self, outcome, signals=()):
        """Checks that the run did not crash or hang and has a documented exit code. `signals`: those sent by the test."""
        if outcome.hung:
            self.problem("hang", f"still running {outcome.seconds_to_stop:.1f} s after SIGINT")
        elif outcome.code < 0 and -outcome.code not in signals:
            self.problem(f"crash ({signal.Signals(-outcome.code).name})")
        elif outcome.code >= 0 and outcome.code not in EXIT_CODES:
            self.problem("undocumented exit code", str(outcome.code))
        elif outcome.code == 4 and b"interrupted" in outcome.stderr.lower():
            self.problem("an interrupt ended in exit code 4")
        alarm = ALARMS.search(outcome.stderr.decode(errors="replace"))
        if alarm:
            self.problem("crash or assertion message on stderr", alarm.group())


def raw_controls(text):
    """Returns the first control character other than newline in bytes written to a pipe, or None. Detects C1 characters
    both as UTF-8 and as single bytes."""
    for character in text.decode("utf-8", "surrogateescape"):
        code = ord(character)
        if (code < 32 and character != "\n") or 0x7F <= code <= 0x9F or 0xDC80 <= code <= 0xDC9F:
            return ascii(character)
    return None


def recording_error(path, allowed, at_most, grid=None):
    """Returns why the file is not a valid recording; empty if it is. A valid recording can be read to its end. It has one of
    the `allowed` frame counts or, because the run may have been interrupted, any count from 1 to `at_most`. `grid`: the
    (columns, rows) of a text file, if known."""
    if path.suffix == ".txt":
        pages = path.read_bytes().decode("utf-8", "replace").split("\f")
        frames = len(pages) - 1
        if pages[-1] or "\0" in "".join(pages):
            return "its text has incomplete frames"
        widths = grid and [grid[0]] * grid[1] + [0]
        if grid and any([len(line) for line in shown.split("\n")] != widths for shown in pages[:-1]):
            return "its frames do not have the size of the grid"
    else:
        done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-xerror", "-i", path, "-map", "0:v:0", "-map",
                               "0:a?", "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "framemd5", "-"],
                              capture_output=True, check=False)
        if done.returncode or done.stderr.strip():
            return "ffmpeg: " + done.stderr.decode(errors="replace").strip()[-200:]
        frames = sum(line.startswith(b"0,") for line in done.stdout.splitlines())
    if frames in allowed or 0 < frames <= at_most:
        return ""
    return f"{frames} frames instead of {sorted(allowed) or at_most}"


def run_cases(options, body, prepare=None):
    """Runs body(case, shared) for every case and prints a table of the results. Returns the script's exit code.
    `prepare(folder)` returns the `shared` data."""
    shutil.rmtree(options.failures, ignore_errors=True)
    counts, kinds, notes, peak, kept = (collections.Counter() for _ in range(5))
    lock, began = threading.Lock(), time.monotonic()
    numbers = [options.only] if options.only is not None else range(options.count)
    with tempfile.TemporaryDirectory(prefix="glyphreel-robustness-") as folder:
        folder = pathlib.Path(folder)
        shared = prepare(folder) if prepare else None

        def one(number):
            case = Case(options, number, folder)
            body(case, shared)
            with lock:
                counts.update(str(outcome.code) for outcome in case.outcomes)
                peak["MB"] = max([peak["MB"], *(outcome.peak_mb for outcome in case.outcomes)])
                notes.update(case.notes)
                found = sorted({kind for kind, _ in case.problems})
                kinds.update(found)
                if found:
                    keep(options, case, any(kept[kind] < KEPT_PER_KIND for kind in found))
                    kept.update(found)
            shutil.rmtree(case.root, ignore_errors=True)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                for done in [pool.submit(one, number) for number in numbers]:
                    done.result()
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    print_table(options, counts, kinds, notes, peak["MB"], time.monotonic() - began)
    return 1 if kinds else 0


def keep(options, case, with_files):
    """Stores the commands and problems of a failed case, and its files if `with_files` is true."""
    options.failures.mkdir(parents=True, exist_ok=True)
    text = f"case {case.number} (--seed {options.seed} --only {case.number})\n"
    text += "".join(f"  {kind}: {detail}\n" for kind, detail in case.problems)
    text += "".join(str(outcome) for outcome in case.outcomes) + "\n"
    with open(options.failures / "failures.txt", "a", encoding="utf-8") as file:
        file.write(text)
    if with_files:
        # cp copies devices and FIFOs as nodes; shutil would read them.
        subprocess.run(["cp", "-a", case.root, options.failures / case.root.name], check=False, capture_output=True)


def print_table(options, counts, kinds, notes, peak_mb, seconds):
    script = pathlib.Path(sys.argv[0]).stem
    print(f"{script}: {options.program}, seed {options.seed}, {sum(counts.values())} runs in {seconds:.0f} s, "
          f"peak {peak_mb:.0f} MB")
    print("  exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(counts.items())))
    for kind, count in sorted(notes.items()):
        print(f"  {count:6}  note: {kind}")
    for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
        print(f"  {count:6}  FAILED: {kind}")
    print(f"  see {options.failures}/failures.txt" if kinds else "  no failure")
