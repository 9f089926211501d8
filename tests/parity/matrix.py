#!/usr/bin/env python3
"""Checks on a real clip that GPU and CPU produce the same cells and pixels: in every mode with every color, dither,
stability and charset, and in fewer combinations for every other option that affects cells (see combinations.py).

  tests/parity/matrix.py [--binary FILE] [--frames 120] [--grid 64x18] [--only REGEX] [--jobs 1]
                         [--gpu-shaders] [--out FILE] CLIP

Each combination is one run of `glyphreel compare`. Prints a line with the command for each failure, then a table by
mode. The exit status is 1 if anything differed, failed, or compared fewer cells than requested. The CPU uses its best
kernels, except in the variations cpu-baseline and cpu-avx2. Pixels are compared as BGRA. With --gpu-shaders, a software
driver such as lavapipe runs the variant of the mapping shaders that GPUs use (GLYPHREEL_SHADERS=gpu).

The full run, about 3100 combinations of 120 frames of an 854x480 clip, takes 70 minutes on two cores with lavapipe, and
45 with --jobs 2. These are estimates from runs with --every: a combination took 1.1 s (1.7 s with an option other than
mode, color, dither, stability and charset), and --jobs 2 reduced the total time to 62 %. On a busy machine everything
took twice as long.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

import clips
import combinations

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXIT_MISMATCH, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def default_program():
    """Returns the program named by $GLYPHREEL, or a build in the source tree."""
    if os.environ.get("GLYPHREEL"):
        return os.environ["GLYPHREEL"]
    for folder in ("build/check", "build/release", "build"):
        program = ROOT / folder / "src" / "glyphreel"
        if program.exists():
            return str(program)
    return "glyphreel"


def program_at(name):
    found = str(pathlib.Path(name).resolve()) if pathlib.Path(name).is_file() else shutil.which(name)
    if not found or not os.access(found, os.X_OK):
        raise argparse.ArgumentTypeError(f"there is no program {name}; build glyphreel, or pass --binary")
    return found


def parse_grid(text):
    columns, rows = text.lower().split("x")
    return int(columns), int(rows)


def positive(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is too small: use 1 or more")
    return int(text)


def pattern(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"'{text}' is not a regular expression: {error}") from error


class Matrix:
    """One run: the clip, its derived files, and the command and verdict for each combination."""

    def __init__(self, arguments, folder):
        self.program, self.clip, self.starts = arguments.binary, arguments.clip, arguments.start.split(",")
        self.frames, self.grid, self.timeout = arguments.frames, arguments.grid, arguments.timeout
        self.environment = (("GLYPHREEL_SHADERS", "gpu"),) if arguments.gpu_shaders else ()
        self.palette = folder / "palette.txt"
        self.folder = folder
        self.made = {}

    def prepare(self, wanted):
        """Writes the palette and makes the clips that these combinations need."""
        self.palette.write_text(combinations.PALETTE)
        for name in sorted({combination.clip for combination in wanted if combination.clip}):
            self.made[name] = clips.make(name, self.clip, self.starts[0], self.frames, self.folder)

    def grid_of(self, combination):
        return combination.grid or self.grid

    def environment_of(self, combination):
        return (*self.environment, *combination.environment)

    def command(self, combination):
        columns, rows = self.grid_of(combination)
        options = [str(self.palette) if option == "{palette}" else option for option in combination.options]
        if combination.clip:
            source = [str(self.made.get(combination.clip, combination.clip))]
        else:
            # The combination's name selects the start, so that a combination has the same frames in every run.
            start = self.starts[zlib.crc32(combination.name.encode()) % len(self.starts)]
            source = [*(["--start", start] if start != "0" else []), self.clip]
        return [self.program, "compare", "--quiet", "--json", "--frames", str(self.frames),
                "--grid", f"{columns}x{rows}", *options, *source]

    def shown(self, combination):
        """Returns the command as a shell command line."""
        settings = [f"{name}={shlex.quote(value)}" for name, value in self.environment_of(combination)]
        return " ".join([*settings, shlex.join(self.command(combination))])

    def run(self, combination):
        """Runs the combination; returns its record: the command, the program's answer, and the failure, if any."""
        begin = time.monotonic()
        answer, status, stderr = {}, None, ""
        try:
            done = subprocess.run(self.command(combination), stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=self.timeout, env={**os.environ, **dict(self.environment_of(combination))})
            status = done.returncode
            answer, stderr = read_answer(done.stdout), done.stderr.decode(errors="replace")
            failure = self.failure(combination, answer, status, stderr)
        except subprocess.TimeoutExpired:
            failure = f"no answer after {self.timeout} s"
        except OSError as error:
            failure = f"could not be run: {error}"
        return {"name": combination.name, "mode": combination.mode, "ok": failure is None, "failure": failure,
                "exit": status, "stderr": stderr, "seconds": round(time.monotonic() - begin, 3), "answer": answer,
                "command": self.shown(combination)}

    def failure(self, combination, answer, status, stderr):
        """Returns a description of the failure; None if everything requested was compared and nothing differed."""
        cells, pixels = count(answer, "mismatched_cells"), count(answer, "mismatched_pixels")
        message = " ".join(stderr.split())[-400:]
        if cells or pixels:
            return (f"{cells} of {count(answer, 'cells')} cells and {pixels} pixels differ, "
                    f"first {json.dumps(answer.get('first_mismatch'), ensure_ascii=False)}")
        if status != 0:
            what = f"ended by signal {-status}" if status < 0 else f"exit status {status}"
            return f"{what}: {message}" if message else what
        if not {"cells", "frames", "mismatched_cells", "mismatched_pixels"} <= answer.keys():
            return "the answer is not a JSON object with cells, frames, mismatched_cells and mismatched_pixels"
        columns, rows = self.grid_of(combination)
        if answer["frames"] != self.frames or answer["cells"] != self.frames * columns * rows:
            return (f"compared {answer['cells']} cells of {answer['frames']} frames instead of "
                    f"{self.frames * columns * rows} cells of {self.frames} frames")
        return None


