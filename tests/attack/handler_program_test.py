"""A hostile handler program: it looks for its worker's secrets and tries to outlive its job."""

import json
import os
import pwd
import select
import signal
import time
import unittest
from pathlib import Path

import attack
import harness

SECRET = "hunter2-of-the-worker"
USER = "nobody"


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends(pid):
    """Whether the process is gone within the deadline."""
    deadline = time.monotonic() + harness.PATIENCE
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
    return True


class Programs(attack.Attack):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)  # another user must be able to reach the program

    def result_of(self, server, headers, job):
        answer = server.get(f"/jobs/{job}?waitSeconds=60", headers=headers)
        self.assertEqual(answer.json["status"], "COMPLETED", server.get(
            f"/jobs/{job}/details", headers=headers))
        return server.get(f"/jobs/{job}/result", headers=headers).json

    def enqueue(self, server, headers):
        answer = server.post("/jobs", {"jobType": "T", "maxRetries": 0}, headers=headers)
        self.assertEqual(answer.status, 202, answer)
        return answer.json["jobId"]

    def stolen(self, body, *arguments, env=None):
        """What a program says that a worker with secrets ran."""
        admin, token = self.bearer(self.token("admin")), self.token("worker")
        server = self.serve()
        self.work(server, "--exec", f"T={self.script('p', body)}", *arguments,
                  env={"LONGSHORE_TOKEN": token, "PGPASSWORD": SECRET, **(env or {})})
        output = self.result_of(server, admin, self.enqueue(server, admin))
        return output if isinstance(output, str) else json.dumps(output), token


class Spy(Programs):
    # Reads every ancestor process it can.
    BODY = """
pid=$$
while [ "${pid:-0}" -gt 1 ]; do
  tr '\\0' '\\n' < /proc/$pid/environ || echo "closed $pid"
  tr '\\0' ' ' < /proc/$pid/cmdline
  pid=$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$pid/status)
  [ "$(cat /proc/$pid/comm)" = python3 ] && break
done 2>/dev/null
env
"""

    def test_of_the_same_user_finds_no_secret_in_an_environment(self):
        output, token = self.stolen(self.BODY)
        self.assertNotIn(SECRET, output)
        self.assertNotIn(token, output)

    def test_of_another_user_reads_nothing_of_the_worker(self):
        output, token = self.stolen(self.BODY + "id -un\n", "--programs-user", USER)
        self.assertNotIn(SECRET, output)
        self.assertNotIn(token, output)
        self.assertIn("closed", output, "the environment of its parent is open")
        self.assertEqual(output.splitlines()[-1], USER)

    def test_finds_the_listed_variables_and_no_others(self):
        output, _ = self.stolen("env | sed 's/=.*//' | sort\n",
                              env={"LC_TIME": "C", "AWS_SECRET_ACCESS_KEY": SECRET, "TZ": "UTC"})
        shell = {"PWD", "OLDPWD", "SHLVL", "_"}
        names = {name for name in output.splitlines() if not name.startswith("LONGSHORE_")} - shell
        self.assertLessEqual({"PATH", "HOME", "LC_TIME", "TZ"}, names)
        listed = {"PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TMPDIR"}
        self.assertEqual({name for name in names - listed if not name.startswith("LC_")}, set())

    def test_gets_the_variables_of_its_own_table(self):
        (self.folder / "longshore.toml").write_text(
            '[work.handlers.U]\nexec = "./q"\npassEnv = ["REGION"]\nenv = { MODE = "fast" }\n'
        )
        self.script("q", 'echo "$MODE $REGION $OTHER"\n')
        admin, token = self.bearer(self.token("admin")), self.token("worker")
        server = self.serve()
        self.work(server, env={"LONGSHORE_TOKEN": token, "REGION": "north", "OTHER": "no"})
        job = server.post("/jobs", {"jobType": "U"}, headers=admin).json["jobId"]
        self.assertEqual(self.result_of(server, admin, job), "fast north \n")

    def test_cannot_be_given_an_option_of_longshore(self):
        refused = harness.run("work", "--exec", f"T={self.script('p', 'true')}",
                              "--programs-pass-env", "LONGSHORE_TOKEN", cwd=self.folder)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("LONGSHORE_TOKEN", refused.stderr)

    def test_finds_no_secret_in_a_server_that_runs_it(self):
        admin = self.bearer(self.token("admin", "--token-key", SECRET))
        server = self.serve("--exec", f"T={self.script('p', self.BODY)}",
                            env={"LONGSHORE_TOKEN_KEY": SECRET})
        output = self.result_of(server, admin, self.enqueue(server, admin))
        self.assertNotIn(SECRET, str(output))


