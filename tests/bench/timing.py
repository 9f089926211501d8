#!/usr/bin/env python3
"""Runs the timing suites (timing_*.py in this folder): tests that depend on the machine's speed and load.

    tests/bench/timing.py [--build DIR] [--list] [--only NAME]...

The tests measure drop rates, playback speed, percentiles of the A/V offset and throughput on a slow line. The tests in
tests/e2e pass under any load; the timing suites need an idle machine. NAME is a part of a test's name as printed by
--list. DIR is a build folder, build/check by default. The exit status is 1 if a test fails."""

import argparse
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def each_test(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from each_test(part)
        else:
            yield part


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", metavar="DIR", type=pathlib.Path, default=HERE.parents[1] / "build" / "check")
    parser.add_argument("--list", action="store_true", help="only print the tests' names")
    parser.add_argument("--only", metavar="NAME", action="append", help="only run tests with NAME in their name")
    options = parser.parse_args()
    # Set these before importing the modules, which read them on import.
    os.environ.setdefault("GLYPHREEL", str(options.build.resolve() / "src" / "glyphreel"))
    os.environ.setdefault("GLYPHREEL_TEST_TOOLS", str(options.build.resolve() / "tests" / "tools"))
    if not os.access(os.environ["GLYPHREEL"], os.X_OK):
        parser.error(f"there is no {os.environ['GLYPHREEL']}: build it, or name a build folder with --build")
    sys.path[:0] = [str(HERE), str(HERE.parent / "e2e"), str(HERE.parent / "support")]
    names = sorted(path.stem for path in HERE.glob("timing_*.py"))
    tests = [test for test in each_test(unittest.defaultTestLoader.loadTestsFromNames(names))
             if not options.only or any(part in test.id() for part in options.only)]
    if not tests:
        parser.error(f"no test's name contains {' or '.join(options.only)}")
    if options.list:
        print("\n".join(test.id() for test in tests))
        return 0
    return 0 if unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(tests)).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
