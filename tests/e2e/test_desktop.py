"""Tests desktop integration: window position, drag and drop, pointer, screen saver, configuration, loss of the display."""

import ctypes
import os
import shutil
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from desktop import Desktop
from harness import (ALARMS, EXIT_DONE, EXIT_NO_DEVICE, EXIT_USAGE, H264, PATIENCE, SOURCE_ROOT, ProgramTest,
                     end_process, frame_count, hold_for, lavfi, make_clip, part_of, tool, wait_for)
from test_window import WindowTest


class XScreenSaverInfo(ctypes.Structure):
    _fields_ = [("window", ctypes.c_ulong), ("state", ctypes.c_int), ("kind", ctypes.c_int),
                ("til_or_since", ctypes.c_ulong), ("idle", ctypes.c_ulong), ("event_mask", ctypes.c_ulong)]


class XFixesCursorImage(ctypes.Structure):
    _fields_ = [("x", ctypes.c_short), ("y", ctypes.c_short), ("width", ctypes.c_ushort), ("height", ctypes.c_ushort),
                ("xhot", ctypes.c_ushort), ("yhot", ctypes.c_ushort), ("serial", ctypes.c_ulong),
                ("pixels", ctypes.POINTER(ctypes.c_ulong)), ("atom", ctypes.c_ulong), ("name", ctypes.c_char_p)]


class XServer:
    """Queries an X server: screen saver and pointer."""

    def __init__(self, display):
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.saver = ctypes.CDLL("libXss.so.1")
        self.fixes = ctypes.CDLL("libXfixes.so.3")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XDefaultRootWindow.restype = ctypes.c_ulong
        self.fixes.XFixesGetCursorImage.restype = ctypes.POINTER(XFixesCursorImage)
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(display.encode()))
        if not self.display:
            raise AssertionError(f"no X server at {display}")

    def close(self):
        self.x11.XCloseDisplay(self.display)

    def set_screen_saver(self, seconds):
        self.x11.XSetScreenSaver(self.display, seconds, 0, 1, 1)
        self.x11.XForceScreenSaver(self.display, 0)
        self.x11.XSync(self.display, 0)

    def screen_saver_is_on(self):
        info = XScreenSaverInfo()
        self.saver.XScreenSaverQueryInfo(self.display, ctypes.c_ulong(self.x11.XDefaultRootWindow(self.display)),
                                         ctypes.byref(info))
        return info.state == 1

    def pointer_is_visible(self):
        image = self.fixes.XFixesGetCursorImage(self.display)
        shape = image.contents
        visible = any(shape.pixels[i] & 0xFF000000 for i in range(shape.width * shape.height))
        self.x11.XFree(image)
        return visible


