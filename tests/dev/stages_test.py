"""The parts of ./dev that decide whether a test run passed, each run by bash as ./dev runs it."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def bash(script, cwd=ROOT, **environment):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=cwd, text=True,
                          capture_output=True, timeout=30, env={**os.environ, **environment})


class Stages(unittest.TestCase):
    """tools/test.sh with a fake ctest."""

    def run_stage(self, found):
        return bash(f"""
            say() {{ echo "$*"; }}
            fail() {{ echo "$*"; return 1; }}
            ctest() {{ echo 'Total Tests: {found}'; }}
            . {ROOT}/tools/test.sh
            run_tests() {{ return 0; }}
            stage "fuzz and models" 2 run_labels -L '^(fuzz|models)$'
            print_summary
        """)

    def test_a_stage_without_tests_fails(self):
        ran = self.run_stage(found=0)
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("failed: fuzz and models: no tests were found", ran.stdout)
        self.assertRegex(ran.stdout, r"fuzz and models +no tests")

    def test_a_stage_with_tests_passes(self):
        ran = self.run_stage(found=3)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)


class Configuring(unittest.TestCase):
    """is_configured of ./dev, on files with the times that matter."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "build").mkdir()

    def touch(self, name, seconds):
        path = self.folder / name
        path.touch()
        os.utime(path, (seconds, seconds))

    def is_configured(self):
        function = bash(f"sed -n '/^is_configured()/,/^}}/p' {ROOT}/dev").stdout
        self.assertIn("build.ninja", function)
        ran = bash(f"{function}\nis_configured build", cwd=self.folder,
                   LONGSHORE_DPKG_STATUS=str(self.folder / "status"))
        return ran.returncode == 0

    def test_a_build_is_configured_once(self):
        self.touch("CMakePresets.json", 1000)
        self.touch("status", 2000)
        self.touch("build/build.ninja", 3000)
        self.assertTrue(self.is_configured())

    def test_installing_packages_configures_again(self):
        self.touch("CMakePresets.json", 1000)
        self.touch("build/build.ninja", 2000)
        self.touch("status", 3000)
        self.assertFalse(self.is_configured())

    def test_a_new_build_is_configured(self):
        self.touch("CMakePresets.json", 1000)
        self.assertFalse(self.is_configured())

    def test_a_system_without_dpkg_is_configured_once(self):
        self.touch("CMakePresets.json", 1000)
        self.touch("build/build.ninja", 2000)
        self.assertTrue(self.is_configured())


if __name__ == "__main__":
    unittest.main()
