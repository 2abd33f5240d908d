"""Help, completion, manual and exit codes, which are generated from one table."""

import os
import re
import shutil
import subprocess

from case import ROOT, UNKNOWN_JOB, Case, harness, main

COMMANDS = """serve work enqueue get list cancel redrive dead queues top check doctor bench token
config completion manual""".split()


def commands():
    """Every command, also those of two words, from the manual."""
    manual = harness.run("manual", "--format", "markdown").stdout
    return re.findall(r"^## (.+)$", manual, re.M)


class Help(Case):
    def test_every_command_has_help_with_an_example(self):
        listed = harness.run("--help").stdout
        for name in COMMANDS:
            self.assertRegex(listed, rf"(?m)^  {name} ")
        names = commands()
        self.assertLessEqual(set(COMMANDS) - {"token"}, set(names))
        self.assertIn("queues pause", names)
        for name in names:
            with self.subTest(name):
                shown = self.ok(harness.run(*name.split(), "--help"))
                self.assertEqual(shown.stderr, "")
                self.assertIn("Examples:\n  ", shown.stdout)
                self.assertIn("--config", shown.stdout)

    def test_typos_get_suggestions(self):
        for arguments, expected in [
            (["lst"], "did you mean list?"),
            (["list", "--quue", "q"], "did you mean --queue?"),
            (["--server", "http://127.0.0.1:1", "list"], "--server goes after it"),
            (["dead", "--groups", "--type", "T"], "--groups cannot be combined"),
            (["list", "--state", "QUEUD"], "did you mean QUEUED?"),
            (["queues", "puase", "q"], "did you mean pause?"),
            (["enqueue", "T", "--on-conflict", "rejct"], "did you mean reject?"),
            (["list", "--output", "jsnl"], "did you mean jsonl?"),
            (["get", UNKNOWN_JOB, "--view", "endpoint"], "did you mean endpoints?"),
            (["list", "--view", "mine"], "must be one of native, basic, endpoints, scheduler"),
            (["completion", "bsh"], "did you mean bash?"),
            (["token", "create", "--role", "operater"], "did you mean operator?"),
        ]:
            with self.subTest(arguments):
                ended = self.ok(harness.run(*arguments, cwd=self.folder), 2)
                self.assertIn(expected, ended.stderr)

    def test_docs_are_current(self):
        made = harness.run("manual", "--format", "markdown").stdout
        self.assertEqual((ROOT / "docs" / "cli.md").read_text(), made,
                         "run: build/longshore manual --format markdown > docs/cli.md")  # fmt: skip

    def test_the_man_page_is_sound_and_names_everything(self):
        page = self.ok(harness.run("manual")).stdout
        formatted = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page,
                                   capture_output=True, text=True, check=True)  # fmt: skip
        self.assertEqual(formatted.stderr, "")
        text = re.sub(r".\x08", "", formatted.stdout)
        for name in commands():
            self.assertIn(f"longshore {name}", text)
        for code in [0, 1, 2, 3, 4, 5, 6, 69, 70]:
            self.assertRegex(text, rf"(?m)^ +{code} ")


class Completion(Case):
    def complete(self, *words):
        """The completions of bash for the last word."""
        script = self.folder / "completion.bash"
        script.write_text(harness.run("completion", "bash").stdout)
        quoted = " ".join(f"'{word}'" for word in words)
        program = (
            f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
            'COMPREPLY=(); _longshore; printf "%s\\n" "${COMPREPLY[@]}"'
        )
        ended = subprocess.run(["bash", "-eu", "-c", program], capture_output=True, text=True,
                               check=False)  # fmt: skip
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.split()

    def test_bash_completes_commands_flags_and_words(self):
        self.assertEqual(self.complete("longshore", "qu"), ["queues"])
        self.assertEqual(self.complete("longshore", "list", "--sta"), ["--state"])
        self.assertEqual(self.complete("longshore", "list", "--state", "QU"), ["QUEUED"])
        self.assertEqual(self.complete("longshore", "queues", "pa"), ["pause"])
        self.assertEqual(self.complete("longshore", "token", "cr"), ["create"])
        self.assertIn("--role", self.complete("longshore", "token", "create", "--"))
        role = self.complete("longshore", "token", "create", "--role", "op")
        self.assertEqual(role, ["operator"])
        self.assertEqual(self.complete("longshore", "get", "--view", "o"), ["orchestrator"])
        self.assertEqual(self.complete("longshore", "completion", "z"), ["zsh"])
        self.assertEqual(self.complete("longshore", "serve", "--log-level", "d"), ["debug"])

    def test_every_shell_here_reads_its_script(self):
        read = 0
        for shell in ["bash", "zsh", "fish"]:
            script = self.folder / f"completion.{shell}"
            script.write_text(self.ok(harness.run("completion", shell)).stdout)
            self.assertIn("redrive", script.read_text())
            if shutil.which(shell) is None:
                continue
            home = {**os.environ, "HOME": str(self.folder)}
            checked = subprocess.run([shell, "-n", script], capture_output=True, text=True,
                                     env=home, check=False)  # fmt: skip
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), shell)
            read += 1
        self.assertGreaterEqual(read, 1)


