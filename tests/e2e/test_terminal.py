"""Tests playback in a terminal: the contents of a tmux pane, keys, bytes sent, and the terminal's state afterwards."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time
import types
import unicodedata
import unittest

from desktop import shared_desktop
from harness import EXIT_DONE, EXIT_FAILED, EXIT_INTERRUPTED, H264, NO_VULKAN, PATIENCE, PROGRAM, ProgramTest, hold_for, lavfi, make_clip, wait_for
from terminal_cells import looks

COLUMNS, ROWS = 90, 28


# With these options, the cells of a frame do not depend on earlier frames.
EACH_ALONE = ["--stability", "0", "--auto-levels", "no"]


class TerminalTest(ProgramTest):
    """A tmux pane to play in."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x180:rate=24:duration=2"), *H264)

    def setUp(self):
        super().setUp()
        self.socket = self.here / "tmux"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", COLUMNS, "-y", ROWS, "env PS1='$ ' bash --norc --noprofile")
        self.addCleanup(subprocess.run, ["tmux", "-S", str(self.socket), "kill-server"], capture_output=True)

    def tmux(self, *words):
        environment = self.environment(TERM="xterm-256color", TMUX=None)
        done = subprocess.run(["tmux", "-S", str(self.socket), *map(str, words)], env=environment, cwd=self.here,
                              capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise AssertionError(f"tmux {words}: {done.stderr.decode()}")
        return done.stdout.decode(errors="replace")

    def pane(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def play(self, *options, piped=None):
        """Types a command that plays the clip, or the file `piped` from standard input. The command also writes the
        terminal's settings before and after playback, and the exit code, to files."""
        words = " ".join(shlex.quote(str(word)) for word in ("play", "-" if piped else self.clip, *options))
        if piped:
            words += f" < <(cat {shlex.quote(str(piped))})"
        # The inner shell writes its PID. The program keeps this PID, because `exec` replaces the shell.
        script = self.here / "run.sh"
        script.write_text(f"ulimit -c 0\nstty -a > before\nsh -c 'echo $$ > pid; exec \"$0\" \"$@\"' {shlex.quote(PROGRAM)} {words}\n"
                          "echo $? > code.part\nstty -a > after\nmv code.part code\n")
        self.tmux("send-keys", f"bash {script}", "Enter")

    def wait_for_text(self):
        """Waits until the video fills the pane; returns the pane's rows."""
        def filled():
            if not self.alternate():  # checked first, so that the rows are not the shell's
                return None
            rows = self.pane().splitlines()
            return rows if sum(len(row.strip()) > 20 for row in rows) > 5 else None
        return wait_for(filled, lambda: f"text in the pane, which shows:\n{self.pane()}")

    def alternate(self):
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def check_end(self, code, seconds=PATIENCE):
        wait_for((self.here / "code").exists, "the program ends", seconds)
        self.assertEqual(int((self.here / "code").read_text()), code, self.pane())
        before, after = (re.sub(r"rows \d+; columns \d+", "", (self.here / name).read_text()) for name in ("before", "after"))
        self.assertEqual(after, before)
        wait_for(lambda: not self.alternate(), "the shell's screen")
        wait_for(lambda: self.cursor() == "1", "the cursor is shown again")

    def cursor(self):
        return self.tmux("display-message", "-p", "#{cursor_flag}").strip()

    def stable_text(self, *options):
        """Waits until the pane has not changed for 0.3 s, for example because playback is paused. Returns its rows."""
        last, since = None, time.monotonic()

        def is_stable():
            nonlocal last, since
            rows = self.pane(*options).splitlines()
            if rows != last:
                last, since = rows, time.monotonic()
            return time.monotonic() - since > 0.3
        wait_for(is_stable, "the text does not change")
        return last


class TerminalPlayback(TerminalTest):
    def test_shows_text_in_color(self):
        self.play("--loop-file")
        rows = self.wait_for_text()
        self.assertLessEqual(len(rows), ROWS)
        self.assertGreater(len(set("".join(rows))), 8)
        colors = self.pane("-e")
        self.assertRegex(colors, r"\x1b\[[0-9;]*[34]8;2;\d+;\d+;\d+")
        self.assertEqual(self.cursor(), "0")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)
        self.assertNotRegex(self.pane(), "(?i)error|validation")

    def test_text_matches_text_export(self):
        out = self.here / "out.txt"
        self.succeed("record", self.clip, "-o", out, "--grid", f"{COLUMNS}x{ROWS - 1}", "--renderer", "cpu",
                     "--color", "full", *EACH_ALONE)
        frames = [[row.rstrip() for row in frame.rstrip("\n").split("\n")] for frame in out.read_text().split("\f")[:-1]]
        self.play("--loop-file", "--grid", f"{COLUMNS}x{ROWS - 1}", "--osd-level", "0", "--charset", "ascii", *EACH_ALONE)
        self.wait_for_text()
        self.tmux("send-keys", "Space")
        shown = self.stable_text()
        wait_for(lambda: [row.rstrip() for row in self.pane().splitlines()][:ROWS - 1] in frames, "a frame of the export")
        self.tmux("send-keys", "Space")
        wait_for(lambda: self.pane().splitlines() != shown, "playback continues")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_charset_that_the_terminal_cannot_show(self):
        """tmux 3.3 treats octants as combining characters, so the player uses sextants instead."""
        grid = f"{COLUMNS}x{ROWS - 1}"
        exports = {}
        for charset in ("octants", "sextants"):
            out = self.here / f"{charset}.txt"
            self.succeed("record", self.clip, "-o", out, "--grid", grid, "--renderer", "cpu", "--color", "full", "--charset", charset,
                         *EACH_ALONE)
            exports[charset] = [[row.rstrip() for row in frame.rstrip("\n").split("\n")]
                                for frame in out.read_text().split("\f")[:-1]]
        self.play("--loop-file", "--grid", grid, "--osd-level", "0", "--charset", "octants", "--log-file", self.here / "log", *EACH_ALONE)
        self.wait_for_text()
        replaced = "sextants instead of octants" in (self.here / "log").read_text()
        self.tmux("send-keys", "Space")
        self.stable_text()
        wait_for(lambda: [row.rstrip() for row in self.pane().splitlines()][:ROWS - 1] in exports["sextants" if replaced else "octants"],
                 f"a frame of the export:\n{self.pane()}")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_default_charset(self):
        """The default charset is blocks, unless the locale or the options ask for plain characters."""
        blocks = set(map(chr, range(0x2580, 0x25A0)))
        for locale, options, has_blocks in (("C.UTF-8", [], True), ("C", [], False), ("C.UTF-8", ["--mode", "ramp"], False)):
            with self.subTest(locale=locale, options=options):
                self.tmux("send-keys", f"export LC_ALL={locale}; rm -f code", "Enter")
                self.play("--loop-file", "--osd-level", "0", *options)
                shown = set("".join(self.wait_for_text()))
                self.tmux("send-keys", "q")
                self.check_end(EXIT_DONE)
                self.assertEqual(not shown.isdisjoint(blocks), has_blocks, shown)

    def test_display_without_vulkan(self):
        changes = {"DISPLAY": shared_desktop("-extension", "MIT-SHM").display, **NO_VULKAN}
        self.tmux("send-keys", "export " + " ".join(f"{name}={value}" for name, value in changes.items()), "Enter")
        self.play("--loop-file")
        self.wait_for_text()
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)
        self.assertIn("The window cannot be opened", self.pane())

    def test_terminal_although_there_is_a_display(self):
        self.tmux("send-keys", f"export DISPLAY={shared_desktop().display}", "Enter")
        self.play("--loop-file", "--terminal")
        self.wait_for_text()
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_terminal_resize(self):
        self.play("--loop-file")
        self.wait_for_text()
        self.tmux("resize-window", "-x", 50, "-y", 15)
        wait_for(lambda: len(self.pane().splitlines()) <= 15 and max(map(len, self.pane().splitlines())) <= 50, "the new size")
        self.wait_for_text()
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_end_of_input(self):
        self.play()
        self.check_end(EXIT_DONE)

    def check_signal(self, name, code):
        with self.subTest(signal=name):
            (self.here / "code").unlink(missing_ok=True)
            self.play("--loop-file")
            self.wait_for_text()
            self.send(name)
            self.check_end(code)

    def send(self, name):
        subprocess.run(["kill", f"-{name}", (self.here / "pid").read_text().strip()], check=True)

    def test_termination_signals(self):
        for name in ("INT", "TERM", "HUP"):
            self.check_signal(name, EXIT_INTERRUPTED)

    def test_crash_signals(self):
        for name in ("SEGV", "ABRT", "BUS", "FPE", "ILL", "QUIT"):
            self.check_signal(name, 128 + signal.Signals[f"SIG{name}"])
            # A program that crashes leaves the terminal's answers to its queries in the shell's line. Ctrl-U deletes it.
            self.tmux("send-keys", "C-u")

    def test_suspend_and_resume_in_shell(self):
        """Ctrl-Z restores the shell's screen and settings; fg resumes the video."""
        done = self.here / "done"

        def shell(command):
            done.unlink(missing_ok=True)
            self.tmux("send-keys", f"{command}; echo > {done}", "Enter")
            wait_for(done.exists, command)
        shell(f"stty -a > {self.here}/before")
        self.tmux("send-keys", f"{PROGRAM} play {self.clip} --loop-file", "Enter")
        for _ in range(2):
            self.wait_for_text()
            self.tmux("send-keys", "C-z")
            wait_for(lambda: not self.alternate(), "the shell's screen")
            shell(f"stty -a > {self.here}/stopped")
            self.assertEqual((self.here / "stopped").read_text(), (self.here / "before").read_text())
            wait_for(lambda: self.cursor() == "1", "the cursor is shown again")
            self.assertIn("Stopped", self.pane())
            self.tmux("send-keys", "fg", "Enter")
        first = self.wait_for_text()
        wait_for(lambda: self.pane().splitlines() != first, "playback continues")
        self.tmux("send-keys", "q")
        wait_for(lambda: not self.alternate(), "the shell's screen")
        shell(f"stty -a > {self.here}/after")
        self.assertEqual((self.here / "after").read_text(), (self.here / "before").read_text())

    def test_sigstop_and_sigcont(self):
        """SIGCONT redraws everything, because another program may have overwritten the screen."""
        self.play("--loop-file")
        self.wait_for_text()
        pid = (self.here / "pid").read_text().strip()
        subprocess.run(["kill", "-STOP", pid], check=True)
        terminal = self.tmux("display-message", "-p", "#{pane_tty}").strip()
        with open(terminal, "w") as screen:
            screen.write("\x1b[H\x1b[2J\x1b[?25h")
        subprocess.run(["kill", "-CONT", pid], check=True)
        self.wait_for_text()
        wait_for(lambda: self.cursor() == "0", "the cursor is hidden again")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_redraw_key(self):
        self.play("--loop-file", "--osd-level", "0")
        self.wait_for_text()
        self.tmux("send-keys", "Space")
        shown = self.stable_text()
        terminal = self.tmux("display-message", "-p", "#{pane_tty}").strip()
        with open(terminal, "w") as screen:
            screen.write("\x1b[Hwritten over by another program")
        wait_for(lambda: self.pane().splitlines() != shown, "the overwritten text")
        self.tmux("send-keys", "C-l")
        wait_for(lambda: self.pane().splitlines() == shown, "the same text again")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_paused_picture_has_no_old_colors(self):
        """During playback, small color changes are sent later, so moving objects leave trails. Pausing clears them."""
        self.play("--loop-file", "--osd-level", "0")
        self.wait_for_text()

        def is_exact():
            self.tmux("send-keys", "Space")
            self.stable_text("-e")
            hold_for(1, self.alternate, "the video is shown")
            shown = self.stable_text("-e")
            self.tmux("send-keys", "C-l")
            hold_for(1, self.alternate, "the video is shown")
            redrawn = self.stable_text("-e")
            self.tmux("send-keys", "Space")
            wait_for(lambda: self.pane("-e").splitlines() != redrawn, "playback continues")
            return looks(shown) == looks(redrawn)
        self.assertTrue(any(is_exact() for _ in range(3)))
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_control_c(self):
        self.play("--loop-file")
        self.wait_for_text()
        self.tmux("send-keys", "C-c")
        # Ctrl-C may also end the script's shell, so check the terminal's settings directly.
        wait_for(lambda: not self.alternate(), "the shell's screen")
        self.tmux("send-keys", "stty -a > later; echo done > end", "Enter")
        wait_for((self.here / "end").exists, "the shell runs commands")
        sane = re.compile(r"(?<!-)\bicanon\b.*(?<!-)\becho\b", re.DOTALL)
        self.assertRegex((self.here / "later").read_text(), sane)

    def test_bad_input_leaves_the_terminal_alone(self):
        self.clip = self.here / "missing.mp4"
        self.play()
        self.check_end(4)
        self.assertIn("missing.mp4", self.pane().replace("\n", ""))


