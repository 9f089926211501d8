#!/usr/bin/env python3
"""Makes one allocation of a recording fail. Half of the cases choose it from all allocations, the others from the last
fifth.

If only the program, libc and libstdc++ are on the failing call's stack, the program must neither crash nor hang. No run
may exit with 0 if frames are missing, or leave a partial file under a final name."""

import pathlib
import re
import sys

from common import Case, arguments, make_clip, recording_error, run_cases, tool

FRAMES = 10
OURS = re.compile(r"^(libc|libstdc\+\+|libgcc_s|libm|libpthread|ld-linux-[\w-]+)\.so|^fail_malloc")


def words(kind):
    return ["record", "../../clip.mp4", "-o", "out" + kind, "--grid", "20x6", "--renderer", "cpu", "--hwdec", "no",
            "--threads", "2"]


def prepare_with(options):
    def prepare(folder):
        tool("cc", "-shared", "-fPIC", "-O1", "-o", folder / "fail_malloc.so",
             pathlib.Path(__file__).with_name("fail_malloc.c"))
        make_clip(folder / "clip.mp4", "-f", "lavfi", "-i", f"testsrc2=size=64x48:rate={FRAMES}:duration=1", "-f",
                  "lavfi", "-i", "sine=sample_rate=48000:duration=1", "-pix_fmt", "yuv420p", "-c:v", "libx264",
                  "-preset", "ultrafast", "-c:a", "aac")
        calls = {}
        for number, kind in enumerate((".mp4", ".txt")):  # No allocation fails in these two runs: they only count calls.
            case = Case(options, options.count + number, folder)
            outcome, log = record(case, kind, 0)
            if outcome.code != 0:
                raise SystemExit(f"the run without an injected failure fails: {outcome}")
            calls[kind] = int(re.search(r"calls (\d+)", log)[1])
        print("malloc_points: " + ", ".join(f"{count} calls to {kind}" for kind, count in calls.items()), flush=True)
        return calls
    return prepare


def record(case, kind, fail_at):
    log = case.root / "malloc.log"
    library = case.root.parent / "fail_malloc.so"
    outcome = case.run(words(kind), limit=10, LD_PRELOAD=library, FAIL_MALLOC=fail_at, FAIL_MALLOC_LOG=log)
    return outcome, log.read_text() if log.exists() else ""


def third_party_libraries(log):
    """Returns the third-party libraries on the failing call's stack, innermost first."""
    found = []
    for line in log.splitlines():
        library = pathlib.Path(line.split("(")[0]).name
        if ".so" in library and not OURS.match(library) and library not in found:
            found.append(library.split(".so")[0])
    return found


def stack_of(log, program):
    """Returns the failing call's stack with the program's functions by name, innermost first."""
    frames = [(pathlib.Path(path).name, offset) for path, offset in re.findall(r"^(.*)\((.*)\)\[", log, re.MULTILINE)]
    offsets = [offset for file, offset in frames if file == program.name and offset.startswith("+")]
    names = iter(tool("addr2line", "-f", "-C", "-e", program, *offsets).splitlines()[::2] if offsets else [])
    return " < ".join((next(names) if file == program.name and offset.startswith("+") else f"{file}:{offset}")[:120]
                      for file, offset in frames[1:])


def one_point(case, calls):
    kind = ".mp4" if case.number % 3 else ".txt"
    place = (case.number + case.random.random()) / case.options.count
    if case.number % 2:  # The last fifth are calls during recording. Most calls are earlier, for fonts.
        place = 0.8 + 0.2 * place
    fail_at = 1 + int(calls[kind] * place)
    outcome, log = record(case, kind, fail_at)
    output, libraries = case.work / ("out" + kind), third_party_libraries(log)
    stack = stack_of(log, case.options.program)
    whose = "its own" if not libraries else "a library's"
    case.note(f"{whose} call failed" if "(" in log else "the call was not reached")
    ended_badly = outcome.late or outcome.code < 0 or outcome.code not in (0, 1, 2, 3, 4, 130)
    if ended_badly:
        how = "hang" if outcome.late else f"crash or undocumented exit code ({outcome.code})"
        if b"terminate called" in outcome.stderr:  # The program must catch all of its exceptions.
            case.problem("an exception ended the program", stack)
        elif libraries:
            case.note(f"{how} after a failure within {', '.join(libraries[:2])}")
        else:
            case.problem(how, stack)
    elif b"failed unexpectedly" in outcome.stderr:
        case.note("reported as an unexpected error")
    if outcome.code == 0 and not output.exists():
        case.problem("exit 0 without an output", stack)
    elif output.exists():
        reason = recording_error(output, {FRAMES}, 0 if outcome.code == 0 else FRAMES, (20, 6))
        if reason and libraries and outcome.code == 0:  # FFmpeg does not report every failure to its caller.
            case.note(f"exit 0 with an incomplete output after a failure within {libraries[0]}")
        elif reason:
            short = "exit 0 with an incomplete output" if outcome.code == 0 else "partial file under a final name"
            case.problem(short, f"{reason}: {stack}")


if __name__ == "__main__":
    chosen = arguments(__doc__, 300)
    sys.exit(run_cases(chosen, one_point, prepare_with(chosen)))
