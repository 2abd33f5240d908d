"""Runs the shell commands of the README's quick start literally, with a server and a worker as
`./dev up` starts them."""

import json
import re
import shlex
import subprocess
import unittest
import urllib.request

import harness

ROOT = harness.ROOT
UP = ROOT / "dev"


def quick_start(word):
    """The shell block of the README's quick start that contains this word."""
    text = (harness.ROOT / "README.md").read_text(encoding="utf-8")
    section = re.search(r"^## Quick start\n(.*?)^## ", text, re.M | re.S).group(1)
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.M | re.S)
    (block,) = [block for block in blocks if word in block]
    return block


class QuickStart(harness.Case):
    def test_three_curl_lines_enqueue_a_job_watch_it_and_read_its_result(self):
        server = self.serve()
        greet = harness.ROOT / "examples" / "programs" / "greet"
        self.work(server, "--exec", f"GREET={greet}")
        block = quick_start("curl")
        self.assertEqual(len(re.findall(r"\bcurl\b", block)), 3, block)
        script = block.replace("http://127.0.0.1:7788", server.url)
        self.assertIn(server.url, script)
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            capture_output=True,
            text=True,
            timeout=harness.PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        last = ended.stdout.strip().splitlines()[-1]
        self.assertEqual(json.loads(last)["greeting"], "Hello, Ada!", ended.stdout)
        self.assertIn('"to":"SUCCESS"', ended.stdout)

    def test_the_commands_work_as_they_are_printed(self):
        server = self.serve()
        env = {"LONGSHORE_SERVER": server.url}
        lines = quick_start("build/longshore").splitlines()
        ran = []
        for line in lines:
            program, command, *arguments = shlex.split(line, comments=True)
            self.assertEqual(program, "build/longshore", line)
            ran.append(command)
            if command == "serve":
                continue  # already runs
            if command == "work":
                worker = harness.Process(command, *arguments, cwd=harness.ROOT, env=env)
                self.addCleanup(worker.stop)
                worker.await_line("working")
                continue
            with self.subTest(line):
                ended = harness.run(command, *arguments, cwd=harness.ROOT, env=env)
                # The doctor may report problems of this machine.
                self.assertIn(ended.returncode, (0, 1) if command == "doctor" else (0,), ended)
                self.assertTrue(ended.stdout)
                if command == "enqueue":
                    self.assertIn("Hello, Ada!", ended.stdout)
        self.assertEqual(ran, "serve work enqueue list top doctor config".split())

    def test_a_second_up_keeps_the_running_server(self):
        server = self.serve()
        ended = subprocess.run(
            [UP, "up", "--detach"],
            capture_output=True,
            text=True,
            env=harness.environment(LONGSHORE_LISTEN=f"127.0.0.1:{server.port}"),
            timeout=harness.PATIENCE,
            check=False,
        )
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn(f"already listens at {server.url}", ended.stderr)
        self.assertEqual(server.get("/jobs").json["jobs"], [], "no sample jobs are sent")

    def test_up_prints_the_actual_address(self):
        (self.folder / "build").mkdir()
        (self.folder / "build" / "longshore").symlink_to(harness.PROGRAM)

        def part(script, **environment):
            words = 'say() { echo "$*"; }; fail() { say "$*"; false; }; '
            ended = subprocess.run(
                ["bash", "-uo", "pipefail", "-c", f". {ROOT}/tools/up.sh; {words} {script}"],
                stdout=subprocess.PIPE,
                text=True,
                cwd=self.folder,
                env=harness.environment(**environment),
                timeout=harness.PATIENCE,
                check=False,
            )
            return ended.returncode, set(re.findall(r"http://[^/\s,;]+", ended.stdout))

        self.addCleanup(part, "stop_all")
        start = 'mkdir -p "$up_folder"; start_server && print_first_steps "$(served_url)"'
        status, named = part(start, LONGSHORE_LISTEN="127.0.0.1:0")
        self.assertEqual((status, len(named)), (0, 1), named)
        (url,) = named
        with urllib.request.urlopen(f"{url}/livez", timeout=harness.PATIENCE) as answer:
            self.assertEqual(answer.status, 200)
        self.assertEqual(part("command_up --detach"), (0, {url}), "asked from elsewhere")
        self.assertEqual(part("command_up"), (1, {url}))


if __name__ == "__main__":
    unittest.main()
