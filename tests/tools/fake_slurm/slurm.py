#!/usr/bin/env python3
"""Stand-ins for sbatch, scontrol, squeue, sacct and scancel. All tasks of a job array run at once, on this machine.

Call this script through a symbolic link with the name of one of these programs. $FAKE_SLURM is the folder for the
state of jobs. These files in it change the behavior:

  down          the controller does not respond
  held          tasks wait until this file is removed
  node_fails    the next task is killed in the middle of its first segment, as if its node had failed
  limit         contains the maximum number of tasks in the queue
  refuses       contains the name of an option of sbatch; jobs with this option are refused
"""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time

FOLDER = pathlib.Path(os.environ["FAKE_SLURM"])


def write(path, text):
    aside = path.with_name(f".{path.name}-{os.getpid()}")
    aside.write_text(text)
    aside.replace(path)


def take_node_failure():
    """Returns whether the calling task must fail, and removes the file node_fails."""
    try:
        (FOLDER / "node_fails").unlink()
    except FileNotFoundError:
        return False
    return True


def run_task(job, index, script, options):
    state = FOLDER / f"{job}_{index}"
    while (FOLDER / "held").exists():
        if not state.exists():
            return
        time.sleep(0.02)
    node = f"n{index % 2 + 1}"
    environment = {**os.environ, "SLURM_JOB_ID": f"{job}{index:03}", "SLURM_ARRAY_JOB_ID": job,
                   "SLURM_ARRAY_TASK_ID": str(index), "SLURMD_NODENAME": node}
    if "gres" in options and node == "n1":
        environment["CUDA_VISIBLE_DEVICES"] = "0"
    fails = take_node_failure()
    # A task changes files about 10 times to describe its encoder, and then about 20 times for each segment. The 16th
    # change is therefore in the first segment.
    if fails:
        environment |= {"LD_PRELOAD": os.environ["FAKE_NODE_FAILURE"], "GLYPHREEL_KILL_AT": "16"}
    log = options["output"].replace("%%", "%").replace("%a", str(index))
    with open(log, "a") as stream:
        process = subprocess.Popen(["sh", script], env=environment, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
                                   start_new_session=True)
    write(state, f"RUNNING|{node}|{process.pid}")
    code = process.wait()
    if state.read_text().startswith("RUNNING"):
        write(state, f"{'NODE_FAIL' if fails else 'COMPLETED' if code == 0 else 'FAILED'}|{node}|0")


def sbatch(words):
    script = words[-1]
    options = {}
    for line in pathlib.Path(script).read_text().splitlines():
        if found := re.match(r"#SBATCH --([a-z-]+)(?:=(.*))?", line):
            options[found[1]] = shlex.split(found[2])[0] if found[2] else ""
    first, last = map(int, options["array"].split("%")[0].split("-"))
    queued = sum(path.read_text().startswith(("PENDING", "RUNNING")) for path in FOLDER.glob("*_*"))
    limit = FOLDER / "limit"
    if limit.exists() and queued + last - first + 1 > int(limit.read_text()):
        sys.exit("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
                 "accounting/QOS policy (job submit limit, user's size and/or time limits)")
    refuses = FOLDER / "refuses"
    if refuses.exists() and refuses.read_text() in options:
        sys.exit("sbatch: error: Batch job submission failed: Requested node configuration is not available")
    job = str(sum(1 for _ in FOLDER.glob("*.job")) + 1)
    write(FOLDER / f"{job}.job", options["job-name"])
    for index in range(first, last + 1):
        write(FOLDER / f"{job}_{index}", "PENDING||0")
    sys.stdout.write(f"{job}\n")
    sys.stdout.flush()
    for index in range(first, last + 1):
        if os.fork() == 0:
            os.setsid()
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
            run_task(job, index, script, options)
            os._exit(0)


def squeue(words):
    if "--name" in words:
        for path in FOLDER.glob("*.job"):
            if path.read_text() == words[words.index("--name") + 1]:
                print(path.stem)
        return
    if "%L" in words:
        print(os.environ.get("FAKE_TIME_LEFT", "UNLIMITED"))
        return
    job = words[words.index("-j") + 1]
    for path in sorted(FOLDER.glob(f"{job}_*")):
        state, node, _ = path.read_text().split("|")
        print(f"{path.name}|{state}|{node}")


def scancel(words):
    for path in FOLDER.glob(f"{words[-1]}_*"):
        state, node, process = path.read_text().split("|")
        if state in ("PENDING", "RUNNING"):
            write(path, f"CANCELLED|{node}|0")
            if int(process):
                os.killpg(int(process), signal.SIGTERM)


def scontrol(words):
    if words[:2] == ["show", "config"]:
        kind = "slurmdbd" if os.environ.get("FAKE_ACCOUNTING") else "none"
        print(f"AccountingStorageType = accounting_storage/{kind}\nMaxArraySize = 1001")
    elif words[0] == "requeue":
        sys.exit("requeue is not supported here")


def main():
    name = pathlib.Path(sys.argv[0]).name
    with open(FOLDER / "calls", "a") as calls:
        calls.write(f"{name}\n")
    if (FOLDER / "down").exists():
        sys.exit(f"{name}: error: Unable to contact slurm controller (connect failure)")
    {"sbatch": sbatch, "squeue": squeue, "sacct": squeue, "scancel": scancel, "scontrol": scontrol}[name](sys.argv[1:])


main()
