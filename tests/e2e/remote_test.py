"""The example of the C++ library across the network, against the real server."""

import os
import subprocess
import unittest

import harness

EXAMPLE = os.environ.get("LONGSHORE_EXAMPLE", str(harness.ROOT / "build/examples/example_remote"))
SAID = "CREATED\nQUEUED\nRUNNING\nWAITING\norder-17 is paid\n"


class RemoteTest(harness.Case):
    def run_example(self, url, token):
        return subprocess.run(
            [EXAMPLE],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=harness.environment(LONGSHORE_SERVER=url, LONGSHORE_TOKEN=token),
            timeout=harness.PATIENCE,
            check=False,
        )

    def make_token(self, role):
        made = harness.run(
            "token", "create", "--role", role, "--store", self.store, cwd=self.folder
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def test_it_enqueues_works_and_finishes_by_key(self):
        token = self.make_token("operator")
        done = self.run_example(self.serve().url, token)
        self.assertEqual((done.returncode, done.stdout), (0, SAID), done.stderr)

    def test_it_reports_a_missing_token(self):
        self.make_token("operator")
        server = self.serve()
        refused = self.run_example(server.url, "")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("UNAUTHENTICATED", refused.stderr)
        self.assertIn("OpenOptions::token", refused.stderr)

    def test_it_reports_an_unreachable_server(self):
        server = self.serve()
        server.stop()
        refused = self.run_example(server.url, "")
        self.assertEqual(refused.returncode, 1)
        self.assertIn(server.url, refused.stderr)


if __name__ == "__main__":
    unittest.main()
