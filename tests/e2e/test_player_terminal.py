"""Tests the player in a terminal: keys, control through a socket, and output with a graphics protocol.
Numbered frames and messages show the effects of keys."""

import base64
import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import unittest
import zlib

import pgs
from harness import EXIT_DONE, EXIT_FAILED, EXIT_NO_DEVICE, EXIT_USAGE, NO_VULKAN, PATIENCE, make_clip, probe, wait_for
from numbered import PLAIN, make_numbered, number_in_text
from test_live_recording import recorded_numbers
from test_player import RATE, SECONDS
from test_terminal import COLUMNS as PANE_COLUMNS
from test_terminal import ROWS as PANE_ROWS
from test_terminal import EACH_ALONE, PtyTest, TerminalTest

# Answers of terminals to the queries about graphics.
CELL_SIZE = b"\x1b[6;16;8t"
KITTY = b"\x1b_Gi=31;OK\x1b\\\x1b_Gi=32;EBADF:no such object\x1b\\" + CELL_SIZE + b"\x1b[?62;22c"
SIXEL = b"\x1b[?1;0;256S" + CELL_SIZE + b"\x1b[?62;4;22c"
TEXT_ONLY = b"\x1b[?62;22c"
DELETE_ALL = b"\x1b_Ga=d,d=A,q=2\x1b\\"
LEAVE = b"\x1b[?1049l"


def subtitle(begin, end, text):
    def clock(seconds):
        return f"00:00:{seconds:02}.000".replace(".", ",")
    return f"1\n{clock(begin)} --> {clock(end)}\n{text}\n\n"


