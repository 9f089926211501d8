"""Tests that dependencies run one way: each include under src/ is allowed by its folder's CMakeLists.txt and by LAYERS."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

# (pattern of header paths, CMake target) of each third-party library.
LIBRARIES = (
    (re.compile(r"^lib(av|sw)[a-z]+/"), "PkgConfig::FFMPEG"),
    (re.compile(r"^vulkan/|^vk_"), "Vulkan::Vulkan"),
    (re.compile(r"^GLFW/"), "glfw"),
    (re.compile(r"^(ft2build\.h|freetype|FT_)"), "PkgConfig::FREETYPE"),
    (re.compile(r"^fontconfig/"), "PkgConfig::FONTCONFIG"),
    (re.compile(r"^nlohmann/"), "nlohmann_json::nlohmann_json"),
    (re.compile(r"^fmt/"), "fmt::fmt"),
    (re.compile(r"^spdlog/"), "spdlog::spdlog"),
    (re.compile(r"^glm/"), "glm::glm"),
    (re.compile(r"^pulse/"), "PkgConfig::PULSE"),
    (re.compile(r"^webp/"), "PkgConfig::WEBP"),
    (re.compile(r"^ffnvcodec/"), "PkgConfig::FFNVCODEC"),
    (re.compile(r"^systemd/"), "PkgConfig::SYSTEMD"),
    (re.compile(r"^X11/"), "PkgConfig::X11"),
    (re.compile(r"^xcb/"), "PkgConfig::XCB_SHM"),
    (re.compile(r"^sqlite3\.h"), "PkgConfig::SQLITE"),
    (re.compile(r"^uchardet"), "PkgConfig::UCHARDET"),
    (re.compile(r"^utf8proc"), "PkgConfig::UTF8PROC"),
    (re.compile(r"^unibilium"), "PkgConfig::UNIBILIUM"),
)
# The only folders that may include the headers of each of these libraries, whatever their CMakeLists.txt says.
CONFINED = {"PkgConfig::FFMPEG": {"media", "interop"}, "Vulkan::Vulkan": {"gpu", "interop", "present"},
            "PkgConfig::FFNVCODEC": {"interop"}, "glfw": {"present"}, "PkgConfig::PULSE": {"present"}, "PkgConfig::WEBP": {"media"},
            "PkgConfig::SQLITE": {"batch"}}
# The layers from the bottom up. A folder may only depend on folders in earlier layers.
LAYERS = (("base",), ("text", "cli", "media"), ("mapping",), ("render",), ("gpu",), ("interop", "session"), ("present",),
          ("player", "batch"), ("commands",))
CODE = {".cpp", ".h", ".inc", ".c", ".py", ".sh", ".glsl", ".comp", ".vert", ".frag"}
MAX_FILES = 25  # in a folder
MAX_LINES = 600  # in a file of code
MAX_FUNCTION_LINES = 60
# The last line of a function's signature, as clang-format lays it out. Matches free functions, member functions defined
# outside their class, and member functions defined inside it, which have an indent of two spaces.
FUNCTION = re.compile(r"^( {2})?(?! )(?!(?:if|for|while|switch|else|do|return|namespace)\b)(?!.*(?:= |, |\()\[).*\).*\{$")


class Library:
    """A folder of src/ with its dependencies. `levels`: its subfolders from the bottom up, in the order of SOURCES in
    the folder's CMakeLists.txt."""

    def __init__(self, folder):
        text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
        call = re.search(r"glyphreel_library\(\s*(\w+)(.*?)\)", text, re.DOTALL)
        self.name, self.folder = call.group(1), folder.name
        lists, current = {"SOURCES": [], "PUBLIC": [], "PRIVATE": []}, None
        for word in call.group(2).split():
            if word in lists:
                current = lists[word]
            else:
                current.append(word)
        for scope, libraries in re.findall(r"target_link_libraries\(\s*glyphreel_\w+\s+(PUBLIC|PRIVATE)(.*?)\)", text, re.DOTALL):
            lists[scope] += libraries.split()
        self.public, self.private = lists["PUBLIC"], lists["PRIVATE"]
        self.levels = list(dict.fromkeys(str(pathlib.PurePath(source).parent) for source in lists["SOURCES"]))


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.libraries = [Library(path.parent) for path in sorted(SOURCE.glob("*/CMakeLists.txt"))]
        cls.by_alias = {f"glyphreel::{library.name}": library for library in cls.libraries}

    def visible(self, names):
        """Returns `names` and, recursively, their PUBLIC libraries. A target that links `names` may include the headers
        of all of these."""
        found, waiting = set(), list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                if name in self.by_alias:
                    waiting += self.by_alias[name].public
        return found

    def includes(self, folder):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp", ".inc", ".hpp"):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                    if found:
                        yield f"{path.relative_to(SOURCE)}:{number}", found.group(1)

    def test_every_folder_is_a_library_of_its_name(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}
        self.assertEqual({library.folder: library.name for library in self.libraries}, {folder: folder for folder in folders})
        self.assertEqual({folder for layer in LAYERS for folder in layer}, folders)

    def test_folders_and_files_are_small(self):
        for root in (SOURCE, SOURCE.parent / "shaders", SOURCE.parent / "tests"):
            for folder in [root, *root.rglob("*/")]:
                files = [path for path in folder.iterdir() if path.is_file() and path.suffix != ".pyc"]
                self.assertLessEqual(len(files), MAX_FILES, folder)
                for path in files:
                    if path.suffix in CODE:
                        self.assertLessEqual(len(path.read_text().splitlines()), MAX_LINES, path)

    def test_functions_are_short(self):
        checked = 0
        for path in sorted(SOURCE.rglob("*")):
            if path.suffix not in {".cpp", ".h", ".inc"}:
                continue
            lines = path.read_text().splitlines()
            for first, line in enumerate(lines):
                head = FUNCTION.match(line)
                end = f"{head.group(1) or ''}}}" if head else None
                if head and end in lines[first:]:
                    self.assertLessEqual(lines[first:].index(end) + 1, MAX_FUNCTION_LINES, f"{path}:{first + 1}")
                    checked += 1
        self.assertGreater(checked, 2000, "too few functions were found")

    def test_unit_tests_mirror_the_source(self):
        tests = SOURCE.parent / "tests" / "unit"
        for folder in tests.rglob("*/"):
            self.assertTrue((SOURCE / folder.relative_to(tests)).is_dir(), f"{folder} has no counterpart in src")

    def test_no_subfolder_has_the_name_of_a_library(self):
        names = {library.name for library in self.libraries}
        for folder in SOURCE.glob("*/**/"):
            if folder.parent != SOURCE:
                self.assertNotIn(folder.name, names, folder)

    def test_subfolders_include_downwards(self):
        checked = 0
        for library in self.libraries:
            root = SOURCE / library.folder
            for place, header in self.includes(root):
                if header.split("/")[0] != library.folder:
                    continue
                own, other = (str(pathlib.PurePath(name).relative_to(library.folder).parent) for name in (place, header))
                self.assertIn(own, library.levels, f"{place} is in a folder of which SOURCES lists no file")
                self.assertIn(other, library.levels, f"{place} includes {header}")
                self.assertLessEqual(library.levels.index(other), library.levels.index(own), f"{place} includes {header}")
                checked += 1
        self.assertGreater(checked, 200, "too few #include lines were found")

    def test_libraries_depend_downwards(self):
        height = {folder: at for at, layer in enumerate(LAYERS) for folder in layer}
        for library in self.libraries:
            for name in library.public + library.private:
                if name.startswith("glyphreel::"):
                    self.assertIn(name, self.by_alias, f"{library.folder} links {name}, which is not a folder of src")
                    below = self.by_alias[name].folder
                    self.assertLess(height[below], height[library.folder], f"{library.folder} depends on {below}")

    def test_includes_follow_the_lists(self):
        folders = {library.folder for library in self.libraries}
        wrong, checked = [], 0
        for library in self.libraries:
            folder, visible = library.folder, self.visible(library.public + library.private)
            allowed = {folder} | {self.by_alias[name].folder for name in visible if name in self.by_alias}
            for place, header in self.includes(SOURCE / folder):
                top = header.split("/")[0]
                if "/" in header and top in folders:
                    checked += 1
                    if top not in allowed:
                        wrong.append(f"{place} includes {header}, but {folder} does not depend on {top}")
                for pattern, name in LIBRARIES:
                    if pattern.match(header):
                        checked += 1
                        if name not in visible:
                            wrong.append(f"{place} includes {header}, but {folder} does not link {name}")
                        if folder not in CONFINED.get(name, {folder}):
                            wrong.append(f"{place} includes {header}, which {folder} must not include")
        self.assertGreater(checked, 200, "too few #include lines were found")
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_main_includes_what_it_links(self):
        text = (SOURCE / "CMakeLists.txt").read_text()
        linked = re.search(r"target_link_libraries\(glyphreel PRIVATE(.*?)\)", text, re.DOTALL).group(1).split()
        allowed = {self.by_alias[name].folder for name in self.visible(linked) if name in self.by_alias}
        for line in (SOURCE / "main.cpp").read_text().splitlines():
            found = re.match(r'#include "([^/"]+)/', line)
            if found:
                self.assertIn(found.group(1), allowed)

    def test_shaders_see_no_source(self):
        for path in (SOURCE.parent / "shaders").rglob("*"):
            if path.is_file():
                self.assertNotRegex(path.read_text(), r'#include\s+"(\.\./)*src/', path.name)


if __name__ == "__main__":
    unittest.main()
