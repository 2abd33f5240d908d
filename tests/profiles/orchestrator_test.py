"""A control plane that records intent (profile orchestrator)."""

import threading
import unittest

from source import Source, moment

KEY = "req_550e8400-e29b-41d4-a716-446655440000"
PUBLIC = {"jobId", "jobType", "status", "createdAt", "updatedAt"}


class Orchestrator(Source):
    profile = "orchestrator"

    def post_job(self, **fields):
        return self.post("/jobs", {"jobType": self.name, "queue": self.name, **fields})

    def running(self, **fields):
        """A job in our hands, and its token; it takes two commits to get there."""
        job = self.enqueue(**fields)
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)
        return job, lease["leaseToken"]

    # ---- The invariants

    def test_what_is_stored_survives_every_restart(self):
        job, token = self.running()
        self.ok(self.settle("heartbeat", job, token, checkpoint={"page": 3}))
        before = self.details(job)
        self.again()
        after = self.details(job)
        self.assertEqual((after["state"], after["epoch"]), ("RUNNING", before["epoch"]))
        self.assertEqual(after["checkpoint"], {"page": 3})
        self.ok(self.settle("complete", job, token))

    def test_a_job_of_a_crashed_worker_goes_on_from_what_was_stored(self):
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=30, leaseSeconds=1)
        self.ok(self.settle("heartbeat", job, lease["leaseToken"], checkpoint={"page": 3}))
        (second,) = self.lease(waitSeconds=30)
        self.assertEqual((second["jobId"], second["checkpoint"]), (job, {"page": 3}))
        late = self.settle("complete", job, lease["leaseToken"])
        self.assert_problem(late, 409, "LEASE_LOST")

    # ---- The states and their table

    def test_a_job_is_created_first_and_accepted_in_a_second_step(self):
        job = self.enqueue()
        self.becomes(job, "QUEUED")
        rows = self.history(job)
        self.assertEqual([row["to"] for row in rows], ["CREATED", "QUEUED"])
        self.assertEqual([row["cause"] for row in rows], ["enqueue", "accept"])

    def test_a_created_job_is_not_eligible(self):
        job = self.enqueue(delaySeconds=3600)
        self.assertEqual(self.word(job), "CREATED")
        self.assertEqual(self.lease(), [])

    def test_the_path_of_a_success(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(states, ["CREATED", "QUEUED", "RUNNING", "SUCCESS"])

    def test_the_path_of_a_retry(self):
        job, token = self.running()
        self.fail_job(job, token, retryAfterSeconds=0.2)
        self.assertEqual(self.word(job), "RETRY")
        self.assertEqual(self.lease(), [])
        self.ok(self.settle("complete", job, self.next_token()))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(
            states, ["CREATED", "QUEUED", "RUNNING", "RETRY", "QUEUED", "RUNNING", "SUCCESS"]
        )

    def test_the_path_of_a_death(self):
        job, token = self.running(maxRetries=1)
        self.fail_job(job, token, retryAfterSeconds=0)
        self.fail_job(job, self.next_token())
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(states[-4:], ["QUEUED", "RUNNING", "RETRY", "DEAD"])
        self.assertIn(job, [one["jobId"] for one in self.ok(self.get("/dead"))["jobs"]])

    def test_a_fatal_error_is_a_death_without_retries(self):
        job, token = self.running()
        self.fail_job(job, token, retryable=False)
        self.assertEqual([row["to"] for row in self.history(job)][-2:], ["RETRY", "DEAD"])

    def test_what_the_table_does_not_list_is_refused(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        before = self.details(job)
        for verb in ("fail", "release", "handoff"):
            body = {"error": {"message": "m"}} if verb == "fail" else {}
            self.assertEqual(self.settle(verb, job, token, **body).status, 409, verb)
        for path in ("cancel", "promote", "redrive"):
            self.assertEqual(self.post(f"/jobs/{job}/{path}").status, 409, path)
        self.assertEqual(self.details(job), before)

    def test_a_job_that_must_not_run_leaves_through_the_table_too(self):
        job = self.enqueue()
        self.becomes(job, "QUEUED")
        self.ok(self.post(f"/jobs/{job}/cancel"))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(states, ["CREATED", "QUEUED", "RUNNING", "RETRY", "DEAD"])

    def test_only_the_owner_moves_a_running_job(self):
        job, token = self.running()
        stranger = token[:-1] + ("a" if token[-1] != "a" else "b")
        for verb in ("complete", "release", "heartbeat"):
            self.assert_problem(self.settle(verb, job, stranger), 409, "LEASE_LOST")
        self.ok(self.settle("complete", job, token))

    def test_a_dead_job_waits_for_a_person(self):
        job, token = self.running(maxRetries=0)
        self.fail_job(job, token)
        successor = self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"]
        self.assertNotEqual(successor, job)
        self.assertEqual(self.state(job), "DEAD")

    # ---- POST /jobs

    def test_a_first_request_is_recorded_and_pending(self):
        answer = self.post_job(payload={"to": "user@example.com"}, idempotencyKey=KEY + self.name)
        body = self.ok(answer, 202)
        self.assertEqual(set(body), {"jobId", "status"})
        self.assertEqual(body["status"], "PENDING")
        self.again()
        self.assertEqual(self.details(body["jobId"])["payload"], {"to": "user@example.com"})

    def test_a_repeat_cannot_be_told_from_the_first(self):
        first = self.post_job(payload=1, idempotencyKey=KEY + self.name)
        again = self.post_job(payload=1, idempotencyKey=KEY + self.name)
        self.assertEqual((again.status, again.json), (first.status, first.json))
        unlike = {"Date", "X-Request-Id"}
        told = [{k: v for k, v in one.headers.items() if k not in unlike} for one in (first, again)]
        self.assertEqual(told[0], told[1])

    def test_a_repeat_tells_the_status_of_now(self):
        job, token = self.running(idempotencyKey=KEY + self.name)
        self.ok(self.settle("complete", job, token))
        body = self.ok(self.post_job(idempotencyKey=KEY + self.name), 202)
        self.assertEqual(body, {"jobId": job, "status": "COMPLETED"})

    def test_requests_at_once_make_one_job(self):
        answers = []

        def ask():
            body = {"jobType": self.name, "queue": self.name, "idempotencyKey": KEY + self.name}
            answers.append(self.server.post("/jobs", body))

        askers = [threading.Thread(target=ask) for _ in range(16)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)

    def test_a_crash_after_the_insert_makes_no_second_job(self):
        job = self.enqueue(idempotencyKey=KEY + self.name)
        self.again()
        self.assertEqual(self.enqueue(idempotencyKey=KEY + self.name), job)

    def test_a_job_that_a_crash_left_created_is_accepted_later(self):
        job = self.enqueue()
        self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)

    # ---- GET /jobs/{jobId}

    def test_what_is_shown_and_what_never_is(self):
        job, token = self.running(payload={"secret": 1})
        got = self.ok(self.get(f"/jobs/{job}"))
        self.assertTrue(PUBLIC <= set(got), got)
        self.assertTrue(set(got) <= PUBLIC | {"runAt", "startedAt"}, got)
        self.fail_job(job, token, error={"message": "m", "details": {"stack": "at line 1"}})
        body = self.get(f"/jobs/{job}").body
        for hidden in ("secret", "stack", "retryCount", "workerId", "lease", "attempt"):
            self.assertNotIn(hidden, body)

    def test_asking_changes_nothing(self):
        job = self.enqueue(delaySeconds=3600)
        self.becomes(job, "SCHEDULED")
        before = self.details(job)
        answers = {self.get(f"/jobs/{job}").body for _ in range(5)}
        self.assertEqual(len(answers), 1)
        self.assertEqual(self.details(job), before)

    def test_an_unknown_job_is_404_and_stays_unknown(self):
        unknown = "01900000-0000-7000-8000-000000000000"
        for _ in range(2):
            self.assert_problem(self.get(f"/jobs/{unknown}"), 404, "NOT_FOUND")

    # ---- Leases

    def test_a_lease_is_valid_until_it_ends(self):
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=30, leaseSeconds=1)
        got = self.details(job)["lease"]
        self.assertEqual(got["expiresAt"], lease["leaseExpiresAt"])
        (second,) = self.lease(waitSeconds=30)
        self.assertGreaterEqual(
            moment(self.ok(self.get(f"/jobs/{job}"))["startedAt"]),
            moment(lease["leaseExpiresAt"]),
        )
        self.assertGreater(second["fence"], lease["fence"])

    def test_each_acquisition_brings_one_job(self):
        for _ in range(3):
            self.enqueue()
        self.assertEqual(len(self.lease(waitSeconds=30)), 1)
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 2}
        self.fields_refused(self.post("/leases", body), "maxJobs")

    def test_workers_at_once_never_share_a_job(self):
        jobs = {self.enqueue() for _ in range(20)}
        taken = []

        def take(worker):
            body = {"workerId": worker, "queues": [self.name], "waitSeconds": 30}
            taken.extend(one["jobId"] for one in self.server.post("/leases", body).json["leases"])

        takers = [threading.Thread(target=take, args=(f"w{i}",)) for i in range(20)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        self.assertEqual(sorted(taken), sorted(jobs))

    def test_an_outcome_ends_the_lease(self):
        job, token = self.running()
        self.assertEqual(self.details(job)["lease"]["workerId"], "w")
        self.ok(self.settle("complete", job, token))
        self.assertIsNone(self.details(job)["lease"])

    def test_a_failure_counts_and_ends_the_lease(self):
        job, token = self.running()
        self.fail_job(job, token)
        got = self.details(job)
        self.assertEqual((got["retryCount"], got["lease"]), (1, None))

    def test_workers_delete_nothing(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        self.assertEqual(self.state(job), "SUCCESS")


if __name__ == "__main__":
    unittest.main()
