"""A private X server with a window manager, and the hands of a user in it."""

import os
import pathlib
import re
import subprocess

from harness import end_process, wait_for

SCREEN = (1920, 1080)


class Desktop:
    """An Xvfb on a free display with openbox; close() ends both."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = []
        read_end, write_end = os.pipe()
        with open(self.folder / "xvfb.log", "wb") as log:
            server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "{}x{}x24".format(*SCREEN),
                                       "-nolisten", "tcp", "-noreset"], pass_fds=[write_end], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=log)
        os.close(write_end)
        self.processes.append(server)
        with os.fdopen(read_end) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise AssertionError("Xvfb did not start: " + (self.folder / "xvfb.log").read_text())
        self.display = f":{number}"
        self.environment = {**os.environ, "DISPLAY": self.display, "HOME": str(self.folder)}
        self.processes.append(subprocess.Popen(["openbox", "--sm-disable"], env=self.environment, stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_for(lambda: self.try_run("wmctrl", "-m") is not None, 20, "a window manager")

    def close(self):
        for process in reversed(self.processes):
            end_process(process)

    def try_run(self, *command):
        """Output of a tool, or None where it fails."""
        done = subprocess.run([str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True)
        return done.stdout.decode(errors="replace") if done.returncode == 0 else None

    def run(self, *command):
        output = self.try_run(*command)
        if output is None:
            raise AssertionError(f"{' '.join(map(str, command))} failed")
        return output

    def window_of(self, process):
        """The visible window of a process, once it has the keyboard."""
        def find():
            if process.poll() is not None:
                raise AssertionError(f"the program ended with {process.returncode} before its window came")
            return (self.try_run("xdotool", "search", "--onlyvisible", "--all", "--pid", process.pid, "--class",
                                 "^glyphreel$") or "").split()
        window = wait_for(find, 30, "a window")[-1]
        self.focus(window)
        return window

    def focus(self, window):
        self.run("wmctrl", "-i", "-a", window)
        wait_for(lambda: (self.try_run("xdotool", "getactivewindow") or "").strip() == window, 10, "the window has the keyboard")

    def key(self, window, *names):
        """Presses keys as the keyboard does, for whatever window has it."""
        self.focus(window)
        for name in names:
            self.run("xdotool", "key", name)

    def place(self, window):
        """(x, y, width, height) of the window's own pixels on the screen."""
        text = self.run("xwininfo", "-id", window)
        fields = [re.search(pattern + r":\s+(-?\d+)", text) for pattern in
                  ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")]
        return tuple(int(field.group(1)) for field in fields)

    def is_visible(self, window):
        return "IsViewable" in (self.try_run("xwininfo", "-id", window) or "")

    def picture(self, place):
        """The pixels of a part of the screen, 8-bit RGB."""
        x, y, width, height = place
        done = subprocess.run(["import", "-silent", "-window", "root", "-crop", f"{width}x{height}+{x}+{y}", "+repage", "-depth",
                               "8", "rgb:-"], env=self.environment, capture_output=True)
        if done.returncode != 0 or len(done.stdout) != width * height * 3:
            raise AssertionError(f"no screenshot of {place}: {len(done.stdout)} bytes, {done.stderr.decode()}")
        return done.stdout

    def picture_of(self, window):
        """The window's pixels on the screen; None while it is not wholly on it."""
        x, y, width, height = place = self.place(window)
        if x < 0 or y < 0 or x + width > SCREEN[0] or y + height > SCREEN[1] or not self.is_visible(window):
            return None
        return self.picture(place)


def is_blank(picture):
    """True for pictures of one colour."""
    return picture == picture[:3] * (len(picture) // 3)


def processor_seconds(process):
    """Time that a process and its threads have spent on the processors."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
