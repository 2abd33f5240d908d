"""Requests that became jobs (profile endpoints)."""

import threading
import unittest

from source import FAILURE, Source, moment

REQUEST = {
    "method": "POST",
    "path": "/reports/7",
    "headers": {"accept": ["application/json", "text/plain"]},
    "routeParams": {"id": 7},
    "queryParams": [{"name": "part", "values": ["a", "b"]}, {"name": "full", "values": []}],
}


class Endpoints(Source):
    profile = "endpoints"
    rules = {"sweepSeconds": 0.2}

    def status(self, job):
        got = self.ok(self.get(f"/jobs/{job}/details?view=endpoints"))
        return got["state"]

    # ---- Statuses

    def test_a_new_job_is_queued_and_can_be_claimed(self):
        job = self.enqueue()
        self.assertEqual(self.status(job), "Queued")
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_queued_job_may_be_canceled_or_completed(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel"))
        self.assertEqual(self.status(job), "Canceled")
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/resolve", {"result": 1}))
        self.assertEqual(self.status(job), "Completed")

    def test_a_failed_attempt_is_scheduled_until_its_delay_is_over(self):
        job, token = self.held()
        self.fail_job(job, token, retryAfterSeconds=0.3)
        self.assertEqual(self.status(job), "Scheduled")
        self.assertEqual(self.lease(), [])
        self.becomes(job, "QUEUED")
        self.assertEqual(self.status(job), "Queued")

    def test_a_claimed_job_is_in_progress_and_its_workers(self):
        job, _ = self.held()
        self.assertEqual(self.status(job), "InProgress")
        self.assertEqual(self.details(job)["lease"]["workerId"], "w")

    def test_a_completed_job_has_its_result(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token, result={"rows": 3}))
        self.assertEqual(self.status(job), "Completed")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"rows": 3})

    def test_a_failed_job_keeps_its_error(self):
        job, token = self.held()
        error = {"code": "E1", "message": "no paper", "details": {"tray": 2}}
        self.fail_job(job, token, error=error, retryable=False)
        self.assertEqual(self.status(job), "Failed")
        self.assertEqual(self.details(job)["error"], error)

    def test_every_status_can_be_canceled(self):
        for state in ("SCHEDULED", "QUEUED", "WAITING", "RETRY", "SUCCESS", "DEAD"):
            with self.subTest(state):
                self.name = f"cancel-{state}"
                job, _ = self.job_in(state)
                self.ok(self.post(f"/jobs/{job}/cancel"))
                self.assertEqual(self.status(job), "Canceled")
        job, token = self.held()
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        self.fail_job(job, token)
        self.assertEqual(self.status(job), "Canceled")

    def test_a_canceled_job_is_processed_no_further(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel"))
        self.assertEqual(self.lease(), [])

    def test_failed_and_canceled_jobs_can_be_taken_up_again(self):
        for state in ("DEAD", "CANCELED"):
            with self.subTest(state):
                self.name = f"reset-{state}"
                job, _ = self.job_in(state)
                self.assertEqual(self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"], job)
                self.assertEqual(self.status(job), "Queued")

    def test_numbers_stand_beside_the_words(self):
        job = self.enqueue()
        body = self.ok(self.get(f"/jobs/{job}/details?view=endpoints"))
        self.assertIn(100, body.values())

    # ---- Which transitions are allowed

    def test_a_transition_that_is_not_allowed_changes_nothing(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token, result=1))
        before = self.details(job)
        self.assertEqual(self.post(f"/jobs/{job}/redrive").status, 409)
        self.assertEqual(self.post(f"/jobs/{job}/promote").status, 409)
        self.assertEqual(self.settle("fail", job, token, error=FAILURE).status, 409)
        self.assertEqual(self.details(job), before)

    # ---- Retries

    def test_two_four_eight_seconds(self):
        job, token = self.held(maxRetries=4)
        for wait in (2, 4, 8, 16):
            self.fail_job(job, token)
            got = self.details(job)
            self.assertEqual(
                (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), wait
            )
            self.assertIsNone(got["lease"])
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.assertEqual(self.details(job)["retryCount"], 4)
        self.fail_job(job, token)
        self.assertEqual(self.status(job), "Failed")

    def test_three_retries_unless_a_job_says_otherwise(self):
        self.assertEqual(self.details(self.enqueue())["maxRetries"], 3)

    # ---- Timeouts

    def test_half_an_hour_and_five_minutes(self):
        job, _ = self.held()
        got = self.details(job)
        self.assertEqual(got["timeoutSeconds"], 1800)
        spell = moment(got["lease"]["expiresAt"]) - moment(got["startedAt"])
        self.assertEqual(spell.total_seconds(), 300)

    def test_a_job_past_its_timeout_fails_with_a_timeout(self):
        job, token = self.held(timeoutSeconds=0.3, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.status(job), "Failed")
        self.assertEqual(self.details(job)["error"]["code"], "TIMEOUT")
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    # ---- Recovery

    def test_a_stuck_job_counts_as_failed_and_is_claimed_by_another_instance(self):
        job, _ = self.held(lease={"leaseSeconds": 1}, backoff={"kind": "none"})
        (lease,) = self.lease(waitSeconds=30, workerId="another")
        self.assertEqual(lease["jobId"], job)
        got = self.details(job)
        self.assertEqual((got["failures"], got["retryCount"]), (1, 1))

    def test_a_stuck_job_without_retries_is_failed(self):
        job, _ = self.held(lease={"leaseSeconds": 1}, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.status(job), "Failed")

    # ---- What is kept of a job

    def test_the_request_is_kept_with_the_job(self):
        job = self.enqueue(payload={"title": "x"}, request=REQUEST)
        self.assertEqual(self.details(job)["request"], REQUEST)
        (lease,) = self.lease()
        self.assertEqual((lease["request"], lease["payload"]), (REQUEST, {"title": "x"}))

    def test_what_a_job_is_made_of(self):
        job, token = self.held()
        self.fail_job(job, token, retryAfterSeconds=0)
        self.ok(self.settle("complete", job, self.next_token(), result=1))
        got = self.details(job)
        for member in (
            "jobId jobType status payload result retryCount maxRetries createdAt startedAt "
            "completedAt updatedAt"
        ).split():
            self.assertIn(member, got)

    # ---- Concurrency

    def test_claims_are_atomic(self):
        jobs = {self.enqueue() for _ in range(20)}
        taken = []

        def take(worker):
            body = {"workerId": worker, "queues": [self.name], "maxJobs": 4}
            while leases := self.server.post("/leases", body).json["leases"]:
                taken.extend(one["jobId"] for one in leases)

        takers = [threading.Thread(target=take, args=(f"w{i}",)) for i in range(5)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        self.assertEqual(sorted(taken), sorted(jobs))

    # ---- Times and events

    def test_times_are_kept(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        got = self.details(job)
        times = [moment(got[t]) for t in ("createdAt", "startedAt", "completedAt", "updatedAt")]
        self.assertEqual(times, sorted(times))

    def test_each_stage_is_told_with_its_time(self):
        job, token = self.held()
        self.fail_job(job, token, retryAfterSeconds=0)
        self.ok(self.settle("complete", job, self.next_token()))
        rows = self.history(job)
        self.assertEqual(
            [row["to"] for row in rows],
            ["CREATED", "QUEUED", "RUNNING", "RETRY", "QUEUED", "RUNNING", "SUCCESS"],
        )
        self.assertTrue(all(moment(row["at"]) for row in rows))


if __name__ == "__main__":
    unittest.main()
