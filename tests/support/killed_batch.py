"""Kills a batch at a call that changes a file, resumes it, and compares all outputs with those of an undisturbed run."""

import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess

from harness import TOOLS, clean_environment, lavfi, make_clip

COUNT = 3  # inputs


class KilledBatch:
    """A small batch: pictures and a video of some seconds, with a folder of expected outputs."""

    def __init__(self, program, folder, library=None, seconds=1, options=()):
        self.program, self.folder, self.options = str(program), pathlib.Path(folder), options
        self.folder.mkdir(exist_ok=True)
        self.library = library or TOOLS / "kill_points.so"
        self.inputs = self.folder / "inputs"
        self.inputs.mkdir()
        for number in range(COUNT - 1):
            make_clip(self.inputs / f"{number}.png", *lavfi(f"testsrc2=size=64x48:duration=1:rate=1,hue=h={90 * number}"),
                      "-frames:v", "1")
        make_clip(self.inputs / "clip.mkv", *lavfi(f"testsrc2=size=64x48:rate=10:duration={seconds}"), "-c:v",
                  "ffv1", "-g", "5")
        self.count_log = self.folder / "calls"
        done = self.run(self.folder / "expected", GLYPHREEL_KILL_LOG=self.count_log)
        if done.returncode != 0:
            raise AssertionError(f"the undisturbed run failed: {done.stderr.decode()}")
        self.calls = int(self.count_log.read_text())
        self.expected = self.outputs(self.folder / "expected")
        if len(self.expected) != COUNT:
            raise AssertionError(f"the undisturbed run wrote {sorted(self.expected)} instead of {COUNT} outputs")

    def run(self, output, **changes):
        environment = clean_environment(self.folder, LD_PRELOAD=self.library, **changes)
        return subprocess.run([self.program, "batch", str(self.inputs), "-o", str(output), "--to", "mp4", "--grid", "20x6",
                               "--renderer", "cpu", "--hwdec", "no", "--jobs", "1", "--threads", "1", "--name",
                               "{name}-{ext}", "--quiet", *self.options],
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def problem_with_full_disk(self, call):
        """Runs with a disk that is full from this call on, then with free space. Returns the problem; empty if there is none."""
        output = self.folder / f"full-{call}"
        full = self.run(output, GLYPHREEL_KILL_AT=call, GLYPHREEL_FAIL_WITH="ENOSPC")
        if full.returncode == 0 and self.outputs(output) == self.expected:
            return ""  # the last calls only remove what is not needed anymore
        lines = full.stderr.decode(errors="replace").splitlines()
        if full.returncode != 1 or len(lines) != 1 or not re.search("disk is full|check the disk", lines[0]):
            return f"the run exited with status {full.returncode}: {lines}"
        database = output / ".glyphreel" / "jobs.db"
        if database.exists():
            with contextlib.closing(sqlite3.connect(database)) as opened:
                if (state := opened.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
                    return f"the database is damaged: {state}"
        again = self.run(output)
        if again.returncode != 0 or self.outputs(output) != self.expected:
            return (f"the next run exited with status {again.returncode}, or its outputs differ: "
                    f"{again.stderr.decode(errors='replace')}")
        return ""

    @staticmethod
    def outputs(folder):
        """Returns the content of each file outside of .glyphreel."""
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*")
                if path.is_file() and ".glyphreel" not in path.parts}

    def problem_at(self, call):
        """Kills a run at this call and resumes it. Returns the problem; empty if there is none."""
        output = self.folder / f"killed-{call}"
        killed = self.run(output, GLYPHREEL_KILL_AT=call)
        if killed.returncode not in (0, -9):
            return f"the killed run exited with status {killed.returncode}: {killed.stderr.decode(errors='replace')}"
        resumed = self.run(output)
        if resumed.returncode != 0:
            return f"the resumed run exited with status {resumed.returncode}: {resumed.stderr.decode(errors='replace')}"
        found = self.outputs(output)
        wrong = sorted(name for name in {*self.expected, *found} if found.get(name) != self.expected.get(name))
        if wrong:
            return f"these outputs differ, are missing or are unexpected: {', '.join(wrong)}"
        before = {path: path.stat().st_mtime_ns for path in output.rglob("*.mp4")}
        again = self.run(output)
        if again.returncode != 0 or {path: os.stat(path).st_mtime_ns for path in before} != before:
            return "a third run failed, or converted finished inputs again"
        return ""