def read_answer(stdout):
    try:
        answer = json.loads(stdout)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def count(answer, key):
    value = answer.get(key)
    return value if isinstance(value, int) else 0


class Progress:
    """Shows progress on stderr: one updated line on a terminal, otherwise one line per minute."""

    def __init__(self, total):
        self.total, self.done, self.begin, self.last = total, 0, time.monotonic(), time.monotonic()
        self.terminal = sys.stderr.isatty()

    def clear(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def advance(self, name):
        self.done += 1
        now = time.monotonic()
        left = (now - self.begin) / self.done * (self.total - self.done)
        line = f"{self.done} of {self.total}, {left / 60:.0f} min left: {name}"
        if self.terminal:
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)
        elif now - self.last >= 60:
            self.last = now
            print(line, file=sys.stderr, flush=True)


def table(records):
    """Returns a table with one line per mode and a total."""
    lines = [f"{'mode':8}{'combinations':>13}{'failed':>8}{'frames':>10}{'cells':>14}{'differing cells':>17}"
             f"{'pixels':>10}{'seconds':>9}"]
    for mode in (*combinations.MODES, "all"):
        of_mode = [record for record in records if mode in (record["mode"], "all")]
        answers = [record["answer"] for record in of_mode]
        frames, cells, differing, pixels = (sum(count(answer, key) for answer in answers) for key in (
            "frames", "cells", "mismatched_cells", "mismatched_pixels"))
        lines.append(f"{mode:8}{len(of_mode):13}{sum(not record['ok'] for record in of_mode):8}{frames:10}{cells:14}"
                     f"{differing:17}{pixels:10}{sum(record['seconds'] for record in of_mode):9.0f}")
    return lines


def machine(program):
    """Returns the lines of `glyphreel info` about the CPU and the Vulkan devices."""
    done = subprocess.run([program, "info"], stdin=subprocess.DEVNULL, capture_output=True)
    return [line for line in done.stdout.decode(errors="replace").splitlines() if re.match(r"(CPU|GPU)\b", line)]


