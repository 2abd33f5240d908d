"""Plants files in a small tree and runs a rule on it."""

import tempfile
import unittest
from pathlib import Path

from tidy import findings_of


class PlantedTest(unittest.TestCase):
    """Subclasses name their `rule`, and may name files that every planted tree has."""

    rule = ""
    always = {}

    def find(self, files):
        """The findings, one text each, for a tree of {path: text}."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**self.always, **files}.items():
                file = Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            return [str(finding) for finding in findings_of(self.rule, Path(folder))]

    def assert_clean(self, files):
        self.assertEqual(self.find(files), [])

    def assert_finds(self, files, *fragments):
        """Exactly one finding, which contains all fragments."""
        found = self.find(files)
        self.assertEqual(len(found), 1, found)
        for fragment in fragments:
            self.assertIn(fragment, found[0])
