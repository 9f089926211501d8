"""Tests `glyphreel batch --cluster` with stand-ins for Slurm and GNU parallel, which run tasks on this machine."""

import json
import os
import subprocess
import unittest

from harness import (AAC, EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, EXIT_TRY_AGAIN, EXIT_USAGE, H264, PATIENCE,
                     SOURCE_ROOT, TOOLS, ProgramTest, audio_hashes, frame_times, interrupt, lavfi, make_clip,
                     picture_hashes, wait_for)

FAKES = SOURCE_ROOT / "tests" / "tools" / "fake_slurm"
LOOK = ("--grid", "20x6", "--codec", "ffv1", "--to", "mkv", "--hwdec", "no")
# Scenes of 0.7 s, then one that is longer than a segment.
SCENES = "if(lt(T,3),lum(X,Y)*0.3+180*mod(floor(T/0.7),2),lum(X,Y)*0.5+8*T)"


class ClusterTest(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "scenes.mp4", *lavfi("testsrc2=size=96x64:rate=10:duration=6"),
                             *lavfi("sine=duration=6"), "-vf", f"geq=lum='{SCENES}'", *H264, "-g", "10", *AAC)
        cls.whole = cls.folder / "whole.mkv"
        cls.programs = cls.folder / "programs"
        cls.programs.mkdir()
        for name in ("sbatch", "scontrol", "squeue", "sacct", "scancel"):
            (cls.programs / name).symlink_to(FAKES / "slurm.py")
        (cls.programs / "parallel").symlink_to(FAKES / "parallel.py")
        (cls.programs / "ssh").symlink_to("/bin/true")

    def setUp(self):
        super().setUp()
        self.slurm = self.here / "slurm"
        self.slurm.mkdir()
        self.out = self.here / "out"
        self.addCleanup(self.end_tasks)

    def end_tasks(self):
        for path in self.slurm.glob("*_*"):
            process = int(path.read_text().split("|")[2])
            if process:
                try:
                    os.killpg(process, 9)
                except ProcessLookupError:
                    pass

    def environment(self, **changes):
        return super().environment(**{"FAKE_SLURM": self.slurm, "FAKE_NODE_FAILURE": TOOLS / "kill_points.so",
                                      "GLYPHREEL_CLUSTER_POLL": "0.05", "PATH": f"{self.programs}:{os.environ['PATH']}",
                                      "CUDA_VISIBLE_DEVICES": None, **changes})

    def words(self, *more, cluster="slurm", inputs=None):
        inputs = [self.clip] if inputs is None else inputs
        return ("batch", *inputs, "-o", self.out, *LOOK, "--segment", "1", "--cluster", cluster, *more)

    def check_same(self):
        """Compares the output with a plain recording."""
        if not self.whole.exists():
            self.succeed("record", self.clip, "-o", self.whole, "--grid", "20x6", "--codec", "ffv1", "--hwdec", "no")
        out = self.out / "scenes.mkv"
        self.assert_complete(out)
        self.assertEqual(picture_hashes(out), picture_hashes(self.whole))
        self.assertEqual(frame_times(out), frame_times(self.whole))
        self.assertEqual(audio_hashes(out), audio_hashes(self.whole))
        self.assertFalse(list((self.out / ".glyphreel" / "cluster").glob("*")), "the folder of the run remains")
        self.assertFalse(list((self.out / ".glyphreel" / "segments").rglob("*.segment")))

    def run_folder(self):
        return next((self.out / ".glyphreel" / "cluster").iterdir())

    def calls(self, name):
        return (self.slurm / "calls").read_text().split().count(name)


