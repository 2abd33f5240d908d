"""A pool that runs jobs against a clock (profile basic)."""

import unittest

from source import Source, moment


class Basic(Source):
    profile = "basic"

    # ---- What a job is

    def test_a_request_is_answered_before_its_job_runs(self):
        job = self.enqueue(payload={"n": 1})
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["status"], "PENDING")
        self.assertEqual(self.word(job), "pending")

    def test_a_job_that_gives_a_result_is_completed(self):
        job, token = self.held(payload=[1])
        self.assertEqual(self.word(job), "running")
        self.ok(self.settle("complete", job, token, result={"sum": 3}))
        self.assertEqual(self.word(job), "completed")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"sum": 3})

    def test_what_is_stored_of_a_job(self):
        job, token = self.held(payload={"p": 1}, metadata={"team": "a"}, tags=["slow"])
        self.fail_job(job, token)
        self.ok(self.settle("complete", job, self.next_token(), result=7))
        got = self.details(job)
        self.assertGreaterEqual(got["executionMillis"], 0)
        self.assertEqual(got["retryCount"], 1)
        self.assertEqual([error["message"] for error in got["errors"]], ["m"])
        for time in ("createdAt", "startedAt", "completedAt"):
            self.assertLessEqual(moment(got["createdAt"]), moment(got[time]))
        self.assertEqual((got["jobType"], got["payload"]), (self.name, {"p": 1}))
        self.assertEqual((got["result"], got["status"]), (7, "COMPLETED"))
        self.assertEqual((got["metadata"], got["tags"]), ({"team": "a"}, ["slow"]))

    # ---- Retries

    def test_three_retries_and_then_it_is_dead(self):
        job, token = self.held()
        for retries in (1, 2, 3):
            self.fail_job(job, token)
            token = self.next_token()
            self.assertEqual(self.details(job)["retryCount"], retries)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "dead")
        got = self.details(job)
        self.assertEqual((got["failures"], got["attempt"], got["retryCount"]), (4, 4, 3))
        self.assertIn("completedAt", got)

    def test_half_a_minute_is_what_a_job_gets(self):
        self.assertEqual(self.details(self.enqueue())["timeoutSeconds"], 30)

    def test_a_job_that_takes_too_long_fails_and_runs_again_at_once(self):
        job, _ = self.held(timeoutSeconds=0.3)
        self.next_token()
        moves = self.history(job)
        timeout = next(move for move in moves if move["cause"] == "timeout")
        queued = moves[moves.index(timeout) + 1]
        self.assertEqual((timeout["to"], queued["to"]), ("RETRY", "QUEUED"))
        self.assertEqual(timeout["at"], queued["at"])
        self.assertEqual(self.details(job)["failures"], 1)

    def test_too_many_timeouts_are_a_death(self):
        job = self.enqueue(timeoutSeconds=0.2)
        for _ in range(4):
            self.next_token()
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((self.word(job), got["error"]["code"]), ("dead", "TIMEOUT"))

    # ---- What is no failure

    def test_a_lost_worker_is_no_failure(self):
        job, _ = self.held(lease={"leaseSeconds": 1})
        self.next_token()
        got = self.details(job)
        self.assertEqual((got["failures"], got["crashes"], got["retryCount"]), (0, 1, 0))
        self.assertNotIn("error", got)

    def test_any_number_of_lost_workers_is_no_failure(self):
        job = self.enqueue()
        for _ in range(7):
            self.next_token(leaseSeconds=1)
        self.assertEqual(self.details(job)["crashes"], 6)
        self.assertEqual(self.word(job), "running")

    def test_what_ran_when_the_system_ended_runs_anew_and_clean(self):
        job, token = self.held(lease={"leaseSeconds": 600})
        self.ok(self.settle("heartbeat", job, token, checkpoint={"half": 1}))
        self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["checkpoint"]), (job, None))
        got = self.details(job)
        self.assertEqual((got["failures"], got["crashes"]), (0, 0))
        self.assertEqual(self.settle("complete", job, token).status, 409)


class Stuck(Source):
    profile = "basic"
    rules = {"stuckAfterSeconds": 0.3, "sweepSeconds": 0.1}

    def test_a_job_that_nobody_starts_is_noticed(self):
        job = self.enqueue()
        self.until(lambda: "stuck" in self.reasons(job), True)
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)

    def test_failure_is_reached_from_running_alone(self):
        job, token = self.held()
        self.fail_job(job, token, retryable=False)
        moves = [move["to"] for move in self.history(job)]
        self.assertEqual(moves[-3:], ["RUNNING", "RETRY", "DEAD"])

    def reasons(self, job):
        return [reason["code"] for reason in self.ok(self.get(f"/jobs/{job}/explain"))["reasons"]]


class StuckBesideAPool(Source):
    """A node that runs handlers itself answers for what nobody else starts."""

    profile = "basic"
    rules = {"stuckAfterSeconds": 0.5, "sweepSeconds": 0.1}
    arguments = ("--pool",)

    @classmethod
    def more(cls):
        cls.case.script("echo", "cat")
        return '[work.handlers.ECHO]\nexec = "./echo"\n'

    def test_a_job_that_nobody_starts_is_claimed_and_runs(self):
        # In a queue that the pool does not visit: all that has waited long enough, and no other.
        job = self.enqueue(jobType="ECHO", payload={"n": 1})
        self.assertEqual(self.server.ended(job)["status"], "COMPLETED")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"n": 1})
        self.assert_waited(job)
        self.assertEqual(self.details(job)["failures"], 0)

    def test_a_job_that_nobody_can_run_fails_from_running(self):
        job = self.enqueue()
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((got["failures"], got["attempt"], got["retryCount"]), (4, 4, 3))
        self.assertEqual({error["code"] for error in got["errors"]}, {"NO_HANDLER"})
        attempt = [("QUEUED", "due"), ("RUNNING", "claim"), ("RETRY", "fail")]
        self.assertEqual(self.moves(job)[2:], (attempt * 4)[1:] + [("DEAD", "limitExceeded")])
        self.assertEqual(self.word(job), "dead")
        self.assert_waited(job)

    def assert_waited(self, job):
        """Each start came so long after the job became free, and by the pool."""
        moves = self.history(job)
        for before, start in zip(moves, moves[1:]):
            if start["to"] == "RUNNING":
                waited = moment(start["at"]) - moment(before["at"])
                self.assertGreaterEqual(waited.total_seconds(), 0.5)
                self.assertTrue(start["workerId"].startswith("pool:"), start)


if __name__ == "__main__":
    unittest.main()
