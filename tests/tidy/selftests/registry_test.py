"""Every rule is run, and has a selftest that makes it fail."""

import re
import unittest
from pathlib import Path

from tidy import RULES

HERE = Path(__file__).parent.parent


class Registry(unittest.TestCase):
    def test_every_rule_is_run(self):
        written = {path.stem for path in (HERE / "rules").glob("[a-z]*.py")}
        self.assertEqual(written, set(RULES))

    def test_every_rule_is_a_ctest(self):
        listed = re.search(r"foreach\(rule ([^)]*)\)", (HERE / "CMakeLists.txt").read_text())
        self.assertEqual(set(listed.group(1).split()), set(RULES))

    def test_every_rule_has_planted_violations(self):
        files = (HERE / "selftests").glob("*_test.py")
        tested = {path.stem.removesuffix("_test") for path in files} - {"registry"}
        self.assertEqual(tested, set(RULES))
