"""A control plane on a store that several servers share (profile orchestrator)."""

import signal
import subprocess
import tempfile
import threading
import unittest
from http.client import HTTPException
from urllib.parse import parse_qs, urlsplit

from orchestrator_case import KEY, OrchestratorCase
from profile_case import KIND, contract
from stalling_proxy import StallingProxy


class Fleet(OrchestratorCase):
    """Several servers on one store: any of them answers any request."""

    @classmethod
    def start(cls):
        super().start()
        cls.others = [cls.case.serve("--profile", cls.profile) for _ in range(2)]

    def test_any_server_serves_a_job(self):
        second, third = self.others
        job = self.enqueue(payload={"n": 1})
        (lease,) = second.lease(queues=[self.name], waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, {"n": 1}))
        body = {"leaseToken": lease["leaseToken"], "result": 7}
        self.assertEqual(third.post(f"/jobs/{job}/complete", body).status, 200)
        for server in (self.server, second, third):
            self.assertEqual(server.get(f"/jobs/{job}").json["status"], "COMPLETED")
            self.assertEqual(server.get(f"/jobs/{job}/result").json, 7)

    def test_a_retry_at_another_server_creates_no_second_job(self):
        body = {"jobType": self.name, "queue": self.name, "idempotencyKey": KEY + self.name}
        answers = [server.post("/jobs", body) for server in (self.server, *self.others)]
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)

    def test_concurrent_requests_at_several_servers_create_one_job(self):
        body = {"jobType": self.name, "queue": self.name, "idempotencyKey": KEY + self.name}
        servers = [self.server, *self.others] * 5
        answers = []
        askers = [
            threading.Thread(target=lambda one=server: answers.append(one.post("/jobs", body)))
            for server in servers
        ]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)

    def test_a_server_that_dies_loses_no_jobs(self):
        dying = self.case.serve("--profile", self.profile)
        job = dying.enqueue(self.name, queue=self.name)
        dying.stop(signal.SIGKILL)
        self.assertEqual(self.lease(waitSeconds=30)[0]["jobId"], job)


class Crash(OrchestratorCase):
    def test_a_crash_between_the_commit_and_the_response_creates_no_second_job(self):
        key = KEY + self.name
        body = {"jobType": self.name, "queue": self.name, "idempotencyKey": key, "payload": 1}
        with tempfile.TemporaryDirectory(prefix="ls-") as folder:
            proxy = StallingProxy(self.case.store, folder)
            self.addCleanup(proxy.close)
            dying = contract.harness.Server(
                proxy.url, "--profile", self.profile, cwd=self.case.folder
            )
            self.addCleanup(dying.stop, signal.SIGKILL)
            proxy.holds = lambda: self.jobs_of(key) != []
            lost = []
            asking = threading.Thread(target=self.ask_in_vain, args=(dying, body, lost))
            asking.start()
            self.assertTrue(proxy.held.wait(30), "the commit was not seen")
            self.assertTrue(asking.is_alive(), "it was answered")
            dying.stop(signal.SIGKILL)
            asking.join()
        self.assertEqual(lost, [True])
        (job,) = self.jobs_of(key)
        repeated = self.ok(self.post("/jobs", body), 202)
        self.assertEqual(repeated["jobId"], job)
        self.assertEqual(self.jobs_of(key), [job])
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, 1))
        self.assertEqual(self.lease(), [])

    def jobs_of(self, key):
        jobs = self.server.get(f"/jobs?idempotencyKey={key}").json["jobs"]
        return [one["jobId"] for one in jobs]

    def ask_in_vain(self, server, body, lost):
        try:
            server.post("/jobs", body)
        except (OSError, HTTPException):
            lost.append(True)


class Table(OrchestratorCase):
    """What PostgreSQL itself holds, asked by a client that knows nothing of Longshore."""

    def sql(self, text, **options):
        url = urlsplit(self.case.store)
        place = {name: values[0] for name, values in parse_qs(url.query).items()}
        command = ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"]
        command += ["-h", place["host"], "-U", "postgres", "postgres"]
        text = f"SET search_path = {place['schema']};\n{text}"
        return subprocess.run(command, input=text, capture_output=True, text=True, **options)

    def test_each_row_of_jobs_is_a_job_with_its_key(self):
        job, token = self.running(idempotencyKey=KEY + self.name, payload={"n": 1})
        key = KEY + self.name
        self.assertEqual(self.row(job), [job, self.name, '{"n": 1}', key, "RUNNING", "w"])
        self.ok(self.settle("complete", job, token))
        self.assertEqual(self.row(job), [job, self.name, '{"n": 1}', key, "COMPLETED", ""])

    def row(self, job):
        columns = "id, type, payload, idempotency_key, status, lease_owner"
        told = self.sql(f"SELECT {columns} FROM jobs WHERE id = '{job}'", check=True)
        return told.stdout.rstrip("\n").split("|")

    def test_the_database_itself_refuses_a_second_job_of_a_key(self):
        self.enqueue(idempotencyKey=KEY + self.name)
        told = self.sql("INSERT INTO idempotency SELECT * FROM idempotency LIMIT 1", check=False)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("duplicate key value violates unique constraint", told.stderr)

    def test_a_claim_skips_locked_rows(self):
        first, second = self.enqueue(), self.enqueue()
        for job in (first, second):
            self.becomes(job, "QUEUED")
        with self.locked(f"SELECT 1 FROM ready WHERE job = '{first}' FOR UPDATE"):
            self.assertEqual([one["jobId"] for one in self.lease()], [second])
        self.assertEqual([one["jobId"] for one in self.lease(waitSeconds=30)], [first])

    def locked(self, text):
        url = urlsplit(self.case.store)
        place = {name: values[0] for name, values in parse_qs(url.query).items()}
        return Lock(place["host"], f"SET search_path = {place['schema']}; BEGIN; {text};")


class Lock:
    """Another transaction that holds its locks until the block ends."""

    def __init__(self, host, text):
        command = ["psql", "-X", "-A", "-t", "-q", "-h", host, "-U", "postgres", "postgres"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.process.stdin.write(text + "\n\\echo held\n")
        self.process.stdin.flush()
        while (line := self.process.stdout.readline()) != "held\n":
            assert line, "psql ended"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate("ROLLBACK;\n", timeout=60)


if KIND != "postgres":
    del Table  # no other store has tables that others may read


if __name__ == "__main__":
    unittest.main()
