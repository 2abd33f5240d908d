"""The workflow files and issue forms under .github are valid, run commands that exist, and cover
what Longshore supports."""

import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
INPUTS = {"markdown", "textarea", "input", "dropdown", "checkboxes"}


def load(path):
    return yaml.safe_load(path.read_text())


def jobs():
    for path in WORKFLOWS:
        for name, job in load(path)["jobs"].items():
            yield f"{path.name}: {name}", job


def steps():
    for where, job in jobs():
        for step in job["steps"]:
            yield where, job, step


def entries(file, job):
    return load(ROOT / ".github/workflows" / file)["jobs"][job]["strategy"]["matrix"]["include"]


def commands_of_dev():
    listed = subprocess.run(["./dev", "help"], cwd=ROOT, text=True, capture_output=True, timeout=30)
    return {line.split()[0] for line in listed.stdout.splitlines()[1:]}


def expanded(script, job):
    """A step's script for every value of a list in its matrix."""
    matrix = job.get("strategy", {}).get("matrix", {})
    for name, values in matrix.items():
        placeholder = "${{ matrix.%s }}" % name
        if isinstance(values, list) and placeholder in script:
            return [script.replace(placeholder, value) for value in values]
    return [script]


class Workflows(unittest.TestCase):
    def test_each_has_a_name_a_trigger_minimal_permissions_and_jobs(self):
        self.assertTrue(WORKFLOWS)
        for path in WORKFLOWS:
            with self.subTest(path.name):
                workflow = load(path)
                self.assertIsInstance(workflow["name"], str)
                self.assertTrue(workflow[True])  # YAML 1.1 reads the word `on` so
                self.assertEqual(workflow["permissions"], {"contents": "read"})
                self.assertTrue(workflow["jobs"])

    def test_each_job_has_a_runner_and_a_timeout(self):
        for where, job in jobs():
            with self.subTest(where):
                self.assertEqual(job["runs-on"], "ubuntu-latest")
                self.assertIn("container", job)
                self.assertLessEqual(job["timeout-minutes"], 360)

    def test_each_step_runs_a_script_or_a_pinned_action(self):
        for where, _, step in steps():
            with self.subTest(where, step=step):
                self.assertEqual(len({"run", "uses"} & set(step)), 1)
                if "uses" in step:
                    self.assertRegex(step["uses"], r"^[\w-]+/[\w-]+@v\d+$")

    def test_scripts_are_shell(self):
        for where, _, step in steps():
            script = re.sub(r"\$\{\{.*?\}\}", "value", step.get("run", ""))
            with self.subTest(where, script=script):
                checked = subprocess.run(["sh", "-n"], input=script, text=True, timeout=30,
                                         capture_output=True)
                self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_commands_of_dev_exist(self):
        known = commands_of_dev()
        self.assertIn("test", known)
        used = set()
        for where, job, step in steps():
            for script in expanded(step.get("run", ""), job):
                for command in re.findall(r"^\./dev (\S+)", script, re.MULTILINE):
                    with self.subTest(where, command=command):
                        self.assertIn(command, known)
                    used.add(command)
        self.assertLessEqual({"build", "test", "soak", "mutants", "fmt"}, used)


class Coverage(unittest.TestCase):
    def test_every_supported_postgresql_is_tested(self):
        self.assertEqual([entry["version"] for entry in entries("test.yml", "postgres")],
                         [13, 14, 15, 16, 17])

    def test_redis_and_valkey_are_tested(self):
        self.assertEqual([entry["server"] for entry in entries("test.yml", "redis")],
                         ["redis-server", "valkey-server"])

    def test_unverified_jobs_are_marked(self):
        for job in ("compilers", "postgres", "redis"):
            for entry in entries("test.yml", job):
                self.assertIsInstance(entry["seen"], bool, f"{job}: {entry}")
        self.assertTrue(all(entry["seen"] for entry in entries("test.yml", "postgres")
                            if entry["version"] == 15))


class Forms(unittest.TestCase):
    def test_issue_forms_have_the_required_fields(self):
        for path in FORMS:
            if path.name == "config.yml":
                continue
            form = load(path)
            with self.subTest(path.name):
                self.assertTrue(form["name"] and form["description"])
                for part in form["body"]:
                    self.assertIn(part["type"], INPUTS)
                    self.assertTrue(part["attributes"].get("label") or part["type"] == "markdown")
                ids = [part["id"] for part in form["body"] if part["type"] != "markdown"]
                self.assertEqual(len(ids), len(set(ids)))


if __name__ == "__main__":
    unittest.main()
