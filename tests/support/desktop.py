"""A private X server with a window manager, plus simulated user input and screenshots."""

import atexit
import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

from harness import end_process, wait_for

SCREEN = (1920, 1080)
DEEP_SCREEN = ("-screen", "0", "{}x{}x30".format(*SCREEN))  # options of Xvfb for 10 bits per channel
# Maps 10-bit values to 8 bits. Values that are not listed become 0.
CODES = {(code * 1023 + 127) // 255: code for code in range(256)}


class XImage(ctypes.Structure):
    """The first fields of Xlib's XImage; XDestroyImage frees all of it."""
    _fields_ = [("width", ctypes.c_int), ("height", ctypes.c_int), ("xoffset", ctypes.c_int), ("format", ctypes.c_int),
                ("data", ctypes.c_void_p), ("byte_order", ctypes.c_int), ("bitmap_unit", ctypes.c_int),
                ("bitmap_bit_order", ctypes.c_int), ("bitmap_pad", ctypes.c_int), ("depth", ctypes.c_int),
                ("bytes_per_line", ctypes.c_int), ("bits_per_pixel", ctypes.c_int)]


class XWindowAttributes(ctypes.Structure):
    """Xlib's XWindowAttributes."""
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_int), ("width", ctypes.c_int), ("height", ctypes.c_int),
                ("border_width", ctypes.c_int), ("depth", ctypes.c_int), ("visual", ctypes.c_void_p), ("root", ctypes.c_ulong),
                ("class", ctypes.c_int), ("bit_gravity", ctypes.c_int), ("win_gravity", ctypes.c_int),
                ("backing_store", ctypes.c_int), ("backing_planes", ctypes.c_ulong), ("backing_pixel", ctypes.c_ulong),
                ("save_under", ctypes.c_int), ("colormap", ctypes.c_ulong), ("map_installed", ctypes.c_int),
                ("map_state", ctypes.c_int), ("all_event_masks", ctypes.c_long), ("your_event_mask", ctypes.c_long),
                ("do_not_propagate_mask", ctypes.c_long), ("override_redirect", ctypes.c_int), ("screen", ctypes.c_void_p)]


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def ignore_error(_display, _event):
    """Ignores an Xlib error. Xlib's default handler would end the process, for example if a window does not exist."""
    return 0


class Screenshots:
    """Reads pixels and window positions over its own connection to an X server. Tests read them many times per second.
    Starting a tool for each read would use most of the tests' CPU time."""

    ALL_PLANES, Z_PIXMAP, IS_VIEWABLE = ctypes.c_ulong(-1), 2, 2

    def __init__(self, display):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XDefaultRootWindow.restype = ctypes.c_ulong
        self.x11.XGetImage.restype = ctypes.POINTER(XImage)
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(display.encode()))
        if not self.display:
            raise AssertionError(f"no X server at {display}")
        self.root = ctypes.c_ulong(self.x11.XDefaultRootWindow(self.display))
        self.x11.XSetErrorHandler(ignore_error)

    def window(self, window):
        """Returns the window's (x, y, width, height) on the screen, and whether it is visible; None if there is no such
        window."""
        number, facts = ctypes.c_ulong(int(window, 0)), XWindowAttributes()
        x, y, child = ctypes.c_int(), ctypes.c_int(), ctypes.c_ulong()
        if not (self.x11.XGetWindowAttributes(self.display, number, ctypes.byref(facts)) and
                self.x11.XTranslateCoordinates(self.display, number, self.root, 0, 0, ctypes.byref(x), ctypes.byref(y),
                                               ctypes.byref(child))):
            return None
        return (x.value, y.value, facts.width, facts.height), facts.map_state == self.IS_VIEWABLE

    def capture(self, x, y, width, height):
        """Returns a rectangle of the screen as 8-bit RGB. The rectangle must be within the screen. The screen may have
        10 bits per channel."""
        image = self.x11.XGetImage(self.display, self.root, x, y, width, height, self.ALL_PLANES, self.Z_PIXMAP)
        shape = image.contents
        assert shape.bits_per_pixel == 32 and shape.bytes_per_line == 4 * width, "unexpected screen format"
        bgrx = ctypes.string_at(shape.data, shape.bytes_per_line * height)
        self.x11.XDestroyImage(image)
        rgb = bytearray(width * height * 3)
        for channel in range(3):
            if shape.depth == 30:
                values = ((pixel >> 10 * (2 - channel)) & 1023 for pixel in memoryview(bgrx).cast("I"))
                rgb[channel::3] = bytes(CODES.get(value, 0) for value in values)
            else:
                rgb[channel::3] = bgrx[2 - channel::4]
        return bytes(rgb)


