"""Another user of the machine: permissions of every file that our programs create, whatever the
umask, and the process list."""

import base64
import os
import stat
import subprocess
import unittest
from pathlib import Path

import attack

harness = attack.harness
SECRET = "billing=whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


class OtherUser(attack.Attack):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.umask, os.umask(0))

    def assert_private(self, folder, least):
        files = [path for path in Path(folder).rglob("*") if path.is_file()]
        self.assertGreaterEqual(len(files), least, files)
        for path in files:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o077, 0, path)
        return {path.name for path in files}

    def test_cannot_read_files_of_a_running_or_killed_server(self):
        admin = self.token("admin")
        state = self.folder / "state"
        state.mkdir(mode=0o700)
        server = self.serve(env={"XDG_STATE_HOME": str(state)})
        for _ in range(20):
            server.post("/jobs", {"jobType": "T"}, headers=self.bearer(admin))
        names = self.assert_private(self.folder, 5)
        self.assertLessEqual({"jobs.db", "jobs.db-wal", "jobs.db-shm", "jobs.db.key"}, names)
        server.stop(9)
        self.assert_private(self.folder, 4)

    def test_cannot_read_a_store_that_a_command_creates(self):
        self.token("admin")
        bench = f"sqlite:{self.folder}/bench.db"
        for command in (["check", "--store", self.store],
                        ["bench", "--jobs", 10, "--store", bench]):
            ended = harness.run(*command, cwd=self.folder)
            self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("bench.db", self.assert_private(self.folder, 2))

    def test_sees_no_password_in_the_list_of_processes(self):
        server = self.serve("--token-key", "zz-token-key", "--secrets", SECRET)
        self.assert_hidden(server.process.pid, ["zz-token-key", SECRET])

    def test_sees_no_password_of_a_database(self):
        # Nothing listens there: the program retries for some seconds and is inspected meanwhile.
        url = "postgres://longshore:zz-password@127.0.0.1:1/jobs"
        with subprocess.Popen(
            [harness.PROGRAM, "serve", "--store", url, "--listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE, text=True, env=harness.environment(),
        ) as process:  # fmt: skip
            output = process.stderr.readline()
            if process.poll() is None:
                self.assert_hidden(process.pid, ["zz-password"])
            process.kill()
            self.assertNotIn("zz-password", output + process.stderr.read())

    def assert_hidden(self, pid, secrets):
        arguments = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8")
        for secret in secrets:
            self.assertNotIn(secret, arguments)


if __name__ == "__main__":
    unittest.main()
