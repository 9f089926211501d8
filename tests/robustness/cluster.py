#!/usr/bin/env python3
"""Converts a video on a Slurm cluster while nodes, tasks or disks fail, and compares the result with a plain recording.

Each case must end with the frames, times and sound of `record`. Needs Slurm's programs and a cluster with two nodes or
more, all on this machine or sharing the temporary folder. The cases that break Slurm itself need these commands:

  --kill-node COMMAND           kills the node that the variable NODE names, with all of its processes
  --start-node COMMAND          starts it again
  --restart-controller COMMAND  kills slurmctld, waits some seconds and starts it

--clip FILE and --segment SECONDS convert FILE instead of the generated video, in segments of that length. To make a
video of half an hour:

  ffmpeg -stream_loop 59 -i 30-seconds.mp4 -c copy half-an-hour.mp4

The full file system is mounted by this script, so the nodes must see mounts that are newer than their daemons.

A stand-in for nvidia-smi lists Mesa's lavapipe as the GPU of every second node. On the other nodes it lists a GPU that
does not exist, so their tasks use the CPU.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from harness import (AAC, H264, SOURCE_ROOT, audio_hashes, clean_environment, frame_times, lavfi, make_clip,  # noqa: E402
                     picture_hashes, tool, wait_for)

LOOK = ("--grid", "40x11", "--cell", "4x8", "--codec", "ffv1", "--hwdec", "no")
SECONDS = 24
SCENES = "if(lt(mod(T,8),5),lum(X,Y)*0.3+180*mod(floor(T/0.7),2),lum(X,Y)*0.5+4*mod(T,8))"


class Cluster:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.clip = folder / "clip.mp4"
        if options.clip:
            self.clip.symlink_to(options.clip.resolve())
        else:
            make_clip(self.clip, *lavfi(f"testsrc2=size=640x360:rate=25:duration={SECONDS}"), *lavfi(f"sine=duration={SECONDS}"),
                      "-vf", f"geq=lum='{SCENES}'", *H264, "-g", "25", *AAC)
        self.nodes = sorted(tool("sinfo", "-h", "-N", "-o", "%N").split())
        self.environment = clean_environment(folder, GLYPHREEL_CLUSTER_POLL="0.2", GALLIVM_PERF="nopt", **self.add_nvidia_smi())
        self.whole = folder / "whole.mkv"
        self.run("record", self.clip, "-o", self.whole, *LOOK, "--renderer", "cpu")
        self.expected = self.content(self.whole)

    def add_nvidia_smi(self):
        """Makes the stand-in for nvidia-smi. Returns the environment variables with which the program finds it."""
        programs = self.folder / "programs"
        programs.mkdir()
        uuid = json.loads(tool(self.options.program, "info", "--json"))["gpus"][0]["uuid"]
        with_gpu = "|".join(self.nodes[::2])
        script = programs / "nvidia-smi"
        script.write_text(f"#!/bin/sh\ncase $SLURMD_NODENAME in {with_gpu}) id={uuid};; *) id=00000000-0000-0000-0000-0000000000ff;; "
                          "esac\necho \"GPU 0: stand-in (UUID: GPU-$id)\"\n")
        script.chmod(0o755)
        return {"PATH": f"{programs}:{os.environ['PATH']}"}

    def run(self, *words, code=0):
        done = subprocess.run([str(self.options.program), *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=self.options.limit, check=False)
        if done.returncode != code:
            raise AssertionError(f"exit {done.returncode} instead of {code}: {done.stderr[-2000:]}")
        return done.stderr

    def start(self, out, *more):
        return subprocess.Popen([str(self.options.program), *map(str, self.words(out, *more))], env=self.environment,
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def local_words(self, out, jobs):
        return "batch", self.clip, "-o", out, "--to", "mkv", *LOOK, "--segment", self.options.segment, "--jobs", jobs

    def words(self, out, *more):
        return *self.local_words(out, 4), "--cluster", "slurm", "--gres", "gpu:1", "--time", "30", *more

    @staticmethod
    def content(path):
        return picture_hashes(path), frame_times(path), audio_hashes(path)

    def check(self, out):
        for found, expected, what in zip(self.content(out / "clip.mkv"), self.expected, ("frames", "times", "sound")):
            if found != expected:
                raise AssertionError(f"the {what} differ from those of a plain recording")

    def end(self, process, out):
        try:
            printed = process.communicate(timeout=self.options.limit)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"still running after {self.options.limit} s") from None
        if process.returncode != 0:
            raise AssertionError(f"exit {process.returncode}: {printed[-2000:]}")
        self.check(out)
        return printed

    def segments(self, out):
        return {path.name: path.stat().st_mtime_ns for path in (out / ".glyphreel" / "segments").rglob("0????.segment")}

    def wait_for_work(self, process, out, count=2):
        """Waits until some segments are recorded."""
        wait_for(lambda: len(self.segments(out)) >= count or process.poll() is not None, f"{count} segments", self.options.limit)

    def wait_for_results(self, out):
        wait_for(lambda: len(list(run_folder(out).glob("results/*.json"))) == planned(out), "all results", self.options.limit)


def run_folder(out):
    return next((out / ".glyphreel" / "cluster").iterdir())


def planned(out):
    """Returns the number of segments in the first round's tasks."""
    return sum(len(json.loads(path.read_text())["units"]) for path in run_folder(out).glob("round-1/*.json"))


