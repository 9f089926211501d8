#!/usr/bin/env python3
"""Kills a small batch at a call that changes a file, such as write, fsync or rename, and resumes it.

Does this for each such call of two batches. The second batch records its video in segments. After each kill, the
resumed run must succeed. The outputs must then be the same files as after an undisturbed run, byte for byte. A third
run must find nothing to do. If a batch has more calls than --count, tries only every Nth call."""

import concurrent.futures
import pathlib
import sys
import tempfile

from common import arguments
from killed_batch import KilledBatch

if __name__ == "__main__":
    options = arguments(__doc__, 100_000)
    tools = options.program.parent.parent / "tests" / "tools"
    failed = False
    for name, seconds, words in (("whole", 1, ()), ("segments", 3, ("--segment", "1"))):
        with tempfile.TemporaryDirectory(prefix="glyphreel-kill-") as folder:
            batch = KilledBatch(options.program, pathlib.Path(folder), tools / "kill_points.so", seconds, words)
            step = max(1, -(-batch.calls // options.count))
            chosen = [options.only] if options.only else list(range(1, batch.calls + 2, step))
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                problems = {call: problem for call, problem in zip(chosen, pool.map(batch.problem_at, chosen)) if problem}
            for call, problem in problems.items():
                print(f"{name}, killed at call {call} of {batch.calls}: {problem}")
            print(f"kill_points, {name}: {len(chosen)} of {batch.calls} calls, {len(problems)} problems", flush=True)
            failed = failed or bool(problems)
    sys.exit(1 if failed else 0)
