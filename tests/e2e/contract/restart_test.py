"""What survives the kill of a server, and what the next server does first."""

import signal
import threading
import unittest
from http.client import HTTPException

import contract
import harness
from contract import moment


class Restarting(contract.Contract):
    """Each test kills the server and keeps the store."""

    def restart(self, wait_until=None, *arguments):
        self.connection.close()
        self.server.stop(signal.SIGKILL)
        if wait_until:
            contract.clock_passes(wait_until)  # the lease must expire while no server runs
        type(self).start(*arguments)

    def test_accepted_jobs_survive_a_kill(self):
        jobs = {state: None for state in (
            "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD", "CANCELED", "QUEUED", "SCHEDULED")
        }  # fmt: skip
        for state in jobs:
            jobs[state], _ = self.job_in(state, payload={"p": state}, idempotencyKey=f"k-{state}")
        before = {job: self.details(job) for job in jobs.values()}
        histories = {job: self.history(job) for job in jobs.values()}
        self.restart()
        for state, job in jobs.items():
            with self.subTest(state):
                self.assertEqual(self.details(job), before[job])
                self.assertEqual(self.history(job), histories[job])
                again = self.post("/jobs", {"jobType": "other", "idempotencyKey": f"k-{state}"})
                self.assertEqual(self.ok(again, 202)["jobId"], job)

    def test_nothing_acknowledged_is_lost_when_the_server_is_killed_at_work(self):
        accepted = []
        enough = threading.Event()

        def produce(number):
            try:
                with self.server.connect() as connection:
                    for count in range(10_000):
                        body = {"jobType": "T", "queue": self.name, "payload": [number, count]}
                        answer = connection.call("POST", "/jobs", body)
                        accepted.append((answer.json["jobId"], [number, count]))
                        if len(accepted) >= 200:
                            enough.set()
            except (OSError, HTTPException):
                pass  # killed

        threads = [threading.Thread(target=produce, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        self.assertTrue(enough.wait(30), len(accepted))
        self.server.process.kill()
        for thread in threads:
            thread.join(30)
        self.restart()
        stored = {one["jobId"]: one["payload"] for one in self.lease(maxJobs=1000)}
        while leases := self.lease(maxJobs=1000):
            stored.update((one["jobId"], one["payload"]) for one in leases)
        for job, payload in accepted:
            self.assertEqual(stored.get(job), payload)
        self.assertEqual(self.ok(self.post("/check"))["findings"], [])

    def test_a_valid_lease_survives_a_restart(self):
        job, token = self.held(lease={"leaseSeconds": 600})
        self.restart()
        self.assertEqual(self.lease(), [])
        self.ok(self.settle("heartbeat", job, token))
        self.ok(self.settle("complete", job, token, result=1))

    def test_a_settled_job_answers_a_repeat_as_before(self):
        job, token = self.held()
        first = self.settle("complete", job, token, result=1)
        self.restart()
        again = self.settle("complete", job, token, result=1)
        self.assertEqual((again.status, again.body), (first.status, first.body))

    def test_a_lease_that_expired_during_downtime_is_extended_once(self):
        job = self.enqueue()
        (lease,) = self.lease(leaseSeconds=2)
        self.restart(moment(lease["leaseExpiresAt"]))
        self.assertEqual(self.state(job), "RUNNING", (lease["leaseExpiresAt"], self.history(job)))
        self.assertEqual(self.details(job)["crashes"], 0)
        self.ok(self.settle("complete", job, lease["leaseToken"], result=1))

    def test_the_same_request_gets_the_same_leases(self):
        self.enqueue()
        first = self.lease(requestId="again", leaseSeconds=600)
        self.restart()
        self.assertEqual(self.lease(requestId="again", leaseSeconds=600), first)

    def test_a_pause_survives_a_restart(self):
        self.enqueue()
        self.ok(self.post(f"/queues/{self.name}/pause"))
        self.restart()
        self.assertEqual(self.lease(), [])
        self.ok(self.post(f"/queues/{self.name}/resume"))
        self.assertEqual(len(self.lease()), 1)

    def test_a_job_that_became_due_during_downtime_runs(self):
        job = self.enqueue(delaySeconds=0.5)
        self.restart()
        self.assertEqual([one["jobId"] for one in self.lease(waitSeconds=20)], [job])

    def test_order_and_priority_survive_a_restart(self):
        jobs = [self.enqueue(priority=n) for n in (5, 1, 5)]
        (first,) = self.lease()
        self.ok(self.settle("release", jobs[1], first["leaseToken"]))
        self.restart()
        got = [one["jobId"] for one in self.lease(maxJobs=3)]
        self.assertEqual(got, [jobs[1], jobs[0], jobs[2]])

    def test_per_minute_statistics_survive_a_restart(self):
        before = self.enqueued()
        self.enqueue()
        self.until(lambda: self.enqueued() > before, True)
        seen = self.enqueued()
        self.connection.close()
        self.assertEqual(self.server.stop(), 0)
        type(self).start()
        self.assertGreaterEqual(self.enqueued(), seen)
        self.enqueue()
        self.until(lambda: self.enqueued() > seen, True)

    def enqueued(self):
        return sum(minute["enqueued"] for minute in self.ok(self.get("/stats"))["minutes"])

    def test_another_profile_refuses_to_start(self):
        self.connection.close()
        self.assertEqual(self.server.stop(), 0)
        ended = harness.run(
            "serve", "--store", self.case.store, "--listen", "127.0.0.1:0", "--profile", "basic"
        )
        type(self).start()
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("native", ended.stderr)


class Policies(contract.Contract):
    """Settings of queues and types in longshore.toml."""

    SETTINGS = """
[queues.slow]
maxRetries = 1
timeoutSeconds = 11
maxRunning = 1
[queues.slow.backoff]
kind = "fixed"
baseSeconds = 9
[types.big]
maxRetries = 2
[types.few]
maxRunning = 2
[queues.short.retention]
success = "1s"
canceled = "1s"
dead = "1s"
"""

    @classmethod
    def setUpClass(cls):
        cls.case = harness.Case()
        cls.case.setUp()
        (cls.case.folder / "longshore.toml").write_text(cls.SETTINGS)
        cls.start()

    def test_job_field_over_type_over_queue_over_default(self):
        plain = self.details(self.enqueue(queue="slow", jobType="plain", delaySeconds=99))
        self.assertEqual((plain["maxRetries"], plain["timeoutSeconds"]), (1, 11))
        self.assertEqual(plain["backoff"]["kind"], "fixed")
        self.assertEqual(plain["backoff"]["baseSeconds"], 9)
        typed = self.details(self.enqueue(queue="slow", jobType="big", delaySeconds=99))
        self.assertEqual((typed["maxRetries"], typed["timeoutSeconds"]), (2, 11))
        own = {"maxRetries": 7, "timeoutSeconds": 5, "backoff": {"kind": "none"}}
        job = self.enqueue(queue="slow", jobType="big", delaySeconds=99, **own)
        got = self.details(job)
        self.assertEqual((got["maxRetries"], got["timeoutSeconds"]), (7, 5))
        self.assertEqual(got["backoff"]["kind"], "none")
        other = self.details(self.enqueue(queue="other", jobType="plain", delaySeconds=99))
        self.assertEqual((other["maxRetries"], other["timeoutSeconds"]), (3, 1800))

    def test_at_most_max_running_of_a_queue(self):
        one, two = self.enqueue(queue="slow"), self.enqueue(queue="slow")
        leases = self.lease(queues=["slow"], maxJobs=5)
        self.assertEqual([lease["jobId"] for lease in leases], [one])
        self.assertEqual(self.lease(queues=["slow"]), [])
        self.ok(self.settle("handoff", one, leases[0]["leaseToken"]))
        leases = self.lease(queues=["slow"], maxJobs=5)
        self.assertEqual([lease["jobId"] for lease in leases], [two])

    def test_at_most_max_running_of_a_type_in_all_queues(self):
        for number in range(3):
            self.enqueue(jobType="few", queue=f"{self.name}-{number}")
        queues = [f"{self.name}-{number}" for number in range(3)]
        leases = self.lease(queues=queues, maxJobs=5)
        self.assertEqual(len(leases), 2)
        self.enqueue(jobType="many", queue=queues[2])
        self.assertEqual(len(self.lease(queues=queues, maxJobs=5)), 1)
        done = leases[0]
        self.ok(self.settle("complete", done["jobId"], done["leaseToken"]))
        self.assertEqual(len(self.lease(queues=queues, maxJobs=5, waitSeconds=20)), 1)

    def test_a_pruned_job_is_404_its_key_still_answers_and_live_ones_stay(self):
        self.name = "short"
        kept = self.enqueue(delaySeconds=3600)
        job, token = self.held(idempotencyKey="outlives")
        self.ok(self.settle("complete", job, token))
        self.until(lambda: self.get(f"/jobs/{job}").status, 404, 60)
        for path in ("", "/result", "/details", "/history", "/logs"):
            with self.subTest(path):
                self.assert_problem(self.get(f"/jobs/{job}{path}"), 404, "NOT_FOUND")
        again = self.post("/jobs", {"jobType": "T", "idempotencyKey": "outlives"})
        self.assertEqual(self.ok(again, 202), {"jobId": job, "status": "COMPLETED"})
        self.ok(self.get(f"/jobs/{kept}"))


if __name__ == "__main__":
    unittest.main()
