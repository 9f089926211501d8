#!/usr/bin/env python3
"""Runs `play` in a pseudo-terminal with mutated input.conf and config.toml files, and types keys.

The player ignores each invalid line of input.conf and prints a warning without raw control characters. A rejected
config.toml must give a one-line usage error. The player must not crash or hang, and no escape sequence of the files may
reach the terminal."""

import os
import sys
import termios
import threading

from common import arguments, make_clip, raw_controls, run_cases

ESCAPES = [b"\x1b]0;pwned\x07", b"\x9b31mpwned", "\u009b31mpwned".encode(), b"\x1b[31mpwned"]
KEYS = [b"a", b"b", b"d", b"k", b"n", b"u", b"w", b"y", b"A", b"B", b"p", b"SPACE", b"LEFT", b"Ctrl+a",
        b"Shift+RIGHT", b"#", b"q"]
COMMANDS = [b"ignore", b"frame-step", b"frame-back-step", b"ab-loop", b"playlist-next", b"playlist-prev",
            b"screenshot", b"seek -5", b"seek 0.2 exact", b"seek 50 absolute-percent", b"seek 1 absolute+exact",
            b"show-text \"${volume} ${nothing} ${\" 100", b"no-osd seek 1; cycle mute", b"quit"]
PROPERTIES = [b"pause", b"mute", b"volume", b"speed", b"audio-delay", b"audio", b"sub", b"sub-delay",
              b"sub-visibility", b"chapter", b"fullscreen", b"loop-file", b"contrast", b"brightness", b"gamma",
              b"saturation", b"mode", b"color", b"charset", b"effect", b"cell", b"stats", b"help", b"osd-level",
              b"split", b"record", b"legibility", b"stability", b"dither", b"palette", b"reverse", b"invert",
              b"auto-levels", b"fg", b"bg", b"font", b"fit", b"tone-mapping", b"glow", b"scanlines", b"look", b"time-pos", b"percent-pos", b"playlist-pos", b"duration"]
NUMBERS = [b"0", b"1", b"-1", b"0.5", b"1e9", b"-1e9", b"1e308", b"-1e308", b"1e-320", b"nan", b"inf", b"-inf",
           b"9" * 400, b"2147483648", b"-9223372036854775809", b"+3", b"0x10", b"yes", b"no", b"ascii", b"full",
           b"rain", b"8x16", b"1x1", b""]
TOML = [b'charset = "ascii"', b'mode = "shape"', b"volume = 80", b"mute = true", b"brightness = -10",
        b'[profiles.x]\nfg = "#33FF66"',
        b"legibility = 0.5", b'effect = "rain"', b"invert = true", b"osd-level = 3", b"untimed = false"]
HOSTILE_TOML = [b'title = "\x1b]0;pwned\x07"', b'charset = "\\u001b]0;pwned\\u0007"', b"volume = nan",
                b"volume = 1e400", b"volume = 99999999999999999999",
                b"[" * 5000, b'charset = ["a", "b"]', b"a.b.c.d = 1", b'"\\u009b31mpwned" = 1', b"profiles = 3",
                b"[profiles]\nx = 1", b'font = ""',
                b'charset = """\nnew\nINJECTED"""', b"volume = 1979-05-27T07:32:00Z", b"grid = { a = 1 }",
                b"\xff\xfe\x00", b'output = "o.mp4"', b"volume = 80\nvolume = 81"]


def prepare(folder):
    return make_clip(folder / "clip.mp4", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.4", "-pix_fmt",
                     "yuv420p", "-c:v", "libx264", "-preset", "ultrafast")


def conf_line(pick):
    command = pick.choice(COMMANDS)
    if pick.random() < 0.6:
        verb = pick.choice([b"cycle", b"add", b"multiply", b"set", b"cycle-values", b"osd-msg add"])
        command = verb + b" " + pick.choice(PROPERTIES)
        command += b"" if verb == b"cycle" else b" " + pick.choice(NUMBERS)
    if command.startswith(b"seek") and pick.random() < 0.4:
        command = b"seek " + pick.choice(NUMBERS) + pick.choice([b"", b" exact", b" absolute-percent"])
    return pick.choice(KEYS) + b" " + command


