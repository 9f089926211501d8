#!/usr/bin/env python3
"""A stand-in for GNU parallel that runs the tasks on this machine. Writes its arguments to $FAKE_SLURM/parallel."""

import json
import os
import pathlib
import subprocess
import sys


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print("GNU parallel 20221122")
        return
    pathlib.Path(os.environ["FAKE_SLURM"], "parallel").write_text(json.dumps(words))
    for name in pathlib.Path(words[words.index("--arg-file") + 1]).read_text().splitlines():
        command = words[-1].replace("{.}", name.removesuffix(".json")).replace("{}", name)
        subprocess.run(["sh", "-c", command], check=False)


main()