class Client:
    """A client that controls the player through the socket of --input-ipc-server."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(str(path))
        self.lines = self.socket.makefile("r")
        self.events, self.last_id = [], 0

    def send(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def receive(self):
        """Returns the next line; None at the end of the connection."""
        line = self.lines.readline()
        return json.loads(line) if line else None

    def reply(self):
        """Returns the next reply; collects the events before it."""
        while "event" in (line := self.receive()):
            self.events.append(line)
        return line

    def request(self, *words):
        self.last_id += 1
        self.send(json.dumps({"command": words, "request_id": self.last_id}))
        reply = self.reply()
        assert reply["request_id"] == self.last_id, reply
        return reply

    def get(self, name):
        return self.request("get_property", name).get("data")

    def set(self, name, value):
        return self.request("set_property", name, value)["error"]

    def wait_for_event(self, **fields):
        """Returns the first event with these fields, and forgets the events up to it."""
        while True:
            event = self.events.pop(0) if self.events else self.receive()
            assert event is not None, f"the connection ended before {fields}"
            if fields.items() <= event.items():
                return event

    def close(self):
        self.lines.close()
        self.socket.close()


class TerminalPlayer(TerminalTest):
    @classmethod
    def make_clips(cls):
        subtitles = {"first": subtitle(0, 59, "Hello there"), "second": subtitle(0, 59, "Guten Tag")}
        for name, text in subtitles.items():
            (cls.folder / f"{name}.srt").write_text(text)
        # ffmpeg copies the video stream when it adds the subtitles, so that the keyframes stay where they are.
        cls.plain = plain = make_numbered(cls.folder / "plain.mkv", SECONDS, sound=False)
        cls.clip = make_clip(cls.folder / "numbers.mkv", "-i", plain, "-i", cls.folder / "first.srt", "-i", cls.folder / "second.srt",
                             "-map", "0", "-map", "1", "-map", "2", "-c:v", "copy", "-c:s", "srt", "-metadata", "title=Counting frames")

    def start_video(self, *options):
        self.play(*PLAIN, "--grid", f"{PANE_COLUMNS}x{PANE_ROWS - 1}", *options)
        wait_for(lambda: self.number() is not None, "a numbered picture")

    def number(self):
        return number_in_text(self.pane().splitlines(), PANE_COLUMNS, PANE_ROWS - 1)

    def press(self, key):
        self.tmux("send-keys", key)

    def check_message(self, key, message):
        self.press(key)
        wait_for(lambda: message in self.pane(), f"the message {message!r} after {key}:\n{self.pane()}")

    def check_frame(self, key, number):
        self.press(key)
        seen = []

        def reached():
            seen.append(self.number())
            return seen[-1] == number
        try:
            wait_for(reached, f"frame {number} after {key}")
        except AssertionError as timeout:
            raise AssertionError(f"{timeout}; got {seen[-1]}:\n{self.pane()}") from None

    def paused(self):
        """Pauses and seeks to the beginning. Returns 0, the number of the first frame."""
        wait_for(lambda: (self.number() or 0) > 5, "the clip plays")
        self.press("Space")
        self.check_frame("Down", 0)
        return 0

    def quit(self):
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE)

    def test_pause_steps_and_seeks(self):
        self.start_video("--sid", "no")
        n = self.paused()
        for key, number in ((".", n + 1), (".", n + 2), (",", n + 1), (",", n), ("S-Right", n + RATE), ("S-Left", n)):
            self.check_frame(key, number)
        there = -(-(n + 5 * RATE) // RATE) * RATE
        for key, number in (("Right", there), ("Up", there + 60 * RATE), ("Left", there + 55 * RATE), ("Down", there - 5 * RATE)):
            self.check_frame(key, number)
        self.press("p")
        wait_for(lambda: (self.number() or 0) > there - 4 * RATE, "playback continues")
        self.quit()

    def test_saved_position(self):
        """--save-position resumes where the user quit, unless --start is given. Playing to the end clears the
        position."""
        def recent():
            return json.loads(self.succeed("info", "--recent", "--json").stdout)["recent"]

        def play_until(number, *options):
            """Plays until at least this frame, pauses and quits; returns the number of the last frame."""
            (self.here / "code").unlink(missing_ok=True)
            self.start_video("--sid", "no", *options)
            wait_for(lambda: (self.number() or 0) >= number, f"frame {number}:\n{self.pane()}")
            self.press("Space")
            last = self.stable_text() and self.number()
            self.quit()
            return last

        play_until(RATE)
        self.assertEqual(recent(), [], "saved without the option")
        middle = play_until(60 * RATE, "--save-position", "--start", "60")
        self.assertEqual([entry["path"] for entry in recent()], [str(self.clip)])
        self.assertAlmostEqual(recent()[0]["seconds"], middle / RATE, delta=0.1)
        later = play_until(middle + RATE, "--save-position")
        self.assertAlmostEqual(recent()[0]["seconds"], later / RATE, delta=0.1)
        self.assertRegex(self.succeed("info", "--recent").stdout, rf" 1:\d\d  {self.clip}\n")
        self.assertLess(play_until(RATE, "--save-position", "--start", "1"), 60 * RATE)
        (self.here / "code").unlink()
        self.play("--save-position", "--length", "0.5")
        self.check_end(EXIT_DONE)
        self.assertEqual(recent()[0]["seconds"], 0)
        self.refuse(EXIT_USAGE, "--recent", "info", "--recent", self.clip)

    def connect(self, path):
        client = Client(wait_for(lambda: path if path.exists() else None, f"the socket:\n{self.pane()}"))
        self.addCleanup(client.close)
        return client

    def test_spellings_of_mpv(self):
        names = self.here / "names"
        names.write_text(";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1\nSTART={20 * i}\nEND={20 * i + 20}\n" for i in range(3)))
        self.clip = make_clip(self.here / "film.mkv", "-i", self.clip, "-i", names, "-t", "60", "-map", "0", "-map_chapters", "1",
                              "-c", "copy", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger")
        path = self.here / "socket"
        self.start_video("--pause", "--loop=inf", "--no-audio", "--fullscreen", "--shuffle", "--slang=ger", "--chapter=2", "--mute=yes",
                         "-q", "--hwdec=no", "--input-ipc-server", path)
        client = self.connect(path)
        for name, value in (("pause", True), ("loop-file", True), ("mute", True), ("fullscreen", True), ("sub", 2), ("chapter", 1),
                            ("time-pos", 20)):
            self.assertEqual(client.get(name), value, name)
        self.assertEqual(client.request("quit")["error"], "success")
        self.check_end(EXIT_DONE)

    def test_ipc_properties_and_events(self):
        path = self.here / "socket"
        self.start_video("--sid", "no", "--input-ipc-server", path)
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        client, other = self.connect(path), self.connect(path)
        for name, value in (("pause", False), ("speed", 1), ("volume", 100), ("mute", False), ("path", str(self.clip)),
                            ("filename", self.clip.name), ("media-title", "Counting frames"), ("playlist-pos", 0), ("fullscreen", True),
                            ("chapters", 0), ("legibility", 0.163), ("dither", "none"), ("palette", "no"), ("contrast", 0), ("invert", False)):
            self.assertEqual(client.request("get_property", name)["data"], value, name)
        self.assertAlmostEqual(client.get("duration"), SECONDS, delta=0.1)
        self.assertEqual(client.request("get_property", "chapter")["error"], "property unavailable")
        self.assertEqual(client.request("add", "chapter", 1)["message"], "This video has no chapters.")
        for position in (0, -1, 5):  # clamped to the only input
            self.assertEqual(client.request("set_property", "playlist-pos", position)["message"], "This input is already playing.")
        self.assertEqual(client.request("set", "audio", 9)["message"], "This video has no sound.")
        self.assertEqual((client.set("sub", 9), client.get("sub"), client.set("sid", "no"), client.get("sid")), ("success", 2, "success", 0))
        self.assertEqual(client.request("observe_property", 7, "volume")["error"], "success")
        self.assertEqual(client.wait_for_event(event="property-change", id=7), {"event": "property-change", "id": 7, "name": "volume", "data": 100})
        self.assertEqual(other.set("volume", 55.5), "success")
        self.assertEqual(client.wait_for_event(event="property-change", name="volume")["data"], 55.5)
        self.assertEqual(other.set("pause", True), "success")
        client.wait_for_event(event="pause")
        self.assertEqual(other.request("cycle", "pause")["error"], "success")
        client.wait_for_event(event="unpause")
        other.set("pause", True)
        self.assertEqual(other.set("time-pos", 70), "success")
        client.wait_for_event(event="seek")
        client.wait_for_event(event="playback-restart")
        wait_for(lambda: self.number() == 70 * RATE, "the frame of the seek")
        self.assertEqual((client.get("time-pos"), client.request("get_property_string", "time-pos")["data"]), (70, "70"))
        self.assertAlmostEqual(client.get("percent-pos"), 100 * 70 / SECONDS, places=1)
        other.request("seek", 1, "exact")
        wait_for(lambda: self.number() == 71 * RATE, "the frame of the command")
        self.assertEqual(client.request("unobserve_property", 7)["error"], "success")
        other.set("volume", 60)
        self.assertEqual(client.get("volume"), 60)
        self.assertNotIn("volume", [event.get("name") for event in client.events])
        other.set("legibility", 0.3)
        self.assertEqual(client.get("legibility"), 0.3)
        self.assertNotIn("legibility", self.pane(), "changes by IPC clients must show no message")
        other.request("show-text", "Hello ${volume} % at ${time-pos}", 60000)
        wait_for(lambda: "Hello 60 % at 0:01:11" in self.pane(), f"the text:\n{self.pane()}")
        self.assertEqual(other.request("quit")["error"], "success")
        self.assertEqual(client.wait_for_event(event="end-file")["reason"], "quit")
        self.assertEqual(client.receive(), {"event": "shutdown"})
        self.assertIsNone(client.receive(), "the connection ends")
        self.check_end(EXIT_DONE)
        self.assertFalse(path.exists(), "the socket is removed")

    def test_ipc_errors(self):
        path = self.here / "socket"
        with socket.socket(socket.AF_UNIX) as stale:
            stale.bind(str(path))
        self.start_video("--sid", "no", "--input-ipc-server", path)
        client = self.connect(path)
        for line, error in (('{"command": ["get_property"', "invalid parameter"), ("{}", "invalid parameter"), ('{"command": "quit"}', "invalid parameter"),
                            ('{"command": [["get_property"]]}', "invalid parameter"), ('{"command": ["dance"]}', "invalid parameter"),
                            ("fly to the moon", "invalid parameter"), ('{"command": ["get_property", "moon"]}', "property not found"),
                            ('{"command": ["observe_property", 1.5, "pause"]}', "invalid parameter"),
                            ('{"command": ["set_property", "duration", 5]}', "error accessing property"),
                            ('{"command": ["set_property", "pause", 5]}', "error accessing property"),
                            ('{"command": ["set_property", "dither", "salt"]}', "error accessing property"),
                            ('{"command": ["set_property", "palette", "nope"]}', "error accessing property"),
                            ('{"command": ["set_property", "font", "NoSuchFont"]}', "error accessing property"),
                            ('{"command": ["set_property", "charset", "Blocks"]}', "error accessing property"),
                            ('{"command": ["playlist-next"]}', "error running command"), ("set volume 40; cycle mute", "success")):
            with self.subTest(line=line):
                client.send(line)
                reply = client.reply()
                self.assertEqual((reply["error"], reply["request_id"]), (error, 0))
                self.assertTrue(error == "success" or reply["message"].endswith("."), reply)
        self.assertEqual((client.get("volume"), client.get("mute")), (40, True))
        # Send many requests before reading any reply. The player must keep all replies until they are read.
        for _ in range(200):
            client.send('{"command": ["get_property", "media-title"]}')
        for _ in range(200):
            self.assertEqual(client.reply()["data"], "Counting frames")
        endless = self.connect(path)
        with contextlib.suppress(OSError):  # the player closes the connection
            for _ in range(100):
                endless.send("x" * 10_000 * 100)
        self.refuse(EXIT_USAGE, "Another program is listening on the socket", self.clip, "--input-ipc-server", path)
        self.refuse(EXIT_USAGE, "is not a socket", self.clip, "--input-ipc-server", self.clip)
        self.refuse(EXIT_USAGE, "longer than 107 bytes", self.clip, "--input-ipc-server", "x" * 108)
        self.refuse(EXIT_FAILED, "cannot be created", self.clip, "--input-ipc-server", self.here / "missing" / "socket")
        self.assertEqual(client.request("quit")["error"], "success")
        self.check_end(EXIT_DONE)

    def test_starts_paused_and_stays_open(self):
        last = SECONDS * RATE - 1
        self.start_video("--pause", "--start=-1", "--keep-open", "--sid", "no", "--osd-level", "0")
        self.stable_text()
        self.assertEqual(self.number(), last + 1 - RATE)
        self.press("Space")
        wait_for(lambda: self.number() == last, "the last frame")
        self.stable_text()
        self.assertEqual(self.number(), last)
        self.check_frame("Left", last + 1 - 6 * RATE)
        self.quit()

    def test_recording(self):
        self.start_video("--sid", "no")
        self.check_message("r", "Recording to glyphreel.mp4")
        wait_for(lambda: "● 0:02" in self.pane(), "the recording mark")
        self.check_message("r", "Saved glyphreel.mp4 (0:0")
        self.assertNotIn("●", self.pane())
        self.quit()
        video = self.here / "glyphreel.mp4"
        size = probe(video, "v:0", "stream=width,height")["streams"][0]
        self.assertEqual((size["width"], size["height"]), (PANE_COLUMNS * 8, (PANE_ROWS - 1) * 16))
        numbers = [number for _, number in recorded_numbers(video)]
        # The numbers may have gaps, because a busy terminal shows only some of the clip's frames.
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertGreater(len(numbers), RATE)

    def test_key_messages(self):
        self.start_video("--sid", "no")
        n = self.paused()
        for key, message in (("]", "Speed: 1.10"), ("[", "Speed: 1.00"), ("{", "Speed: 0.50"), ("}", "Speed: 1.00"),
                             ("}", "Speed: 2.00"), ("BSpace", "Speed: 1.00"), ("9", "Volume: 98 %"), ("0", "Volume: 100 %"),
                             ("m", "Mute: yes"), ("m", "Mute: no"), ("\x1b[45;5u", "Sound: -100 ms"), ("\x1b[43;5u", "Sound: +0 ms"), ("l", "Loop from 0:0"),
                             ("L", "Loop: the file"), ("L", "Loop: no"), ("1", "contrast: -1"), ("2", "contrast: 0"),
                             ("3", "brightness: -1"), ("4", "brightness: 0"), ("5", "gamma: -1"), ("6", "gamma: 0"),
                             ("e", "effect: rain"), ("e", "effect: tube"), ("e", "effect: glitch"), ("e", "effect: ripple"),
                             ("e", "effect: none"), ("7", "saturation: -1"), ("8", "saturation: 0"), ("<", "This is the first input."),
                             (">", "This is the last input."), ("s", "Saved glyphreel-0001.png and glyphreel-0001.txt.")):
            with self.subTest(key=key, message=message):
                self.check_message(key, message)
        saved = (self.here / "glyphreel-0001.txt").read_text().split("\f")[0]
        self.assertEqual(number_in_text(saved.splitlines(), PANE_COLUMNS, PANE_ROWS - 1), n)
        self.tmux("set-option", "-s", "set-clipboard", "on")
        self.check_message("y", "Copied the frame's text.")
        wait_for(lambda: self.tmux("show-buffer") == saved, "the text in the clipboard")
        self.check_message("i", "dropped")
        self.press("i")
        wait_for(lambda: "dropped" not in self.pane(), "the statistics disappear")
        self.check_message("?", "pause or resume")
        page, pages = self.stable_text(), 1
        while re.search("pause or resume|quit|next frame|subtitles", "\n".join(page)):
            self.assertLess(pages, 7, "the help does not close")
            self.press("?")
            wait_for(lambda: self.pane().splitlines() != page, "another page")
            page, pages = self.stable_text(), pages + 1
        self.assertGreater(pages, 2)
        self.quit()

    def test_split_view(self):
        self.start_video("--sid", "no")
        n = self.paused()
        self.press("t")
        wait_for(lambda: re.search(r"^ GPU .* ms +CPU .* ms *$\n +0 of 1,188 cells differ, 0 in [1-9]", self.pane(), re.MULTILINE),
                 f"the titles of the halves:\n{self.pane()}")
        half = (PANE_COLUMNS - 2) // 2

        def equal_halves():  # true once the progress bar, which appears on a pause, has disappeared
            rows = [row.ljust(PANE_COLUMNS) for row in self.pane().splitlines()[2:PANE_ROWS - 1]]
            is_filled = any(row[:half].strip() for row in rows)
            return rows if is_filled and [row[:half] for row in rows] == [row[-half:] for row in rows] else None

        rows = wait_for(equal_halves, f"two equal halves:\n{self.pane()}")
        self.check_message("s", "Saved glyphreel-0001.png and glyphreel-0001.txt.")
        saved = [row.ljust(PANE_COLUMNS) for row in (self.here / "glyphreel-0001.txt").read_text().split("\f")[0].splitlines()]
        self.assertEqual(saved[2:], rows, "the saved text must be the text shown")
        self.assertNotIn("GPU", "".join(saved[:2]))
        self.press(".")
        self.press("t")
        wait_for(lambda: self.number() == n + 1, "the next frame without the split view")
        self.quit()

    def test_split_view_without_a_gpu(self):
        self.tmux("send-keys", "export " + " ".join(f"{name}={value}" for name, value in NO_VULKAN.items()), "Enter")
        self.start_video("--sid", "no")
        n = self.paused()
        self.check_message("t", "Split view needs a Vulkan device")
        wait_for(lambda: self.number() == n, "the number of the same frame, once the message no longer hides it")
        self.quit()

    def test_file_and_ab_loops(self):
        self.start_video("--sid", "no")
        self.paused()
        for key, message in (("L", "Loop: the file"), ("l", "Loop from"), ("l", "Loop: the file"), ("L", "Loop: no"),
                             ("l", "Loop from"), ("l", "Loop: no")):
            with self.subTest(key=key, message=message):
                self.check_message(key, message)
        self.quit()

    def test_chapters(self):
        names = self.here / "names"
        names.write_text(";FFMETADATA1\n" + "".join(
            f"[CHAPTER]\nTIMEBASE=1/1\nSTART={10 * i}\nEND={10 * i + 10}\ntitle=Part {'ABC'[i]}\n" for i in range(3)))
        self.clip = make_clip(self.here / "chapters.mkv", "-i", self.plain, "-i", names, "-map", "0", "-map_chapters", "1", "-c", "copy")
        self.start_video()
        self.paused()
        for key, message, number in (("PageUp", "Chapter 2: Part B", 10 * RATE), ("PageUp", "Chapter 3: Part C", 20 * RATE),
                                     ("PageUp", "This is the last chapter.", 20 * RATE), ("PageDown", "Chapter 2: Part B", 10 * RATE)):
            with self.subTest(key=key, message=message):
                self.check_message(key, message)
                wait_for(lambda: self.number() == number, f"the chapter's first frame: {number}")
        self.quit()

    def test_audio_track_switch(self):
        self.clip = make_clip(self.here / "two.mkv", "-i", self.clip, "-f", "lavfi", "-i", f"sine=300:d={SECONDS}", "-f", "lavfi",
                              "-i", f"sine=600:d={SECONDS}", "-map", "0", "-map", "1", "-map", "2", "-c", "copy", "-c:a", "flac")
        self.start_video("--mute")
        n = self.paused()
        self.press("j")
        self.check_message("z", "Subtitles: ")
        wait_for(lambda: "Guten Tag" in self.pane(), "the second subtitle track")
        self.check_message("#", "Sound: 2 of 2")
        wait_for(lambda: "Guten Tag" in self.pane() and self.number() == n, "the same frame and subtitles")
        self.check_message("#", "Sound: 1 of 2")
        self.quit()

    def test_standard_input(self):
        """Playback begins with the first frame; switching the audio track and seeking back are unavailable."""
        video = make_clip(self.here / "video.ts", "-i", self.plain, "-f", "lavfi", "-i", f"sine=300:d={SECONDS}", "-f", "lavfi",
                          "-i", f"sine=600:d={SECONDS}", "-map", "0", "-map", "1", "-map", "2", "-c:v", "copy", "-c:a", "mp2")
        self.play(*PLAIN, "--grid", f"{PANE_COLUMNS}x{PANE_ROWS - 1}", "--stats", self.here / "stats.json", piped=video)
        wait_for(lambda: self.number() is not None, "a numbered picture")
        self.assertLess(self.number(), 5 * RATE)
        self.press("Space")
        # The player handles keys in order. When the second message appears, the paused frame is on the screen.
        self.check_message("8", "saturation: 1")
        self.check_message("7", "saturation: 0")
        n = wait_for(lambda: (self.number(),) if self.number() is not None else None, "a numbered picture")[0]
        self.check_message("#", "This input is a pipe")
        self.check_message("Left", "cannot seek backward")
        self.check_frame("Right", n + 5 * RATE)
        self.quit()

    def test_subtitles(self):
        self.start_video()
        wait_for(lambda: "Hello there" in self.pane(), "the first track")
        self.check_message("v", "Subtitles: hidden")
        wait_for(lambda: "Hello there" not in self.pane(), "hidden")
        self.check_message("v", "Subtitles: shown")
        wait_for(lambda: "Hello there" in self.pane(), "shown again")
        self.press("j")
        wait_for(lambda: "Guten Tag" in self.pane() and "Hello there" not in self.pane(), "the second track")
        self.press("j")
        wait_for(lambda: "Guten Tag" not in self.pane() and "Hello there" not in self.pane(), "no track")
        self.press("j")
        wait_for(lambda: "Hello there" in self.pane(), "the first track again")
        self.press("Up")
        wait_for(lambda: "Hello there" not in self.pane(), "the subtitle ends at its end time")
        self.press("Down")
        wait_for(lambda: "Hello there" in self.pane(), "the subtitle is shown again after seeking back")
        self.quit()

    def test_late_bitmap_subtitle_track(self):
        """The key j selects the bitmap track after the whole video has been read."""
        size = probe(self.plain, "v:0", "stream=width,height")["streams"][0]
        width, height = size["width"], size["height"]
        # Early frames are black at the position of the white box, so the box is visible there.
        box = pgs.white_box(self.here / "white.sup", (width, height), (width // 8, height * 9 // 16, width * 3 // 4, height // 8), 0, 59)
        self.clip = make_clip(self.here / "box.mkv", "-i", self.plain, "-i", self.folder / "first.srt", "-i", box, "-map", "0",
                              "-map", "1", "-map", "2", "-c:v", "copy", "-c:s:0", "srt", "-c:s:1", "copy")
        self.start_video("--sid", "1")
        self.paused()
        box_is_shown = lambda: "B" * (PANE_COLUMNS // 2) in self.pane().splitlines()[PANE_ROWS * 10 // 16]
        self.assertFalse(box_is_shown(), self.pane())
        self.check_message("j", "pgs")
        wait_for(box_is_shown, "the box")
        self.press("j")
        wait_for(lambda: not box_is_shown(), "no track")
        self.quit()


class SlowOpening(TerminalTest):
    """The second input is on a server that accepts connections but never responds."""

    def setUp(self):
        super().setUp()
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.server = f"http://127.0.0.1:{server.getsockname()[1]}"

    def wait_for_server(self, name):
        self.play("--loop-file", f"{self.server}/{name}")
        self.wait_for_text()
        self.tmux("send-keys", ">")
        wait_for(lambda: "Opening" in self.pane(), f"the message that the input is being opened:\n{self.pane()}")

    def quit_soon(self):
        self.tmux("send-keys", "q")
        self.check_end(EXIT_DONE, seconds=9)  # less than the network timeout of 10 s

    def test_quit_while_opening(self):
        self.wait_for_server("video.mp4")
        self.quit_soon()

    def test_quit_while_opening_playlist(self):
        self.wait_for_server("list.m3u")
        self.quit_soon()

    def test_ipc_while_opening(self):
        """Requests that need an open input wait until one is open. Other requests are answered at once."""
        path = self.here / "socket"
        self.play("--loop-file", f"{self.server}/video.mp4", "--input-ipc-server", path)
        self.wait_for_text()
        waiting, prompt = Client(path), Client(path)
        self.addCleanup(waiting.close)
        self.addCleanup(prompt.close)
        self.assertEqual(prompt.request("playlist-next")["error"], "success")
        self.assertEqual(prompt.wait_for_event(event="end-file")["reason"], "stop")
        prompt.wait_for_event(event="start-file")
        waiting.send('{"command": ["set_property", "pause", true], "request_id": 3}')
        self.assertEqual(prompt.get("playlist-pos"), 1)
        self.assertEqual(prompt.request("get_property", "time-pos")["error"], "property unavailable")
        self.assertEqual(prompt.get("pause"), False)
        self.assertEqual(prompt.request("playlist-prev")["error"], "success")
        self.assertEqual(waiting.reply(), {"request_id": 3, "error": "success"})
        prompt.wait_for_event(event="pause")
        self.quit_soon()

    def test_previous_input_while_opening(self):
        self.wait_for_server("video.mp4")
        self.tmux("resize-window", "-x", PANE_COLUMNS - 10, "-y", PANE_ROWS)
        self.tmux("send-keys", "<")
        self.tmux("send-keys", "p")
        wait_for(lambda: "Opening" not in self.pane(), f"the first input plays again:\n{self.pane()}")
        self.quit_soon()


class TerminalGraphics(PtyTest):
    COLUMNS, ROWS = 40, 11
    GRID = ["--grid", "40x11", "--cell", "8x16"]
    graphics = b""

    @classmethod
    def answers_to(cls, sent, since):
        answers = super().answers_to(sent, since)
        return answers + (cls.graphics if sent.find(b"\x1b[c", max(0, since - 2)) >= 0 else b"")

    def open_graphics(self, graphics, *options):
        type(self).graphics = graphics
        self.open("--terminal", "--osd-level", "0", *EACH_ALONE, *options)

    def quit(self):
        os.write(self.terminal, b"q")
        self.assertEqual(self.wait(), EXIT_DONE)
        self.assertTrue(self.sent.rstrip().endswith(b"\x1b[23;2t"), self.sent[-200:])
        self.assertIn(LEAVE, self.sent)

    def recorded(self):
        """Returns the pictures of a recording as RGB."""
        out = self.here / "all.mkv"
        self.succeed("record", self.clip, "-o", out, "--codec", "ffv1", "--renderer", "cpu", *self.GRID, *EACH_ALONE)
        raw = subprocess.run(["ffmpeg", "-v", "error", "-i", out, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], check=True,
                             capture_output=True).stdout
        size = 40 * 8 * 11 * 16 * 3
        return [raw[at:at + size] for at in range(0, len(raw), size)]

    def test_kitty_shows_the_pictures_of_a_recording(self):
        self.open_graphics(KITTY, "--terminal-graphics", "kitty", "--loop-file", *self.GRID)
        whole = re.compile(rb"\x1b_Ga=T,i=(\d),[^;]*f=24,s=320,v=176,o=z,m=\d;([^\x1b]*)\x1b\\((?:\x1b_Gq=2,m=\d;[^\x1b]*\x1b\\)*)"
                           rb"(\x1b_Ga=d,d=I,i=(\d),q=2\x1b\\)?\x1b\[\?2026l")
        self.read(PATIENCE, until=b"d=I,i=1,q=2\x1b\\\x1b[?2026l")
        frames = whole.findall(self.sent)
        self.assertGreater(len(frames), 2)
        pictures = self.recorded()
        for number, first, rest, _, deleted in frames:
            payload = first + b"".join(re.findall(rb"m=\d;([^\x1b]*)", rest))
            self.assertIn(zlib.decompress(base64.b64decode(payload)), pictures)
            self.assertNotEqual(number, deleted, "a picture is deleted after the next one is shown")
        self.quit()
        self.assertGreater(self.sent.rindex(DELETE_ALL), self.sent.rindex(b"a=T"))

    def test_crash_deletes_the_pictures(self):
        self.open_graphics(KITTY, "--terminal-graphics", "kitty", "--loop-file", *self.GRID)
        self.read(PATIENCE, until=b"d=I,i=2,q=2\x1b\\\x1b[?2026l")
        os.kill(self.process, signal.SIGSEGV)
        self.assertEqual(self.wait(), -signal.SIGSEGV)
        self.assertGreater(self.sent.rindex(DELETE_ALL), self.sent.rindex(b"a=T"))
        self.assertIn(LEAVE, self.sent)

    def test_sixels_and_automatic_choice(self):
        self.open_graphics(SIXEL, "--terminal-graphics", "auto", "--loop-file")
        self.read(PATIENCE, until=b"\x1bP0;1q\"1;1;320;160#0;2;")
        self.quit()

    def test_automatic_choice_is_text_without_graphics(self):
        self.open_graphics(TEXT_ONLY, "--terminal-graphics", "auto", "--loop-file")
        self.read(PATIENCE, until="▀".encode())
        self.assertNotRegex(self.sent, rb"\x1bP|\x1b_Ga=T")
        self.quit()

    def test_refused_before_the_screen_changes(self):
        self.open_graphics(TEXT_ONLY, "--terminal-graphics", "kitty")
        self.assertEqual(self.wait(), EXIT_NO_DEVICE)
        self.assertIn(b"does not report support for kitty graphics", self.sent)
        self.assertNotIn(b"\x1b[?1049h", self.sent)


if __name__ == "__main__":
    unittest.main()