def local_batch(jobs):
    def case(cluster, out):
        printed = cluster.run(*cluster.local_words(out, jobs))
        cluster.check(out)
        return printed.strip().splitlines()[-1]

    return case


def mixed_gpu_and_cpu(cluster, out):
    cluster.run(*cluster.words(out, "--detach"))
    cluster.wait_for_results(out)
    logs = "".join(path.read_text() for path in run_folder(out).glob("round-1/*.log"))
    cluster.run(*cluster.words(out))
    cluster.check(out)
    gpu, cpu = logs.count("Renderer: GPU"), logs.count("Renderer: CPU")
    if not gpu or not cpu:
        raise AssertionError(f"{gpu} tasks on the GPU and {cpu} on the CPU")
    return f"{gpu} tasks on the GPU, {cpu} on the CPU"


def killed_node(cluster, out):
    process = cluster.start(out)
    cluster.wait_for_work(process, out)
    before = cluster.segments(out)
    node = tool("squeue", "-h", "-t", "RUNNING", "-o", "%N").split()[0]
    subprocess.run(cluster.options.kill_node, shell=True, env={**os.environ, "NODE": node}, check=True)
    try:
        wait_for(lambda: process.poll() is not None or len(cluster.segments(out)) >= planned(out) - 1, "the end",
                 cluster.options.limit)
        kept = [name for name, at in cluster.segments(out).items() if before.get(name) == at] or sorted(before)
        cluster.end(process, out)
    finally:
        subprocess.run(cluster.options.start_node, shell=True, env={**os.environ, "NODE": node}, check=True)
    return f"{node} killed; {len(kept)} of {len(before)} earlier segments kept"


def restarted_controller(cluster, out):
    process = cluster.start(out)
    cluster.wait_for_work(process, out)
    subprocess.run(cluster.options.restart_controller, shell=True, check=True)
    cluster.end(process, out)


def task_twice(cluster, out):
    cluster.run(*cluster.words(out, "--detach"))
    task = run_folder(out) / "round-1" / "0.json"
    twins = [subprocess.Popen([str(cluster.options.program), "batch", "--no-config", "--task", str(task), "-o", str(out)],
                              env=cluster.environment, stderr=subprocess.DEVNULL) for _ in range(2)]
    if [twin.wait(cluster.options.limit) for twin in twins] != [0, 0]:
        raise AssertionError("one of two simultaneous runs of a task failed")
    cluster.run(*cluster.words(out))
    cluster.check(out)


