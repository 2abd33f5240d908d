"""Checks the rules of this tree that a program can check: tidy.py ROOT [RULE...]

Each module in rules/ is one rule; its docstring says what it requires and why. Each has a file in
selftests/ that plants violations in a small tree and expects them to be found.
"""

import importlib
import sys
from pathlib import Path

from tree import Tree

RULES = ["arrows", "banned", "sizes", "listed", "headers", "folders", "quotes", "links"]
RULES += ["rooms", "glossary"]


def findings_of(rule, root):
    return list(importlib.import_module(f"rules.{rule}").check(Tree(root)))


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    root, rules = Path(arguments[0]), arguments[1:] or RULES
    found = [finding for rule in rules for finding in findings_of(rule, root)]
    for finding in found:
        print(finding)
    print(f"{', '.join(rules)}: {len(found)} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
