"""The list of mutants: plausible faults, each of which must make a test fail.

    python3 mutants.py SOURCE     checks the list against the tree, without building anything
"""

import dataclasses
import pathlib
import re
import sys
import tomllib

FEWEST = 60


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str  # from the top of the tree
    before: str  # found there exactly once
    after: str
    target: str  # a program of GoogleTest, or a Python file of unittest
    filter: str  # --gtest_filter, or what -k takes
    why: str  # what would go wrong

    @property
    def is_python(self):
        return self.target.endswith(".py")

    @property
    def test(self):
        return self.target, self.filter


def read_list(source):
    text = (source / "tests/mutants/list.toml").read_text()
    return [Mutant(**entry) for entry in tomllib.loads(text)["mutant"]]


def faults_of(source, mutants):
    """Messages about faults in the list."""
    targets = _targets(source)
    names = [mutant.name for mutant in mutants]
    yield from (f"{name}: is listed more than once" for name in set(names) if names.count(name) > 1)
    if len(mutants) < FEWEST:
        yield f"there are {len(mutants)} mutants, fewer than {FEWEST}"
    for mutant in mutants:
        yield from (f"{mutant.name}: {fault}" for fault in _faults_of_one(source, mutant, targets))


def _faults_of_one(source, mutant, targets):
    path = source / mutant.file
    if not path.is_file():
        yield f"{mutant.file} does not exist: update the path"
        return
    found = path.read_text().count(mutant.before)
    if found != 1:
        yield (
            f"{mutant.file} contains {mutant.before!r} {found} times instead of once; the code has "
            "changed: update the mutant"
        )
    if mutant.before == mutant.after:
        yield "changes nothing"
    if mutant.target not in targets:
        yield f"there is no test {mutant.target}"
    if not mutant.filter or not mutant.why:
        yield "needs a filter and a why"


def _targets(source):
    """Every program that longshore_test makes, and every Python test."""
    targets = {str(path.relative_to(source)) for path in source.glob("tests/*/*_test.py")}
    for listing in source.glob("tests/**/CMakeLists.txt"):
        targets.update(re.findall(r"longshore_test\(\s*(\w+)", listing.read_text()))
    return targets


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    mutants = read_list(source)
    faults = list(faults_of(source, mutants))
    for fault in faults:
        print(fault)
    print(f"{len(mutants)} mutants, {len(faults)} faults in the list")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
