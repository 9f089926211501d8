"""Playing in a terminal: what a tmux pane shows, keys, and the terminal afterwards."""

import re
import shlex
import subprocess
import unittest

from harness import EXIT_DONE, EXIT_INTERRUPTED, H264, PROGRAM, ProgramTest, lavfi, make_clip, wait_for

COLUMNS, ROWS = 90, 28


# A frame's cells depend on it alone, not on those before it.
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

    def play(self, *options):
        """Types the command; the terminal's settings before and after go to files, as does the exit code."""
        words = " ".join(shlex.quote(str(word)) for word in ("play", self.clip, *options))
        # The shell that becomes the program tells its process number.
        script = self.here / "run.sh"
        script.write_text(f"stty -a > before\nsh -c 'echo $$ > pid; exec \"$0\" \"$@\"' {shlex.quote(PROGRAM)} {words}\n"
                          "echo $? > code.part\nstty -a > after\nmv code.part code\n")
        self.tmux("send-keys", f"bash {script}", "Enter")

    def wait_for_text(self):
        """The pane once the film fills it."""
        def filled():
            rows = self.pane().splitlines()
            return rows if self.alternate() and sum(len(row.strip()) > 20 for row in rows) > 5 else None
        return wait_for(filled, 20, "text in the pane")

    def alternate(self):
        return self.tmux("display-message", "-p", "#{alternate_on}").strip() == "1"

    def check_end(self, code):
        wait_for((self.here / "code").exists, 20, "the program's end")
        self.assertEqual(int((self.here / "code").read_text()), code, self.pane())
        before, after = (re.sub(r"rows \d+; columns \d+", "", (self.here / name).read_text()) for name in ("before", "after"))
        self.assertEqual(after, before)
        self.assertFalse(self.alternate(), "still on the alternate screen")
        self.assertEqual(self.tmux("display-message", "-p", "#{cursor_flag}").strip(), "1", "the cursor stays hidden")

    def settled(self, *options):
        """The pane once ten looks in turn saw the same."""
        last, same = None, 0

        def stands_still():
            nonlocal last, same
            rows = self.pane(*options).splitlines()
            same = same + 1 if rows == last else 0
            last = rows
            return same >= 10
        wait_for(stands_still, 15, "the text stands still")
        return last


class Terminal(TerminalTest):
    def test_shows_text_in_colour(self):
        self.play("--loop-file")
        rows = self.wait_for_text()
        self.assertLessEqual(len(rows), ROWS)
        self.assertGreater(len(set("".join(rows))), 8)
        colours = self.pane("-e")
        self.assertRegex(colours, r"\x1b\[[0-9;]*[34]8;2;\d+;\d+;\d+")
        self.assertEqual(self.tmux("display-message", "-p", "#{cursor_flag}").strip(), "0")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)
        self.assertNotRegex(self.pane(), "(?i)error|validation")

    def test_text_is_that_of_an_export(self):
        out = self.here / "out.txt"
        self.succeed("record", self.clip, "-o", out, "--grid", f"{COLUMNS}x{ROWS - 1}", "--renderer", "cpu",
                     *EACH_ALONE)
        frames = [[row.rstrip() for row in frame.rstrip("\n").split("\n")] for frame in out.read_text().split("\f")[:-1]]
        self.play("--loop-file", "--grid", f"{COLUMNS}x{ROWS - 1}", *EACH_ALONE)
        self.wait_for_text()
        self.tmux("send-keys", "Space")
        shown = self.settled()
        self.assertIn([row.rstrip() for row in shown][:ROWS - 1], frames)
        self.tmux("send-keys", "Space")
        wait_for(lambda: self.pane().splitlines() != shown, 10, "the film goes on")
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_follows_the_size_of_the_terminal(self):
        self.play("--loop-file")
        self.wait_for_text()
        self.tmux("resize-window", "-x", 50, "-y", 15)
        wait_for(lambda: len(self.pane().splitlines()) <= 15 and max(map(len, self.pane().splitlines())) <= 50, 10, "the new size")
        self.wait_for_text()
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_ends_by_itself(self):
        self.play()
        self.check_end(EXIT_DONE)

    def test_signals(self):
        for number in ("INT", "TERM"):
            with self.subTest(signal=number):
                (self.here / "code").unlink(missing_ok=True)
                self.play("--loop-file")
                self.wait_for_text()
                subprocess.run(["kill", f"-{number}", (self.here / "pid").read_text().strip()], check=True)
                self.check_end(EXIT_INTERRUPTED)

    def test_control_c(self):
        self.play("--loop-file")
        self.wait_for_text()
        self.tmux("send-keys", "C-c")
        # The shell of the script may end by the same ctrl-C: the terminal itself tells whether all is as it was.
        wait_for(lambda: not self.alternate(), 10, "the shell's screen")
        self.tmux("send-keys", "stty -a > later; echo done > end", "Enter")
        wait_for((self.here / "end").exists, 10, "the shell")
        sane = re.compile(r"(?<!-)\bicanon\b.*(?<!-)\becho\b", re.DOTALL)
        self.assertRegex((self.here / "later").read_text(), sane)

    def test_bad_input_leaves_the_terminal_alone(self):
        self.clip = self.here / "missing.mp4"
        self.play()
        self.check_end(4)
        self.assertIn("missing.mp4", self.pane().replace("\n", ""))


if __name__ == "__main__":
    unittest.main()
