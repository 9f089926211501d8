#!/usr/bin/env python3
"""Kills a small batch at each write, fsync, rename and other call that changes a file, one at a time, and resumes it.

After each kill, the resumed run must succeed, all outputs must be present once and equal those of an undisturbed run byte
for byte, and a third run must find nothing to do. If there are more calls than --count, tries only every Nth call."""

import concurrent.futures
import pathlib
import sys
import tempfile

from common import arguments
from killed_batch import KilledBatch

if __name__ == "__main__":
    options = arguments(__doc__, 100_000)
    with tempfile.TemporaryDirectory(prefix="glyphreel-kill-") as folder:
        tools = options.program.parent.parent / "tests" / "tools"
        batch = KilledBatch(options.program, pathlib.Path(folder), tools / "kill_points.so")
        step = max(1, -(-batch.calls // options.count))
        chosen = [options.only] if options.only else list(range(1, batch.calls + 2, step))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            problems = {call: problem for call, problem in zip(chosen, pool.map(batch.problem_at, chosen)) if problem}
        for call, problem in problems.items():
            print(f"killed at call {call} of {batch.calls}: {problem}")
        print(f"kill_points: {len(chosen)} of {batch.calls} calls, {len(problems)} problems")
        sys.exit(1 if problems else 0)
