"""The output of tools/progress.py for builds and test runs, on a terminal and in a file."""

import importlib.util
import io
import os
import pathlib
import pty
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tools" / "progress.py"

spec = importlib.util.spec_from_file_location("progress", PROGRAM)
progress = importlib.util.module_from_spec(spec)
spec.loader.exec_module(progress)


def show(kind, text, *options):
    ran = subprocess.run([sys.executable, "-B", PROGRAM, kind, "release", *options], input=text,
                         text=True, capture_output=True, timeout=30)
    if ran.returncode != 0:
        raise AssertionError(ran.stderr)
    return ran.stdout


class Reading(unittest.TestCase):
    """The progress that each kind of output reports."""

    def read(self, kind, *lines, total=0, expected=None):
        seen = progress.Progress(kind, total, expected, now=0.0)
        for line in lines:
            seen.take(line)
        return seen

    def test_ninja_reports_edges(self):
        seen = self.read("ninja", "progress 3/12 Building CXX object a.o", "a.cpp:1: error: no")
        self.assertEqual((seen.done, seen.total), (3, 12))

    def test_ctest_reports_tests(self):
        seen = self.read("ctest", "        Start 812: Retry.Waits",
                         " 12/345 Test #812: Retry.Waits .....   Passed    0.02 sec")
        self.assertEqual((seen.done, seen.total), (12, 345))

    def test_apt_reports_percent(self):
        seen = self.read("apt", "dlstatus:1:20.5:Retrieving file 1 of 5", "Reading database",
                         "pmstatus:curl:62.5:Unpacking curl (amd64)")
        self.assertEqual((seen.done, seen.total), (62, 100))

    def test_programs_are_counted(self):
        seen = self.read("lines", "unit_core.log", "unit_http.log", total=8)
        self.assertEqual((seen.done, seen.total), (2, 8))


class Estimates(unittest.TestCase):
    def at(self, done, total, elapsed, expected=None):
        seen = progress.Progress("ninja", total, expected, now=0.0)
        seen.done = done
        return seen.seconds_left(elapsed)

    def test_the_remaining_time_follows_from_the_pace(self):
        self.assertAlmostEqual(self.at(50, 100, 60), 60)

    def test_no_estimate_before_the_first_is_done(self):
        self.assertIsNone(self.at(0, 100, 60))

    def test_the_expected_time_counts_until_the_pace_is_known(self):
        self.assertAlmostEqual(self.at(0, 100, 0, expected=300), 300)
        self.assertLess(self.at(95, 100, 290, expected=300), 20)
        self.assertEqual(self.at(100, 100, 500, expected=300), 0)


class Screens(unittest.TestCase):
    """When a line is written, by a clock that the test moves."""

    def lines(self, steps):
        """steps: (time, done of 100)"""
        out = io.StringIO()
        seen = progress.Progress("ninja", 100, None, now=0.0)
        screen = progress.Screen("builds", out, False, now=0.0)
        for now, done in steps:
            seen.done = done
            screen.show(seen, now)
        return out.getvalue().splitlines()

    def test_a_file_gets_a_line_every_twenty_seconds_even_if_nothing_is_done(self):
        self.assertEqual(len(self.lines((second, 1) for second in range(1, 62))), 3)

    def test_a_file_gets_a_line_every_five_percent(self):
        shown = self.lines((second * 6.0, second * 5) for second in range(1, 21))
        self.assertEqual(len(shown), 20)
        self.assertEqual(shown[9], "  builds: 50/100 (50 %), 1:00 so far, about 1:00 left")

    def test_a_quick_build_does_not_fill_a_file(self):
        self.assertEqual(self.lines((second * 0.04, second) for second in range(1, 101)), [])


class Output(unittest.TestCase):
    """The program, at the end of a pipe."""

    def test_a_short_build_in_a_file_shows_only_messages(self):
        shown = show("ninja", "progress 1/2 Building a.o\na.cpp:1: warning: odd\n"
                              "progress 2/2 Linking a\n")
        self.assertEqual(shown, "a.cpp:1: warning: odd\n")

    def test_a_build_with_nothing_to_do_is_silent(self):
        self.assertEqual(show("ninja", "ninja: no work to do.\n"), "")

    def test_output_of_tests_is_not_shown(self):
        self.assertEqual(show("ctest", " 1/1 Test #1: A ...***Failed\nassertion\n"), "")

    def test_a_last_line_without_line_end_is_shown(self):
        self.assertEqual(show("ninja", "ninja: error: stopped"), "ninja: error: stopped\n")

    def test_a_terminal_has_one_line_that_is_cleared_at_the_end(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        ran = subprocess.Popen([sys.executable, "-B", PROGRAM, "ninja", "release"],
                               stdin=subprocess.PIPE, stdout=slave)
        os.close(slave)
        ran.stdin.write(b"progress 1/4 Building a.o\n")
        ran.stdin.flush()
        shown = b""
        while b"1/4" not in shown:  # the runner's time limit ends this if it never comes
            shown += os.read(master, 4096)
        ran.stdin.close()
        self.assertEqual(ran.wait(timeout=30), 0)
        shown += os.read(master, 4096)
        self.assertNotIn(b"\n", shown)
        self.assertTrue(shown.endswith(b"\r\033[K"), shown)


class InDev(unittest.TestCase):
    """./dev returns the status of a command despite the progress pipe."""

    def run_pipe(self, status):
        script = f"""
            set -euo pipefail
            stage_name= ; stage_number=0 ; stage_count=0
            eval "$(sed -n '/^show_progress()/,/^}}/p' dev)"
            (echo 'progress 1/1 Building a.o'; exit {status}) | show_progress ninja release
        """
        return subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True,
                              timeout=30)

    def test_a_failed_build_fails(self):
        self.assertEqual(self.run_pipe(0).returncode, 0)
        self.assertEqual(self.run_pipe(1).returncode, 1)


if __name__ == "__main__":
    unittest.main()
