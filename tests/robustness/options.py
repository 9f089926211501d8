#!/usr/bin/env python3
"""Runs random option sets from the program's own option table, with valid, borderline, absurd and hostile values.

Every run must exit with a documented code and print no control sequences. No input, device or FIFO may be replaced. The
first SIGINT must end a wait for a FIFO."""

import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys

from common import arguments, make_clip, raw_controls, recording_error, run_cases

VERBS = {"record": 70, "play": 12, "info": 14, "compare": 4}  # relative frequency
WRITES = ("output", "stats", "log-file", "report", "input-ipc-server")
PWNED = b"\x1b]0;pwned\x07"
NEWLINE = b"new\nINJECTED"
TEXTS = [b"", PWNED, b"\x9b31mpwned", "\u009b31mpwned".encode(), b"tab\tcr\rbell\a", b"del\x7f", NEWLINE,
         b"\xff\xfe\xfa", b"%s%n%999999d", b"{} {0} {:>99999}", b"A" * 70000, "\u202eright to left".encode(), b"--",
         b"-", b"--force", b"@", b"@@", b"@nothing", b"'\"$(id)`id`\\", b"0", b"-1", b"nan", b"auto", b"no", b",",
         b"=", b"caf\xc3\xa9\xcc\x81"]
NUMBERS = ["0", "1", "-1", "-0", "+1", "007", "0x10", "1e3", "1e308", "1e-320", "nan", "-nan", "inf", "-inf", ".5",
           "5.", "1.5", " 1", "1 ", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775807",
           "1" * 400, "1,5", "1_0"]
SIZES = ["1x1", "1x999", "2x3", "0x0", "-1x5", "x", "1x", "80X24", "20 x 6", "20x6x2", "16385x16385", "65536x65536",
         "4294967297x1", "99999999999x1", "nanx1", "1e1x1", "300x200"]
PATHS = [b"tiny.mp4", b"./tiny.mp4", b"soft.mp4", b"hard.mp4", b"tiny.part.mp4", b"notes.txt", b"nothing.here",
         b"no/such/folder/o.mp4", b"folder", b"folder/", b".", b"..", b"null", b"zero", b"full", b"queue.fifo",
         b"o.mp4", b"o.txt", b"o.mkv", b"o.part.txt", b"o.webm", b"n" * 300 + b".mp4", b"-.mp4", b".mp4", b"o",
         b"o.xyz", b"\xff.mp4", PWNED + b".mp4", NEWLINE + b".mp4", b"palette.gpl", b"subs.srt", b"options.toml",
         b"closed.mp4", b"dangling.mp4", b"o.mp4/o.mp4", b"file:tiny.mp4"]
INPUTS = [*[b"tiny.mp4"] * 40, *[b"demo:"] * 10, *PATHS, PWNED + b".mp4", NEWLINE + b".mp4",
          b"http://127.0.0.1:1/x.mp4", b"http://" + PWNED, b"lavfi:" + PWNED, b"camera:99", b"screen:",
          b"concat:tiny.mp4|tiny.mp4", b"data:,x", b"*.mp4", b"fd:"]


