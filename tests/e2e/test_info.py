"""Tests `glyphreel info`, --help, --version and --generate."""

import json
import os
import re
import subprocess
import unittest

from harness import AAC, DEMO, EXIT_USAGE, H264, PATIENCE, ProgramTest, make_clip, pattern, tool

VERBS = ("play", "record", "batch", "compare", "bench", "info", "help")


class Info(ProgramTest):
    @classmethod
    def make_clips(cls):
        cls.clip = make_clip(cls.folder / "clip.mkv", *pattern("320x180"), *H264, *AAC, "-metadata:s:a:0", "language=deu")

    def test_machine_as_json(self):
        outcome = self.succeed("info", "--json")
        self.assertEqual(outcome.stderr, "")
        answer = json.loads(outcome.stdout)
        self.assertTrue(answer["cpu"]["name"])
        self.assertTrue(any(gpu["usable"] for gpu in answer["gpus"]), "no usable Vulkan device: the GPU tests would test nothing")
        for number, gpu in enumerate(answer["gpus"]):
            self.assertEqual(gpu["index"], number)
            self.assertTrue(gpu["name"] and gpu["driver"] and gpu["vulkan"])
            self.assertEqual(gpu["usable"], gpu["reason"] == "")
        self.assertEqual([decoder["name"] for decoder in answer["hardware_decoders"]], ["cuda", "vulkan", "vaapi"])
        for decoder in answer["hardware_decoders"]:
            self.assertEqual(decoder["usable"], decoder["reason"] == "")
        self.assertIn("h264", answer["ffmpeg"]["decoders"])
        self.assertIn("ffv1", answer["ffmpeg"]["encoders"])
        self.assertIn("ascii", [charset["name"] for charset in answer["charsets"]])
        self.assertIn("DejaVu Sans Mono", answer["font"]["found"])

    def test_machine_as_a_table(self):
        text = self.succeed("info").stdout
        for word in ("CPU", "GPU", "Hardware", "FFmpeg", "Decoders", "Encoders", "Font", "Charsets", "ascii", "Looks", "amber"):
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
                if outcome.code == EXIT_USAGE:  # if no font has the characters, the message suggests --font
                    self.assertRegex(outcome.stderr, "--font")
                else:
                    self.assertEqual(outcome.code, 0, outcome)

    def test_input(self):
        text = self.succeed("info", self.clip).stdout
        self.assertRegex(text, r"#0 video\s+h264.*320x180.*24 fps")
        self.assertRegex(text, r"#1 audio\s+aac.*48000 Hz.*deu")
        answer = json.loads(self.succeed("info", "--json", self.clip).stdout)
        self.assertEqual([stream["kind"] for stream in answer["streams"]], ["video", "audio"])

    def test_input_fields(self):
        names = self.here / "names"
        names.write_text(";FFMETADATA1\ntitle=A film\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=Part A\n")
        clip = make_clip(self.here / "film.mkv", "-i", self.clip, "-i", names, "-map", "0", "-map_metadata", "1", "-map_chapters",
                         "1", "-c", "copy", "-c:v", "libx265", "-vf", "setsar=4/3", "-x265-params", "log-level=none",
                         "-color_trc", "smpte2084", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-pix_fmt", "yuv420p10le")
        answer = json.loads(self.succeed("info", "--json", clip).stdout)
        self.assertEqual(answer["container"], "matroska,webm")
        self.assertAlmostEqual(answer["duration_s"], 1, delta=0.1)
        self.assertEqual(answer["tags"]["title"], "A film")
        self.assertEqual(answer["chapters"], [{"start_s": 0, "end_s": 1, "title": "Part A"}])
        video, audio = answer["streams"]
        wanted = {"codec": "hevc", "width": 320, "height": 180, "pixel_format": "yuv420p10le", "fps": 24,
                  "sample_aspect_ratio": "4:3", "display_aspect_ratio": "64:27", "rotation": 0, "hdr": "pq",
                  "transfer": "smpte2084", "primaries": "bt2020", "attached_picture": False}
        self.assertEqual({name: video[name] for name in wanted}, wanted)
        self.assertEqual((audio["codec"], audio["language"], audio["sample_rate"], audio["channels"]), ("aac", "deu", 48000, 1))
        turned = make_clip(self.here / "turned.mp4", "-i", self.clip, "-c", "copy", "-metadata:s:v:0", "rotate=90")
        video = json.loads(self.succeed("info", "--json", turned).stdout)["streams"][0]
        self.assertEqual((video["rotation"], video["encrypted"]), (270, False))
        text = self.succeed("info", clip).stdout
        for part in ("Container  Matroska / WebM", "Duration   0:00:01.0", "title: A film", "(pixels 4:3)", "HDR (PQ)",
                     "Chapter 1  0:00:00.000  Part A"):
            self.assertIn(part, text)

    def test_demo(self):
        self.assertIn("1280x720", self.succeed("info", "demo:").stdout)
        self.assertEqual(self.succeed("info", "demo:").stdout, self.succeed("info", DEMO).stdout)

    def test_strange_metadata(self):
        clip = make_clip(self.here / "clip.mkv", "-i", self.clip, "-c", "copy", "-metadata:s:a:0", "language=\x1b[31m\"\\")
        text = self.succeed("info", clip).stdout
        self.assertNotIn("\x1b", text, "control sequences from metadata must not reach the terminal")
        json.loads(self.succeed("info", "--json", clip).stdout)

    def test_file_names_that_are_not_utf_8(self):
        """A JSON library may reject strings that are not UTF-8. The statistics must still be written."""
        name = os.fsdecode(b"caf\xe9.mkv")
        clip = self.here / name
        clip.write_bytes(self.clip.read_bytes())
        process = self.start("record", name, "-o", "out.mkv", "--stats", "stats.json", "--frames", "2", "--grid", "20x6",
                             stderr=subprocess.PIPE)
        stderr = process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn("frames", json.loads((self.here / "stats.json").read_text()))


class Charset(ProgramTest):
    """Tests `info --charset`, which measures the glyphs."""

    FIELDS = {"charset", "cell", "characters", "glyphs", "blank", "fonts", "tone_curve", "sheet"}

    def sheet(self, *words, **options):
        answer = json.loads(self.succeed("info", "--json", *words, **options).stdout)
        self.assertEqual(set(answer), self.FIELDS)
        self.assertEqual(len(answer["tone_curve"]), answer["characters"])
        self.assertEqual(len(answer["sheet"]), answer["characters"])
        self.assertEqual(answer["tone_curve"], sorted(entry["light"] for entry in answer["sheet"]))
        return answer

    def refuse_charset(self, mentions, *words, **options):
        return self.refuse(EXIT_USAGE, mentions, "info", *words, **options)

    def test_text(self):
        text = self.succeed("info", "--charset", "ascii").stdout
        self.assertIn("Glyphs    95 in cells of 8x16 pixels", text)
        self.assertIn("DejaVu Sans Mono", text)
        self.assertRegex(text, r"Tone +0\.0 % to \d+\.\d % of a full cell's light")
        self.assertIn("█", text)
        for row in ("U+0020     ! \" #", "U+0040   @ A B C", "U+0060   ` a b c"):
            self.assertIn(row, text)

    def test_json(self):
        answer = self.sheet("--charset", "ascii")
        self.assertEqual(answer["characters"], 95)
        self.assertEqual(answer["glyphs"], {"count": 95, "narrow": 95, "wide_pairs": 0})
        self.assertEqual([entry["character"] for entry in answer["sheet"]], [chr(code) for code in range(32, 127)])
        self.assertEqual(answer["blank"], 0)
        self.assertEqual(answer["tone_curve"][0], 0)
        self.assertGreater(answer["tone_curve"][-1], 0.15)
        self.assertEqual(answer["fonts"][0]["characters"], 94)

    def test_cell_and_font(self):
        small = self.sheet("--charset", "ascii", "--cell", "6x12")
        bold = self.sheet("--charset", "ascii", "--font", "DejaVu Sans Mono:bold")
        self.assertEqual(small["cell"], {"width": 6, "height": 12})
        self.assertIn("Bold", bold["fonts"][0]["description"])
        self.assertGreater(bold["tone_curve"][-1], self.sheet("--charset", "ascii")["tone_curve"][-1])

    def test_full_block_has_full_coverage(self):
        answer = self.sheet("--charset", "octants")
        self.assertEqual(answer["characters"], 256)
        self.assertEqual((answer["tone_curve"][0], answer["tone_curve"][-1]), (0, 1))
        self.assertEqual(answer["fonts"], [])

    def test_wide_characters(self):
        answer = self.sheet("--charset", "a⚡b")
        self.assertEqual(answer["glyphs"], {"count": 4, "narrow": 2, "wide_pairs": 1})
        self.assertEqual([entry["cells"] for entry in answer["sheet"]], [1, 1, 2])

    def test_font_fallback_for_missing_characters(self):
        fonts = self.sheet("--charset", "a\u10a0")["fonts"]  # Georgian: in DejaVu Sans, not in DejaVu Sans Mono
        self.assertEqual(len(fonts), 2)
        self.assertIn("DejaVu Sans Mono", fonts[0]["description"])
        self.assertNotIn("DejaVu Sans Mono", fonts[1]["description"])

    def test_joined_charset_names(self):
        self.assertEqual(self.sheet("--charset", "digits+half")["characters"], 11 + 3)

    def test_input_and_charset(self):
        self.refuse_charset("input", "--charset", "ascii", DEMO)

    def test_unknown_names(self):
        self.refuse_charset(['"asci"', "did you mean ascii?"], "--charset", "asci")
        for word in ("no-such-set", "ascii+bracket"):
            with self.subTest(word=word):
                self.refuse_charset([f'"{word.split("+")[-1]}"', "ascii-ramp", "braille"], "--charset", word)
        self.assertEqual(self.sheet("--charset", "asci ")["characters"], 5)

    def test_bad_characters(self):
        self.refuse_charset("--charset", "--charset", "")
        self.refuse_charset("U+10FFFD", "--charset", "a\U0010fffd")
        self.refuse_charset("U+0301", "--charset", "e\u0301")
        latin_1 = self.here / "latin1.txt"
        latin_1.write_bytes(b"caf\xe9")
        self.refuse_charset(["latin1.txt", "utf-8"], "--charset", f"@{latin_1}")

    def bitmap_font(self, code_point):
        """Writes a minimal BDF font with one character of eight rows."""
        font = self.here / "bitmap.bdf"
        font.write_text(
            "STARTFONT 2.1\nFONT -test-bits-medium-r-normal--8-80-75-75-c-80-iso10646-1\nSIZE 8 75 75\n"
            "FONTBOUNDINGBOX 8 8 0 0\nSTARTPROPERTIES 5\nFONT_ASCENT 8\nFONT_DESCENT 0\nFAMILY_NAME \"bits\"\n"
            "CHARSET_REGISTRY \"ISO10646\"\nCHARSET_ENCODING \"1\"\n"
            f"ENDPROPERTIES\nCHARS 1\nSTARTCHAR A\nENCODING {code_point}\nSWIDTH 1000 0\nDWIDTH 8 0\nBBX 8 8 0 0\n"
            "BITMAP\n18\n24\n42\n42\n7E\n42\n42\n42\nENDCHAR\nENDFONT\n")
        return font

    def test_bitmap_fonts(self):
        font = self.bitmap_font(0xE123)
        self.refuse_charset(["bitmap.bdf", "bitmaps"], "--charset", "\ue123", "--font", font)
        # The only font that has the character is a bitmap font. glyphreel does not use this font, but its message names it.
        dejavu = os.path.dirname(tool("fc-match", "-f", "%{file}", "DejaVu Sans Mono"))
        settings = self.here / "fonts.conf"
        settings.write_text(f"<fontconfig><dir>{self.here}</dir><dir>{dejavu}</dir>"
                            f"<cachedir>{self.here}/cache</cachedir></fontconfig>")
        self.refuse_charset(["bitmap font", "bits", "U+E123"], "--charset", "a\ue123",
                            env={"FONTCONFIG_FILE": settings})


class Help(ProgramTest):
    def test_version(self):
        self.assertRegex(self.succeed("--version").stdout, r"^glyphreel \d+\.\d+\.\d+\S*\n$")
        for verb in VERBS[:-1]:
            self.assertEqual(self.succeed(verb, "--version").stdout, self.succeed("--version").stdout)

    def test_help(self):
        page = self.succeed("--help").stdout
        for verb in VERBS:
            self.assertIn(f"glyphreel {verb}", page)
            text = self.succeed(verb, "--help").stdout
            self.assertEqual(self.succeed(verb, "-h").stdout, text)
            self.assertLess(max(map(len, text.splitlines())), 101)
            self.assertTrue(text.endswith("\n"))

    def test_help_lists_output_endings(self):
        page = re.sub(r"\s+", " ", self.succeed("record", "--help").stdout)
        for ending in (".mp4", ".mkv", ".mov", ".webm", ".gif", ".apng", ".webp", ".png", ".jpg", ".avif", ".txt", ".html",
                       ".cells", ".ans", ".xb", ".cast", ".svg"):
            self.assertIn(ending, page)

    def test_manual(self):
        page = self.here / "glyphreel.1"
        page.write_text(self.succeed("--generate", "man").stdout, encoding="utf-8")
        self.assertTrue(page.read_text().lstrip().startswith((".TH", '.\\"')))
        options = set(re.findall(r"--([a-z][a-z-]+)", " ".join(self.succeed(verb, "--help").stdout for verb in VERBS)))
        plain = page.read_text(encoding="utf-8").replace("\\-", "-")
        for option in options:
            self.assertIn(f"--{option}", plain)
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True,
                              env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # groff marks bold by overstriking or by escape sequences.
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

    def complete(self, *words):
        """Returns what bash offers after these words, of which the last one is being typed."""
        script = self.here / "completion"
        script.write_text(self.succeed("--generate", "bash-completion").stdout)
        line = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"compopt() {{ :; }}; . {script}; COMP_WORDS=(glyphreel {line}); COMP_CWORD={len(words)};"
                               '_glyphreel; printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion_of_values(self):
        for words in (("--mode", ""), ("--mode", "="), ("--mode", "=", "")):
            self.assertEqual(self.complete(*words), ["ramp", "shape", "edge"], words)
        self.assertEqual(self.complete("--mode=sh"), ["--mode=shape"])
        self.assertEqual(self.complete("record", "--color", "=", "an"), ["ansi16", "ansi256"])
        self.assertEqual(self.complete("--charset", "br"), ["braille"])
        self.assertEqual(self.complete("--look", "bl"), ["blueprint"])
        self.assertIn("vulkan", self.complete("--hwdec", "=", ""))
        self.assertEqual(self.complete("he"), ["help"])
        self.assertEqual(self.complete("help", "re"), ["record"])

    def test_inputs(self):
        for page in (self.succeed("help").stdout, self.succeed("--generate", "man").stdout):
            for name in ("screen:", "camera:", "lavfi:"):
                self.assertIn(name, page)
        page = page.replace("\\-", "-")
        # Names that input.conf and clients of --input-ipc-server use.
        for name in ("cycle-values", "show-text", "no-osd", "time-pos", "legibility"):
            self.assertIn(name, page)


if __name__ == "__main__":
    unittest.main()
