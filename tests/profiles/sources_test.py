"""docs/sources.md numbers all requirements of each description and names existing tests."""

import ast
import re
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.compile(r"`([A-Za-z0-9_/]+)\.([A-Za-z0-9_]+)`")
FOLDERS = ("tests/profiles", "tests/e2e", "tests/e2e/contract", "tests/cli", "tests/sdk")
PROFILES = "basic deadlines endpoints external orchestrator orchestrator_stores".split()
PROFILES += ["scheduler", "withdrawn"]
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


# A time that a test sets for one job or one call, instead of the profile's own.
OWN_TIME = re.compile(
    r"(leaseSeconds|timeoutSeconds)\"?\s*[=:]\s*[\d.]|--lease-time|\.lease = |policy\.timeout = "
)


def python_bodies():
    """The text of each test of a Python file, by `file.test`."""
    for folder in FOLDERS:
        for path in (ROOT / folder).glob("*_test.py"):
            text = path.read_text()
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    name = f"{path.stem.removesuffix('_test')}.{node.name.removeprefix('test_')}"
                    yield name, ast.get_source_segment(text, node)


def compiled_bodies():
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        tests = r"^TEST\w*\(\s*(\w+),\s*(\w+)\) \{\n(.*?)^\}"
        for suite, test, body in re.findall(tests, path.read_text(), re.M | re.S):
            yield f"{suite}.{test}", body


def without_own_times(names, bodies):
    """Those of the tests that leave every time to the profile."""
    return [name for name in names if not OWN_TIME.search(bodies.get(name, ""))]


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

    def test_every_row_has_an_implementation_and_existing_tests(self):
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
        for name in (*(f"{one}_test" for one in PROFILES), "profile_case"):
            path = ROOT / "tests" / "profiles" / f"{name}.py"
            self.assertNotRegex(path.read_text(), r"\[rules\]|--rules-", path.name)

    def test_every_row_has_a_test_that_leaves_its_times_to_the_profile(self):
        bodies = dict([*python_bodies(), *compiled_bodies()])
        for number, _, _, proof in rows():
            with self.subTest(number):
                named = [f"{file}.{test}" for file, test in NAMED.findall(proof)]
                self.assertTrue(without_own_times(named, bodies), f"{named} set times of their own")

    def test_a_test_with_its_own_time_is_detected(self):
        bodies = dict(python_bodies())
        for name, own in (
            ("endpoints.a_timeout_takes_effect_within_a_second", True),
            ("endpoints.stuck_jobs_are_checked_every_five_minutes", True),
            ("endpoints.the_default_timeouts_are_half_an_hour_and_five_minutes", False),
        ):
            self.assertEqual(without_own_times([name], bodies), [] if own else [name])


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
