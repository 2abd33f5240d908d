"""tools/check.sh: what clang-tidy is given in ./dev test, in repositories of a few files."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A clang-tidy that finds something in every file with the word "wrong".
CLANG_TIDY = """#!/bin/sh
for file; do :; done
echo "read $file" >>"$READ"
! grep -H wrong "$file"
"""


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.tree = self.folder / "tree"
        program = self.folder / "bin" / "clang-tidy-19"
        program.parent.mkdir()
        program.write_text(CLANG_TIDY)
        program.chmod(0o755)
        self.tree.mkdir()

    def run_in(self, *command, tree=None):
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "READ": str(self.folder / "read"),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CEILING_DIRECTORIES": str(self.folder),
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        environment.pop("LONGSHORE_BASE", None)
        return subprocess.run(command, cwd=tree or self.tree, text=True, capture_output=True,
                              timeout=30, env=environment)

    def git(self, *arguments):
        ran = self.run_in("git", *arguments)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def write(self, name, text):
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def commit(self, **files):
        """Files of src/a by their names: commit(b="text") writes src/a/b.cpp."""
        for name, text in files.items():
            self.write(f"src/a/{name}.cpp", text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def begin(self):
        self.git("init", "-q", "-b", "main")
        self.write(".gitignore", "/build-*/\n")
        return self.commit(old="old\n")

    def bash(self, script, tree=None):
        tree = tree or self.tree
        return self.run_in("bash", "-euo", "pipefail", "-c", f"""
            say() {{ echo "$*"; }}
            fail() {{ echo "$*"; return 1; }}
            show_progress() {{ cat >/dev/null; }}
            jobs=2 passed=0 failed=0
            . {ROOT}/tools/check.sh
            configure_tidy() {{ :; }}
            {script}
        """, tree=tree)

    def tidy(self, tree=None):
        """Runs tidy_changed and returns the files that clang-tidy read."""
        tree = tree or self.tree
        (tree / "build-tidy").mkdir(exist_ok=True)
        units = [{"file": str(path)} for path in sorted(tree.glob("src/**/*.cpp"))]
        (tree / "build-tidy/compile_commands.json").write_text(json.dumps(units, indent=0))
        read = self.folder / "read"
        read.write_text("")
        ran = self.bash("tidy_changed", tree=tree)
        return ran, sorted(pathlib.Path(line.split()[1]).stem
                           for line in read.read_text().splitlines())


class Changes(Repository):
    def test_a_branch_is_compared_with_its_merge_base(self):
        base = self.begin()
        self.git("checkout", "-q", "-b", "work")
        self.commit(first="1\n")
        self.commit(second="2\n")
        self.assertEqual(self.bash("base_commit").stdout.strip(), base)
        ran, read = self.tidy()
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(read, ["first", "second"])

    def test_on_main_the_last_commit_and_uncommitted_files_are_checked(self):
        self.begin()
        self.commit(earlier="1\n")
        self.commit(last="2\n")
        self.write("src/a/fresh.cpp", "3\n")
        self.assertEqual(self.tidy()[1], ["fresh", "last"])

    def test_deleted_files_are_ignored(self):
        self.begin()
        self.git("rm", "-q", "src/a/old.cpp")
        self.commit(other="1\n")
        ran, read = self.tidy()
        self.assertEqual((ran.returncode, read), (0, ["other"]))

    def test_a_header_is_checked_through_a_file_that_includes_it(self):
        self.begin()
        self.commit(user='#include "a/outer.h"\n', owner="")
        self.write("src/a/outer.h", '#include "a/inner.h"\n')
        self.commit()
        for header, unit in (("inner", "user"), ("owner", "owner")):
            with self.subTest(header):
                self.write(f"src/a/{header}.h", "// new\n")
                self.commit()
                self.assertEqual(self.tidy()[1], [unit])


class Verdicts(Repository):
    def test_findings_are_shown_and_fail(self):
        self.begin()
        self.commit(good="fine\n", bad="wrong\n")
        ran, read = self.tidy()
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("bad.cpp:wrong", ran.stderr)
        self.assertEqual(read, ["bad", "good"])

    def test_a_check_that_failed_is_counted(self):
        ran = self.bash("""
            check one true || true
            check two false || true
            echo "$passed passed, $failed failed" """)
        self.assertEqual(ran.stdout.splitlines()[-1], "1 passed, 1 failed")

    def test_a_large_change_is_checked_in_part_and_the_rest_is_listed(self):
        self.begin()
        self.commit(**{f"f{number}": "line\n" * (number + 1) for number in range(50)})
        ran, read = self.tidy()
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(len(read), 48)
        self.assertNotIn("f0", read)
        self.assertIn("src/a/f0.cpp", ran.stdout)
        self.assertIn("./dev soak tidy", ran.stdout)


class WithoutHistory(Repository):
    def assert_left_to_soak(self, tree):
        ran, read = self.tidy(tree=tree)
        self.assertEqual((ran.returncode, read), (0, []), ran.stdout + ran.stderr)
        self.assertIn("No history to compare with", ran.stdout)

    def test_a_clone_without_history_skips_clang_tidy(self):
        self.begin()
        self.commit(last="wrong\n")
        clone = self.folder / "clone"
        self.git("clone", "-q", "--depth=1", f"file://{self.tree}", str(clone))
        self.assert_left_to_soak(clone)

    def test_files_from_an_archive_skip_clang_tidy(self):
        self.write("src/a/b.cpp", "wrong\n")
        self.assert_left_to_soak(self.tree)
        self.assertEqual(self.bash("mkdir -p bench examples include tests; "
                                   "source_files").stdout, "src/a/b.cpp\n")


if __name__ == "__main__":
    unittest.main()
