"""Concurrent clients, and a server that is stopped."""

import signal
import socket
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import contract
import harness
from contract import FAILURE


class Together(contract.Contract):
    def many(self, count, ask):
        """The responses of that many clients that send at the same time."""
        gate = threading.Barrier(count)

        def one(number):
            with self.server.connect() as connection:
                gate.wait(30)
                return ask(connection, number)

        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(one, range(count)))

    def test_one_idempotency_key_creates_one_job(self):
        body = {"jobType": "T", "queue": self.name, "idempotencyKey": self.name}
        answers = self.many(16, lambda one, _: one.call("POST", "/jobs", body))
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)
        self.assertEqual(len(self.lease(maxJobs=20)), 1)

    def test_one_job_key_creates_one_live_job(self):
        body = {"jobType": "T", "queue": self.name, "jobKey": "k", "onConflict": "reject"}
        answers = self.many(16, lambda one, _: one.call("POST", "/jobs", body))
        self.assertEqual(sorted(answer.status for answer in answers), [202] + [409] * 15)

    def test_no_job_is_leased_twice(self):
        jobs = [{"jobType": "T", "queue": self.name}] * 100
        self.ok(self.post("/jobs/batch", {"jobs": jobs}), 202)
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 7}

        def drain(connection, _):
            got = []
            while leases := connection.call("POST", "/leases", body).json["leases"]:
                got += [lease["jobId"] for lease in leases]
            return got

        got = sum(self.many(8, drain), [])
        self.assertEqual((len(got), len(set(got))), (100, 100))

    def test_one_outcome_is_accepted(self):
        job, token = self.held()
        path = f"/jobs/{job}/complete"
        answers = self.many(
            16, lambda one, n: one.call("POST", path, {"leaseToken": token, "result": n})
        )
        self.assertEqual(sorted(answer.status for answer in answers), [200] + [409] * 15)
        won = next(number for number, answer in enumerate(answers) if answer.status == 200)
        self.assertEqual(self.get(f"/jobs/{job}/result").json, won)

    def test_concurrent_redrives_create_one_successor(self):
        job, _ = self.job_in("DEAD")
        answers = self.many(16, lambda one, _: one.call("POST", f"/jobs/{job}/redrive"))
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)

    def test_one_request_id_gets_one_set_of_leases(self):
        for _ in range(20):
            self.enqueue()
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 2, "requestId": "r"}
        answers = self.many(8, lambda one, _: one.call("POST", "/leases", body))
        tokens = {tuple(lease["leaseToken"] for lease in a.json["leases"]) for a in answers}
        self.assertEqual(len(tokens), 1)

    def test_every_poll_of_many_gets_its_job(self):
        body = {"workerId": "w", "queues": [self.name], "waitSeconds": 60}

        def poll_or_feed(connection, number):
            if number % 2:
                return connection.call("POST", "/jobs", {"jobType": "T", "queue": self.name})
            return connection.call("POST", "/leases", body)

        answers = self.many(40, poll_or_feed)
        made = {a.json["jobId"] for a in answers if a.status == 202}
        got = [lease["jobId"] for a in answers if a.status == 200 for lease in a.json["leases"]]
        self.assertEqual((len(got), set(got)), (20, made))

    def test_a_batch_is_listed_newest_first_too(self):
        jobs = [{"jobType": "T", "queue": self.name}] * 200
        made = self.ok(self.post("/jobs/batch", {"jobs": jobs}), 202)["jobs"]
        listed = self.ok(self.get(f"/jobs?queue={self.name}&limit=500"))["jobs"]
        self.assertEqual(
            [job["jobId"] for job in listed], [job["jobId"] for job in reversed(made)]
        )


class Stopping(harness.Case):
    def test_a_poll_is_answered_and_the_exit_status_is_0(self):
        server = self.serve()
        answers = []
        body = {"workerId": "stopping", "queues": ["none"], "waitSeconds": 60}
        poll = threading.Thread(target=lambda: answers.append(server.post("/leases", body)))
        poll.start()
        with server.connect() as connection:
            deadline = time.monotonic() + harness.PATIENCE
            while "stopping" not in connection.call("GET", "/workers").body:
                self.assertFalse(answers, "the poll ended before its worker was listed")
                self.assertLess(time.monotonic(), deadline, server.log)
        self.assertEqual(server.stop(timeout=20), 0)
        poll.join(20)
        self.assertTrue(answers, "the poll was cut off")
        self.assertIn(answers[0].status, (200, 503), answers[0])

    def test_an_event_stream_ends_with_the_server(self):
        server = self.serve()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw:
            raw.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(raw.recv(65536).startswith(b"HTTP/1.1 200"))
            self.assertEqual(server.stop(timeout=20), 0)

    def test_a_store_of_a_weaker_class_starts_only_when_accepted(self):
        ended = harness.run("serve", "--store", "memory:", "--listen", "127.0.0.1:0")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        server = harness.Server("memory:", "--accept-durability", "C", cwd=self.folder)
        self.addCleanup(server.stop, signal.SIGKILL)
        self.assertEqual(server.get("/readyz").json["durability"], "C")

    def test_without_tokens_another_address_is_refused(self):
        ended = harness.run("serve", "--store", self.store, "--listen", "0.0.0.0:0")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        more = ("--allow-plaintext", "true")
        ended = harness.run("serve", "--store", self.store, "--listen", "0.0.0.0:0", *more[:1])
        self.assertEqual(ended.returncode, 1, ended.stderr)


