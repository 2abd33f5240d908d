"""Settings from flags, environment and file, as `longshore config` shows them, and the program's
own words about its commands."""

import json
import unittest

import harness


class Config(harness.Case):
    def settings(self, *arguments, **options):
        ended = harness.run("config", "--json", *arguments, cwd=self.folder, **options)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(ended.stdout)

    def test_a_flag_wins_over_the_environment_over_the_file(self):
        name = self.folder / "longshore.toml"
        self.assertEqual(self.settings()["listen"]["source"], "default")
        name.write_text('\n\nlisten = "127.0.0.1:1"\n')
        self.assertEqual(
            self.settings()["listen"], {"value": "127.0.0.1:1", "source": "longshore.toml:3"}
        )
        env = {"LONGSHORE_LISTEN": "127.0.0.1:2"}
        self.assertEqual(
            self.settings(env=env)["listen"],
            {"value": "127.0.0.1:2", "source": "LONGSHORE_LISTEN"},
        )
        self.assertEqual(
            self.settings("--listen", "127.0.0.1:3", env=env)["listen"],
            {"value": "127.0.0.1:3", "source": "--listen"},
        )

    def test_an_empty_value_is_empty(self):
        env = {"LONGSHORE_TOKEN": "t"}
        expected = {"value": "", "source": "--token"}
        self.assertEqual(self.settings("--token", "", env=env)["token"], expected)
        ended = harness.run("serve", "--store", "", cwd=self.folder)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn('unknown store ""', ended.stderr)

    def test_another_file_may_be_named(self):
        (self.folder / "other.toml").write_text("io-threads = 3\n")
        expected = {"value": "3", "source": "other.toml:1"}
        self.assertEqual(self.settings("--config", "other.toml")["io-threads"], expected)
        env = {"LONGSHORE_CONFIG": "other.toml"}
        self.assertEqual(self.settings(env=env)["io-threads"], expected)

    def test_secrets_and_passwords_are_hidden(self):
        env = {
            "LONGSHORE_TOKEN_KEY": "very-secret",
            "LONGSHORE_STORE": "postgres://ada:very-secret@db/jobs",
            "LONGSHORE_TOKEN": "very-secret",
        }
        for arguments in ([], ["--json"]):
            ended = harness.run("config", *arguments, cwd=self.folder, env=env)
            self.assertEqual(ended.returncode, 0)
            self.assertNotIn("very-secret", ended.stdout + ended.stderr)
            self.assertIn("postgres://ada:***@db/jobs", ended.stdout)

    def test_a_webhook_secret_is_shown_by_its_file_and_what_it_is_bound_to(self):
        (self.folder / "longshore.toml").write_text(
            """
            [secrets.billing]
            file = "billing.secret"
            namespace = "shop"
            urls = ["https://a.example/x", "https://b.example"]
            """
        )
        (self.folder / "billing.secret").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        bound = {"file": "billing.secret", "namespace": "shop",
                 "urls": ["https://a.example/x", "https://b.example"]}  # fmt: skip
        self.assertEqual(self.settings()["secrets.billing"], bound)
        shown = harness.run("config", cwd=self.folder).stdout
        self.assertIn("namespace shop  urls https://a.example/x,https://b.example", shown)
        self.assertNotIn("MfKQ9r8", shown)

    def test_what_is_wrong_is_named_with_its_place(self):
        cases = [
            ("listn = 1\n", {}, [], "longshore.toml:1: unknown option \"listn\""),
            ("a = = 1\n", {}, [], "longshore.toml:1: "),
            ("[queues.a]\nmaxRetrys = 1\n", {}, [], "did you mean maxRetries?"),
            ("[secrets.a]\nfile = \"f\"\n", {}, [], "longshore.toml:1: secrets.a needs file"),
            ("[secrets.a]\nfiel = 1\n", {}, [], "did you mean file?"),
            ("[secrets.a]\nfile = \"f\"\nnamespace = \"n\"\nurls = [\"a.example\"]\n", {}, [],
             "must be http or https"),
            ("", {"LONGSHORE_IO_THREADS": "x"}, [], "LONGSHORE_IO_THREADS must be"),
            ("", {"LONGSHORE_LISTN": "x"}, [], "did you mean LONGSHORE_LISTEN?"),
            ("", {}, ["--log-level", "loud"], "--log-level must be one of"),
            ("", {}, ["--config", "absent.toml"], "cannot read the configuration file absent.toml"),
        ]
        for text, env, arguments, expected in cases:
            with self.subTest(expected):
                (self.folder / "longshore.toml").write_text(text)
                ended = harness.run("config", *arguments, cwd=self.folder, env=env)
                self.assertEqual(ended.returncode, 2)
                self.assertIn(expected, ended.stderr)
                self.assertEqual(ended.stdout, "")


class Usage(harness.Case):
    def test_help_and_version_are_answers(self):
        for arguments, expected in [
            (["--help"], "enqueue"),
            (["--version"], "longshore "),
            (["serve", "--help"], "--listen"),
            (["work", "--help"], "--exec"),
            (["enqueue", "--help"], "--payload"),
            (["get", "--help"], "--wait"),
            (["config", "--help"], "--config"),
        ]:
            with self.subTest(arguments):
                ended = harness.run(*arguments)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                self.assertIn(expected, ended.stdout)

    def test_a_slip_is_told_what_was_meant(self):
        for arguments, expected in [
            (["srve"], "did you mean serve?"),
            (["enqeue", "T"], "did you mean enqueue?"),
            (["enqueue", "T", "--paylod", "1"], "did you mean --payload?"),
            (["token", "creat"], "did you mean create?"),
            (["token"], "token needs a subcommand: create, list, revoke"),
            (["banana"], 'unknown command "banana"'),
            ([], "--help"),
            (["enqueue"], "JOB_TYPE"),
        ]:
            with self.subTest(arguments):
                ended = harness.run(*arguments)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)


if __name__ == "__main__":
    unittest.main()
