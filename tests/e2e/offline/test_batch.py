"""Tests `glyphreel batch`: many inputs, resuming, the job database, listings."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import unittest

from harness import (EXIT_BAD_INPUT, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, PROGRAM, TOOLS, VALIDATION, ProgramTest,
                     end_process, frame_count, interrupt, lavfi, make_clip, wait_for)
from killed_batch import KilledBatch

PLAIN = ("--grid", "20x6", "--renderer", "cpu", "--hwdec", "no")
KILL_POINTS = 8  # number of points at which a run is killed here; tests/robustness/kill_points.py tries all points


class BatchTest(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.inputs = cls.folder / "inputs"
        (cls.inputs / "sub").mkdir(parents=True)
        for place in ("a.png", "b.jpg", "sub/c.png"):
            make_clip(cls.inputs / place, *lavfi(f"testsrc2=size=64x48:duration=1:rate=1,hue=h={ord(place[-5])}"), "-frames:v", "1")
        make_clip(cls.inputs / "film.mkv", *lavfi("testsrc2=size=64x48:rate=10:duration=0.5"), "-c:v", "ffv1")

    def batch(self, *words, run=None, **options):
        return (run or self.succeed)("batch", *words, *PLAIN, **options)

    def outputs(self, folder="out"):
        return sorted(path.relative_to(self.here / folder).as_posix() for path in (self.here / folder).rglob("*")
                      if path.is_file() and ".glyphreel" not in path.parts)

    def times(self, folder="out"):
        return {name: os.stat(self.here / folder / name).st_mtime_ns for name in self.outputs(folder)}

    def items(self, *filters, folder="out"):
        done = self.succeed("batch", "-o", folder, "--list", *filters, "--json")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def copy_inputs(self):
        shutil.copytree(self.inputs, self.here / "in")
        return self.here / "in"


class Conversion(BatchTest):
    def test_folder_keeps_its_structure(self):
        self.batch(self.inputs, "-o", "out", "--to", "txt", "--color", "full", "--ssim")
        self.assertEqual(self.outputs(), ["a.txt", "b.txt", "film.txt", "sub/c.txt"])
        self.assertEqual((self.here / "out" / "film.txt").read_text().count("\f"), 5)
        self.assertEqual((self.here / "out" / "a.txt").read_text().count("\f"), 1)
        items = {item["output"]: item for item in self.items()}
        self.assertEqual({item["state"] for item in items.values()}, {"done"})
        self.assertEqual(items["film.txt"]["frames"], 5)
        self.assertGreater(items["film.txt"]["luma"], 0.01)
        self.assertGreater(items["film.txt"]["edges"], 0)
        for item in items.values():
            self.assertGreater(item["ssim"], 0.5)
            self.assertLess(item["ssim"], 1)
        self.assertIn("map", items["film.txt"]["stages"])

    def test_output_equals_that_of_record(self):
        self.batch(self.inputs / "film.mkv", self.inputs / "a.png", "-o", "out", "--to", "mp4", "--threads", "1")
        for name in ("film", "a"):
            source = next(self.inputs.glob(f"{name}.*"))
            self.succeed("record", source, "-o", f"{name}.mp4", *PLAIN, "--threads", "1")
            self.assertEqual((self.here / "out" / f"{name}.mp4").read_bytes(), (self.here / f"{name}.mp4").read_bytes())

    def test_figures_do_not_depend_on_the_renderer(self):
        figures = []
        for renderer in ("cpu", "gpu"):
            self.batch(self.inputs / "film.mkv", "-o", renderer, "--to", "mp4", "--renderer", renderer, "--ssim")
            item, = self.items(folder=renderer)
            figures.append([item[name] for name in ("luma", "edges", "flicker", "ssim")])
        self.assertEqual(figures[0], figures[1])
        self.assertTrue(all(figures[0]), figures)

    def test_pictures_are_rendered_together(self):
        """Pictures of mixed sizes are rendered in batches, even with a corrupt file and a video between them."""
        inputs = self.here / "in"
        inputs.mkdir()
        for number in range(24):
            shutil.copy(self.inputs / ("b.jpg", "a.png", "sub/c.png")[number % 3], inputs / f"{number:02}{('.jpg', '.png', '.png')[number % 3]}")
        make_clip(inputs / "wide.png", *lavfi("testsrc2=size=90x30:duration=1:rate=1"), "-frames:v", "1")
        shutil.copy(self.inputs / "film.mkv", inputs / "11.mkv")
        (inputs / "12-broken.png").write_bytes((inputs / "01.png").read_bytes()[:40])

        def convert(folder, *words):
            outcome = self.run_program("batch", inputs, "-o", folder, "--to", "txt", "--name", "{name}-{ext}", "--grid", "20x6",
                                       "--hwdec", "no", "--verbose", *words,
                                       env={"GLYPHREEL_VALIDATION": "1"})
            self.assertEqual(outcome.code, EXIT_FAILED, outcome)
            self.assertNotRegex(outcome.stderr, VALIDATION)
            self.assertEqual([item["output"] for item in self.items("state=failed", folder=folder)], ["12-broken-png.txt"])
            return {name: (self.here / folder / name).read_bytes() for name in self.outputs(folder)}, outcome.stderr

        expected, _ = convert("alone", "--jobs", "2", "--renderer", "cpu", "--batch", "1")
        self.assertEqual(len(expected), 26)
        together, log = convert("gpu", "--jobs", "2", "--renderer", "gpu")
        self.assertEqual(together, expected)
        self.assertRegex(log, r"rendered in batches: 25 on the GPU .*, 0 on the CPU")

    def test_slow_engine_gets_fewer_pictures(self):
        """The GPU's share of the pictures follows its measured speed. The text does not depend on that share."""
        inputs = self.here / "in"
        inputs.mkdir()
        make_clip(inputs / "%02d.png", *lavfi("testsrc2=size=64x48:duration=1:rate=72"))
        on_gpu, texts = {}, {}
        for engine in ("gpu", "cpu"):
            log = self.succeed("batch", inputs, "-o", engine, "--to", "txt", "--grid", "20x6", "--hwdec", "no", "--mode", "ramp",
                               "--jobs", "2", "--batch", "2", "--verbose",
                               env={"LD_PRELOAD": TOOLS / "simulated_gpu.so", "SIMULATED_GPU": "rtx4070",
                                    "SIMULATED_SLOW": f"{engine}:100"}).stderr
            on_gpu[engine] = int(re.search(r"rendered in batches: (\d+) on the GPU", log)[1])
            texts[engine] = {name: (self.here / engine / name).read_bytes() for name in self.outputs(engine)}
        self.assertEqual(len(texts["gpu"]), 72)
        self.assertEqual(texts["gpu"], texts["cpu"])
        self.assertGreater(on_gpu["gpu"], 0)
        self.assertLess(2 * on_gpu["gpu"], on_gpu["cpu"])

    def test_corrupt_file_does_not_stop_the_rest(self):
        inputs = self.copy_inputs()
        (inputs / "b.jpg").write_bytes(b"\xff\xd8nothing")
        outcome = self.batch(inputs, "-o", "out", "--to", "png", run=self.run_program)
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertIn("b.jpg", outcome.stderr)
        self.assertEqual(self.outputs(), ["a.png", "film.png", "sub/c.png"])
        failed = self.items("state=failed")
        self.assertEqual([(item["output"], item["exit"], item["attempts"]) for item in failed], [("b.png", EXIT_BAD_INPUT, 1)])

    def test_names(self):
        self.batch(self.inputs, "-o", "out", "--to", "txt", "--name", "{index:03}-{name}.{ext}")
        self.assertEqual(self.outputs(), ["001-a.png.txt", "002-b.jpg.txt", "003-film.mkv.txt", "004-c.png.txt"])
        shutil.copy(self.inputs / "a.png", self.here / "a.bmp")
        self.batch(self.inputs / "a.png", "a.bmp", "-o", "two", "--to", "txt",
                   run=lambda *words: self.refuse(EXIT_USAGE, ["a.png and a.bmp would both become a.txt", "{ext}"], *words))
        self.assertEqual(self.outputs("two"), [])

    def test_lists_and_manifest(self):
        (self.here / "list").write_bytes(b"\0".join(os.fsencode(self.inputs / name) for name in ("a.png", "b.jpg")) + b"\0")
        self.batch("-o", "out", "--to", "txt", "--files-from", "list", "--files0")
        self.assertEqual(self.outputs(), ["a.txt", "b.txt"])
        piped = subprocess.run([PROGRAM, "batch", "-o", "piped", "--to", "txt", "--files-from", "-", *PLAIN], cwd=self.here,
                               env=self.environment(), input=f"{self.inputs}/a.png\n".encode(), capture_output=True)
        self.assertEqual(piped.returncode, 0, piped.stderr)
        self.assertEqual(self.outputs("piped"), ["a.txt"])
        manifest = self.here / "items.toml"
        manifest.write_text(f"[[item]]\ninput = '{self.inputs}/film.mkv'\noutput = 'x/f.txt'\nframes = 2\n"
                            f"[[item]]\ninput = '{self.inputs}/film.mkv'\ngrid = '10x3'\n")
        self.batch("-o", "listed", "--to", "txt", "--files-from", manifest)
        self.assertEqual((self.here / "listed" / "x" / "f.txt").read_text().count("\f"), 2)
        self.assertEqual(len((self.here / "listed" / "film.txt").read_text().splitlines()[0]), 10)
        manifest.write_text("[[item]]\ninput = 'a.png'\nmoed = 'edge'\n")
        self.batch("-o", "wrong", "--to", "txt", "--files-from", manifest,
                   run=lambda *words: self.refuse(EXIT_USAGE, "did you mean --mode?", *words))

    def test_existing_files_are_not_replaced(self):
        out = self.here / "out"
        out.mkdir()
        (out / "a.txt").write_text("mine")
        outcome = self.batch(self.inputs, "-o", "out", "--to", "txt", run=self.run_program)
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertIn("a.txt already exists", outcome.stderr)
        self.assertEqual((out / "a.txt").read_text(), "mine")
        self.assertEqual(len(self.outputs()), 4)
        inputs = self.copy_inputs()
        before = (inputs / "a.png").read_bytes()
        self.batch(inputs, "-o", inputs, "--to", "png", "--force",
                   run=lambda *words: self.refuse(EXIT_USAGE, "is an input", *words))
        self.assertEqual((inputs / "a.png").read_bytes(), before)

    def test_outputs_beside_their_inputs_are_no_inputs(self):
        inputs = self.copy_inputs()
        self.batch(inputs, "-o", inputs, "--to", "gif")
        done = self.batch(inputs, "-o", inputs, "--to", "gif")
        self.assertIn("0 converted, 4 done before", done.stderr)
        below = inputs / "sub" / "out"
        for count in (8, 0):
            done = self.batch(inputs, "-o", below, "--to", "webp", "--name", "{name}-{ext}")
            self.assertIn(f"{count} converted", done.stderr)

    def test_verify(self):
        for ending in ("mp4", "png", "gif", "cells", "svg"):
            with self.subTest(to=ending):
                self.batch(self.inputs / "film.mkv", "-o", ending, "--to", ending, "--verify")
        self.assertEqual(frame_count(self.here / "mp4" / "film.mp4"), 5)

    def test_json_lines(self):
        (self.here / "broken.png").write_bytes(b"no picture")
        outcome = self.batch(self.inputs / "a.png", "broken.png", "-o", "out", "--to", "txt", "--json", run=self.run_program)
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        lines = [json.loads(line) for line in outcome.stdout.splitlines()]
        self.assertEqual(lines[-1]["message_type"], "summary")
        self.assertEqual((lines[-1]["items_done"], lines[-1]["items_failed"]), (1, 1))
        kinds = [line["message_type"] for line in lines]
        self.assertEqual((kinds.count("item"), kinds.count("error")), (2, 1))