class LaunchTerminal(TerminalTest):
    """Tests keys typed in the terminal from which a player with a window was started."""

    def setUp(self):
        super().setUp()
        self.desktop = shared_desktop()
        self.shell(f"export DISPLAY={self.desktop.display}")

    def shell(self, command):
        done = self.here / "done"
        done.unlink(missing_ok=True)
        self.tmux("send-keys", f"{command}; echo > {done}", "Enter")
        wait_for(done.exists, command)

    def settings(self):
        self.shell(f"stty -a > {self.here}/now")
        return (self.here / "now").read_text()

    def foreground(self):
        return self.tmux("display-message", "-p", "#{pane_current_command}").strip()

    def play_in_window(self):
        self.play("--loop-file")
        wait_for((self.here / "pid").exists, "the program starts")
        process = types.SimpleNamespace(pid=(self.here / "pid").read_text().strip(), poll=lambda: None)
        self.desktop.window_of(process)

    def press(self, key, message):
        self.tmux("send-keys", key)
        wait_for(lambda: message in self.pane(), f"{message}: {self.pane()}")

    def test_keys(self):
        self.play_in_window()
        self.press("e", "effect: rain")
        self.press("2", "contrast: 1")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)
        self.assertNotIn("2q", self.pane(), "keys are not echoed")

    def test_crash_restores_settings(self):
        self.play_in_window()
        self.press("e", "effect: rain")
        subprocess.run(["kill", "-SEGV", (self.here / "pid").read_text().strip()], check=True)
        self.check_end(128 + signal.SIGSEGV)

    def test_suspended_and_in_background(self):
        before = self.settings()
        self.tmux("send-keys", f"{PROGRAM} play {self.clip} --loop-file", "Enter")
        wait_for(lambda: "Renderer:" in self.pane(), "the window opens")
        self.press("e", "effect: rain")
        self.tmux("send-keys", "C-z")
        wait_for(lambda: "Stopped" in self.pane(), "the program stops")
        self.assertEqual(self.settings(), before)
        self.tmux("send-keys", "bg", "Enter")
        self.assertEqual(self.settings(), before)
        self.shell("jobs")
        self.assertIn("Running", self.pane(), "a program in the background does not read keys")
        self.tmux("send-keys", "fg", "Enter")
        wait_for(lambda: self.foreground() == "glyphreel", "fg")
        self.press("e", "effect: tube")
        self.tmux("send-keys", "q")
        wait_for(lambda: self.foreground() == "bash", "the program ends; until then it reads what is typed")
        self.assertEqual(self.settings(), before)