class Ends(contract.Contract):
    """How a job ends when its attempts run out, by each way of failing."""

    def test_the_last_timeout_is_dead(self):
        job, _ = self.held(timeoutSeconds=0.2, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", "TIMEOUT"))
        self.assertEqual(self.moves(job)[-2:], [("RETRY", "timeout"), ("DEAD", "limitExceeded")])
        answer = self.get(f"/jobs/{job}/result")
        self.assert_problem(answer, 409, "JOB_FAILED")
        self.assertEqual(answer.json["error"]["code"], "TIMEOUT")

    def test_the_last_overdue_hand_off_is_dead(self):
        job, token = self.held(maxRetries=0)
        self.ok(self.settle("handoff", job, token, timeoutSeconds=0.2))
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.details(job)["error"]["code"], "TIMEOUT")
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    def test_an_expired_jobs_result_says_so(self):
        # Late enough to be accepted by a slow server.
        job = self.enqueue(expiresAt=contract.written(contract.later(2)))
        self.server.ended(job)
        answer = self.get(f"/jobs/{job}/result")
        self.assert_problem(answer, 409, "JOB_CANCELED")
        self.assertEqual(answer.json["error"]["code"], "EXPIRED")

    def test_public_times_while_a_retry_waits(self):
        job, _ = self.job_in("RETRY")
        public = self.ok(self.get(f"/jobs/{job}"))
        self.assertEqual(public["status"], "PENDING")
        self.assertIn("startedAt", public)
        self.assertNotIn("completedAt", public)
        self.assertGreater(public["runAt"], public["updatedAt"])

    def test_lost_jobs_go_to_the_back_of_their_priority(self):
        # All are queued before the lease begins, so that none comes after its end.
        lost, same, lower = (self.enqueue(priority=priority) for priority in (3, 3, 4))
        (lease,) = self.lease(leaseSeconds=1)
        self.assertEqual(lease["jobId"], lost)
        self.becomes(lost, "QUEUED")
        got = [lease["jobId"] for lease in self.lease(maxJobs=3)]
        self.assertEqual(got, [same, lost, lower])

    def test_a_failure_by_key_may_cancel(self):
        job, _ = self.held(jobKey="k")
        error = {**FAILURE, "code": "CANCELED"}
        body = self.ok(self.post(f"/types/{self.name}/keys/k/fail", {"error": error}))
        self.assertEqual(body, {"jobId": job, "status": "CANCELED"})

    def test_a_fence_is_compared_in_retry_too(self):
        job, _ = self.job_in("RETRY", jobKey="k")
        path = f"/types/{self.name}/keys/k/complete"
        self.assert_problem(self.post(path, {"result": 1, "fence": 9}), 409, "LEASE_LOST")
        self.assertEqual(self.ok(self.post(path, {"result": 1, "fence": 1}))["jobId"], job)


class Unswept(contract.Contract):
    """Sweeps run every five minutes here, so a lease can be expired and not reclaimed."""

    arguments = ("--profile", "endpoints")

    def test_an_expired_lease_is_refused_before_it_is_reclaimed(self):
        # The first sweep may run after a claim and then schedules the next one.
        for queue in ["first", "second"]:
            job = self.enqueue(queue=queue)
            (lease,) = self.lease(queues=[queue], leaseSeconds=1)
            end, token = lease["leaseExpiresAt"], lease["leaseToken"]
            contract.clock_passes(contract.moment(end))
            if self.state(job) == "RUNNING":
                break
        self.assertEqual(self.state(job), "RUNNING")
        for verb, fields in [
            ("heartbeat", {}), ("complete", {"result": 1}), ("fail", {"error": FAILURE}),
            ("release", {}), ("handoff", {}),
        ]:  # fmt: skip
            with self.subTest(verb):
                self.assert_problem(self.settle(verb, job, token, **fields), 409, "LEASE_LOST")


if __name__ == "__main__":
    unittest.main()