def half_written_segment(cluster, out):
    cluster.run(*cluster.words(out, "--detach"))
    cluster.wait_for_results(out)
    victim = sorted((out / ".glyphreel" / "segments").rglob("0????.segment"))[3]
    victim.write_bytes(victim.read_bytes()[:-100])
    printed = cluster.run(*cluster.words(out))
    cluster.check(out)
    if "1 unit in 1 task." not in printed:
        raise AssertionError(f"more than the damaged segment was recorded again: {printed}")


def full_file_system(cluster, out):
    out.mkdir()
    size = sum(path.stat().st_size for path in [cluster.whole])
    tool("mount", "-t", "tmpfs", "-o", f"size={size // 2}", "tmpfs", out)
    try:
        printed = cluster.run(*cluster.words(out), code=1)
        before = cluster.segments(out)
        if (out / "clip.mkv").exists() or "space" not in printed:
            raise AssertionError(f"the output exists, or the message does not name the full disk: {printed}")
        tool("mount", "-o", f"remount,size={size * 4}", out)
        wait_for(lambda: not tool("squeue", "-h").strip(), "the end of the tasks", 120)
        printed_again = cluster.run(*cluster.words(out))
        cluster.check(out)
        return f"{len(before)} segments kept; {printed.strip().splitlines()[-1][:100]}; then {printed_again.splitlines()[0]}"
    finally:
        tool("umount", "--lazy", out)  # a task may still be writing its log


CASES = {"one_job": (local_batch(1), ()), "four_jobs": (local_batch(4), ()), "mixed_gpu_and_cpu": (mixed_gpu_and_cpu, ()),
         "killed_node": (killed_node, ("kill_node", "start_node")),
         "restarted_controller": (restarted_controller, ("restart_controller",)), "task_twice": (task_twice, ()),
         "half_written_segment": (half_written_segment, ()), "full_file_system": (full_file_system, ())}


def run_case(cluster, name):
    case, needs = CASES[name]
    missing = [need for need in needs if not getattr(cluster.options, need)]
    if missing:
        return "not run: needs " + " and ".join("--" + need.replace("_", "-") for need in missing), False
    if name == "full_file_system" and os.geteuid() != 0:
        return "not run: only root can mount a small file system", False
    start = time.monotonic()
    try:
        detail = case(cluster, cluster.folder / name)
        return f"passed in {time.monotonic() - start:.0f} s" + (f"; {detail}" if detail else ""), False
    except (AssertionError, subprocess.SubprocessError, OSError, StopIteration) as problem:
        return f"FAILED: {problem!r}", True
    finally:
        for job in (cluster.folder / name).glob(".glyphreel/cluster/*/round-*/job"):  # left by a failed case
            subprocess.run(["scancel", job.read_text().split()[1]], check=False, capture_output=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=SOURCE_ROOT / "build" / "check" / "src" / "glyphreel")
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--clip", type=pathlib.Path, metavar="FILE", help="video to convert (default: a generated clip of 24 seconds)")
    parser.add_argument("--segment", type=int, default=2, metavar="SECONDS", help="length of a segment (default: 2)")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS", help="time limit of each command (default: 600)")
    for name in ("--kill-node", "--start-node", "--restart-controller"):
        parser.add_argument(name, metavar="COMMAND")
    options = parser.parse_args()
    options.program = options.program.resolve()
    if not shutil.which("sbatch") or subprocess.run(["sinfo", "-h"], capture_output=True, check=False).returncode != 0:
        sys.exit("Slurm does not respond: install it, start a cluster, and set SLURM_CONF if its configuration is not "
                 "in /etc/slurm")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with tempfile.TemporaryDirectory(prefix="glyphreel-cluster-") as folder:
        cluster = Cluster(options, pathlib.Path(folder))
        failures = 0
        for name in options.only or CASES:
            text, failed = run_case(cluster, name)
            failures += failed
            print(f"{name:22} {text}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
