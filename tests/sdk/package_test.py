"""The SDK packages: built, installed into a clean environment, and used as their READMEs show."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import sdk

DEBIAN_PYTHON = "/usr/bin/python3"  # has setuptools and wheel from Debian packages


def run(*command, cwd, env=None, timeout=240):
    ended = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env or sdk.harness.environment(),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert ended.returncode == 0, f"{command}: {ended.stdout}{ended.stderr}"
    return ended.stdout


def code_in(readme, language):
    """The code blocks in that language: a worker, then a producer."""
    text = readme.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


class Package(sdk.Case):
    def assert_greets(self, interpreter, folder, suffix, texts):
        """The README's worker runs the job of the README's producer, and stops on SIGTERM."""
        for name, text in zip(("worker", "producer"), texts):
            self.assertLessEqual(len([line for line in text.splitlines() if line.strip()]), 10)
            (folder / f"{name}.{suffix}").write_text(text)
        server = self.serve()
        env = sdk.harness.environment(LONGSHORE_SERVER=server.url)
        worker = sdk.Program([interpreter, f"worker.{suffix}"], folder, env)
        self.addCleanup(worker.kill)
        printed = run(interpreter, f"producer.{suffix}", cwd=folder, env=env)
        self.assertEqual(printed, "Hello, Ada!\n", worker.lines)
        worker.process.terminate()
        self.assertEqual(worker.wait(), 0, worker.lines)

    def test_pip_installs_the_python_package_and_the_readme_programs_run(self):
        copy = self.folder / "source"  # pip leaves a build folder in the source tree
        shutil.copytree(sdk.PYTHON, copy, ignore=shutil.ignore_patterns("build", "*.egg-info"))
        builder = DEBIAN_PYTHON if Path(DEBIAN_PYTHON).exists() else sys.executable
        run(builder, "-m", "venv", "--system-site-packages", "venv", cwd=self.folder)
        python = self.folder / "venv" / "bin" / "python"
        run(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "--no-deps", copy,
            cwd=self.folder)  # fmt: skip
        where = run(python, "-c", "import longshore; print(longshore.__file__)", cwd=self.folder)
        self.assertIn("venv", where)
        self.assertTrue(Path(where.strip()).with_name("py.typed").exists())
        texts = code_in(sdk.PYTHON / "README.md", "python")
        self.assert_greets(str(python), self.folder, "py", texts)

    def test_the_python_package_passes_mypy_strict(self):
        run("mypy", "--strict", "--python-version", "3.9", "--cache-dir", self.folder / "cache",
            sdk.PYTHON / "longshore", cwd=self.folder)  # fmt: skip

    def test_versions_agree(self):
        project = (sdk.PYTHON / "pyproject.toml").read_text()
        module = (sdk.PYTHON / "longshore" / "version.py").read_text()
        version = re.search(r'^version = "(.+)"$', project, re.M).group(1)
        self.assertIn(f'"{version}"', module)
        package = (sdk.TYPESCRIPT / "package.json").read_text()
        module = (sdk.TYPESCRIPT / "src" / "version.js").read_text()
        version = re.search(r'"version": "(.+)"', package).group(1)
        self.assertIn(f'"{version}"', module)

    def test_npm_packs_a_package_and_the_readme_programs_run(self):
        project = self.npm_project()
        texts = code_in(sdk.TYPESCRIPT / "README.md", "js")
        self.assert_greets("node", project, "mjs", texts)

    def test_types_match_the_code_and_compile_in_another_project(self):
        compiler = self.folder / "compiler"
        shutil.copytree(
            sdk.TYPESCRIPT, compiler, ignore=shutil.ignore_patterns("node_modules")
        )
        run("npm", "ci", "--no-audit", "--no-fund", cwd=compiler)
        run("npm", "run", "check", cwd=compiler)
        project = self.npm_project()
        (project / "use.ts").write_text((sdk.HERE / "use.ts").read_text())
        (project / "node_modules" / "@types").symlink_to(compiler / "node_modules" / "@types")
        tsc = [compiler / "node_modules" / ".bin" / "tsc", "--noEmit", "--strict"]
        tsc += ["--module", "nodenext", "--target", "es2022", "--lib", "es2022"]
        run(*tsc, "use.ts", cwd=project)

    def npm_project(self):
        """A project with only the packed package installed."""
        project = self.folder / "project"
        project.mkdir()
        packed = run("npm", "pack", "--silent", sdk.TYPESCRIPT, cwd=project).strip()
        (project / "package.json").write_text('{"private": true, "type": "module"}')
        run("npm", "install", "--offline", "--no-audit", "--no-fund", f"./{packed}", cwd=project)
        self.assertFalse((project / "node_modules" / "longshore" / "check.ts").exists())
        return project


if __name__ == "__main__":
    unittest.main()
