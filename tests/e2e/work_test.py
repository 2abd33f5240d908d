"""`longshore work --exec` against a real server, and the commands for jobs."""

import json
import os
import signal
import time
import unittest
from datetime import datetime, timezone

import harness
import stores

PROFILES = ("native", "basic", "endpoints", "scheduler", "external", "orchestrator")


class Exec(harness.Case):
    def test_a_program_reads_the_payload_and_writes_the_result(self):
        server = self.serve()
        program = self.script("double", 'read n; echo "{\\"doubled\\": $((n * 2))}"\n')
        self.work(server, "--exec", f"DOUBLE={program}", "--concurrency", 2)
        jobs = [server.enqueue("DOUBLE", payload=n) for n in range(10)]
        for n, job in enumerate(jobs):
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            self.assertEqual(server.get(f"/jobs/{job}/result").json, {"doubled": n * 2})

    def test_output_that_is_not_json_is_text(self):
        server = self.serve()
        self.work(server, "--exec", f"T={self.script('p', 'echo two words')}")
        job = server.enqueue()
        server.ended(job)
        self.assertEqual(server.get(f"/jobs/{job}/result").json, "two words\n")

    def test_the_program_gets_its_job_and_no_secrets(self):
        server = self.serve()
        program = self.script("p", "env | grep -e LONGSHORE -e TRACEPARENT -e SECRET | sort\n")
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        self.work(
            server,
            "--exec",
            f"T={program}",
            env={"LONGSHORE_TOKEN": "hidden", "LONGSHORE_WORKER_NAME": "crane"},
        )
        answer = server.post("/jobs", {"jobType": "T"}, headers={"traceparent": trace})
        job = answer.json["jobId"]
        server.ended(job)
        seen = dict(
            line.split("=", 1)
            for line in server.get(f"/jobs/{job}/result").json.splitlines()
        )
        self.assertEqual(seen["LONGSHORE_JOB_ID"], job)
        self.assertEqual(seen["LONGSHORE_JOB_TYPE"], "T")
        self.assertEqual(seen["LONGSHORE_ATTEMPT"], "1")
        self.assertEqual(seen["LONGSHORE_FENCE"], "1")
        self.assertIn("LONGSHORE_DEADLINE", seen)
        self.assertIn("4bf92f3577b34da6a3ce929d0e0e4736", seen["TRACEPARENT"])
        self.assertNotIn("LONGSHORE_TOKEN", seen)
        self.assertNotIn("LONGSHORE_WORKER_NAME", seen)

    def test_the_status_decides_the_outcome(self):
        server = self.serve()
        body = 'read s; [ "$LONGSHORE_ATTEMPT" = 1 ] || exit 0; echo "status $s" >&2; exit $s\n'
        self.work(server, "--exec", f"T={self.script('p', body)}")
        none = {"kind": "none"}
        retried = [server.enqueue(payload=s, backoff=none) for s in (1, 75)]
        fatal = server.enqueue(payload=65, backoff=none)
        for job in retried:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.ended(fatal)["status"], "FAILED")
        answer = server.get(f"/jobs/{fatal}/result")
        self.assert_problem(answer, 409, "JOB_FAILED")
        self.assertEqual(answer.json["error"]["message"], "status 65")

    def test_a_cancel_ends_the_program_and_its_children(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        # The fifo ends once no process of the group is left.
        program = self.script("p", f"exec 3> {fifo}; echo started >&3; sleep 1000 & wait\n")
        self.work(server, "--exec", f"T={program}", "--lease-time", "1s")
        job = server.enqueue()
        with open(fifo, encoding="utf-8") as held:
            self.assertEqual(held.readline(), "started\n")
            self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 202)
            self.assertEqual(held.read(), "")
        self.assertEqual(server.ended(job)["status"], "CANCELED")

    def test_a_cancel_ends_the_program_within_six_seconds_under_every_profile(self):
        self.assert_cancels_are_heard(inside=False)

    def test_a_cancel_ends_a_program_of_the_server_within_six_seconds_under_every_profile(self):
        self.assert_cancels_are_heard(inside=True)

    def assert_cancels_are_heard(self, inside):
        """Starts a server per profile at the same time; their leases last from 10 s to a day."""
        running = {profile: self.run_endless(profile, inside) for profile in PROFILES}
        asked = {}
        for profile, (server, job) in running.items():
            asked[profile] = datetime.now(timezone.utc)
            self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 202, profile)
        for profile, (server, job) in running.items():
            with self.subTest(profile):
                self.assertEqual(server.ended(job)["status"], "CANCELED")
                ended = server.get(f"/jobs/{job}/details").json
                self.assertEqual(ended["error"]["code"], "CANCELED")
                took = datetime.fromisoformat(ended["completedAt"]) - asked[profile]
                self.assertLess(took.total_seconds(), 6)

    def run_endless(self, profile, inside):
        """A server with that profile, and a job whose program runs forever."""
        fifo = self.folder / f"{profile}.fifo"
        os.mkfifo(fifo)
        program = self.script(profile, f"echo > {fifo}; exec sleep 1000\n")
        (self.folder / f"{profile}.d").mkdir()
        self.store = stores.fresh(self.folder / f"{profile}.d")
        handlers = ["--exec", f"T={program}"]
        server = self.serve("--profile", profile, *(handlers if inside else []))
        if not inside:
            self.work(server, *handlers)
        job = server.enqueue()
        fifo.read_text(encoding="utf-8")
        return server, job

    def test_a_program_that_times_out_is_killed_and_retried(self):
        server = self.serve()
        body = '[ "$LONGSHORE_ATTEMPT" = 1 ] || exit 0; sleep 1000\n'
        self.work(server, "--exec", f"T={self.script('p', body)}")
        job = server.enqueue(timeoutSeconds=1.5)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_a_stopped_worker_finishes_its_jobs(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        worker = self.work(server, "--exec", f"T={self.script('p', f'cat {fifo}')}")
        job = server.enqueue()
        with open(fifo, "w", encoding="utf-8") as feed:  # opens once the program runs
            worker.process.send_signal(signal.SIGTERM)
            worker.await_line("stopping")
            feed.write('"done"')
        self.assertEqual(worker.stop(signal.SIGCONT), 0)
        self.assertEqual(server.get(f"/jobs/{job}/result").json, "done")

    def test_a_stopped_worker_releases_unfinished_jobs(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        body = f'[ "$LONGSHORE_ATTEMPT" = 1 ] || exit 0; echo > {fifo}; exec sleep 1000\n'
        program = self.script("p", body)
        worker = self.work(server, "--exec", f"T={program}", "--grace", "100ms")
        job = server.enqueue()
        fifo.read_text(encoding="utf-8")
        self.assertEqual(worker.stop(), 0)
        self.assertIn('"released":1', worker.log)
        self.work(server, "--exec", f"T={program}")
        self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_a_worker_continues_after_a_server_restart(self):
        server = self.serve()
        worker = self.work(server, "--exec", f"T={self.script('p', 'cat')}")
        address = f"127.0.0.1:{server.port}"
        server.stop(signal.SIGKILL)
        again = self.serve("--listen", address)
        job = again.enqueue(payload=7)
        self.assertEqual(again.ended(job)["status"], "COMPLETED")
        self.assertEqual(worker.stop(), 0)

    def test_queues_are_served_in_the_order_given_and_no_others(self):
        server = self.serve()
        other = server.enqueue(queue="other")
        low = server.enqueue(queue="low")
        high = server.enqueue(queue="high")
        program = self.script("p", f"echo $LONGSHORE_QUEUE >> {self.folder}/order\n")
        arguments = ["--queue", "high", "--queue", "low", "--concurrency", 1]
        self.work(server, "--exec", f"T={program}", *arguments)
        for job in (low, high):
            server.ended(job)
        self.assertEqual((self.folder / "order").read_text(), "high\nlow\n")
        self.assertEqual(server.get(f"/jobs/{other}").json["status"], "PENDING")

    def test_operators_see_the_workers(self):
        server = self.serve()
        self.work(server, "--exec", f"T={self.script('p', 'true')}", "--concurrency", 3)
        version = harness.run("--version").stdout.removeprefix("longshore ").strip()
        deadline = time.monotonic() + harness.PATIENCE
        while not (seen := server.get("/workers").json["workers"]):
            self.assertLess(time.monotonic(), deadline)
        shown = [(one["slots"], one["jobTypes"], one["version"]) for one in seen]
        self.assertEqual(shown, [(3, ["T"], version)], "from the first poll on")

    def test_invalid_handlers_are_reported_at_once(self):
        server = self.serve()
        cases = [
            ([], 2, "no handlers"),
            (["--exec", "T"], 2, "TYPE=PROGRAM"),
            (["--exec", "T=sh"], 2, "programs are not searched for"),
            (["--exec", "T=./absent"], 2, "No such file"),
            (["--exec", "T=/bin/cat", "--exec", "T=/bin/sh"], 2, "two programs for T"),
            (["--exec", "T=/bin/cat", "--server", "http://127.0.0.1:1"], 69, "127.0.0.1:1"),
            (["--exec", "T=/bin/cat", "--server", "nowhere"], 2, "not a server address"),
        ]
        for arguments, status, expected in cases:
            with self.subTest(arguments):
                ended = harness.run("work", "--server", server.url, *arguments, cwd=self.folder)
                self.assertEqual(ended.returncode, status, ended.stderr)
                self.assertIn(expected, ended.stderr)


class Commands(harness.Case):
    def longshore(self, server, *arguments, **options):
        return harness.run(*arguments, "--server", server.url, cwd=self.folder, **options)

    def test_enqueue_prints_the_id_and_get_shows_the_job(self):
        server = self.serve()
        ended = self.longshore(
            server, "enqueue", "T", "--payload", '{"a": 1}', "--queue", "q", "--tag", "x",
            "--tag", "y", "--metadata", "k=v", "--priority", 3, "--delay", "1h",
        )  # fmt: skip
        self.assertEqual(ended.returncode, 0, ended.stderr)
        job = ended.stdout.strip()
        shown = self.longshore(server, "get", job)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("PENDING", shown.stdout)
        as_json = self.longshore(server, "get", job, "--json")
        self.assertEqual(json.loads(as_json.stdout)["jobId"], job)

    def test_enqueue_can_wait_for_the_result(self):
        server = self.serve()
        good, bad = self.script("good", "cat"), self.script("bad", "echo no >&2; exit 65")
        self.work(server, "--exec", f"GOOD={good}", "--exec", f"BAD={bad}")
        ended = self.longshore(server, "enqueue", "GOOD", "--payload", "-", "--wait", "60",
                               stdin='{"n":1}')  # fmt: skip
        self.assertEqual((ended.returncode, ended.stdout), (0, '{"n":1}\n'), ended.stderr)
        ended = self.longshore(server, "enqueue", "BAD", "--wait", "60s")
        self.assertEqual((ended.returncode, ended.stdout), (6, ""))
        self.assertIn("JOB_FAILED", ended.stderr)

    def test_each_error_has_its_exit_code(self):
        server = self.serve()
        unknown = "01900000-0000-7000-8000-000000000000"
        self.longshore(server, "enqueue", "T", "--job-key", "k")
        cases = [
            (["get", unknown], 3),
            (["get", "no-id"], 3),
            (["enqueue", "T", "--job-key", "k", "--on-conflict", "reject"], 4),
            (["enqueue", "not a type"], 1),
            (["enqueue", "T", "--payload", "{"], 2),
            (["enqueue", "T", "--priority", "high"], 2),
        ]
        for arguments, status in cases:
            with self.subTest(arguments):
                ended = self.longshore(server, *arguments)
                self.assertEqual(ended.returncode, status, ended.stderr)
                self.assertTrue(ended.stderr.startswith("error: "), ended.stderr)
                self.assertEqual(ended.stdout, "")
        away = harness.run("get", unknown, "--server", "http://127.0.0.1:1")
        self.assertEqual(away.returncode, 69)


if __name__ == "__main__":
    unittest.main()
