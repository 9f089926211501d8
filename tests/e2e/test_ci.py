"""Tests .ci/run with fake stages, since the real stages take half an hour."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUMMARY = "100% tests passed, 0 tests failed out of 20000\n\nTotal Test time (real) =   1.00 sec\n"
# The lines of 20,000 tests that pass, which are more than a pipe's buffer can hold.
LOG = "".join(f"{number}/20000 Test #{number}: Stage.Test ...............   Passed    0.10 sec\n" for number in range(1, 20001))


class CiRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for file in (".ci/run", "scripts/common.sh"):
            (self.root / file).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / file, self.root / file)
        (self.root / "log").write_text("an earlier stage's: " + SUMMARY + LOG + SUMMARY)
        self.stand_in("scripts/check_sanitizers", "echo '100% tests passed, 0 tests failed out of 3'")

    def stand_in(self, path, command):
        (self.root / path).write_text(f"#!/usr/bin/env bash\n{command}\n")
        (self.root / path).chmod(0o755)

    def run_ci(self):
        return subprocess.run([self.root / ".ci/run"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def test_success_ends_with_the_summary_of_check(self):
        self.stand_in("check", f"cat '{self.root}/log'")
        run = self.run_ci()
        self.assertEqual((run.returncode, run.stdout[-len(SUMMARY):]), (0, SUMMARY), run.stderr)
        self.assertEqual(run.stdout.count(LOG), 1, "the log must be printed exactly once before the summary")

    def test_failed_stage_fails_the_run(self):
        for failing in ("check", "scripts/check_sanitizers"):
            with self.subTest(failing):
                self.stand_in("check", f"cat '{self.root}/log'")
                self.stand_in("scripts/check_sanitizers", "true")
                self.stand_in(failing, f"cat '{self.root}/log'; echo 'what is wrong' >&2; exit 1")
                run = self.run_ci()
                self.assertEqual(run.returncode, 1)
                self.assertIn("what is wrong", run.stdout)
                self.assertTrue(run.stderr.endswith(f"failed: {failing.removeprefix('scripts/check_')}\n"), run.stderr)


if __name__ == "__main__":
    unittest.main()