class PtyTest(ProgramTest):
    """Plays on a pseudo-terminal and collects the bytes sent to it."""

    COLUMNS, ROWS = 120, 40
    QUESTION = b"\x1b[5n"
    QUERIES = re.compile(rb"\x1b\[(?:5n|(\d+);1H([^\x1b]+)\x1b\[6n)")

    @classmethod
    def answers_to(cls, sent, since):
        """Returns a terminal's answers to the queries that end after position `since` of the output."""
        answers = b""
        for query in cls.QUERIES.finditer(sent, max(0, since - 20)):
            if query.end() > since:
                columns = 2 if query[1] and unicodedata.east_asian_width(query[2].decode()) in "WF" else 1
                answers += b"\x1b[%s;%dR" % (query[1], 1 + columns) if query[1] else b"\x1b[0n"
        return answers

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x180:rate=24:duration=2"), *H264)

    def open(self, *options, clip=None, **changes):
        """Starts playback on a new pseudo-terminal; read() collects the output."""
        environment = self.environment(**{"TMUX": None, "STY": None, "COLORTERM": None, "TERM": "xterm-256color", **changes})
        words = [PROGRAM, "play", str(clip or self.clip), *map(str, options)]
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", self.ROWS, self.COLUMNS, 0, 0))
                os.chdir(self.here)
                os.execve(PROGRAM, words, environment)
            finally:
                os._exit(127)
        self.addCleanup(self.close)
        self.sent = b""
        self.ended = None

    def close(self):
        if self.ended is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        if self.terminal >= 0:
            os.close(self.terminal)
            self.terminal = -1

    def read(self, seconds, answer=True, until=None, any_bytes=False):
        """Reads for `seconds`, or until the program ends. Stops earlier when the output contains `until`, or, with
        `any_bytes`, after the first bytes. Answers the program's queries if `answer` is true."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not (until and until in self.sent):
            if not select.select([self.terminal], [], [], 0.05)[0]:
                continue
            try:
                got = os.read(self.terminal, 65536)
            except OSError:
                return
            if not got:
                return
            self.sent += got
            if answer:
                os.write(self.terminal, self.answers_to(self.sent, len(self.sent) - len(got)))
            if any_bytes:
                return

    def read_until_quiet(self, seconds):
        """Reads until the program has sent nothing for `seconds`."""
        end = time.monotonic() + PATIENCE
        while True:
            before = len(self.sent)
            self.read(seconds, any_bytes=True)
            if len(self.sent) == before:
                return
            self.assertLess(time.monotonic(), end, "the program never stops sending")

    def wait(self):
        """Reads the rest of the output; returns the exit code."""
        self.read(PATIENCE)
        _, status, self.used = os.wait4(self.process, 0)
        self.ended = os.waitstatus_to_exitcode(status)
        return self.ended

    def resident_kilobytes(self):
        found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process}/status").read_text())
        return int(found[1]) if found else 0  # 0 if the process has ended

    def play_on_slow_line(self, seconds, buffer_bytes, answers):
        """Plays through a buffer and a 50 KB/s line, as with ssh; returns the measurements."""
        rate = 50_000
        clip = make_clip(self.here / f"noise-{buffer_bytes}.mp4", *lavfi(
            f"testsrc2=size=320x180:rate=24:duration={seconds},noise=alls=10:allf=t"), *H264)
        stats = self.here / f"stats-{buffer_bytes}.json"
        self.open("--color", "full", "--grid", "80x24", "--stats", stats, clip=clip, COLORTERM="truecolor")
        waiting, lags, memory = [], [], []  # waiting: (arrival time, bytes) of buffered output
        buffered = taken = quota = 0
        tail = b""
        start = last = time.monotonic()
        end = None
        while end is None and time.monotonic() - start < seconds + PATIENCE:
            # Wait for output, or until the line has capacity again.
            room = buffer_bytes - buffered
            if select.select([self.terminal] if room > 0 else [], [], [], 0.005)[0]:
                try:
                    got = os.read(self.terminal, min(room, 4096))
                except OSError:
                    got = b""
                if not got:
                    end = time.monotonic()
                waiting.append((time.monotonic(), got))
                buffered += len(got)
            now = time.monotonic()
            quota, last = min(quota + (now - last) * rate, rate / 20), now
            while waiting and quota >= 1:
                came, got = waiting.pop(0)
                shown, rest = got[:int(quota)], got[int(quota):]
                quota -= len(shown)
                buffered -= len(shown)
                taken += len(shown)
                lags.append(now - came)
                if rest:
                    waiting.insert(0, (came, rest))
                if answers:
                    seen = tail + shown
                    os.write(self.terminal, self.answers_to(seen, len(tail)))
                    tail = seen[-20:]
            if len(lags) % 50 == 49 and end is None:
                memory.append(self.resident_kilobytes())
        self.assertIsNotNone(end, "the program must end")
        self.ended = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self.assertEqual(self.ended, EXIT_DONE)
        frames = json.loads(stats.read_text())["frames"]
        # Dropped frames have only a lower bound, because a busy machine drops even more.
        self.assertGreater(frames["dropped"], seconds * 24 // 2, frames)
        self.assertGreater(frames["presented"], 0, frames)
        return types.SimpleNamespace(rate=rate, frames=frames, bytes=taken, lags=lags, memory=memory, wall=end - start)


class PtyOutput(PtyTest):
    """Tests what the program sends to a terminal, and how much."""

    def color_forms(self):
        """Returns the kinds of color sequences sent: "direct" (24-bit RGB), "numbered" (256 colors), "sixteen"."""
        forms = set()
        for sequence in re.findall(rb"\x1b\[([0-9;]*)m", self.sent):
            numbers = [int(number or 0) for number in sequence.split(b";")]
            while numbers:
                number = numbers.pop(0)
                if number in (38, 48):
                    direct = numbers[0] == 2
                    forms.add("direct" if direct else "numbered")
                    del numbers[:4 if direct else 2]
                elif 30 <= number <= 47 or 90 <= number <= 107:
                    forms.add("sixteen")
        return forms

    def test_colors_for_each_terminal_type(self):
        for changes, forms in (({"COLORTERM": "truecolor"}, {"direct"}),
                               ({"TERM": "xterm-kitty"}, {"direct"}),
                               ({"TERM": "xterm-256color"}, {"numbered"}),
                               ({"TERM": "xterm"}, {"sixteen"}),
                               ({"TERM": "linux", "COLORTERM": "truecolor"}, {"sixteen"}),
                               ({"TERM": "vt100"}, set()),
                               ({"TERM": "dumb"}, set()),
                               ({"NO_COLOR": "1", "COLORTERM": "truecolor"}, set())):
            with self.subTest(**changes):
                self.open("--color", "full", "--length", "0.5", **changes)
                self.assertEqual(self.wait(), EXIT_DONE)
                self.assertGreater(len(self.sent), 2000)
                self.assertEqual(self.color_forms(), forms)
                xterm = "xterm" in changes.get("TERM", "xterm")
                self.assertEqual(b"\x1b[?1049h" in self.sent, xterm, "terminals unlike xterm may print this sequence")
                self.close()

    def test_still_picture_output_is_small(self):
        still = make_clip(self.here / "still.mp4", *lavfi("color=c=red:size=320x180:rate=24:duration=2"), *H264)
        self.open("--color", "full", "--legibility", "0", clip=still, COLORTERM="truecolor")
        self.assertEqual(self.wait(), EXIT_DONE)
        self.assertLess(len(self.sent), 3000)

    def test_redraw_and_unknown_input(self):
        self.open("--loop-file")
        self.read(PATIENCE, until=b"\x1b[2J")
        os.write(self.terminal, b" ")
        # Wait until the progress bar, which appears on a pause, has disappeared. Then the paused player sends nothing.
        self.read_until_quiet(2)
        # Focus events, unknown replies and pasted text are ignored and must not swallow the key after them.
        os.write(self.terminal, b"\x1b[I\x1bP1$r0m\x1b\\\x1b[200~q\x1b[201~\x0c")
        self.sent = b""
        self.read(PATIENCE, until=b"\x1b[2J")
        self.assertIn(b"\x1b[2J", self.sent)
        os.write(self.terminal, b"q")
        self.assertEqual(self.wait(), EXIT_DONE)

    def test_terminal_hangup(self):
        """A lost terminal is an error. If SIGHUP follows shortly, the program instead exits as after an interrupt."""
        for number, code in ((None, EXIT_FAILED), (signal.SIGHUP, EXIT_INTERRUPTED)):
            with self.subTest(signal=number):
                terminal, end = pty.openpty()
                fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", self.ROWS, self.COLUMNS, 0, 0))
                program = self.start("play", self.clip, "--loop-file", "--terminal", stdin=end, stdout=end,
                                     stderr=subprocess.PIPE, start_new_session=True,
                                     env={"TMUX": None, "STY": None, "TERM": "xterm-256color"})
                os.close(end)
                self.assertTrue(select.select([terminal], [], [], PATIENCE)[0], "the program must send something")
                os.close(terminal)
                if number:
                    with self.assertRaises(subprocess.TimeoutExpired):
                        program.wait(0.2)  # the program waits for the signal
                    program.send_signal(number)
                messages = program.communicate(timeout=PATIENCE)[1]
                self.assertEqual(program.returncode, code, messages)
                self.assertEqual(b"connection to the terminal was lost" in messages, number is None, messages)

    def test_slow_line(self):
        """Frames are dropped; tests/bench/timing_terminal.py checks the timing."""
        self.play_on_slow_line(2, 4096, answers=False)

    def test_absurd_terminal_sizes(self):
        for self.COLUMNS, self.ROWS in ((65535, 65535), (5000, 5000)):
            with self.subTest(columns=self.COLUMNS):
                self.open("--loop-file")
                self.read(PATIENCE, until=self.QUESTION)
                os.write(self.terminal, b"q")
                self.assertEqual(self.wait(), EXIT_DONE, self.sent[-500:])
                self.assertLess(self.used.ru_maxrss * 1024, 2 ** 30)
                self.close()


if __name__ == "__main__":
    unittest.main()
