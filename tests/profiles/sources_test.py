"""docs/sources.md numbers what each description asks for, and names tests that exist."""

import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([A-Za-z0-9_/]+)\.([A-Za-z0-9_]+)`")
FOLDERS = ("tests/profiles", "tests/e2e", "tests/e2e/contract", "tests/cli", "tests/sdk")
PROFILES = "basic endpoints external orchestrator orchestrator_stores scheduler withdrawn".split()
# How many sentences of each description ask for something, and under which letter they are listed.
COUNTS = {"B": 31, "E": 70, "S": 36, "X": 37, "O": 82}


def text():
    return (ROOT / "docs" / "sources.md").read_text()


def rows():
    """Number, what is asked for, how it is met and its tests."""
    lines = [line for line in text().splitlines() if re.match(r"\| [A-Z]\d+ \|", line)]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


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
    def test_rows_are_numbered_without_gaps_and_none_is_missing(self):
        numbers = [row[0] for row in rows()]
        wanted = [f"{letter}{n}" for letter, most in COUNTS.items() for n in range(1, most + 1)]
        self.assertEqual(numbers, wanted)

    def test_the_overview_has_the_same_numbers(self):
        ranges = re.findall(r"\| ([A-Z])1–\1(\d+) \|", text())
        self.assertEqual({letter: int(most) for letter, most in ranges}, COUNTS)

    def test_numbers_in_the_text_exist(self):
        known = {row[0] for row in rows()}
        for group in re.findall(r"\*\*.*?\((.*?)\)\.\*\*", text()):
            for number in re.findall(r"[A-Z]\d+", group):
                self.assertIn(number, known)

    def test_every_row_says_how_and_names_tests_that_exist(self):
        compiled = set(compiled_tests())
        for number, asked, how, proof in rows():
            with self.subTest(number):
                self.assertTrue(asked and how)
                named = NAMED.findall(proof)
                self.assertTrue(named, "no test is named")
                for file, test in named:
                    found = f"{file}.{test}" in compiled or test in python_tests(file)
                    self.assertTrue(found, f"there is no {file}.{test}")

    def test_every_test_of_a_profile_is_named(self):
        named = {f"{file}.{test}" for file, test in NAMED.findall(text())}
        for name in PROFILES:
            for test in python_tests(name, FOLDERS[:1]):
                self.assertIn(f"{name}.{test}", named)
        for test in compiled_tests():
            if test.startswith("StoreSources."):
                self.assertIn(test, named)

    def test_no_test_of_a_profile_changes_a_rule(self):
        for name in (*(f"{one}_test" for one in PROFILES), "source"):
            path = ROOT / "tests" / "profiles" / f"{name}.py"
            self.assertNotRegex(path.read_text(), r"\[rules\]|--rules-", path.name)


class ProfilesDocument(unittest.TestCase):
    """docs/profiles.md has the values that are shipped."""

    def test_the_table_has_the_values_of_the_files(self):
        document = (ROOT / "docs" / "profiles.md").read_text()
        table = [line for line in document.splitlines() if re.match(r"\| (rule|`\w+`) \|", line)]
        cells = [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table]
        head = next(row for row in cells if row[0] == "rule")
        shown = {row[0]: dict(zip(head[1:], row[1:])) for row in cells if len(row) == len(head)}
        for profile in head[2:]:
            shipped = tomllib.loads((ROOT / "profiles" / f"{profile}.toml").read_text())["rules"]
            for rule, value in shipped.items():
                value = str(value).lower() if isinstance(value, bool) else str(value)
                self.assertEqual(shown[rule][profile], value, f"{profile}: {rule}")


if __name__ == "__main__":
    unittest.main()
