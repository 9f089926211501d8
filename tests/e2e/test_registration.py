"""Every class of tests in this folder is run by ctest."""

import ast
import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent


class Registration(unittest.TestCase):
    def test_no_class_is_forgotten(self):
        registered = set(re.findall(r"^glyphreel_e2e\((\w+) (\w+)", (FOLDER / "CMakeLists.txt").read_text(), re.MULTILINE))
        written = {(path.stem, node.name) for path in FOLDER.glob("test_*.py") for node in ast.parse(path.read_text()).body
                   if isinstance(node, ast.ClassDef) and any(getattr(part, "name", "").startswith("test_") for part in node.body)}
        self.assertEqual(registered, written)


if __name__ == "__main__":
    unittest.main()