def damage(pick, text):
    """Applies one random change to the bytes of a file."""
    at = pick.randrange(len(text) + 1)
    return pick.choice([
        lambda: text[:at] + pick.choice(ESCAPES) + text[at:], lambda: text[:at] + pick.randbytes(3) + text[at:],
        lambda: text[:at],
        lambda: text[:at] + text[at + 1:], lambda: text.replace(b" ", b"\t"), lambda: text.replace(b"\n", b"\r\n"),
        lambda: text.replace(b" ", b""),
        lambda: text[:at] + b"x" * 100_000 + text[at:], lambda: text + text[:at] * 300,
        lambda: b"\xef\xbb\xbf" + text,
        lambda: text[:at] + b"\n" + pick.choice(ESCAPES) + b" screenshot\n" + text[at:]])()


def write_files(case):
    pick, folder = case.random, case.home / "config" / "glyphreel"
    folder.mkdir(parents=True)
    text = b"\n".join(conf_line(pick) for _ in range(pick.choice([1, 1, 2, 3, 8]))) + b"\n"
    if pick.random() < 0.5:
        text = damage(pick, text)
    (folder / "input.conf").write_bytes(text)
    if pick.random() < 0.35:
        toml = b"\n".join(pick.sample(TOML, 2) + ([pick.choice(HOSTILE_TOML)] if pick.random() < 0.5 else [])) + b"\n"
        (folder / "config.toml").write_bytes(damage(pick, toml) if pick.random() < 0.4 else toml)


def type_keys(terminal, typed, shown):
    """Appends to `shown` what the terminal receives until the program exits. Types the keys after the first picture."""
    while True:
        try:
            read = os.read(terminal, 1 << 16)
        except OSError:  # EIO: all processes have closed their side.
            return
        if not read:
            return
        shown += read
        if typed and len(shown) > 500:
            os.write(terminal, typed)
            typed = b""


def one_player(case, clip):
    write_files(case)
    terminal, inside = os.openpty()
    termios.tcsetwinsize(inside, (14, 40))
    typed = b"abdknuwyABp \x01\x1b[Dpp?is?" + bytes(case.random.choices(b"abdknuwyAB#", k=6)) + b"qq"
    shown = bytearray()
    words = ["play", clip, "--audio", "no", "--renderer", "cpu", "--loop-file"]
    run = case.start(words, prefix=["setsid", "--ctty"], pipes={"stdin": inside, "stdout": inside},
                     TERM="xterm-256color")
    os.close(inside)
    reader = threading.Thread(target=type_keys, args=(terminal, typed, shown))
    reader.start()
    outcome = run.finish(5)
    reader.join()
    os.close(terminal)
    outcome.stdout = bytes(shown[:20_000])
    case.outcomes.append(outcome)
    case.check_contract(outcome)
    if outcome.late and not outcome.hung:
        case.note("only SIGINT ended the player (the key q may be bound to something else)")
        if outcome.code not in (0, 130):
            case.problem("SIGINT did not end in exit code 0 or 130", str(outcome.code))
    if any(escape in shown for escape in ESCAPES):
        case.problem("an escape sequence reached the terminal")
    raw = raw_controls(outcome.stderr)
    if raw or b"\nINJECTED" in outcome.stderr:
        case.problem("raw control character on stderr", raw or "newline")
    if outcome.code in (1, 2, 3, 4) and not outcome.stderr.strip():
        case.problem("failed without a message")
    case.note("played" if len(shown) > 500 else "refused")


if __name__ == "__main__":
    sys.exit(run_cases(arguments(__doc__, 500), one_player, prepare))
