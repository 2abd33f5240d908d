"""docs/sources.md names tests that exist, and every test of a profile."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([A-Za-z0-9_/]+)\.([A-Za-z0-9_]+)`")
FOLDERS = ("tests/profiles", "tests/e2e", "tests/e2e/contract", "tests/cli")


def rows():
    text = (ROOT / "docs" / "sources.md").read_text()
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in cells if row[0] != "asked for"]


def python_tests(name, folders=FOLDERS):
    for folder in folders:
        path = ROOT / folder / f"{name}_test.py"
        if path.exists():
            yield from re.findall(r"def test_(\w+)\(", path.read_text())


def compiled_tests():
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        for suite, test in re.findall(r"^TEST\w*\(\s*(\w+),\s*(\w+)\)", path.read_text(), re.M):
            yield f"{suite}.{test}"


class Sources(unittest.TestCase):
    def test_every_row_names_tests_that_exist(self):
        compiled = set(compiled_tests())
        for asked, _, proof in rows():
            with self.subTest(asked):
                named = NAMED.findall(proof)
                self.assertTrue(named, "no test is named")
                for file, test in named:
                    found = f"{file}.{test}" in compiled or test in python_tests(file)
                    self.assertTrue(found, f"there is no {file}.{test}")

    def test_every_test_of_a_profile_is_named(self):
        named = {f"{file}.{test}" for row in rows() for file, test in NAMED.findall(row[2])}
        for name in ("basic", "endpoints", "external", "orchestrator", "scheduler"):
            for test in python_tests(name, FOLDERS[:1]):
                self.assertIn(f"{name}.{test}", named)


if __name__ == "__main__":
    unittest.main()