class ExitCodes(Case):
    def test_each_has_its_cause(self):
        server = self.serve()
        job = server.enqueue("T", jobKey="k")
        dead = self.fail_job(server, "q")
        cases = [
            (["list"], 0),
            (["enqueue", "no type"], 1),
            (["cancel", "--all"], 1),
            (["get"], 2),
            (["list", "--limit", "0"], 2),
            (["list", "--created-after", "yesterday"], 2),
            (["top", "--interval", "1h"], 2),
            (["bench", "--jobs", "0"], 2),
            (["get", UNKNOWN_JOB], 3),
            (["redrive", UNKNOWN_JOB], 3),
            (["cancel", "no-id"], 3),
            (["redrive", job], 4),
            (["cancel", dead], 4),
            (["enqueue", "T", "--job-key", "k", "--on-conflict", "reject"], 4),
            (["get", dead, "--wait"], 6),
        ]
        for arguments, status in cases:
            with self.subTest(arguments):
                ended = self.ok(self.run_on(server, *arguments), status)
                self.assertEqual(ended.stderr == "" or status > 0, True, ended.stderr)
        for command in (["list"], ["queues"], ["top"], ["check"], ["doctor"], ["bench"],
                        ["cancel", UNKNOWN_JOB], ["redrive", "--all", "--yes"],
                        ["dead", "--groups"]):  # fmt: skip
            with self.subTest(command):
                away = harness.run(*command, "--server", "http://127.0.0.1:1", cwd=self.folder)
                self.ok(away, 69)

    def test_what_cannot_be_printed_is_not_done(self):
        server = self.serve()
        for arguments in (["list"], ["enqueue", "T"], ["queues", "--json"], ["config"], ["manual"],
                          ["--help"]):  # fmt: skip
            with self.subTest(arguments), open("/dev/full", "w") as full:
                env = harness.environment(LONGSHORE_SERVER=server.url)
                ended = subprocess.run([harness.PROGRAM, *arguments], stdout=full, env=env,
                                       stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn("standard output", ended.stderr)

    def test_a_reader_that_has_seen_enough_is_no_failure(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "w") as pipe:
            ended = subprocess.run([harness.PROGRAM, "manual"], stdout=pipe,
                                   stderr=subprocess.PIPE, text=True, check=False)  # fmt: skip
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_an_address_that_is_taken_is_1(self):
        server = self.serve()
        address = server.url.removeprefix("http://")
        ended = harness.run("serve", "--store", "sqlite:other.db", "--listen", address,
                            cwd=self.folder)  # fmt: skip
        self.assertIn("in use", self.ok(ended, 1).stderr)

    def test_not_allowed_is_5_and_a_broken_store_70(self):
        made = self.ok(harness.run("token", "create", "--role", "producer", "--store", self.store))
        server = self.serve()
        self.ok(self.run_on(server, "list"), 5)
        self.ok(self.run_on(server, "list", "--token", made.stdout.strip()), 5)
        self.ok(self.run_on(server, "enqueue", "T", "--token", made.stdout.strip()))
        server.stop()
        path = self.folder / "jobs.db"
        path.write_bytes(path.read_bytes()[:100] + b"\x5a" * 8092)  # a head, and nothing sound
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        self.ok(harness.run("token", "list", "--store", self.store), 70)


if __name__ == "__main__":
    main()