def run_all(matrix, wanted, jobs, out):
    """Runs the combinations; returns their records, and whether the user interrupted the run."""
    records, stopped = [], False
    progress = Progress(len(wanted))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(matrix.run, combination) for combination in wanted]
        try:
            for future in concurrent.futures.as_completed(futures):
                record = future.result()
                records.append(record)
                print(json.dumps(record, ensure_ascii=False), file=out, flush=True)
                if not record["ok"]:
                    progress.clear()
                    print(f"FAILED {record['name']}: {record['failure']}: {record['command']}", flush=True)
                progress.advance(record["name"])
        except KeyboardInterrupt:
            stopped = True
            pool.shutdown(cancel_futures=True)
    progress.clear()
    return records, stopped


def arguments_of(words):
    paragraphs = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=paragraphs[0], epilog=paragraphs[-1])
    parser.add_argument("clip", metavar="CLIP")
    parser.add_argument("--binary", type=program_at, default=default_program(),
                        help="program to test (default: $GLYPHREEL, or a build in the source tree)")
    parser.add_argument("--frames", type=positive, default=120, help="frames per combination (default 120)")
    parser.add_argument("--grid", type=parse_grid, default=(64, 18), metavar="CxR",
                        help="grid size in cells (default 64x18)")
    parser.add_argument("--start", default="0", metavar="TIME[,TIME...]",
                        help="start positions in the clip, distributed over the combinations (default 0)")
    parser.add_argument("--only", type=pattern, default="", metavar="REGEX",
                        help="only combinations whose name matches, such as '^edge/.*cjk' or /with-legibility")
    parser.add_argument("--every", type=positive, default=1, metavar="N",
                        help="run only every Nth of the combinations that --only selects")
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="run N combinations at the same time (default 1)")
    parser.add_argument("--timeout", type=positive, default=900, metavar="SECONDS",
                        help="time limit of one combination (default 900)")
    parser.add_argument("--gpu-shaders", action="store_true",
                        help="run the variant of the mapping shaders that GPUs use, even on a software driver")
    parser.add_argument("--out", metavar="FILE", help="write one line of JSON per combination to this file")
    parser.add_argument("--list", action="store_true", help="print the names of the combinations and exit")
    arguments = parser.parse_args(words)
    if not pathlib.Path(arguments.clip).is_file():
        parser.error(f"there is no file {arguments.clip}")
    wanted = [combination for combination in combinations.combinations() if arguments.only.search(combination.name)]
    if not wanted:
        parser.error(f"no combination's name matches {arguments.only.pattern}; --list prints all names")
    return arguments, wanted[::arguments.every]


def main(words=None):
    arguments, wanted = arguments_of(words)
    if arguments.list:
        print("\n".join(combination.name for combination in wanted))
        return 0
    folder = pathlib.Path(tempfile.mkdtemp(prefix="glyphreel-matrix-"))
    matrix = Matrix(arguments, folder)
    records, stopped = [], False
    try:
        with open(arguments.out or os.devnull, "w", encoding="utf-8") as out:
            matrix.prepare(wanted)
            print("\n".join(machine(arguments.binary)))
            columns, rows = arguments.grid
            print(f"{len(wanted)} combinations, {arguments.frames} frames of {columns}x{rows} cells each, of "
                  f"{arguments.clip}", flush=True)
            records, stopped = run_all(matrix, wanted, arguments.jobs, out)
    except (clips.NotMade, OSError) as failure:
        print(f"matrix.py: {failure}", file=sys.stderr)
        return EXIT_MISMATCH
    finally:
        failed = any(not record["ok"] for record in records)
        if failed:
            print(f"The files of the commands above are kept in {folder}.")
        else:
            shutil.rmtree(folder)
    print("\n".join(table(records)))
    if stopped:
        print(f"interrupted: {len(records)} of {len(wanted)} combinations were run")
        return EXIT_INTERRUPTED
    return EXIT_MISMATCH if failed else 0


if __name__ == "__main__":
    sys.exit(main())
