"""Lists that do not match their tree, and the report of a run."""

import contextlib
import dataclasses
import io
import pathlib
import tempfile
import unittest

import mutants
import run

GOOD = mutants.Mutant("m", "src/a.cpp", "x < y", "x <= y", "unit_a", "A*", "a boundary is missed")


def with_(**changes):
    return dataclasses.replace(GOOD, **changes)


class TheList(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.source = pathlib.Path(folder.name)
        self.write("src/a.cpp", "if (x < y) return;\nif (y < x) return y < x;\n")
        self.write("tests/unit/a/CMakeLists.txt", "longshore_test(\n  unit_a SOURCES a_test.cpp)\n")
        self.write("tests/sdk/b_test.py", "")

    def write(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def faults(self, *changed):
        many = [with_(name=f"m{number}") for number in range(mutants.FEWEST)]
        return list(mutants.faults_of(self.source, [*changed, *many[len(changed) :]]))

    def test_matches_its_tree(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(with_(target="tests/sdk/b_test.py")), [])

    def test_is_stale_unless_the_code_occurs_once(self):
        self.assertIn("0 times", self.faults(with_(before="x > y"))[0])
        self.assertIn("2 times", self.faults(with_(before="y < x"))[0])
        self.assertIn("does not exist", self.faults(with_(file="src/b.cpp"))[0])

    def test_names_tests_that_exist(self):
        self.assertIn("there is no test", self.faults(with_(target="unit_b"))[0])

    def test_changes_something_for_a_reason(self):
        self.assertIn("changes nothing", self.faults(with_(after="x < y"))[0])
        self.assertIn("needs", self.faults(with_(why=""))[0])

    def test_has_enough_mutants_with_unique_names(self):
        self.assertIn("fewer than", list(mutants.faults_of(self.source, [GOOD]))[0])
        self.assertIn("more than once", self.faults(GOOD, GOOD)[0])


class ASummary(unittest.TestCase):
    def told(self, *outcomes):
        chosen = [with_(name=str(number)) for number in range(len(outcomes))]
        results = {mutant.name: outcome for mutant, outcome in zip(chosen, outcomes)}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = run.summary(chosen, results)
        return status, out.getvalue()

    def test_passes_only_if_all_are_killed(self):
        self.assertEqual(self.told(run.KILLED, run.KILLED)[0], 0)
        for outcome in (run.SURVIVED, run.TIMED_OUT, run.NOT_BUILT):
            status, text = self.told(run.KILLED, outcome)
            self.assertEqual(status, 1)
            self.assertIn(f"{outcome}: 1, in src/a.cpp: a boundary is missed", text)
            self.assertIn("2 mutants: 1 killed", text)


if __name__ == "__main__":
    unittest.main()