class Slurm(ClusterTest):
    def test_segments_become_one_recording(self):
        printed = self.succeed(*self.words("--jobs", "2", "--gres", "gpu:1", "--ssim"), env={"FAKE_ACCOUNTING": "1"}).stderr
        self.assertIn("6 units in 2 tasks", printed)
        self.assertEqual((self.calls("sbatch"), self.calls("squeue")), (1, 2))  # squeue: each task asks for its time limit
        self.assertGreater(self.calls("sacct"), 0)
        self.check_same()
        items = json.loads(self.succeed("batch", "-o", self.out, "--list", "--json").stdout)
        self.assertEqual((items["state"], items["frames"]), ("done", 60))
        self.assertGreater(items["luma"], 0.01)
        self.assertGreater(items["ssim"], 0.5)
        self.assertIn("1 done before", self.succeed(*self.words()).stderr)

    def test_detached_run_is_collected_later(self):
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        status = json.loads(self.succeed("batch", "-o", self.out, "--status", "--json").stdout)
        self.assertEqual((status["units"], status["done"], status["rounds"][0]["waiting"]), (6, 0, 1))
        self.refuse(EXIT_USAGE, "--cancel", *self.words("--mode", "ramp"), lines=None)
        (self.slurm / "held").unlink()
        wait_for(lambda: "done" in self.succeed("batch", "-o", self.out, "--status").stdout.split("6 of 6 units are ")[-1][:4]
                 and not self.live(), "the tasks")
        self.assertFalse((self.out / "scenes.mkv").exists())
        self.succeed(*self.words())
        self.assertEqual(self.calls("sbatch"), 1)
        self.check_same()
        item = json.loads(self.succeed("batch", "-o", self.out, "--list", "--json").stdout)
        self.assertGreater(item["luma"], 0.01)  # the luma is collected from the results of the tasks

    def live(self):
        return [path for path in self.slurm.glob("[0-9]*_*") if path.read_text().startswith(("RUNNING", "PENDING"))]

    def test_interrupted_command_continues_with_the_tasks(self):
        (self.slurm / "held").touch()
        run = self.start(*self.words("--jobs", "2"))
        wait_for(lambda: list(self.slurm.glob("1_*")) or run.poll() is not None, "the job")
        wait_for(lambda: (self.run_folder() / "round-1" / "job").exists(), "the record of the job")
        interrupt(run)
        self.assertEqual(run.wait(PATIENCE), EXIT_INTERRUPTED)
        before = self.calls("squeue")
        run = self.start(*self.words("--jobs", "2"))
        wait_for(lambda: self.calls("squeue") > before or run.poll() is not None, "the command asks for the tasks")
        (self.slurm / "held").unlink()
        self.assertEqual(run.wait(PATIENCE), EXIT_DONE)
        self.assertEqual(self.calls("sbatch"), 1)
        self.check_same()

    def test_tasks_that_have_ended_before_the_command_continues(self):
        """All segments have been recorded, but according to the scheduler, the tasks still run."""
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        (self.slurm / "held").unlink()
        wait_for(lambda: not self.live(), "the tasks")
        for task in self.slurm.glob("[0-9]*_*"):
            task.write_text(task.read_text().replace("COMPLETED", "RUNNING"))
        self.succeed(*self.words())
        self.assertEqual(self.calls("sbatch"), 1)
        self.check_same()

    def test_cancelled_tasks_are_not_queued_again(self):
        (self.slurm / "held").touch()
        run = self.start(*self.words())
        wait_for(lambda: list(self.out.rglob("round-1/job")), "the job")
        self.assertIn("Cancelled job 1", self.succeed("batch", "-o", self.out, "--cancel").stdout)
        self.assertEqual(run.wait(PATIENCE), EXIT_INTERRUPTED)
        (self.slurm / "held").unlink()
        self.assertEqual(self.calls("sbatch"), 1)
        self.succeed(*self.words())
        self.check_same()

    def test_failed_node_and_controller_that_restarts(self):
        (self.slurm / "node_fails").touch()
        (self.slurm / "held").touch()
        run = self.start(*self.words("--jobs", "2"))
        wait_for(lambda: list(self.out.rglob("round-1/job")), "the job")
        (self.slurm / "down").touch()
        (self.slurm / "held").unlink()
        wait_for(lambda: not self.live(), "the tasks")
        self.assertTrue(list(self.out.rglob("*.part.segment")), "the node did not fail in the middle of a segment")
        (self.slurm / "down").unlink()
        self.assertEqual(run.wait(PATIENCE), EXIT_DONE)
        self.assertEqual(self.calls("sbatch"), 2)
        self.check_same()

    def test_failed_node_gets_tasks_again_if_there_is_no_other(self):
        (self.slurm / "node_fails").touch()
        (self.slurm / "refuses").write_text("exclude")
        self.assertIn("because the scheduler has no others: n1", self.succeed(*self.words("--jobs", "1")).stderr)
        self.assertEqual(self.calls("sbatch"), 3)
        self.check_same()

    def test_refused_job_is_a_failure(self):
        (self.slurm / "refuses").write_text("array")
        outcome = self.run_program(*self.words())
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertIn("Slurm refuses", outcome.stderr)

    def test_limit_of_submitted_tasks(self):
        """If the account's limit does not permit all tasks at once, the rest are submitted in later rounds."""
        (self.slurm / "limit").write_text("0")
        (self.slurm / "calls").touch()
        run = self.start(*self.words("--jobs", "4"), stderr=subprocess.PIPE, text=True)
        wait_for(lambda: self.calls("sbatch") >= 4 or run.poll() is not None, "another attempt to submit one task")
        (self.slurm / "new-limit").write_text("2")
        (self.slurm / "new-limit").replace(self.slurm / "limit")  # at once, because sbatch may be reading it
        _, printed = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, EXIT_DONE, printed)
        self.assertIn("refuses 4 tasks (sbatch: error: Batch job submission failed: Job violates accounting/QOS policy", printed)
        self.assertIn("takes no tasks now (sbatch: error", printed)
        self.assertEqual(printed.count("Submitted as job"), 2)  # a job of one task, and a job of two
        self.check_same()

    def test_half_written_segment_is_recorded_again(self):
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        task = self.run_folder() / "round-1" / "0.json"
        self.task(task)
        segments = self.out / ".glyphreel" / "segments" / "scenes.mkv"
        damaged = segments / "00002.segment"
        damaged.write_bytes(damaged.read_bytes()[:-30])
        times = {path.name: path.stat().st_mtime_ns for path in segments.glob("*.segment")}
        del times[damaged.name]
        (self.slurm / "held").unlink()
        wait_for(lambda: not self.live(), "the task, which finds that all units have results")
        self.assertEqual({path.name: path.stat().st_mtime_ns for path in segments.glob("*.segment") if path != damaged}, times)
        self.succeed(*self.words())
        self.assertEqual(self.calls("sbatch"), 2)
        self.check_same()

    def task(self, path, code=EXIT_DONE, **changes):
        outcome = self.run_program("batch", "--task", path, "-o", self.out, "--no-config", env=changes)
        self.assertEqual(outcome.code, code, outcome)
        return outcome.stderr

    def test_task_that_runs_twice(self):
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        task = self.run_folder() / "round-1" / "0.json"
        processes = [self.start("batch", "--task", task, "-o", self.out, "--no-config") for _ in range(2)]
        self.assertEqual([process.wait(PATIENCE) for process in processes], [EXIT_DONE, EXIT_DONE])
        self.assertEqual(len(list((self.run_folder() / "results").glob("*.json"))), 6)
        (self.slurm / "held").unlink()
        self.succeed(*self.words())
        self.check_same()

    def test_task_stops_before_its_time_limit(self):
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        folder = self.run_folder()
        job = {"SLURM_JOB_ID": "7", "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "0", "FAKE_TIME_LEFT": "0:00"}
        self.assertIn("Stopped after 1 unit, before the end of the task.", self.task(folder / "round-1" / "0.json", EXIT_TRY_AGAIN, **job))
        self.assertEqual(len(list((folder / "results").glob("*.json"))), 1)
        self.assertIn("scontrol", (self.slurm / "calls").read_text().split()[-1])

    def test_other_machine_is_refused(self):
        (self.slurm / "held").touch()
        self.succeed(*self.words("--detach"))
        plan = self.run_folder() / "plan.json"
        planned = json.loads(plan.read_text())
        for change, message in ((("program", "0.0.1"), "The version of glyphreel"), (("libraries", "FFmpeg 1"), "FFmpeg"),
                                (("font", "x"), "The font"), (("encoder", "x"), "The encoder")):
            changed = json.loads(json.dumps(planned))
            target = changed if change[0] in changed else changed["variants"][0]
            target[change[0]] = change[1]
            plan.write_text(json.dumps(changed))
            self.assertIn(message, self.task(self.run_folder() / "round-1" / "0.json", EXIT_TRY_AGAIN))
        self.assertFalse(list((self.run_folder() / "results").iterdir()))

    def test_whole_items_and_failures(self):
        pictures = [make_clip(self.here / f"{name}.png", *lavfi("testsrc2=size=64x48:duration=1:rate=1"), "-frames:v", "1")
                    for name in "abc"]
        pictures[1].write_bytes(b"nothing")
        outcome = self.run_program("batch", *pictures, "-o", self.out, "--to", "txt", "--grid", "20x6", "--cluster", "slurm")
        self.assertEqual(outcome.code, EXIT_FAILED, outcome)
        self.assertIn("b.png", outcome.stderr)
        self.assertEqual(sorted(path.name for path in self.out.glob("*.txt")), ["a.txt", "c.txt"])
        self.assertTrue(list(self.run_folder().glob("round-1/0.log")))

    def test_what_is_wrong_is_one_sentence(self):
        self.refuse(EXIT_FAILED, "not installed", *self.words(), env={"PATH": "/nonexistent"}, lines=None)
        self.refuse(EXIT_FAILED, "GNU parallel", *self.words(cluster="ssh:a"), env={"PATH": "/nonexistent"}, lines=None)
        self.refuse(EXIT_USAGE, "--detach needs --cluster slurm", *self.words("--detach", cluster="ssh:a"))
        self.refuse(EXIT_USAGE, "--cluster takes 'slurm'", *self.words(cluster="pbs"))
        self.refuse(EXIT_USAGE, "--time takes", *self.words("--time", "soon"))
        self.refuse(EXIT_USAGE, "has no cluster run", "batch", "-o", self.out, "--status")


class Ssh(ClusterTest):
    def test_tasks_run_through_gnu_parallel(self):
        self.succeed(*self.words(cluster="ssh:a,b"))
        self.check_same()
        words = json.loads((self.slurm / "parallel").read_text())
        self.assertEqual(words[words.index("--sshlogin") + 1], "a,b")


if __name__ == "__main__":
    unittest.main()
