"""Requests that became jobs (profile endpoints)."""

import json
import os
import threading
import unittest

from profile_case import FAILURE, ProfileCase, Stream, later, moment, written

REQUEST = {
    "method": "POST",
    "path": "/reports/7",
    "headers": {"accept": ["application/json", "text/plain"]},
    "routeParams": {"id": 7},
    "queryParams": [{"name": "part", "values": ["a", "b"]}, {"name": "full", "values": []}],
}


class Endpoints(ProfileCase):
    profile = "endpoints"
    state_name = "Status"

    # ---- Statuses

    def test_a_new_job_is_queued_and_can_be_claimed(self):
        job = self.enqueue()
        self.assertEqual(self.word(job), "Queued")
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_queued_job_is_canceled_when_it_expires(self):
        job = self.enqueue(expiresAt=written(later(2)))
        self.assertEqual(self.server.ended(job)["status"], "CANCELED")
        self.assertEqual(self.details(job)["error"]["code"], "EXPIRED")

    def test_a_failed_attempt_is_scheduled_until_its_delay_is_over(self):
        job, token = self.held()
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "Scheduled")
        self.assertEqual(self.lease(), [])
        self.becomes(job, "QUEUED")
        self.assertEqual(self.word(job), "Queued")
        due = [move for move in self.history(job) if move["to"] in ("RETRY", "QUEUED")][-2:]
        waited = moment(due[1]["at"]) - moment(due[0]["at"])
        self.assertGreaterEqual(waited.total_seconds(), 2)
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_job_for_later_is_scheduled(self):
        job = self.enqueue(delaySeconds=1)
        self.assertEqual(self.word(job), "Scheduled")
        self.assertEqual(self.lease(waitSeconds=30)[0]["jobId"], job)

    def test_a_claimed_job_is_in_progress_and_owned_by_its_worker(self):
        job, token = self.held()
        self.assertEqual(self.word(job), "InProgress")
        self.assertEqual(self.details(job)["lease"]["workerId"], "w")
        self.ok(self.settle("complete", job, token))
        self.assertIsNone(self.details(job)["lease"])

    def test_a_completed_job_has_its_result(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token, result={"rows": 3}))
        self.assertEqual(self.word(job), "Completed")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"rows": 3})

    def test_a_failed_job_keeps_its_error(self):
        job, token = self.held()
        error = {"code": "E1", "message": "no paper", "details": {"tray": 2}}
        self.fail_job(job, token, error=error, retryable=False)
        self.assertEqual(self.word(job), "Failed")
        self.assertEqual(self.details(job)["error"], error)

    def test_every_status_can_be_canceled(self):
        for state in ("SCHEDULED", "QUEUED", "WAITING", "RETRY", "SUCCESS", "DEAD"):
            with self.subTest(state):
                self.name = f"cancel-{state}"
                job, _ = self.job_in(state)
                self.ok(self.post(f"/jobs/{job}/cancel"))
                self.assertEqual(self.word(job), "Canceled")
        job, token = self.held()
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "Canceled")

    def test_a_canceled_job_is_processed_no_further(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel"))
        self.assertEqual(self.lease(), [])

    def test_a_cancel_reaches_a_job_in_progress(self):
        self.case.script("slow", "exec sleep 600\n")
        self.work("--queue", self.name, "--exec", "SLOW=./slow")
        job = self.enqueue(jobType="SLOW")
        self.becomes(job, "RUNNING")
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        asked = later(0)
        self.assertEqual(self.server.ended(job)["status"], "CANCELED")
        took = moment(self.details(job)["completedAt"]) - asked
        self.assertLess(took.total_seconds(), 6)

    def test_a_canceled_job_can_be_reset(self):
        job, _ = self.job_in("CANCELED")
        self.assertEqual(self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"], job)
        self.assertEqual(self.word(job), "Queued")
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_canceled_job_is_not_reset_for_later(self):
        # The list has no transition from Canceled to Scheduled.
        job, _ = self.job_in("CANCELED")
        self.before = self.details(job)
        answer = self.post(f"/jobs/{job}/redrive", {"delaySeconds": 3600})
        self.assert_refused_unchanged(job, answer, "WRONG_STATE")

    # ---- Each transition of the list

    def test_from_queued_to_completed(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/resolve", {"result": 1}))
        self.assertEqual(self.word(job), "Completed")

    def test_from_queued_to_failed(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/resolve", {"error": FAILURE}))
        self.assertEqual(self.word(job), "Failed")

    def test_from_queued_to_canceled(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel"))
        self.assertEqual(self.word(job), "Canceled")

    def test_from_queued_to_scheduled(self):
        job = self.enqueue(jobKey="k")
        self.assertEqual(self.word(job), "Queued")
        self.assertEqual(self.enqueue(jobKey="k", onConflict="replace", delaySeconds=60), job)
        self.assertEqual(self.word(job), "Scheduled")

    def test_from_scheduled_to_queued_and_canceled(self):
        jobs = [self.enqueue(delaySeconds=3600) for _ in range(2)]
        self.ok(self.post(f"/jobs/{jobs[0]}/promote"))
        self.ok(self.post(f"/jobs/{jobs[1]}/cancel"))
        self.assertEqual([self.word(job) for job in jobs], ["Queued", "Canceled"])

    def test_from_in_progress_to_every_end_and_to_scheduled(self):
        ends = {
            "Completed": lambda job, token: self.settle("complete", job, token),
            "Failed": lambda job, token: self.settle(
                "fail", job, token, error=FAILURE, retryable=False
            ),
            "Scheduled": lambda job, token: self.settle("fail", job, token, error=FAILURE),
            "Canceled": lambda job, _: self.post(f"/jobs/{job}/cancel", {"force": True}),
        }
        for word, end in ends.items():
            with self.subTest(word):
                self.name = f"end-{word}"
                job, token = self.held()
                self.ok(end(job, token))
                self.assertEqual(self.word(job), word)

    def test_from_failed_to_queued(self):
        job, _ = self.job_in("DEAD")
        self.assertEqual(self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"], job)
        self.assertEqual(self.word(job), "Queued")

    def test_from_failed_to_scheduled(self):
        soon = written(later(3600))
        for body in ({"delaySeconds": 3600}, {"runAt": soon}):
            with self.subTest(body):
                self.name = f"later-{sorted(body)[0]}"
                job, _ = self.job_in("DEAD")
                again = self.ok(self.post(f"/jobs/{job}/redrive", body), 202)
                self.assertEqual(again["jobId"], job)
                self.assertEqual(self.word(job), "Scheduled")
                self.assertEqual(self.lease(), [])

    def test_from_failed_and_completed_to_canceled(self):
        for state in ("DEAD", "SUCCESS"):
            with self.subTest(state):
                self.name = f"late-{state}"
                job, _ = self.job_in(state)
                self.ok(self.post(f"/jobs/{job}/cancel"))
                self.assertEqual(self.word(job), "Canceled")

    def test_from_a_status_to_itself(self):
        job, token = self.held()
        before = self.details(job)
        self.ok(self.settle("heartbeat", job, token, progress=50))
        after = self.details(job)
        self.assertEqual(after["state"], before["state"])
        self.assertGreaterEqual(moment(after["updatedAt"]), moment(before["updatedAt"]))
        self.assertGreater(after["version"], before["version"])
        self.assertEqual(len(self.history(job)), 3)

    def test_a_transition_that_is_not_allowed_changes_nothing(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token, result=1))
        self.before = self.details(job)
        for path, body in (("redrive", {}), ("promote", {}), ("resolve", {"error": FAILURE})):
            self.assertEqual(self.post(f"/jobs/{job}/{path}", body).status, 409, path)
        self.assert_refused_unchanged(
            job, self.settle("fail", job, token, error=FAILURE), "ALREADY_SETTLED"
        )

    def test_status_numbers_accompany_the_names(self):
        job = self.enqueue()
        self.assertEqual(self.view(job)["StatusNumber"], 100)
        self.assertIsNotNone(self.listed(job, "100"))

    # ---- Retries

    def test_retries_wait_two_four_and_eight_seconds(self):
        job, token = self.held(maxRetries=4)
        for wait in (2, 4, 8, 16):
            self.fail_job(job, token)
            self.assertEqual(self.wait_before_retry(job), wait)
            self.assertIsNone(self.details(job)["lease"])
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.assertEqual(self.details(job)["retryCount"], 4)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "Failed")

    def test_three_retries_unless_a_job_says_otherwise(self):
        job, token = self.held()
        self.assertEqual(self.details(job)["maxRetries"], 3)
        for retries in (1, 2, 3):
            self.fail_job(job, token)
            got = self.details(job)
            self.assertEqual((self.word(job), got["retryCount"]), ("Scheduled", retries))
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.fail_job(job, token)
        got = self.details(job)
        self.assertEqual((self.word(job), got["error"]["message"]), ("Failed", "m"))
        self.assertIsNone(got["lease"])

    # ---- Timeouts

    def test_the_default_timeouts_are_half_an_hour_and_five_minutes(self):
        self.enqueue()
        (lease,) = self.lease()
        got = self.details(lease["jobId"])
        began = moment(got["startedAt"])
        self.assertEqual(got["timeoutSeconds"], 1800)
        self.assertEqual((moment(lease["deadlineAt"]) - began).total_seconds(), 1800)
        self.assertEqual((moment(got["lease"]["expiresAt"]) - began).total_seconds(), 300)

    def test_a_job_past_its_timeout_is_stopped_and_fails_with_a_timeout(self):
        self.case.script("slow", f"echo $$ > {self.case.folder}/pid; exec sleep 600\n")
        self.work("--queue", self.name, "--exec", "SLOW=./slow")
        job = self.enqueue(jobType="SLOW", timeoutSeconds=2, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.word(job), "Failed")
        self.assertEqual(self.details(job)["error"]["code"], "TIMEOUT")
        pid = int((self.case.folder / "pid").read_text())
        self.until(lambda: os.path.exists(f"/proc/{pid}"), False)

    def test_a_timeout_takes_effect_within_a_second(self):
        job, token = self.held(timeoutSeconds=1, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        claim, timeout = self.history(job)[2:4]
        took = moment(timeout["at"]) - moment(claim["at"])
        self.assertLess(took.total_seconds(), 1 + 1 + 0.5)  # half a second for a busy machine
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    def test_stuck_jobs_are_checked_every_five_minutes(self):
        # The first look was at the start, so the next one is after this test.
        job, token = self.held(lease={"leaseSeconds": 1})
        self.becomes(self.enqueue(delaySeconds=4), "QUEUED")
        self.assertEqual((self.word(job), self.details(job)["failures"]), ("InProgress", 0))
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    def test_a_claim_may_ask_for_another_time(self):
        job, _ = self.held(lease={"leaseSeconds": 60})
        got = self.details(job)
        spell = moment(got["lease"]["expiresAt"]) - moment(got["startedAt"])
        self.assertEqual(spell.total_seconds(), 60)

    # ---- What is kept of a job

    def test_the_request_is_kept_with_the_job(self):
        job = self.enqueue(payload={"title": "x"}, request=REQUEST)
        self.assertEqual(self.details(job)["request"], REQUEST)
        (lease,) = self.lease()
        self.assertEqual((lease["request"], lease["payload"]), (REQUEST, {"title": "x"}))

    def test_what_a_job_is_made_of(self):
        job, token = self.held(payload={"n": 1})
        self.fail_job(job, token)
        waiting = self.details(job)
        self.assertEqual((waiting["retryCount"], waiting["maxRetries"]), (1, 3))
        self.assertGreater(moment(waiting["runAt"]), moment(waiting["updatedAt"]))
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.ok(self.settle("complete", job, self.next_token(), result=1))
        got = self.details(job)
        self.assertEqual((got["jobId"], got["jobType"]), (job, self.name))
        self.assertEqual((got["payload"], got["result"], got["status"]), ({"n": 1}, 1, "COMPLETED"))

    def test_the_response_has_the_members_of_the_class(self):
        job = self.enqueue(payload={"title": "x"}, request=REQUEST)
        (lease,) = self.lease()
        got = self.view(job)
        large = {"Headers", "RouteParams", "QueryParams", "Payload", "Result"}
        names = (
            "Id Name Status StatusNumber Error RetryCount MaxRetries RetryDelayUntil WorkerId "
            "CreatedAt StartedAt CompletedAt LastUpdatedAt"
        )
        self.assertEqual(set(got), set(names.split()) | large | {"jobId", "state", "status"})
        self.assertEqual((got["Id"], got["Name"], got["WorkerId"]), (job, self.name, "w"))
        self.assertEqual(got["Headers"], REQUEST["headers"])
        self.assertEqual(got["RouteParams"], REQUEST["routeParams"])
        pairs = [{"Key": one["name"], "Value": one["values"]} for one in REQUEST["queryParams"]]
        self.assertEqual(got["QueryParams"], pairs)
        self.assertEqual(json.loads(got["Payload"]), {"title": "x"})
        self.assertEqual((got["Result"], got["Error"], got["CompletedAt"]), (None, None, None))
        small = {name: value for name, value in got.items() if name not in large}
        self.assertEqual(self.listed(job), small)
        self.fail_job(job, lease["leaseToken"], retryAfterSeconds=60)
        got = self.view(job)
        self.assertEqual(got["RetryDelayUntil"], self.details(job)["runAt"])
        self.assertEqual((got["Error"]["Message"], got["WorkerId"]), ("m", None))
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.ok(self.settle("complete", job, self.next_token(), result={"rows": 3}))
        self.assertEqual(json.loads(self.view(job)["Result"]), {"rows": 3})

    def test_its_state_names_filter_jobs_and_describe_transitions(self):
        job, token = self.held(maxRetries=1)
        self.assertIsNotNone(self.listed(job, "InProgress"))
        self.assertIsNone(self.listed(job, "Queued,Scheduled,Completed,Failed,Canceled"))
        self.fail_job(job, token, retryAfterSeconds=0)
        self.fail_job(job, self.next_token())
        self.assertIsNotNone(self.listed(job, "Failed,Canceled"))
        told = [(None, "Queued"), ("Queued", "InProgress"), ("InProgress", "Scheduled"),
                ("Scheduled", "Queued"), ("Queued", "InProgress"),
                ("InProgress", "Failed")]  # fmt: skip
        self.assertEqual(self.told_moves(job), told)
        self.assertEqual(self.followed(job), told)

    # ---- Concurrency

    def test_a_worker_runs_as_many_jobs_as_there_are_processors(self):
        processors = os.cpu_count()
        self.case.script("slow", "exec sleep 600\n")
        self.work("--queue", self.name, "--exec", "SLOW=./slow")
        jobs = [self.enqueue(jobType="SLOW") for _ in range(processors + 1)]
        for job in jobs[:processors]:
            self.becomes(job, "RUNNING")
        self.assertEqual(self.word(jobs[-1]), "Queued")
        workers = self.ok(self.get("/workers"))["workers"]
        held = [one for one in workers if set(one["jobs"]) & set(jobs)]
        self.assertEqual([one["slots"] for one in held], [processors])

    def test_a_worker_keeps_within_its_limit(self):
        self.case.script("slow", "exec sleep 600\n")
        self.work("--queue", self.name, "--exec", "SLOW=./slow", "--concurrency", 1)
        jobs = [self.enqueue(jobType="SLOW") for _ in range(2)]
        self.becomes(jobs[0], "RUNNING")
        self.assertEqual(self.word(jobs[1]), "Queued")

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

    def test_times_are_stored(self):
        job, token = self.held()
        self.assertNotIn("completedAt", self.details(job))
        self.ok(self.settle("complete", job, token))
        got = self.details(job)
        times = [moment(got[t]) for t in ("createdAt", "startedAt", "completedAt", "updatedAt")]
        self.assertEqual(times, sorted(times))

    def test_each_transition_is_reported_with_its_time(self):
        job, token = self.held()
        self.fail_job(job, token)
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.ok(self.settle("complete", job, self.next_token(), result=1))
        with Stream(self.server.port, f"/jobs/{job}/events") as stream:
            told = [json.loads(event["data"]) for event in stream.rest()]
        self.assertEqual(
            [move["to"] for move in told],
            ["CREATED", "QUEUED", "RUNNING", "RETRY", "QUEUED", "RUNNING", "SUCCESS"],
        )
        self.assertEqual([move["at"] for move in told], [row["at"] for row in self.history(job)])
        self.assertEqual(told[3]["error"], FAILURE)
        self.assertEqual(told[-1]["status"], "COMPLETED")


class WithoutRecovery(ProfileCase):
    """A node that leaves stuck jobs to others, and judges deadlines all the same."""

    profile = "endpoints"
    arguments = ("--recovery", "off")

    def test_deadlines_apply_where_recovery_is_off(self):
        job, _ = self.held(timeoutSeconds=1, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.details(job)["error"]["code"], "TIMEOUT")


class WithoutRecoveryEverySecond(ProfileCase):
    """The same under rules that look for lost leases every second: nothing is taken back."""

    profile = "scheduler"
    arguments = ("--recovery", "off")

    def test_no_job_is_reclaimed_where_recovery_is_off(self):
        job, _ = self.held(lease={"leaseSeconds": 1})
        clock = self.enqueue(delaySeconds=4)  # four looks later
        self.becomes(clock, "QUEUED")
        self.assertEqual(self.state(job), "RUNNING")
        self.assertEqual(self.details(job)["crashes"], 0)


if __name__ == "__main__":
    unittest.main()