class Desktop:
    """An Xvfb with these options on a free display, and the window manager openbox. close() ends both."""

    def __init__(self, folder, *options):
        self.folder = pathlib.Path(folder)
        self.processes = []
        read_end, write_end = os.pipe()
        with open(self.folder / "xvfb.log", "wb") as log:
            server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-screen", "0", "{}x{}x24".format(*SCREEN),
                                       "-nolisten", "tcp", "-noreset", *options], pass_fds=[write_end], stdin=subprocess.DEVNULL,
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
        wait_for(lambda: self.try_run("wmctrl", "-m") is not None, "the window manager starts")
        self.screenshots = Screenshots(self.display)

    def close(self):
        for process in reversed(self.processes):
            end_process(process)

    def try_run(self, *command):
        """Runs a tool; returns its output, or None if it fails."""
        done = subprocess.run([str(word) for word in command], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True)
        return done.stdout.decode(errors="replace") if done.returncode == 0 else None

    def run(self, *command):
        output = self.try_run(*command)
        if output is None:
            raise AssertionError(f"{' '.join(map(str, command))} failed")
        return output

    def window_of(self, process):
        """Waits for the process to show a window, focuses it and returns it."""
        def find():
            if process.poll() is not None:
                raise AssertionError(f"the program ended with {process.returncode} before it showed a window")
            return (self.try_run("xdotool", "search", "--onlyvisible", "--all", "--pid", process.pid, "--class",
                                 "^glyphreel$") or "").split()
        window = wait_for(find, "the window appears")[-1]
        self.focus(window)
        return window

    def focus(self, window):
        self.run("wmctrl", "-i", "-a", window)
        wait_for(lambda: (self.try_run("xdotool", "getactivewindow") or "").strip() == window, "the window has the focus")

    def key(self, window, *names):
        """Focuses the window and presses keys."""
        self.focus(window)
        self.run("xdotool", "key", *names)

    def resize(self, window, width, height):
        """Resizes the window, and waits until it has the size."""
        self.run("xdotool", "windowsize", "--sync", window, width, height)

    def geometry(self, window):
        """Returns (x, y, width, height) of the window's client area on the screen."""
        found = self.screenshots.window(window)
        if found is None:
            raise AssertionError(f"no window {window}")
        return found[0]

    def is_visible(self, window):
        found = self.screenshots.window(window)
        return found is not None and found[1]

    def picture(self, rectangle):
        """Returns the pixels of a rectangle of the screen, 8-bit RGB."""
        return self.screenshots.capture(*rectangle)

    def picture_of(self, window):
        """Returns the window's pixels; None unless the window is visible and entirely on the screen."""
        x, y, width, height = rectangle = self.geometry(window)
        if x < 0 or y < 0 or x + width > SCREEN[0] or y + height > SCREEN[1] or not self.is_visible(window):
            return None
        return self.picture(rectangle)


@functools.cache
def shared_desktop(*options):
    """Returns the desktop with these Xvfb options. All tests of this process share it, except those that end or change
    their X server."""
    folder = tempfile.mkdtemp(prefix="glyphreel-desktop-")
    desktop = Desktop(folder, *options)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(desktop.close)
    return desktop


def is_blank(picture):
    """Whether all pixels have the same color."""
    return picture == picture[:3] * (len(picture) // 3)


def cpu_seconds(process):
    """Returns the CPU time that all threads of the process have used."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