def read_table(program, verb):
    """Returns [(option name, placeholder of its value or "")] from --help."""
    text = subprocess.run([program, verb, "--help"], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z0-9-]+)(?:\[?=|\[? )?((?<=[ =])\S+)?", text, re.MULTILINE)
    return [(name, value[:-1] if value.count("[") < value.count("]") else value) for name, value in found]


def prepare(folder):
    clip = make_clip(folder / "tiny.mp4", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-f",
                     "lavfi", "-i", "sine=duration=0.4", "-pix_fmt", "yuv420p", "-c:v", "libx264", "-preset",
                     "ultrafast", "-c:a", "aac")
    return {"clip": clip, "tables": {}}


def fill_folder(case, clip):
    """Creates files, links, devices and FIFOs under the names in PATHS. The device nodes are copies of
    /dev/null, /dev/zero and /dev/full."""
    for name in (b"tiny.mp4", b"tiny.part.mp4", PWNED + b".mp4", NEWLINE + b".mp4"):
        shutil.copy(clip, os.fsencode(case.work) + b"/" + name)
    texts = {"notes.txt": "a user's notes\n", "palette.gpl": "#000000\n#ff0000\n",
             "options.toml": "grid = \"20x6\"\n",
             "subs.srt": "1\n00:00:00,000 --> 00:00:01,000\nHello\n", "closed.mp4": "no video\n"}
    for name, text in texts.items():
        (case.work / name).write_text(text)
    (case.work / "folder").mkdir()
    (case.work / "soft.mp4").symlink_to("tiny.mp4")
    (case.work / "dangling.mp4").symlink_to("folder/missing.mp4")
    os.link(case.work / "tiny.mp4", case.work / "hard.mp4")
    os.mkfifo(case.work / "queue.fifo")
    if case.random.random() < 0.05:
        os.mkfifo(case.work / "o.part.txt")
    if os.geteuid() == 0:
        for name, minor in (("null", 3), ("zero", 5), ("full", 7)):
            os.mknod(case.work / name, stat.S_IFCHR | 0o666, os.makedev(1, minor))


def valid_value(pick, name, kind):
    if re.fullmatch(r"[a-z0-9-]+(\|[a-z0-9-]+)+", kind):
        return pick.choice(kind.split("|"))
    if re.fullmatch(r"[\d.]+\.\.[\d.]+", kind):
        least, most = map(float, kind.split(".."))
        value = pick.uniform(least, most)
        return pick.choice([f"{value:.3f}", str(int(value)), f"{least:g}", f"{most:g}"])
    values = {"COLSxROWS|auto": ["20x6", "1x1", "33x7", "auto"], "WxH": ["8x16", "7x9", "160x96"],
              "FILE|NAME": ["monospace", "DejaVu Sans Mono"],
              "NAME|STRING|@FILE": ["ascii", "blocks", " .:#", "ascii+braille", "@notes.txt", "\u4e2d\u6587"],
              "STRING": [" .:-=+*#%@", "ab", "\u2591\u2592"],
              "LIST": ["10,20,30", "1", "1,2,3,4,5,6,7,8,9"], "COLOR": ["#ff0000", "teal", "00FF00"],
              "TIME": ["0.1", "0:00.1", "1", "0"],
              "RATE": ["800k", "2.5M", "1k"], "SECONDS": ["0.1", "-0.2", "0"], "N|no": ["1", "no"],
              "N|NAME": ["0", "llvmpipe"],
              "WxH[+X+Y]": ["100x100+3+3", "50x50"], "FILE.json": ["s.json"], "DIR": ["report", "folder"],
              "NAME[,NAME...]": ["default", "a,b"]}
    if kind in values:
        return pick.choice(values[kind])
    by_name = {"output": ["o.mp4", "o.mkv", "o.txt", "o.webm", "x.png"], "palette": ["palette.gpl"],
               "sub-file": ["subs.srt"], "config": ["options.toml"], "log-file": ["l.log"],
               "codec": ["libx264", "mpeg4", "ffv1", "libvpx-vp9", "mjpeg", "aac", "png"]}
    return pick.choice(by_name.get(name, ["1", "2", "10"]))


def choose_value(pick, name, kind):
    """Returns a value for one option as bytes: valid, borderline or hostile."""
    chance = pick.random()
    if chance < 0.5:
        value = valid_value(pick, name, kind)
    elif chance < 0.8:
        numeric = re.search(r"N\b|\.\.|TIME|SECONDS|RATE|LIST", kind)
        value = pick.choice(SIZES if re.search("WxH|COLS", kind) else NUMBERS if numeric
                            else PATHS if re.search("FILE|DIR", kind) else TEXTS)
    else:
        value = pick.choice(TEXTS + PATHS)
    value = value.encode() if isinstance(value, str) else value
    if "@FILE" in kind and pick.random() < 0.2:
        value = b"@" + value
    return value


def choose_words(case, verb, tables):
    pick, table = case.random, tables[verb]
    names = [name for name, _ in table]
    words = [verb]
    if verb != "info":
        words += ["--length", "0.1", "--grid", "20x6"]
    if verb == "record" and pick.random() < 0.95:
        words += ["-o", pick.choice(["o.mp4", "o.mkv", "o.txt", "o.txt"])]
    for _ in range(pick.choice([0, 1, 1, 2, 2, 3, 5])):
        any_verb, chance = tables[pick.choice(sorted(tables))], pick.random()
        writing = [option for option in table if option[0] in WRITES]
        name, kind = pick.choice(writing if chance < 0.2 else table if chance < 0.95 else any_verb)
        if (name in ("loop-file", "help", "version", "codec") or name not in names) and pick.random() < 0.7:
            continue
        if not kind:
            words += [f"--{name}"]
        elif pick.random() < 0.3:
            words += [f"--{name}=".encode() + choose_value(pick, name, kind)]
        else:
            words += [f"--{name}", choose_value(pick, name, kind)]
    inputs = pick.choices(INPUTS, k=pick.choice([0] if verb == "info" and pick.random() < 0.5 else [1] * 12 + [0, 2]))
    for word in inputs:
        words.insert(pick.choice([1, len(words)]), word)
    return [word.encode() if isinstance(word, str) else word for word in words], inputs


def snapshot(folder):
    """Returns the type and content of each name; only the type for devices and FIFOs."""
    found = {}
    for entry in os.scandir(os.fsencode(folder)):
        mode = entry.stat(follow_symlinks=False).st_mode
        content = b""
        if stat.S_ISLNK(mode):
            content = os.readlink(entry.path)
        elif stat.S_ISREG(mode):
            content = pathlib.Path(os.fsdecode(entry.path)).read_bytes()
        found[entry.name] = (stat.S_IFMT(mode), content)
    return found


def value_of(words, *names):
    """Returns the last value of an option in the words, or None."""
    last = None
    for at, word in enumerate(words):
        for name in names:
            if word == name and at + 1 < len(words):
                last = words[at + 1]
            elif word.startswith(name + b"="):
                last = word[len(name) + 1:]
    return last


def names_of(case, word):
    """Returns the names in the folder whose content changes when the path `word` is written."""
    names = {os.path.normpath(word), os.path.basename(os.path.realpath(os.fsencode(case.work) + b"/" + word))}
    return names | {b"tiny.mp4", b"hard.mp4"} if names & {b"tiny.mp4", b"hard.mp4"} else names


def check_files(case, words, inputs, outcome, before, after):
    output = value_of(words, b"-o", b"--output")
    written = [value_of(words, b"--" + name.encode()) for name in WRITES]
    may_change = set().union(*(names_of(case, word) for word in written if word))
    read = {os.path.normpath(word.removeprefix(b"file:")) for word in inputs if word}
    for name, old in before.items():
        if after.get(name) == old:
            continue
        if old[0] in (stat.S_IFCHR, stat.S_IFIFO):
            case.problem("a device or FIFO was replaced", ascii(name))
        elif name in read or (name, b"soft.mp4" in read) == (b"tiny.mp4", True):
            case.problem("an input was changed", ascii(name))
        elif output and name == os.path.normpath(output):
            if b"--force" not in words:
                case.problem("the output was replaced without --force", ascii(name))
        elif name in may_change:
            case.note("--stats or --log-file replaced a file that is not an input")
        else:
            case.problem("a file that is not an output was changed", ascii(name))
    new = output if output in after and output not in before else None
    if new and after[new][0] == stat.S_IFREG and outcome.code not in (0, 130) and new not in written[1:]:
        path = pathlib.Path(os.fsdecode(case.work)) / os.fsdecode(new)
        reason = recording_error(path, range(1, 999), 0)
        if reason:
            case.problem("partial file under a final name", reason)
        else:
            case.note("a complete output, but an error exit code")
    for name in set(after) - set(before):
        # After a failure or an interrupt, the program keeps a recording's .part file and prints its name.
        kept = outcome.code == 1 or (outcome.code == 130 and name in outcome.stderr)
        if b".part" in name and name not in (output, *written) and not kept and not outcome.hung:
            case.problem("a .part was left", f"{ascii(name)}, exit {outcome.code}")


def one_set(case, shared):
    verb = case.random.choices(list(VERBS), list(VERBS.values()))[0]
    fill_folder(case, shared["clip"])
    words, inputs = choose_words(case, verb, shared["tables"])
    waits = b"queue.fifo" in b" ".join(words) or (case.work / "o.part.txt").is_fifo()
    before = snapshot(case.work)
    outcome = case.run(words, limit=1.5 if waits else 8, patience=2 if waits else 15)
    case.check_contract(outcome, [signal.SIGINT] if outcome.late else [])
    if outcome.late and not outcome.hung:
        case.note("waited for a FIFO" if waits else "slow")
        if outcome.code not in (130, -signal.SIGINT):  # A shell reports either result as 130.
            case.problem("SIGINT did not end in exit code 130", str(outcome.code))
    # Without a display, `play` writes text with colors and cursor movements to a pipe.
    plain = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", outcome.stdout) if verb == "play" else outcome.stdout
    for text in (plain, outcome.stderr):
        raw = raw_controls(text)
        if raw:
            case.problem("raw control character", raw)
        if any(line.startswith(b"INJECTED") for line in text.splitlines()):
            case.problem("a value's newline was printed")
    if outcome.peak_mb > 4000:
        case.problem("memory", f"{outcome.peak_mb:.0f} MB")
    check_files(case, words, inputs, outcome, before, snapshot(case.work))


if __name__ == "__main__":
    chosen = arguments(__doc__, 3000)

    def make_shared(folder):
        return {**prepare(folder), "tables": {verb: read_table(chosen.program, verb) for verb in VERBS}}

    sys.exit(run_cases(chosen, one_set, make_shared))