class Token(Programs):
    def test_comes_from_a_file_that_others_cannot_read(self):
        admin, token = self.bearer(self.token("admin")), self.token("worker")
        file = self.folder / "token"
        file.touch(mode=0o600)
        file.write_text(token + "\n")
        server = self.serve()
        arguments = ["--exec", f"T={self.script('p', 'true')}", "--token-file", file]
        worker = self.work(server, *arguments)
        self.result_of(server, admin, self.enqueue(server, admin))
        worker.stop()
        file.chmod(0o644)
        refused = harness.run("work", "--server", server.url, *arguments, cwd=self.folder)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("chmod 600", refused.stderr)


class Rights(Programs):
    def test_are_not_gained_through_setuid_files(self):
        output, _ = self.stolen("grep NoNewPrivs /proc/self/status\n")
        self.assertEqual(output.split(), ["NoNewPrivs:", "1"])

    def test_are_gained_only_if_the_operator_allows_it(self):
        output, _ = self.stolen("grep NoNewPrivs /proc/self/status\n", "--programs-allow-setuid")
        self.assertEqual(output.split(), ["NoNewPrivs:", "0"])

    def test_of_another_user_are_dropped_completely(self):
        output, _ = self.stolen(
            "grep -E '^(Uid|Gid|Groups|CapEff)' /proc/self/status; touch mine; echo $HOME $USER; "
            "cat /etc/shadow 2>&1; kill -9 $PPID 2>&1; true\n", "--programs-user", USER)
        entry = pwd.getpwnam(USER)
        lines = {line.split(":")[0]: line.split()[1:] for line in output.splitlines()}
        self.assertEqual(lines["Uid"], [str(entry.pw_uid)] * 4)
        self.assertEqual(lines["Gid"], [str(entry.pw_gid)] * 4)
        self.assertNotIn("0", lines["Groups"])
        self.assertEqual(int(lines["CapEff"][0], 16), 0)
        self.assertIn(f"{entry.pw_dir} {USER}", output)
        self.assertEqual(output.lower().count("permission denied"), 1, output)
        self.assertEqual(output.lower().count("not permitted"), 1, output)

    def test_to_switch_users_require_root(self):
        program = f"T={self.script('p', 'true')}"
        for user, words in [("no-such-user", "no such user"), ("root", "must not run as root")]:
            refused = harness.run("work", "--exec", program, "--programs-user", user,
                                  cwd=self.folder)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(words, refused.stderr)
        # As another user, who can execute this copy.
        copy = self.folder / "longshore"
        copy.write_bytes(Path(harness.PROGRAM).read_bytes())
        copy.chmod(0o755)
        entry = pwd.getpwnam(USER)
        process = harness.Process("work", "--exec", program, "--programs-user", USER, program=copy,
                                  cwd=self.folder, user=entry.pw_uid, group=entry.pw_gid)
        self.assertEqual(process.process.wait(harness.PATIENCE), 2)
        process.stop()
        self.assertIn("only a worker that runs as root", process.log)

    def test_to_a_planted_checkpoint_are_not_those_of_the_worker(self):
        secret = self.folder / "private.json"
        secret.touch(mode=0o600)
        secret.write_text(json.dumps(SECRET))
        body = f'[ "$LONGSHORE_ATTEMPT" = 1 ] && ln -s {secret} "$LONGSHORE_CHECKPOINT" &&' \
               ' exit 75\n' \
               'cat "$LONGSHORE_CHECKPOINT" 2>&1; true\n'
        admin, token = self.bearer(self.token("admin")), self.token("worker")
        server = self.serve()
        self.work(server, "--exec", f"T={self.script('p', body)}", "--programs-user", USER,
                  env={"LONGSHORE_TOKEN": token})
        job = server.post("/jobs", {"jobType": "T", "backoff": {"kind": "none"}},
                          headers=admin).json["jobId"]
        self.assertNotIn(SECRET, str(self.result_of(server, admin, job)))

    def test_to_write_and_fork_are_limited(self):
        body = "ulimit -f; exec python3 -c 'import resource as r; " \
               "print(r.getrlimit(r.RLIMIT_NPROC)[0], r.getrlimit(r.RLIMIT_FSIZE)[0])'\n"
        output, _ = self.stolen(body, "--programs-user", USER, "--programs-processes", 200,
                              "--programs-file-bytes", 1024 * 512)
        self.assertEqual(output.splitlines()[-1], f"200 {1024 * 512}")


