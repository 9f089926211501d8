#!/usr/bin/env python3
"""Counts the verdicts of `bench --against`.

    bench_verdicts.py [--runs N] [--percent P] [--tools DIR] PROGRAM [OPTION...]

Saves the result of `PROGRAM bench --json OPTION...`. Then makes N pairs of runs, and compares each
run with that result. The first run of each pair is of the unchanged program; its verdict should be "same". In the
second run, a preloaded library makes the program use P % more CPU time; its verdict should be "slower". DIR has
slow_down.so; by default it is tests/tools in the program's build. Prints every comparison, and at the end the counts.
If other programs use the CPUs, a comparison has no verdict. It counts as "none", followed in parentheses by the verdict
that it would have had."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def would_be(compared):
    """Returns the overall verdict of the compared benchmarks, which `bench` omits if other programs use the CPUs."""
    verdicts = {entry["verdict"] for entry in compared}
    return next((name for name in ("slower", "faster") if name in verdicts), "same")


def compare(program, base, options, environment):
    done = subprocess.run([program, "bench", "--json", "--quiet", "--against", base, *options], capture_output=True, text=True,
                          env={**os.environ, **environment})
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"the comparison failed ({done.returncode}): {done.stderr}")
    run = json.loads(done.stdout)
    return run["against"], run["context"]["foreign_cpus"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--percent", type=float, default=3)
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("options", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    program = given.program.resolve()
    tools = given.tools or program.parents[1] / "tests" / "tools"
    slow = {"LD_PRELOAD": str((tools / "slow_down.so").resolve()), "GLYPHREEL_SLOW_DOWN": str(given.percent)}
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder) / "base.json"
        done = subprocess.run([program, "bench", "--json", "--quiet", *given.options], stdout=subprocess.PIPE, text=True, check=True)
        base.write_text(done.stdout)
        print("| added CPU time | verdict | change of all | p | other programs, CPUs |\n|---|---|---|---|---|")
        for _ in range(given.runs):
            for planted, environment in (("nothing", {}), (f"{given.percent:g} %", slow)):
                against, foreign = compare(program, base, given.options, environment)
                first, all_entries = against["compared"][0], against["compared"]
                verdict = against["verdict"] if against["verdict"] != "none" else f"none ({would_be(all_entries)})"
                counts.setdefault(planted, []).append(verdict)
                print(f"| {planted} | {verdict} | {100 * first['change']:+.2f} % | {first['p']:.2g} | {foreign:.2f} |", flush=True)
    for planted, verdicts in counts.items():
        print(f"{planted}: " + ", ".join(f"{verdicts.count(name)} {name}" for name in sorted(set(verdicts))))


main()