class Resuming(BatchTest):
    def test_only_what_changed_is_converted_again(self):
        inputs = self.copy_inputs()
        self.batch(inputs, "-o", "out", "--to", "txt")
        before = self.times()
        os.utime(inputs / "a.png")  # changes only the time, not the content
        done = self.batch(inputs, "-o", "out", "--to", "txt")
        self.assertIn("0 converted, 4 done before", done.stderr)
        self.assertEqual(self.times(), before)
        shutil.copy(inputs / "b.jpg", inputs / "a.png")
        (self.here / "out" / "film.txt").unlink()
        (self.here / "out" / "b.txt").write_text("")
        plan = self.batch(inputs, "-o", "out", "--to", "txt", "--dry-run").stdout
        self.assertIn("the input has changed", plan)
        self.assertIn("the output is missing", plan)
        self.assertIn("3 of 4 items would be converted.", plan)
        self.batch(inputs, "-o", "out", "--to", "txt")
        changed = {name for name, time in self.times().items() if time != before[name]}
        self.assertEqual(changed, {"a.txt", "b.txt", "film.txt"})

    def test_changed_settings_and_force(self):
        self.batch(self.inputs, "-o", "out", "--to", "txt")
        for words, count in ((["--jobs", "1", "--verbose"], 0), (["--mode", "edge"], 4), (["--mode", "edge"], 0),
                             (["--mode", "edge", "--force"], 4)):
            with self.subTest(words=words):
                done = self.batch(self.inputs, "-o", "out", "--to", "txt", *words)
                self.assertIn(f"{count} converted, {4 - count} done before", done.stderr)

    def test_dry_run_writes_nothing(self):
        plan = self.batch(self.inputs, "-o", "out", "--to", "txt", "--dry-run").stdout
        self.assertIn("4 of 4 items would be converted.", plan)
        self.assertFalse((self.here / "out").exists())

    def test_first_interrupt_finishes_the_running_items(self):
        slow = self.here / "slow"
        slow.mkdir()
        for number in range(4):
            shutil.copy(self.inputs / "film.mkv", slow / f"{number}.mkv")
        process = self.start("batch", slow, "-o", "out", "--to", "mkv", "--jobs", "1", "--renderer", "cpu", "--grid", "300x90",
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_for(lambda: list((self.here / "out").glob("*.mkv")), "the first output file exists")
        interrupt(process, signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, EXIT_INTERRUPTED, stderr)
        finished = self.outputs()
        self.assertTrue(finished)
        self.assertLess(len(finished), 4)
        self.assertEqual([name for name in finished if ".part." in name], [])
        for name in finished:
            self.assertEqual(frame_count(self.here / "out" / name), 5)

    def test_killed_runs_resume(self):
        batch = KilledBatch(PROGRAM, self.here)
        for call in range(1, batch.calls + 1, max(1, batch.calls // KILL_POINTS)):
            with self.subTest(call=call):
                self.assertEqual(batch.problem_at(call), "")


    def test_full_disk(self):
        batch = KilledBatch(PROGRAM, self.here)
        # The disk becomes full while the database is made, while a video is written, and while the last items are
        # written to the database.
        for call in (batch.calls // 8, batch.calls // 2, batch.calls - 10):
            with self.subTest(call=call):
                self.assertEqual(batch.problem_with_full_disk(call), "")


class Database(BatchTest):
    def test_list_and_job_log(self):
        self.batch(self.inputs, "-o", "out", "--to", "txt", "--joblog", "log.tsv")
        self.assertEqual(len(self.items("frames>1")), 1)
        self.assertEqual(len(self.items("input~.png", "--db", "out/.glyphreel/jobs.db")), 2)
        lines = [line.split("\t") for line in (self.here / "log.tsv").read_text().splitlines()]
        self.assertEqual(lines[0], "Seq Host Starttime JobRuntime Send Receive Exitval Signal Command".split())
        self.assertEqual([line[6:8] for line in lines[1:]], [["0", "0"]] * 4)
        listed = self.succeed("batch", "-o", "out", "--list", "--joblog", "-").stdout
        self.assertEqual(listed, (self.here / "log.tsv").read_text())
        self.refuse(EXIT_USAGE, "no field 'stat'", "batch", "-o", "out", "--list", "stat=done")
        self.refuse(EXIT_USAGE, "no job database", "batch", "-o", "none", "--list")

    def test_one_owner(self):
        (self.here / "out" / ".glyphreel").mkdir(parents=True)
        lock = self.here / "out" / ".glyphreel" / "jobs.db.lock"
        lock.write_text("process 1 on box since noon\n")
        holder = subprocess.Popen(["flock", "--no-fork", str(lock), "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.addCleanup(end_process, holder)
        wait_for(lambda: subprocess.run(["flock", "--nonblock", str(lock), "true"]).returncode, "the lock is held")
        self.batch(self.inputs, "-o", "out", "--to", "txt",
                   run=lambda *words: self.refuse(EXIT_USAGE, ["out is in use by process 1 on box since noon"], *words))

    def test_refused_databases(self):
        self.batch(self.inputs / "a.png", "-o", "out", "--to", "txt")
        path = self.here / "out" / ".glyphreel" / "jobs.db"
        with sqlite3.connect(path) as database:
            self.assertEqual(database.execute("PRAGMA application_id").fetchone()[0], 0x474C5952)
            database.execute("PRAGMA user_version=99")
        database.close()
        before = path.read_bytes()
        self.batch(self.inputs / "a.png", "-o", "out", "--to", "txt",
                   run=lambda *words: self.refuse(EXIT_USAGE, "newer version of this program", *words))
        self.assertEqual(path.read_bytes(), before)
        path.write_bytes(b"not a database, but long enough to be one" * 50)
        self.batch(self.inputs / "a.png", "-o", "out", "--to", "txt",
                   run=lambda *words: self.refuse(EXIT_FAILED, "is damaged or not a database", *words))

    def test_read_only_file_system(self):
        read_only = {"LD_PRELOAD": TOOLS / "kill_points.so", "GLYPHREEL_FAIL_WITH": "EROFS"}
        self.batch(self.inputs / "a.png", "-o", "out", "--to", "txt")
        listed = self.succeed("batch", "-o", "out", "--list", env=read_only)
        self.assertIn("a.txt", listed.stdout)
        self.refuse(EXIT_FAILED, ["out/.glyphreel/jobs.db.lock cannot be written", "Read-only file system"], "batch", self.inputs,
                    "-o", "out", "--to", "txt", *PLAIN, env=read_only)
        self.assertEqual(self.succeed("batch", "-o", "out", "--list").stdout, listed.stdout)

    def test_unwritable_output(self):
        (self.here / "file").write_text("")
        self.batch(self.inputs / "a.png", "-o", "file/out", "--to", "txt",
                   run=lambda *words: self.refuse(EXIT_FAILED, "file/out", *words))
        if os.path.exists("/dev/full"):
            outcome = self.batch(self.inputs / "a.png", "-o", "full", "--to", "txt", "--db", "/dev/full/jobs.db", run=self.run_program)
            self.assertEqual(outcome.code, EXIT_FAILED, outcome)


if __name__ == "__main__":
    unittest.main()