class DesktopService:
    """A session bus with a fake org.freedesktop.ScreenSaver service. The service records the calls that it receives."""

    COOKIE = 4711
    CALL, RETURN = 1, 2
    PATH, INTERFACE, MEMBER, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = 1, 2, 3, 5, 6, 7, 8

    def __init__(self, path):
        self.address = f"unix:path={path}"
        self.calls = []  # (member, body) of each received call
        self.bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}",
                                     "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.bus.stdout.readline()  # The bus prints its address once it listens.
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.stream = self.socket.makefile("rb")
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self.stream.readline().startswith(b"OK"):
            raise AssertionError("the bus refused authentication")
        self.socket.sendall(b"BEGIN\r\n")
        bus = {self.PATH: ("o", "/org/freedesktop/DBus"), self.INTERFACE: ("s", "org.freedesktop.DBus"),
               self.DESTINATION: ("s", "org.freedesktop.DBus")}
        self.send(self.CALL, 1, {**bus, self.MEMBER: ("s", "Hello")})
        name = b"org.freedesktop.ScreenSaver"
        self.send(self.CALL, 2, {**bus, self.MEMBER: ("s", "RequestName"), self.SIGNATURE: ("g", "su")},
                  struct.pack("<I", len(name)) + name + b"\0" + struct.pack("<I", 4))
        while self.receive()[2].get(self.REPLY_SERIAL) != 2:
            pass
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def close(self):
        end_process(self.bus)
        self.thread.join(10)
        self.socket.close()

    def send(self, kind, serial, fields, body=b""):
        array = b""
        for code, (signature, value) in fields.items():
            array += b"\0" * (-len(array) % 8) + bytes([code, 1]) + signature.encode() + b"\0"
            if signature == "u":
                array += struct.pack("<I", value)
            else:
                array += struct.pack("<B" if signature == "g" else "<I", len(value)) + value.encode() + b"\0"
        header = struct.pack("<4BIII", ord("l"), kind, 0, 1, len(body), serial, len(array)) + array
        self.socket.sendall(header + b"\0" * (-len(header) % 8) + body)

    def receive(self):
        """Reads a message; returns (type, serial, fields, body). Field values are strings and integers."""
        order, kind, _, _, length, serial, array = struct.unpack("<4BIII", self.stream.read(16))
        if order != ord("l"):
            raise AssertionError("the bus sent a big-endian message; this test reads only little-endian ones")
        data, at, fields = self.stream.read(array + -array % 8), 0, {}
        while at < array:
            at += -at % 8
            code, signature = data[at], chr(data[at + 2])
            at += 4
            if signature == "g":
                size, at = data[at], at + 1
            elif signature == "u":
                fields[code], at = struct.unpack_from("<I", data, at)[0], at + 4
                continue
            else:
                size, at = struct.unpack_from("<I", data, at)[0], at + 4
            fields[code], at = data[at:at + size].decode(), at + size + 1
        return kind, serial, fields, self.stream.read(length)

    def serve(self):
        try:
            while True:
                kind, serial, fields, body = self.receive()
                if kind != self.CALL:
                    continue
                self.calls.append((fields[self.MEMBER], body))
                answer = {self.DESTINATION: ("s", fields[self.SENDER]), self.REPLY_SERIAL: ("u", serial)}
                if fields[self.MEMBER] == "Inhibit":
                    self.send(self.RETURN, serial + 100, {**answer, self.SIGNATURE: ("g", "u")}, struct.pack("<I", self.COOKIE))
                else:
                    self.send(self.RETURN, serial + 100, answer)
        except (struct.error, OSError):
            return  # the bus has exited


class DragSource:
    """The source of a drag and drop of files (XDND), https://www.freedesktop.org/wiki/Specifications/XDND/."""

    CLIENT_MESSAGE, SELECTION_REQUEST, SELECTION_NOTIFY = 33, 30, 31

    def __init__(self, server):
        self.x11, self.display = server.x11, server.display
        self.x11.XCreateSimpleWindow.restype = self.x11.XInternAtom.restype = ctypes.c_ulong
        root = ctypes.c_ulong(self.x11.XDefaultRootWindow(self.display))
        self.window = self.x11.XCreateSimpleWindow(self.display, root, 0, 0, 10, 10, 0, ctypes.c_ulong(0), ctypes.c_ulong(0))

    def atom(self, name):
        return self.x11.XInternAtom(self.display, name.encode(), 0)

    def send(self, window, *fields):
        """Sends an XEvent whose members are all longs. `fields`: its type, then the members that follow `display`."""
        event = (ctypes.c_long * 24)(fields[0], 0, 1, 0, *fields[1:])
        self.x11.XSendEvent(self.display, ctypes.c_ulong(window), 0, ctypes.c_long(0), event)
        self.x11.XSync(self.display, 0)

    def send_client_message(self, window, kind, *data):
        self.send(window, self.CLIENT_MESSAGE, window, self.atom(kind), 32, self.window, *data)

    def wait(self, kind, *wanted):
        event = (ctypes.c_long * 24)()

        def received():
            while self.x11.XPending(self.display):
                self.x11.XNextEvent(self.display, event)
                if event[0] & 0x7F == kind and (not wanted or event[5] == wanted[0]):
                    return True
            return False
        wait_for(received, f"a reply to the drag ({kind})")
        return event

    def drop(self, window, paths, x, y):
        """Drags files to a point of the screen within a window, and drops them."""
        files = "".join(path.as_uri() + "\r\n" for path in paths).encode()
        uri_list, selection = self.atom("text/uri-list"), self.atom("XdndSelection")
        self.x11.XSetSelectionOwner(self.display, ctypes.c_ulong(selection), ctypes.c_ulong(self.window), ctypes.c_ulong(0))
        self.send_client_message(window, "XdndEnter", 5 << 24, uri_list, 0, 0)
        self.send_client_message(window, "XdndPosition", 0, x << 16 | y, 0, self.atom("XdndActionCopy"))
        status = self.wait(self.CLIENT_MESSAGE, self.atom("XdndStatus"))
        if not status[8] & 1:
            raise AssertionError("the window accepts no files")
        self.send_client_message(window, "XdndDrop", 0, 0, 0, 0)
        _, _, _, _, _, requestor, _, target, place, when, *_ = self.wait(self.SELECTION_REQUEST)
        self.x11.XChangeProperty(self.display, ctypes.c_ulong(requestor), ctypes.c_ulong(place), ctypes.c_ulong(target), 8, 0,
                                 files, len(files))
        self.send(requestor, self.SELECTION_NOTIFY, requestor, selection, target, place, when)
        self.wait(self.CLIENT_MESSAGE, self.atom("XdndFinished"))


