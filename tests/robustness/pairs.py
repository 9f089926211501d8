#!/usr/bin/env python3
"""Runs two commands at once in one folder, with file names in common. Kills some of them. No data may be lost.

Inputs must not change. A file must contain either its old content or the complete output of one command, and only a
killed or failed command may leave a NAME.part.EXT."""

import json
import os
import pathlib
import shutil
import signal
import sys

from common import Case, arguments, make_clip, recording_error, run_cases

FRAME_RATE = 25
GRID = (20, 6)
KINDS = (".mp4", ".mkv", ".mov", ".webm", ".txt")
CLIPS = {"a.mp4": 15, "b.mkv": 20, "c.webm": 10, "long.mp4": 150}  # frames
ALIASES = {"link.mp4", "hard.mp4"}  # a symbolic link to a.mp4, and a.mp4 under a second name


def prepare(folder):
    for name, frames in CLIPS.items():
        codecs = ["-c:v", "libvpx", "-b:v", "90k", "-deadline", "realtime", "-c:a", "libopus"] \
            if name.endswith(".webm") else ["-c:v", "libx264", "-preset", "ultrafast", "-g", "5", "-c:a", "aac"]
        make_clip(folder / name, "-f", "lavfi", "-i", f"testsrc2=size=64x48:rate={FRAME_RATE}", "-f", "lavfi", "-i",
                  "sine=sample_rate=48000", "-pix_fmt", "yuv420p", *codecs, "-frames:v", frames, "-t",
                  frames / FRAME_RATE)
    return folder


class Command:
    """One command of a pair: its arguments, and the files it reads and writes."""

    def __init__(self, verb, words, **facts):
        self.verb, self.words = verb, words
        self.reads, self.frames, self.output, self.force = facts.get("reads"), facts.get("frames"), None, False
        self.extras, self.report, self.stop = [], facts.get("report"), None  # extras: [(option, the file that it names)]

    def target(self):
        """Returns the file that the output's name resolves to."""
        return "a.mp4" if self.output == "link.mp4" else self.output

    def part(self):
        return self.output and temporary_name(self.target(), "part")

    def may_replace(self, name):
        """Whether the user allowed this command to replace `name`."""
        return self.force and name in (self.target(), self.part(), temporary_name(self.target(), "finishing"))


def same_file(reads, name):
    return reads == name or {reads, name} <= {"a.mp4"} | ALIASES


def temporary_name(name, kind):
    return f"{pathlib.Path(name).stem}.{kind}{pathlib.Path(name).suffix}"


def fill_folder(case, clips):
    """Fills the folder with clips, links to them and leftovers. Returns {playable name: frames}."""
    inputs = {}
    for name, frames in CLIPS.items():
        shutil.copy(clips / name, case.work / name)
        inputs[name] = frames
    for name in ("o", "p"):
        if case.random.random() < 0.25:  # The leftover of a killed recording.
            source = case.random.choice(["a.mp4", "b.mkv"])
            part = f"{name}.{case.random.choice(['part', 'part', 'finishing'])}{pathlib.Path(source).suffix}"
            shutil.copy(clips / source, case.work / part)
            inputs[part] = CLIPS[source]
    (case.work / "link.mp4").symlink_to("a.mp4")
    os.link(case.work / "a.mp4", case.work / "hard.mp4")
    inputs.update({"link.mp4": CLIPS["a.mp4"], "hard.mp4": CLIPS["a.mp4"]})
    for name in ("o", "p"):
        for kind in KINDS:
            for path in (case.work / f"{name}{kind}", case.work / f"{name}.part{kind}"):
                if case.random.random() < 0.08 and not path.exists():
                    path.write_bytes(b"what the user had in " + path.name.encode())
        for kind in case.random.sample(KINDS, 2):
            part = case.work / f"{name}.part{kind}"
            if case.random.random() < 0.15 and not part.exists():
                part.with_name(f"victim{name}").write_bytes(b"reached only through a link")
                part.symlink_to(f"victim{name}")
    return inputs


