"""Tests the bundle in a folder whose name has spaces. Tests its contents, and that it runs with only a C library
installed."""

import json
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

BUNDLE = pathlib.Path(os.environ.get("GLYPHREEL_BUNDLE", ""))
BUILD = pathlib.Path(os.environ.get("GLYPHREEL_BUILD", ""))
PROGRAM = os.environ.get("GLYPHREEL", "")
SOURCE = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 60 << 20

# glibc's libraries. The bundle does not contain them: every system must have its own.
LIBC = re.compile(r"(ld-linux-x86-64|lib(c|m|mvec|dl|pthread|rt|resolv|util|anl|nsl|BrokenLocale|nss_files|nss_dns))\.so")
# Parts of drivers. The bundle must not contain them: they would be loaded in place of the machine's own drivers.
DRIVER = re.compile(r"lib(cuda|nvcuvid|nvidia.*|GLX_.*|EGL_.*|vulkan_.*|LLVM.*|.*_drv_video|drm_(amdgpu|intel|nouveau|radeon))\.so")


def run(words, **options):
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120, **options)


def needed(path):
    """Returns the libraries that an ELF file needs."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run(["readelf", "-dW", path]).stdout)


def can_change_root():
    return run(["unshare", "--map-root-user", "--mount", "--pid", "--fork", "true"]).returncode == 0


class Bundle(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not BUNDLE.is_file():
            raise AssertionError("set GLYPHREEL_BUNDLE to the archive, made by cmake --build BUILD --target bundle")
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="glyphreel bundle ä "))
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        unpacked = run(["tar", "-xf", BUNDLE, "-C", cls.place])
        if unpacked.returncode != 0:
            raise AssertionError(unpacked.stderr)
        (cls.folder,) = cls.place.iterdir()
        cls.files = [path for path in cls.folder.rglob("*") if path.is_file() and not path.is_symlink()]
        cls.binaries = [path for path in cls.files if path.read_bytes()[:4] == b"\x7fELF"]
        cls.shipped = {path.name for path in cls.binaries if ".so" in path.name}

    def test_is_small_enough(self):
        self.assertLessEqual(BUNDLE.stat().st_size, MOST_BYTES)

    def test_ships_every_library_but_libc_and_drivers(self):
        self.assertGreater(len(self.binaries), 50)
        missing = {(path.name, name) for path in self.binaries for name in needed(path)
                   if name not in self.shipped and not LIBC.match(name)}
        self.assertEqual(missing, set())
        self.assertEqual({name for name in self.shipped if LIBC.match(name) or DRIVER.match(name)}, set())
        # The program and GLFW load these by name at run time.
        for name in ("libavdevice.so", "libavfilter.so", "libpulse.so.0", "libsystemd.so.0", "libXcursor.so.1",
                     "libvulkan.so.1"):
            self.assertTrue(any(shipped.startswith(name) for shipped in self.shipped), name)
        # If the program linked libavfilter, every start would load 29 more libraries. libpulse would add 9.
        program = next(path for path in self.binaries if path.name == "glyphreel.so")
        linked = [name for name in needed(program) if name.startswith(("libavfilter", "libpulse", "libsystemd"))]
        self.assertEqual(linked, [])

    def test_system_libraries_are_loaded_after_what_they_need(self):
        system = self.folder / "lib" / "system"
        order = (system / "order").read_text().split()
        self.assertEqual(sorted(order), sorted(path.name for path in system.iterdir() if path.name != "order"))
        for at, name in enumerate(order):
            late = [other for other in needed(system / name) if other in order[at + 1:]]
            self.assertEqual(late, [], name)
            private = [other for other in needed(system / name) if (self.folder / "lib" / other).exists()]
            self.assertEqual(private, [], f"the system's {name} would load the bundle's libraries")

    def test_contains_no_build_paths(self):
        for path in self.binaries:
            for runpath in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", run(["readelf", "-dW", path]).stdout):
                self.assertEqual(runpath, "$ORIGIN", path.name)
        # Search for the paths of the source tree's subfolders. The path of its root could also be part of an unrelated path.
        places = [str(BUILD), *(f"{SOURCE}/{entry.name}" for entry in SOURCE.iterdir() if entry.is_dir())]
        for path in self.files:
            if path.stat().st_size == 0:
                continue
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                for place in places:
                    self.assertEqual(content.find(place.encode()), -1, f"{path.name} contains {place}")

    def test_ships_license_of_every_library(self):
        documents = self.folder / "share" / "doc" / "glyphreel"
        documented, empty = {}, set()
        for words in map(str.split, (documents / "libraries.txt").read_text().splitlines()):
            if words[1:] == ["a", "stub", "that", "does", "nothing"]:
                empty.add(words[0])
            elif len(words) == 4 and ".so" in words[0]:
                documented[words[0]] = words[1]
        self.assertEqual(set(documented) | empty, self.shipped - {"glyphreel.so"})
        self.assertLess(len(empty), 20)
        for package in set(documented.values()):
            self.assertGreater((documents / "licenses" / package).stat().st_size, 100, package)

    def test_runs_from_any_folder(self):
        here = pathlib.Path(tempfile.mkdtemp(dir=self.place))
        program = self.folder / "bin" / "glyphreel"
        link = here / "a link"
        link.symlink_to(program)
        for words in ([program], ["../" + str(program.relative_to(self.place))], [link]):
            done = run([*words, "--version"], cwd=here, env={})
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        done = run([program, "record", "--quiet", "--renderer", "cpu", "--frames", "3", "demo:", "-o", "x.mp4"], cwd=here,
                   env={"HOME": str(here)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        # libavdevice is loaded on demand, from the bundle's lib/.
        done = run([program, "record", "--quiet", "--renderer", "cpu", "--frames", "3", "lavfi:testsrc2", "-o", "y.txt"],
                   cwd=here, env={"HOME": str(here)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_child_environment_is_unchanged(self):
        here = pathlib.Path(tempfile.mkdtemp(dir=self.place))
        spy = here / "yt-dlp"
        spy.write_text('#!/bin/sh\nenv >"$HOME/environment"\nexit 1\n')
        spy.chmod(0o755)
        asked = {"HOME": str(here), "PATH": f"{here}:/usr/bin:/bin"}
        run([self.folder / "bin" / "glyphreel", "record", "--renderer", "cpu", "https://www.youtube.com/watch?v=x", "-o",
             "z.txt"], cwd=here, env=asked)
        seen = dict(line.split("=", 1) for line in (here / "environment").read_text().splitlines() if "=" in line)
        # A shell adds the others; SVT_LOG comes from the program itself, with or without a bundle (ffmpeg.cpp).
        added = {name for name in seen if name not in asked} - {"PWD", "OLDPWD", "SHLVL", "_", "SVT_LOG"}
        self.assertEqual(added, set())
        self.assertEqual({name: seen[name] for name in asked}, asked)

    def test_uses_system_drivers_and_their_libraries(self):
        trace = self.place / "trace"
        clean = {"HOME": str(self.place), "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(trace)}
        answer = run([self.folder / "bin" / "glyphreel", "info", "--json"], env=clean)
        expected = run([PROGRAM, "info", "--json"], env={"HOME": str(self.place)})
        self.assertEqual(json.loads(answer.stdout)["gpus"], json.loads(expected.stdout)["gpus"])
        loaded = set()
        for file in self.place.glob("trace.*"):
            loaded |= set(re.findall(r"calling init: (\S.*)", file.read_text(errors="replace")))
        ours = {path for path in loaded if str(self.folder) in path}
        self.assertTrue(any(path.endswith("/lib/glyphreel.so") for path in ours))
        # This machine has these libraries, so the bundle's copies must not be loaded.
        for name in ("libstdc++.so.6", "libgcc_s.so.1", "libvulkan.so.1"):
            self.assertTrue(any(path.endswith("/" + name) for path in loaded - ours), name)
            self.assertFalse(any(path.endswith("/" + name) for path in ours), name)

    @unittest.skipUnless(can_change_root(), "user namespaces and chroot are not available on this machine")
    def test_runs_with_only_a_c_library(self):
        bare = pathlib.Path(tempfile.mkdtemp(dir=self.place))
        for name in ("lib64", "proc", "dev", "tmp", "lib/x86_64-linux-gnu"):
            (bare / name).mkdir(parents=True)
        (bare / "dev" / "null").touch()
        for line in run(["ldconfig", "-p"], env={"PATH": "/sbin:/usr/sbin:/usr/bin:/bin"}).stdout.splitlines():
            found = re.match(r"\t(\S+) \(libc6,x86-64.*=> (\S+)", line)
            if found and LIBC.match(found.group(1)):
                shutil.copy(os.path.realpath(found.group(2)), bare / "lib/x86_64-linux-gnu" / found.group(1))
        shutil.copy(os.path.realpath("/lib64/ld-linux-x86-64.so.2"), bare / "lib64" / "ld-linux-x86-64.so.2")
        shutil.copytree(self.folder, bare / "the bundle", symlinks=True)
        script = ('mount -t proc proc "$0/proc" && mount --bind /dev/null "$0/dev/null"; root=$0; '
                  'exec chroot "$root" "/the bundle/bin/glyphreel" "$@"')

        def inside(*words):
            return run(["unshare", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", script, bare, *words],
                       env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"})

        answer = inside("info", "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        machine = json.loads(answer.stdout)
        self.assertEqual(machine["gpus"], [])
        self.assertIn("DejaVu Sans Mono", machine["font"]["found"])
        done = inside("record", "--frames", "10", "--stats", "/tmp/s.json", "demo:", "-o", "/tmp/x.mp4")
        self.assertEqual(done.returncode, 0, done.stderr)
        stats = json.loads((bare / "tmp" / "s.json").read_text())
        self.assertEqual(stats["frames"]["encoded"], 10)
        self.assertEqual(run(["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                              "stream=nb_read_frames", "-of", "csv=p=0", bare / "tmp" / "x.mp4"]).stdout.strip(), "10")
        self.assertNotIn("error", done.stderr.lower())


if __name__ == "__main__":
    unittest.main()