class WindowPlacement(WindowTest):
    def wait_for_geometry(self, window, wanted):
        wait_for(lambda: self.desktop.geometry(window) == wanted,
                 f"the window at {wanted}: it is at {self.desktop.geometry(window)}")

    def is_moved(self, window, before):
        """Whether the window's x and y have both changed since `before`. The window manager changes both at once."""
        return all(now != then for now, then in zip(self.desktop.geometry(window)[:2], before[:2]))

    def move(self, window, x, y):
        self.desktop.run("xdotool", "windowmove", window, x, y)

    def test_window_geometry_is_restored(self):
        process, window = self.play(self.clip, "--loop-file")
        first = self.desktop.geometry(window)
        self.desktop.run("xdotool", "windowsize", "--sync", window, 800, 500)
        self.move(window, 333, 222)
        wait_for(lambda: self.desktop.geometry(window)[2:] == (800, 500) and self.is_moved(window, first), "the window is moved")
        left_at = self.desktop.geometry(window)
        self.leave(process, window)

        process, window = self.play(self.clip, "--loop-file")
        self.wait_for_geometry(window, left_at)
        # The fullscreen geometry is not saved.
        self.desktop.key(window, "f")
        wait_for(lambda: self.desktop.geometry(window)[2:] == (1920, 1080), "fullscreen")
        self.leave(process, window)

        process, window = self.play(self.clip, "--loop-file", "--geometry", "640x360+50+60")
        self.wait_for_geometry(window, (50, 60, 640, 360))
        self.leave(process, window)

        process, window = self.play(self.clip, "--loop-file")
        self.wait_for_geometry(window, left_at)
        self.leave(process, window)

    def test_size_is_saved_only_after_a_resize(self):
        process, window = self.play(self.clip, "--loop-file")
        first = self.desktop.geometry(window)
        self.move(window, 120, 130)
        wait_for(lambda: self.is_moved(window, first), "the window is moved")
        x, y, *size = self.desktop.geometry(window)
        self.leave(process, window)
        self.assertRegex((self.here / "state/glyphreel/window").read_text(), r"^\+\d+\+\d+\n$")
        process, window = self.play(self.clip, "--loop-file", "--cell", "16x32")
        self.wait_for_geometry(window, (x, y, *size))
        self.leave(process, window)

    def test_saved_offscreen_position_is_ignored(self):
        folder = self.here / "state" / "glyphreel"
        folder.mkdir(parents=True)
        for text in ("800x500+5000+100", "800x500-4000-4000", "9000x9000+0+0", "800x500+1700+900", "nonsense"):
            with self.subTest(text=text):
                (folder / "window").write_text(text)
                process, window = self.play(self.clip, "--loop-file")
                self.wait_for_picture(window)
                x, y, width, height = self.desktop.geometry(window)
                self.assertGreaterEqual(min(x, y), 0)
                self.assertLessEqual(x + width, 1920)
                self.assertLessEqual(y + height, 1080)
                self.leave(process, window)

    def test_fs_starts_in_fullscreen(self):
        process, window = self.play(self.clip, "--loop-file", "--fs")
        self.wait_for_geometry(window, (0, 0, 1920, 1080))
        self.leave(process, window)


