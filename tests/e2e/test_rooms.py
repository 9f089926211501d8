"""The one direction of dependencies: every include under src/ is allowed by the CMakeLists of its folder."""

import pathlib
import re
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2] / "src"

# What a third-party header belongs to.
LIBRARIES = (
    (re.compile(r"^lib(av|sw)[a-z]+/"), "PkgConfig::FFMPEG"),
    (re.compile(r"^vulkan/|^vk_"), "Vulkan::Vulkan"),
    (re.compile(r"^GLFW/"), "glfw"),
    (re.compile(r"^(ft2build\.h|freetype|FT_)"), "PkgConfig::FREETYPE"),
    (re.compile(r"^fontconfig/"), "PkgConfig::FONTCONFIG"),
    (re.compile(r"^CLI/"), "CLI11::CLI11"),
    (re.compile(r"^nlohmann/"), "nlohmann_json::nlohmann_json"),
    (re.compile(r"^fmt/"), "fmt::fmt"),
    (re.compile(r"^spdlog/"), "spdlog::spdlog"),
    (re.compile(r"^glm/"), "glm::glm"),
    (re.compile(r"^pulse/"), "PkgConfig::PULSE"),
    (re.compile(r"^webp/"), "PkgConfig::WEBP"),
)
# Folders that may see these at all, whatever their CMakeLists say.
CONFINED = {"PkgConfig::FFMPEG": {"media", "import"}, "Vulkan::Vulkan": {"gpu", "import", "present"}, "glfw": {"present"},
            "PkgConfig::PULSE": {"present"}, "PkgConfig::WEBP": {"media"}}
# From the ground up: a folder may depend on those before it, and on none beside it.
STOREYS = (("base",), ("text", "cli", "media"), ("mapping",), ("render",), ("gpu",), ("import",), ("present",), ("player",),
           ("tools",))


class Room:
    """A folder of src/: what it names and what it shows to those who depend on it."""

    def __init__(self, folder):
        text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
        call = re.search(r"glyphreel_room\(\s*(\w+)(.*?)\)", text, re.DOTALL)
        self.folder = folder.name
        self.aliases = {f"glyphreel::{call.group(1)}", *re.findall(r"add_library\((glyphreel::\w+)\s+ALIAS", text)}
        lists, current = {"SOURCES": [], "PUBLIC": [], "PRIVATE": []}, None
        for word in call.group(2).split():
            if word in lists:
                current = lists[word]
            else:
                current.append(word)
        for scope, libraries in re.findall(r"target_link_libraries\(\s*glyphreel_\w+\s+(PUBLIC|PRIVATE)(.*?)\)", text, re.DOTALL):
            lists[scope] += libraries.split()
        self.public, self.private = lists["PUBLIC"], lists["PRIVATE"]


def read_rooms():
    rooms = [Room(path.parent) for path in sorted(SOURCE.glob("*/CMakeLists.txt"))]
    return rooms, {alias: room for room in rooms for alias in room.aliases}


class Rooms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rooms, cls.by_alias = read_rooms()

    def seen_by(self, room):
        """Libraries whose headers a folder may include: its own lists, and what those show in turn."""
        seen, waiting = set(), [*room.public, *room.private]
        while waiting:
            library = waiting.pop()
            if library in seen:
                continue
            seen.add(library)
            if library in self.by_alias:
                waiting += self.by_alias[library].public
        return seen

    def includes(self, folder):
        for path in sorted(folder.rglob("*")):
            if path.suffix in (".h", ".cpp", ".inc", ".hpp"):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    found = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                    if found:
                        yield f"{path.relative_to(SOURCE)}:{number}", found.group(1)

    def test_every_folder_has_its_list(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}
        self.assertEqual({room.folder for room in self.rooms}, folders)
        self.assertEqual({folder for storey in STOREYS for folder in storey}, folders)

    def test_libraries_depend_downwards(self):
        height = {folder: at for at, storey in enumerate(STOREYS) for folder in storey}
        for room in self.rooms:
            for library in [*room.public, *room.private]:
                if not library.startswith("glyphreel::"):
                    continue
                self.assertIn(library, self.by_alias, f"{room.folder} names {library}, which no folder is")
                below = self.by_alias[library].folder
                self.assertLess(height[below], height[room.folder], f"{room.folder} depends on {below}")

    def test_includes_follow_the_lists(self):
        folders = {room.folder: room for room in self.rooms}
        wrong, checked = [], 0
        for room in self.rooms:
            seen = self.seen_by(room)
            allowed = {room.folder} | {self.by_alias[library].folder for library in seen if library in self.by_alias}
            for place, header in self.includes(SOURCE / room.folder):
                top = header.split("/")[0]
                if "/" in header and top in folders:
                    checked += 1
                    if top not in allowed:
                        wrong.append(f"{place} includes {header}, but {room.folder} does not depend on {top}")
                for pattern, library in LIBRARIES:
                    if pattern.match(header):
                        checked += 1
                        if library not in seen:
                            wrong.append(f"{place} includes {header}, but {room.folder} does not name {library}")
                        if room.folder not in CONFINED.get(library, {room.folder}):
                            wrong.append(f"{place} includes {header}, which {room.folder} must not see")
        self.assertGreater(checked, 200, "the includes are not read")
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_main_sees_the_top(self):
        text = (SOURCE / "CMakeLists.txt").read_text()
        linked = re.search(r"target_link_libraries\(glyphreel PRIVATE(.*?)\)", text, re.DOTALL).group(1).split()
        seen, waiting = set(), list(linked)
        while waiting:
            library = waiting.pop()
            if library in seen or library not in self.by_alias:
                continue
            seen.add(library)
            waiting += self.by_alias[library].public
        allowed = {self.by_alias[library].folder for library in seen}
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
