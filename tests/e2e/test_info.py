"""What the program tells about the machine, an input and itself."""

import json
import os
import re
import subprocess
import unittest

from harness import (AAC, DEMO, EXIT_USAGE, H264, ProgramTest, make_clip, pattern)

VERBS = ("play", "record", "compare", "info")


class Info(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("320x180"), *H264, *AAC, "-metadata:s:a:0", "language=deu")

    def test_machine_as_json(self):
        outcome = self.succeed("info", "--json")
        self.assertEqual(outcome.stderr, "")
        answer = json.loads(outcome.stdout)
        self.assertTrue(answer["cpu"]["name"])
        self.assertTrue(any(gpu["usable"] for gpu in answer["gpus"]), "no usable Vulkan device: the GPU tests prove nothing")
        for number, gpu in enumerate(answer["gpus"]):
            self.assertEqual(gpu["index"], number)
            self.assertTrue(gpu["name"] and gpu["driver"] and gpu["vulkan"])
            self.assertEqual(gpu["usable"], gpu["reason"] == "")
        self.assertIn("h264", answer["ffmpeg"]["decoders"])
        self.assertIn("ffv1", answer["ffmpeg"]["encoders"])
        self.assertIn("ascii", [charset["name"] for charset in answer["charsets"]])
        self.assertIn("DejaVu Sans Mono", answer["font"]["found"])

    def test_machine_as_a_table(self):
        text = self.succeed("info").stdout
        for word in ("CPU", "GPU", "FFmpeg", "Decoders", "Encoders", "Font", "Charsets", "ascii"):
            self.assertIn(word, text)

    def test_device_by_number_and_name(self):
        out = self.here / "out.mkv"
        name = self.gpu_names()[0]
        for device in ("0", name[:6], name[:6].upper()):
            outcome = self.succeed("record", self.clip, "-o", out, "--force", "--renderer", "gpu", "--device", device, "--frames",
                                   1, "--grid", "20x6")
            self.assertIn(name, outcome.stderr)

    def test_every_named_charset_works(self):
        answer = json.loads(self.succeed("info", "--json").stdout)
        for charset in answer["charsets"]:
            with self.subTest(charset=charset["name"]):
                outcome = self.run_program("record", self.clip, "-o", self.here / "out.txt", "--force", "--charset",
                                           charset["name"], "--frames", 1, "--grid", "20x6")
                if outcome.code == EXIT_USAGE:  # a font need not draw every script, but then it is named
                    self.assertIn("--font", outcome.stderr)
                else:
                    self.assertEqual(outcome.code, 0, outcome)

    def test_input(self):
        text = self.succeed("info", self.clip).stdout
        self.assertRegex(text, r"#0 video\s+h264.*320x180.*24 fps")
        self.assertRegex(text, r"#1 audio\s+aac.*48000 Hz.*deu")
        answer = json.loads(self.succeed("info", "--json", self.clip).stdout)
        self.assertEqual([stream["kind"] for stream in answer["streams"]], ["video", "audio"])

    def test_demo(self):
        self.assertIn("1280x720", self.succeed("info", "demo:").stdout)
        self.assertEqual(self.succeed("info", "demo:").stdout, self.succeed("info", DEMO).stdout)

    def test_strange_metadata(self):
        clip = make_clip(self.here / "clip.mkv", "-i", self.clip, "-c", "copy", "-metadata:s:a:0", "language=\x1b[31m\"\\")
        text = self.succeed("info", clip).stdout
        self.assertNotIn("\x1b", text, "an input's text reaches the terminal as control sequences")
        json.loads(self.succeed("info", "--json", clip).stdout)

    def test_names_that_are_no_utf_8(self):
        """A JSON library may refuse such a text: no reason to fail."""
        name = os.fsdecode(b"caf\xe9.mkv")
        clip = self.here / name
        clip.write_bytes(self.clip.read_bytes())
        process = self.start("record", name, "-o", "out.mkv", "--stats", "stats.json", "--frames", "2", "--grid", "20x6",
                             stderr=subprocess.PIPE)
        stderr = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn("frames", json.loads((self.here / "stats.json").read_text()))


class Help(ProgramTest):
    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^glyphreel \d+\.\d+\.\d+\S*\n$")
        for verb in VERBS:
            self.assertEqual(self.succeed(verb, "--version").stdout, self.succeed("--version").stdout)

    def test_help(self):
        page = self.succeed("--help").stdout
        for verb in VERBS:
            self.assertIn(f"glyphreel {verb}", page)
            text = self.succeed(verb, "--help").stdout
            self.assertEqual(self.succeed(verb, "-h").stdout, text)
            self.assertLess(max(map(len, text.splitlines())), 101)
            self.assertTrue(text.endswith("\n"))

    def test_help_tells_the_endings_that_are_taken(self):
        page = re.sub(r"\s+", " ", self.succeed("record", "--help").stdout)
        for ending in (".mp4", ".mkv", ".mov", ".webm", ".txt"):
            self.assertIn(ending, page)

    def test_manual(self):
        page = self.here / "glyphreel.1"
        page.write_text(self.succeed("--generate", "man").stdout, encoding="utf-8")
        self.assertTrue(page.read_text().lstrip().startswith((".TH", '.\\"')))
        options = set(re.findall(r"--([a-z][a-z-]+)", " ".join(self.succeed(verb, "--help").stdout for verb in VERBS)))
        plain = page.read_text(encoding="utf-8").replace("\\-", "-")
        for option in options:
            self.assertIn(f"--{option}", plain)
        formatter = next((tool for tool in ("/usr/bin/groff", "/usr/bin/man") if os.access(tool, os.X_OK)), None)
        if formatter is None:
            self.skipTest("neither groff nor man is installed: the manual page's source is not formatted")
        command = [formatter, "-man", "-Tutf8", "-ww", str(page)] if formatter.endswith("groff") else \
            [formatter, "--warnings", "-l", str(page)]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment(MANPAGER="cat", PAGER="cat"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # Bold is told by overstriking or by escape sequences.
        plain = re.sub(r".\x08|\x1b\[[0-9;]*m", "", done.stdout).replace("‐", "-")
        self.assertIn("--thresholds", plain)

    def test_completions(self):
        for shell, check in (("bash", ["bash", "-n"]), ("zsh", None), ("fish", None)):
            text = self.succeed("--generate", f"{shell}-completion").stdout
            self.assertIn("thresholds", text)
            if check:
                script = self.here / shell
                script.write_text(text)
                self.assertEqual(subprocess.run([*check, str(script)], capture_output=True).returncode, 0)
        self.refuse(EXIT_USAGE, "nonsense", "--generate", "nonsense")


if __name__ == "__main__":
    unittest.main()