def choose_record(case, inputs, shared_output):
    pick = case.random
    reads = pick.choice(sorted(inputs))
    frames, words = inputs[reads], ["record", reads, "--grid", "x".join(map(str, GRID)), "--renderer", "cpu"]
    if pick.random() < (0.3 if reads == "long.mp4" else 0.7):
        seconds = pick.choice(["0.1", "0.3", "0.38"])
        frames = min(frames, -int(-float(seconds) * FRAME_RATE // 1))
        words += ["--length", seconds]
    command = Command("record", words, reads=reads, frames=frames)
    chance = pick.random()
    if ".part." in reads or ".finishing." in reads:  # A leftover is usually recorded again under its final name.
        base = reads.split(".")[0]
        command.output = base + pathlib.Path(reads).suffix if chance < 0.7 else shared_output
    elif chance < 0.12:
        command.output = pick.choice([reads, "a.mp4", "link.mp4", "hard.mp4", temporary_name(reads, "part")])
    else:
        command.output = shared_output if chance < 0.8 else pick.choice("op") + pick.choice(KINDS)
    command.force = pick.random() < 0.5
    words += ["-o", command.output] + ["--force"] * command.force
    for option, shared in (("--stats", "s.json"), ("--log-file", "l.log")):
        if pick.random() < 0.35:
            own = [command.output, reads, command.part(), *(ALIASES if same_file(reads, "a.mp4") else [])]
            file = shared if pick.random() < 0.7 else pick.choice(sorted(own))
            command.extras.append((option, file))
            words += [option, file]
    return command


def choose(case, inputs, shared_output):
    chance = case.random.random()
    if chance < 0.04:
        reads = case.random.choice(sorted(inputs))
        words = ["compare", reads, "--grid", "8x4", "--length", "0.05", "--report", "report"]
        return Command("compare", words, reads=reads, report="report")
    return choose_record(case, inputs, shared_output)


def contents(folder):
    """Returns {name: content} of the folder: a file's bytes, or a symbolic link's target."""
    return {path.name: b"-> " + os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
            for path in folder.iterdir() if path.is_symlink() or path.is_file()}


def check_old_files(case, pair, before, after):
    """Checks that each replaced file was replaced by a command with --force that does not read the file."""
    for name, old in before.items():
        if after.get(name) == old:
            continue
        by_force = [command for command in pair if command.may_replace(name)]
        readers = [command for command in pair
                   if command.reads and (command.reads == name or (command.reads, name) == ("link.mp4", "a.mp4"))]
        if any(command not in readers for command in by_force):
            if readers:
                case.note("--force replaced the other command's input")
            continue
        named_by = [command for command in pair if name in [file for _, file in command.extras]]
        if named_by and ".part." in name and not any(command in readers for command in named_by):
            case.note("--stats or --log-file replaced a .part that its command does not read")
            continue
        state = "gone" if name not in after else "changed"
        extra = [option for command in named_by for option, file in command.extras if file == name]
        if readers or name in CLIPS or name in ALIASES:
            case.problem("an input was changed", f"{name} is {state} {extra}")
        else:
            case.problem("a user's file was changed without --force", f"{name} is {state} {extra}")


def check_output(case, name, pair, outcomes, before, after):
    """Checks that a final name has its old content, or the complete output of one command."""
    writers = [(command, outcome.code) for command, outcome in zip(pair, outcomes) if command.target() == name]
    done = [command for command, code in writers if code == 0]
    path = case.work / name
    if name not in after or after[name] == before.get(name):
        if done:
            case.problem("exit 0 but no output", name)
        return
    if not any(command.force for command, _ in writers) and len(done) > 1:
        case.problem("two commands without --force wrote one name", name)
    # A command that was stopped, or that failed later while writing statistics, may have completed its file.
    stopped = [command.frames for command, code in writers if code not in (0, 2, 4) and command.frames]
    if any(other.may_replace(name) and same_file(command.reads, name)  # The command's input was replaced while it ran.
           for command, _ in writers for other in pair for name in before if other is not command):
        stopped.append(1000)
    reason = recording_error(path, {command.frames for command in done}, max(stopped, default=0), GRID)
    if reason:
        case.problem("exit 0 but a damaged output" if done else "partial file under a final name",
                     f"{name}: {reason}")


def check_leftovers(case, pair, outcomes, before, after):
    """Checks that each leftover NAME.part.EXT belongs to a killed or failed command, and that no other file is left."""
    killed = any(outcome.code < 0 for outcome in outcomes)
    known = {file for command in pair for _, file in command.extras} | {command.output for command in pair}
    for name in sorted(set(after) - set(before) - known):
        owners = [outcome.code for command, outcome in zip(pair, outcomes) if command.part() == name]
        if any(code < 0 or code == 1 for code in owners):
            continue
        if owners:
            case.problem("a .part without a killed or failed command", f"{name}, exit codes {owners}")
        elif not killed and name != "glyphreel.mp4":
            case.problem("stray file", name)
    for command, outcome in zip(pair, outcomes):
        if command.verb != "record" or outcome.code != 1 or command.part() in after:
            continue
        if command.part().encode() in outcome.stderr:
            case.problem("the message names a missing .part", command.part())
        elif command.output not in after:
            case.problem("exit 1 without a .part or output", command.output)


def check_command(case, command, outcome, other, before):
    case.check_contract(outcome, [command.stop] if command.stop else [])
    unforced = command.output in before and not command.force and not (other.force and other.output == command.output)
    if unforced and outcome.code == 0:
        case.problem("exit 0 although the output existed", command.output)
    part = command.part()
    if part in before and part not in (command.output, command.reads) and not command.force and other.output != command.output \
            and command.verb == "record" and outcome.code not in (2, 130) and outcome.code >= 0:
        case.problem("a leftover .part was not refused", f"{part}, exit {outcome.code}")
    if outcome.code == 0:
        for option, file in command.extras:
            if option == "--stats" and file != command.output:
                check_json(case, case.work / file)
        if command.report and not other.stop:
            page = case.work / command.report / "index.html"
            if not (page.exists() and page.read_text().rstrip().endswith("</html>")):
                case.problem("incomplete report")


def check_json(case, path):
    try:
        json.loads(path.read_text())
    except (OSError, ValueError) as reason:
        case.problem("exit 0 but damaged statistics", f"{path.name}: {reason}")


def one_pair(case: Case, clips):
    inputs = fill_folder(case, clips)
    shared_output = case.random.choice("op") + case.random.choice(KINDS)
    pair = [choose(case, inputs, shared_output) for _ in range(2)]
    before = contents(case.work)
    runs = []
    for command in pair:
        runs.append(case.start(command.words))
        if case.random.random() < 0.4:
            command.stop = case.random.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
            runs[-1].send_later(command.stop, case.random.uniform(0.02, 0.25))
    outcomes = [run.finish(30) for run in runs]
    case.outcomes += outcomes
    after = contents(case.work)
    for command, outcome, other in zip(pair, outcomes, reversed(pair)):
        check_command(case, command, outcome, other, before)
    check_old_files(case, pair, before, after)
    for name in sorted({command.target() for command in pair if command.output}):
        check_output(case, name, pair, outcomes, before, after)
    check_leftovers(case, pair, outcomes, before, after)


if __name__ == "__main__":
    sys.exit(run_cases(arguments(__doc__, 200), one_pair, prepare))
