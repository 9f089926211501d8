"""Tests that ctest runs every test class in this folder and below."""

import ast
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent


class Registration(unittest.TestCase):
    def test_every_class_is_registered(self):
        calls = re.findall(r"^glyphreel_e2e\((\w+)(?: PLAYS)?(?: CLASSES((?:\s+(?!TIMEOUT)\w+)+))?",
                           (FOLDER / "CMakeLists.txt").read_text(), re.MULTILINE)
        registered = {module: set(classes.split()) for module, classes in calls}
        self.assertEqual(len(registered), len(calls), "a module is registered twice")
        written = {path.stem: self.classes_of(path) for path in FOLDER.rglob("test_*.py")}
        self.assertEqual(set(registered), set(written))
        for module, classes in registered.items():
            with self.subTest(module=module):
                # If a call of glyphreel_e2e() has no CLASSES argument, ctest runs all classes of the module.
                self.assertEqual(classes or written[module], written[module])
                self.assertTrue(written[module])

    def classes_of(self, path):
        return {node.name for node in ast.parse(path.read_text()).body
                if isinstance(node, ast.ClassDef) and any(getattr(part, "name", "").startswith("test_") for part in node.body)}


if __name__ == "__main__":
    unittest.main()
