"""Plants each mutant of list.toml in a copy of the tree and checks that its test fails.

    python3 run.py SOURCE [--resume] [NAME...]

The copy is SOURCE/build-mutants/tree, with what is not committed. Names may be parts of names; with
--resume those that were killed before are left out. Ends with 1 unless every mutant is killed.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import mutants as listed

LIMIT = 60.0  # seconds that one test may take
KILLED, SURVIVED = "killed", "survived"
NOT_BUILT, TIMED_OUT = "does not compile", "timed out"


class Bad(Exception):
    """The run is invalid: the list or the tree has a fault."""


class Tree:
    """A copy of the tree that can be changed, and its build."""

    def __init__(self, source):
        self.source = source
        self.folder = source / "build-mutants/tree"
        self.build = self.folder / "build"
        self._environment = {
            **os.environ, "CCACHE_BASEDIR": str(self.folder), "CCACHE_NOHASHDIR": "1"
        }  # fmt: skip

    def copy(self):
        """Writes only changed files, so that the build is incremental."""
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(listing, cwd=self.source, check=True, capture_output=True).stdout
        wanted = {name for name in names.decode().split("\0") if (self.source / name).is_file()}
        for name in wanted:
            self._copy_one(self.source / name, self.folder / name)
        for path in self.folder.rglob("*"):
            name = str(path.relative_to(self.folder))
            if path.is_file() and not name.startswith("build/") and name not in wanted:
                path.unlink()

    def _copy_one(self, old, new):
        if new.is_file() and new.read_bytes() == old.read_bytes():
            return
        new.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(old, new)
        shutil.copymode(old, new)

    def configure(self):
        run_or_fail(
            ["cmake", "--preset", "release", "-B", str(self.build)],
            cwd=self.folder, env=self._environment,
        )  # fmt: skip

    def make(self, targets):
        """Whether the build succeeded, and its output."""
        jobs = os.environ.get("LONGSHORE_JOBS") or str(os.cpu_count())
        command = ["cmake", "--build", str(self.build), "--parallel", jobs, "--target", *targets]
        made = subprocess.run(
            command + ["--", "--quiet"], cwd=self.folder, env=self._environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return made.returncode == 0, made.stdout

    @contextlib.contextmanager
    def with_mutant(self, mutant):
        path = self.folder / mutant.file
        whole = path.read_text()
        path.write_text(whole.replace(mutant.before, mutant.after))
        try:
            yield
        finally:
            path.write_text(whole)

    def program(self, target):
        found = [path for path in self.build.glob(f"tests/**/{target}") if path.is_file()]
        if len(found) != 1:
            raise Bad(f"{target} was not built")
        return found[0]


class Servers:
    """PostgreSQL and Redis, shared by all tests."""

    def __init__(self, tree):
        self._tree = tree
        memory = pathlib.Path("/dev/shm")
        parent = memory if memory.is_dir() else tree.build
        self.postgres = parent / f"longshore-mutants-pg-{os.getpid()}"
        self.redis = parent / f"longshore-mutants-redis-{os.getpid()}"

    def __enter__(self):
        self._tell("start")
        return self

    def __exit__(self, *_):
        self._tell("stop")

    def _tell(self, verb):
        tests = self._tree.folder / "tests"
        run_or_fail(["bash", str(tests / "postgres/server.sh"), verb, str(self.postgres)])
        run_or_fail([sys.executable, "-B", str(tests / "redis/server.py"), verb, str(self.redis)])


class Tests:
    def __init__(self, tree, servers):
        self._tree = tree
        self._environment = {
            **os.environ,
            "GTEST_FAIL_FAST": "1",
            "LONGSHORE_TEST_POSTGRES": str(servers.postgres),
            "LONGSHORE_TEST_REDIS": str(servers.redis),
            "LONGSHORE_PROGRAM": str(tree.build / "longshore"),
        }

    def run(self, test):
        """Whether all passed, or None when it took too long; what was said; how many there were."""
        target, which = test
        if target.endswith(".py"):
            command = [sys.executable, "-B", str(self._tree.folder / target), "-k", which]
            count = r"Ran (\d+) test"
        else:
            command = [str(self._tree.program(target)), f"--gtest_filter={which}"]
            count = r"\[==========\] Running (\d+) test"
        with subprocess.Popen(
            command, cwd=self._tree.folder, env=self._environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True,
        ) as child:  # fmt: skip
            try:
                said, _ = child.communicate(timeout=LIMIT)
                passed = child.returncode == 0
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                said, passed = child.communicate()[0], None
        ran = re.search(count, said)
        return passed, said, int(ran.group(1)) if ran else 0


def run_or_fail(command, **options):
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise Bad(f"{' '.join(command)} failed:\n{done.stdout}")


def targets_of(mutant):
    """The targets to build. A Python test needs the program."""
    return ["longshore_program"] if mutant.is_python else [mutant.target]


def prove_tests(tests, wanted):
    """Fails unless the tests pass without a mutant: a failing test would kill every mutant."""
    for test in sorted(wanted):
        passed, said, count = tests.run(test)
        if not passed or count == 0:
            raise Bad(f"{' '.join(test)}, {count} tests, does not pass without a mutant:\n{said}")


def judge(tree, tests, mutant):
    with tree.with_mutant(mutant):
        made, said = tree.make(targets_of(mutant))
        if not made:
            return NOT_BUILT, said
        passed, said, _ = tests.run(mutant.test)
        if passed is None:
            return TIMED_OUT, said
        return (SURVIVED if passed else KILLED), said


def judge_all(tree, tests, chosen, results):
    logs = tree.source / "build-mutants/logs"
    logs.mkdir(exist_ok=True)
    for number, mutant in enumerate(chosen, 1):
        started = time.monotonic()
        outcome, said = judge(tree, tests, mutant)
        took = time.monotonic() - started
        (logs / f"{mutant.name}.txt").write_text(said)
        print(f"{number}/{len(chosen)} {outcome}: {mutant.name} ({took:.0f} s)", flush=True)
        results[mutant.name] = outcome
        (tree.source / "build-mutants/results.json").write_text(json.dumps(results, indent=1))


def summary(chosen, results):
    bad = [mutant for mutant in chosen if results[mutant.name] != KILLED]
    for mutant in bad:
        print(f"✗ {results[mutant.name]}: {mutant.name}, in {mutant.file}: {mutant.why}")
        if results[mutant.name] != NOT_BUILT:
            print(f"  {mutant.target} {mutant.filter} should fail within {LIMIT:.0f} s")
    counts = {kind: 0 for kind in (KILLED, SURVIVED, TIMED_OUT, NOT_BUILT)}
    for mutant in chosen:
        counts[results[mutant.name]] += 1
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{len(chosen)} mutants: {told}")
    return 1 if bad else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true", help="leave out what was killed before")
    parser.add_argument("names", nargs="*", help="parts of names; all without any")
    return parser.parse_args()


def main():
    asked = arguments()
    source = asked.source.resolve()
    every = listed.read_list(source)
    faults = list(listed.faults_of(source, every))
    if faults:
        raise Bad("the list is stale:\n" + "\n".join(faults))
    chosen = [m for m in every if not asked.names or any(name in m.name for name in asked.names)]
    if not chosen:
        raise Bad(f"no mutant is named {' or '.join(asked.names)}")
    kept = source / "build-mutants/results.json"
    results = json.loads(kept.read_text()) if asked.resume and kept.is_file() else {}
    todo = [mutant for mutant in chosen if results.get(mutant.name) != KILLED]
    tree = Tree(source)
    tree.copy()
    tree.configure()
    print(f"• Building the tests of {len(todo)} mutants in build-mutants/tree", flush=True)
    made, said = tree.make(sorted({name for mutant in todo for name in targets_of(mutant)}))
    if todo and not made:
        raise Bad(said)
    with Servers(tree) as servers:
        tests = Tests(tree, servers)
        prove_tests(tests, {mutant.test for mutant in todo})
        judge_all(tree, tests, todo, results)
    return summary(chosen, results)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Bad as bad:
        sys.exit(f"✗ {bad}")