class OpeningFiles(WindowTest):
    """Tests file URLs, and files dropped on the window."""

    def setUp(self):
        super().setUp()
        self.video = self.here / "a video & more.mkv"
        shutil.copy(self.clip, self.video)

    def wait_for_title(self, window, title):
        wait_for(lambda: self.desktop.run("xdotool", "getwindowname", window).strip() == title, f"the title {title}")

    def test_file_url(self):
        process, window = self.play("--osd-level", "0", "--loop-file", "--", self.video.as_uri())
        self.wait_for_title(window, "a video & more.mkv - glyphreel")
        self.leave(process, window)

    def test_dropped_files_are_played(self):
        server = XServer(self.desktop.display)
        self.addCleanup(server.close)
        process, window = self.play(self.clip, "--loop-file", "--geometry", "640x360+200+200")
        self.wait_for_title(window, "clip.mp4 - glyphreel")
        second = self.here / "second.mp4"
        shutil.copy(self.clip, second)
        DragSource(server).drop(int(window), [self.video, second], 400, 400)
        self.wait_for_title(window, "a video & more.mkv - glyphreel")
        self.desktop.key(window, "greater")
        self.wait_for_title(window, "second.mp4 - glyphreel")
        self.leave(process, window)


class PointerAndScreenSaver(WindowTest):
    def setUp(self):
        super().setUp()
        self.server = XServer(self.desktop.display)
        self.addCleanup(self.server.close)

    def test_idle_pointer_is_hidden_over_the_window(self):
        process, window = self.play(self.clip, "--loop-file", "--geometry", "640x360+200+200")
        for pause in (False, True):
            with self.subTest(paused=pause):
                if pause:
                    self.desktop.key(window, "space")
                self.desktop.run("xdotool", "mousemove", 400, 400)
                self.desktop.run("xdotool", "mousemove_relative", 5, 5)
                moved = time.monotonic()
                wait_for(self.server.pointer_is_visible, "the pointer is visible while it moves")
                wait_for(lambda: not self.server.pointer_is_visible(), "the pointer is hidden")
                self.assertGreater(time.monotonic() - moved, 0.7)
        self.desktop.run("xdotool", "mousemove_relative", 5, 5)
        wait_for(self.server.pointer_is_visible, "the pointer is visible while it moves")
        self.desktop.run("xdotool", "mousemove", 1500, 900)
        wait_for(self.server.pointer_is_visible, "the pointer is visible outside the window")
        hold_for(1.5, self.server.pointer_is_visible, "the player does not hide the pointer outside its window")
        self.leave(process, window)

    def test_drag_that_is_handled_late(self):
        """The line of --wipe follows a drag, although the pointer was hidden, and although the drag ends before the
        player handles it."""
        black = make_clip(self.here / "black.png", *lavfi("color=c=black:size=640x368:duration=0.04"), "-frames:v", "1")
        process, window = self.play(black, "--loop-file", "--geometry", "640x368+200+200", "--wipe", "0.5")

        def line_is_at(x):
            picture = self.desktop.picture_of(window)
            pixels = [picture[3 * (x + 640 * y):][:3] for y in (0, 300)] if picture else []
            return pixels == [b"\xff\xff\xff"] * 2
        wait_for(lambda: line_is_at(320), "the line")
        self.desktop.run("xdotool", "mousemove", 400, 400)
        self.desktop.run("xdotool", "mousemove_relative", 5, 5)
        wait_for(lambda: not self.server.pointer_is_visible(), "the pointer is hidden")
        process.send_signal(signal.SIGSTOP)
        self.desktop.run("xdotool", "mousemove", 520, 380, "mousedown", 1, "mousemove", 360, 380, "mouseup", 1)
        wait_for(lambda: "x:360 " in self.desktop.run("xdotool", "getmouselocation"), "the end of the drag")
        process.send_signal(signal.SIGCONT)
        wait_for(lambda: line_is_at(160), "the dragged line")
        self.leave(process, window)

    def test_screen_saver_is_inhibited_during_playback(self):
        process, window = self.play(self.clip, "--loop-file")
        self.addCleanup(self.server.set_screen_saver, 0)
        self.server.set_screen_saver(1)
        hold_for(2.5, lambda: not self.server.screen_saver_is_on(), "no screen saver during playback")
        self.desktop.key(window, "space")
        wait_for(self.server.screen_saver_is_on, "the screen saver starts while playback is paused")
        self.desktop.key(window, "space")
        wait_for(lambda: not self.server.screen_saver_is_on(), "the key wakes the screen")
        hold_for(2, lambda: not self.server.screen_saver_is_on(), "no screen saver after playback resumes")
        self.leave(process, window)
        wait_for(self.server.screen_saver_is_on, "the screen saver starts after the player has quit")

    def test_dbus_screen_saver_inhibition(self):
        desktop = DesktopService(self.here / "bus")
        self.addCleanup(desktop.close)
        process, window = self.play(self.clip, "--loop-file", env={"DBUS_SESSION_BUS_ADDRESS": desktop.address})
        wait_for(lambda: desktop.calls, "Inhibit is called")
        self.desktop.key(window, "space")
        wait_for(lambda: len(desktop.calls) > 1, "UnInhibit is called for the pause")
        self.desktop.key(window, "space")
        wait_for(lambda: len(desktop.calls) > 2, "Inhibit is called after the pause")
        self.assertEqual([name for name, _ in desktop.calls], ["Inhibit", "UnInhibit", "Inhibit"])
        self.assertTrue(desktop.calls[0][1].startswith(struct.pack("<I", 9) + b"glyphreel\0"), desktop.calls[0])
        self.assertEqual(desktop.calls[1][1], struct.pack("<I", DesktopService.COOKIE))
        # The player must keep working after the session bus has exited.
        desktop.close()
        self.desktop.key(window, "space")
        self.handle_keys(window)
        self.assertIsNone(process.poll())
        self.leave(process, window)