class Escapee(Programs):
    """A descendant that starts its own session and reports its pid."""

    BODY = """
setsid sh -c '
  setsid sh -c "echo \\$\\$ > {fifo}; : > told; exec sleep 100000" &
  exec sleep 100000' &
until [ -e told ]; do sleep 0.02; done
{then}
"""

    def begin(self, *arguments, then):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        fifo.chmod(0o666)
        told = os.open(fifo, os.O_RDWR)
        self.addCleanup(os.close, told)
        program = self.script("p", self.BODY.format(fifo=fifo, then=then))
        server = self.serve()
        worker = self.work(server, "--exec", f"T={program}", *arguments)
        job = server.enqueue()
        self.assertTrue(select.select([told], [], [], harness.PATIENCE)[0], "it did not start")
        pid = int(os.read(told, 100))
        self.addCleanup(lambda: is_alive(pid) and os.kill(pid, signal.SIGKILL))
        return server, worker, job, pid

    def finish(self, server, worker):
        worker.stop()
        server.stop()
        (self.folder / "fifo").unlink()

    def test_dies_with_its_program(self):
        for arguments in ([], ["--programs-cgroups", "off"]):
            with self.subTest(arguments):
                server, worker, job, pid = self.begin(*arguments, then="exit 0")
                self.assertEqual(server.ended(job)["status"], "COMPLETED")
                self.assertTrue(ends(pid), "the process outlived its program")
                self.finish(server, worker)

    def test_dies_with_a_program_that_is_canceled(self):
        server, _, job, pid = self.begin(then="exec sleep 100000")
        server.post(f"/jobs/{job}/cancel")
        self.assertEqual(server.ended(job)["status"], "CANCELED")
        self.assertTrue(ends(pid), "the process outlived its program")

    def test_dies_with_a_worker_that_is_killed(self):
        for arguments in ([], ["--programs-cgroups", "off"], ["--programs-user", USER]):
            with self.subTest(arguments):
                server, worker, _, pid = self.begin(*arguments, then="exec sleep 100000")
                os.kill(worker.process.pid, signal.SIGKILL)
                self.assertTrue(ends(pid), "the process outlived its worker")
                self.finish(server, worker)

    def test_leaves_no_cgroup_behind(self):
        server, worker, job, pid = self.begin(then="exit 0")
        server.ended(job)
        self.assertTrue(ends(pid))
        worker.stop()
        left = list(Path("/sys/fs/cgroup").glob(f"**/longshore-{worker.process.pid}-*"))
        self.assertEqual(left, [])


if __name__ == "__main__":
    unittest.main()