class Configuration(ProgramTest):
    def record(self, *words, config="", **options):
        folder = self.folder / "config" / "glyphreel"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(config)
        return self.run_program("record", "lavfi:testsrc2=size=160x90:duration=0.1", "-o", self.here / "out.txt", "--force",
                                "--stats", self.here / "stats.json", *words, **options)

    def grid(self):
        lines = (self.here / "out.txt").read_text().split("\f")[0].splitlines()
        return max(map(len, lines)), len(lines)

    def test_file_profile_and_command_line(self):
        text = 'grid = "20x5"\nmode = "ramp"\n[profiles.large]\ngrid = "40x10"\n'
        for words, grid in (((), (20, 5)), (("--profile", "large"), (40, 10)),
                            (("--profile", "large", "--grid", "30x8"), (30, 8))):
            with self.subTest(words=words):
                outcome = self.record(*words, config=text)
                self.assertEqual(outcome.code, EXIT_DONE, outcome)
                self.assertEqual(self.grid(), grid)

    def test_error_names_file_and_line(self):
        outcome = self.record(config='grid = "20x5"\ncolour = "mono"\n')
        self.assertEqual(outcome.code, EXIT_USAGE, outcome)
        self.assertIn("config.toml, line 2: Unknown option 'colour'; did you mean 'color'?", outcome.stderr)
        outcome = self.record("--no-config", "--grid", "20x5", config="nonsense")
        self.assertEqual(outcome.code, EXIT_DONE, outcome)


class DesktopEntry(ProgramTest):
    ENTRY = SOURCE_ROOT / "assets" / "desktop" / "glyphreel.desktop"

    def test_desktop_entry_is_valid(self):
        text = self.ENTRY.read_text()
        self.assertIn("\nExec=glyphreel -- %U\n", text)
        self.assertIn("\nIcon=glyphreel\n", text)
        self.assertEqual(tool("desktop-file-validate", self.ENTRY), "")


class LostDisplay(ProgramTest):
    """Tests what the player does if the X server exits during playback."""

    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mp4", *lavfi("testsrc2=size=320x180:rate=24:duration=30"), *H264)

    def lose_display(self, *words, env=None):
        """Records during playback, kills the X server, and checks the exit code, the messages and the recording."""
        desktop = Desktop(self.here)
        self.addCleanup(desktop.close)
        player = self.start("play", self.clip, "--geometry", "320x180", *words, env={"DISPLAY": desktop.display, **(env or {})},
                            stderr=subprocess.PIPE)
        desktop.key(desktop.window_of(player), "r")
        recording = self.here / "glyphreel.mp4"
        part = part_of(recording)
        wait_for(lambda: part.is_file() and part.stat().st_size > 80_000, "the recording has grown")
        desktop.processes[0].kill()
        stderr = player.communicate(timeout=PATIENCE)[1].decode(errors="replace")
        self.assertIsNone(ALARMS.search(stderr), stderr)
        self.assertEqual(player.returncode, EXIT_NO_DEVICE, stderr)
        self.assertIn("The connection to the display was lost", stderr.splitlines()[-1])
        self.assertNotIn("XIO", stderr)
        self.assert_complete(recording)
        self.assertGreater(frame_count(recording), 10)

    def test_recording_is_completed(self):
        self.lose_display()

    def test_recording_is_completed_with_gpu_renderer(self):
        self.lose_display("--renderer", "gpu")


if __name__ == "__main__":
    unittest.main()
