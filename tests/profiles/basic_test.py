"""A pool that runs jobs against a clock (profile basic)."""

import json
import random
import signal
import threading
import unittest
from datetime import timedelta

from profile_case import KIND, LongProfileCase, ProfileCase, Stream, clock_passes, moment

TIMEOUT = 30
STUCK_AFTER = 60


class Basic(ProfileCase):
    profile = "basic"
    state_name = "status"

    # ---- What a job is

    def test_a_request_is_answered_before_its_job_runs(self):
        job = self.enqueue(payload={"n": 1})
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["status"], "PENDING")
        self.assertEqual(self.word(job), "pending")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result"), 202)["status"], "PENDING")

    def test_a_stored_job_survives_a_crash_of_the_system(self):
        job = self.enqueue(payload={"n": 1}, tags=["slow"])
        before = self.details(job)
        self.again()
        self.assertEqual(self.details(job), before)

    def test_more_workers_get_more_done_in_the_same_time(self):
        self.assertLessEqual(self.run_at_once(1), 1)
        self.assertGreater(self.run_at_once(4), 2)

    def test_a_job_that_returns_a_result_is_completed(self):
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
        times = [moment(got[time]) for time in ("createdAt", "startedAt", "completedAt")]
        self.assertEqual(times, sorted(times))
        self.assertEqual((got["jobType"], got["payload"]), (self.name, {"p": 1}))
        self.assertEqual((got["result"], got["status"]), (7, "COMPLETED"))
        self.assertEqual((got["metadata"], got["tags"]), ({"team": "a"}, ["slow"]))

    def test_the_response_has_the_metadata_of_the_document(self):
        job, token = self.held(payload={"p": 1})
        self.fail_job(job, token)
        self.ok(self.settle("complete", job, self.next_token(), result=7))
        got = self.view(job)
        names = (
            "id job_type status execution_time retries_count error_messages creation_time "
            "start_time completion_time dead_time payload result"
        )
        self.assertEqual(set(got), set(names.split()) | set("jobId state".split()))
        self.assertEqual((got["id"], got["job_type"]), (job, self.name))
        self.assertEqual((got["status"], got["retries_count"]), ("completed", 1))
        self.assertEqual((got["payload"], got["result"]), ({"p": 1}, 7))
        self.assertEqual(got["error_messages"], ["m"])
        self.assertEqual(got["completion_time"], self.details(job)["completedAt"])
        self.assertIsNone(got["dead_time"])
        listed = self.listed(job, "completed")
        self.assertEqual(set(got) - set(listed), {"error_messages", "payload", "result"})
        self.assertEqual(set(listed) - set(got), {"error_message"})
        told = [(None, "pending"), ("pending", "running"), ("running", "failed"),
                ("failed", "pending"), ("pending", "running"),
                ("running", "completed")]  # fmt: skip
        self.assertEqual(self.told_moves(job), told)
        self.assertEqual(self.followed(job), told)

    def test_jobs_can_be_filtered_by_their_sort_fields(self):
        slow = self.enqueue(tags=["slow"])
        other = self.enqueue(jobType=self.name + ".b")
        listed = self.ok(self.get(f"/jobs?queue={self.name}&tag=slow"))["jobs"]
        self.assertEqual([one["jobId"] for one in listed], [slow])
        listed = self.ok(self.get(f"/jobs?jobType={self.name}.b"))["jobs"]
        self.assertEqual([one["jobId"] for one in listed], [other])

    # ---- Retries

    def test_a_job_is_dead_after_three_retries(self):
        job, token = self.held()
        for retries in (1, 2, 3):
            self.fail_job(job, token)
            token = self.next_token()
            self.assertEqual(self.details(job)["retryCount"], retries)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "dead")
        got = self.details(job)
        self.assertEqual((got["failures"], got["attempt"], got["retryCount"]), (4, 4, 3))
        self.assertEqual([error["message"] for error in got["errors"]], ["m"] * 4)
        self.assertIn("completedAt", got)

    def test_the_default_timeout_is_half_a_minute(self):
        self.enqueue()
        (lease,) = self.lease()
        got = self.details(lease["jobId"])
        self.assertEqual(got["timeoutSeconds"], TIMEOUT)
        spell = moment(lease["deadlineAt"]) - moment(got["startedAt"])
        self.assertEqual(spell.total_seconds(), TIMEOUT)

    def test_another_strategy_may_be_chosen(self):
        backoff = {"kind": "exponential", "baseSeconds": 60, "jitter": 0}
        job, token = self.held(backoff=backoff)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "failed")
        self.assertEqual(self.wait_before_retry(job), 60)

    def test_a_job_is_dead_after_too_many_timeouts(self):
        self.case.script("slow", "exec sleep 600\n")
        self.work("--queue", self.name, "--exec", "SLOW=./slow")
        job = self.enqueue(jobType="SLOW", timeoutSeconds=3)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((self.word(job), got["error"]["code"]), ("dead", "TIMEOUT"))
        self.assertEqual((got["failures"], got["retryCount"]), (4, 3))

    # ---- What is no failure

    def test_any_number_of_lost_workers_is_no_failure(self):
        job = self.enqueue()
        for _ in range(7):
            self.next_token(leaseSeconds=1)
        got = self.details(job)
        self.assertEqual((got["crashes"], got["failures"]), (6, 0))
        self.assertEqual(self.word(job), "running")

    def test_jobs_that_ran_during_a_crash_restart_cleanly(self):
        job, token = self.held()
        self.ok(self.settle("heartbeat", job, token, checkpoint={"half": 1}))
        self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["checkpoint"]), (job, None))
        got = self.details(job)
        self.assertEqual((got["failures"], got["crashes"]), (0, 0))
        self.assertEqual(self.settle("complete", job, token).status, 409)

    def test_a_job_fails_only_from_running(self):
        job, token = self.held()
        self.fail_job(job, token, retryable=False)
        self.assertEqual(self.path(job)[-3:], ["RUNNING", "RETRY", "DEAD"])
        waiting = self.enqueue(jobKey="k")
        answer = self.post(f"/types/{self.name}/keys/k/fail", {"error": {"message": "m"}})
        self.assert_problem(answer, 409, "WRONG_STATE")
        self.assertEqual(self.word(waiting), "pending")


class Waits(LongProfileCase):
    """Real workers, and times as they are shipped: everything runs beside everything else."""

    profile = "basic"
    kills = 20

    @classmethod
    def begin(cls):
        cls.case.script("slow", "exec sleep 600\n")
        cls.slow, _ = cls.begun_by_a_worker("slow")
        cls.interrupted, stopped = cls.begun_by_a_worker("interrupted")
        chance = random.Random()
        cls.killed = []
        for number in range(cls.kills):
            job, worker = cls.begun_by_a_worker(f"killed-{number}")
            at = timedelta(seconds=chance.uniform(0, TIMEOUT - 7.1))
            cls.killed.append((job, worker, at))
        cls.started(cls.interrupted)
        stopped.process.send_signal(signal.SIGTERM)
        threading.Thread(target=cls.kill_them, daemon=True).start()

    @classmethod
    def begun_by_a_worker(cls, queue):
        """A job that takes for ever, in the hands of a worker with one slot."""
        worker = cls.work("--queue", queue, "--exec", "SLOW=./slow", "--concurrency", 1)
        return cls.server.enqueue("SLOW", queue=queue), worker

    @classmethod
    def started(cls, job):
        """When its first attempt began; waits for that."""
        with Stream(cls.server.port, f"/jobs/{job}/events") as stream:
            while event := stream.next():
                move = json.loads(event["data"])
                if move["to"] == "RUNNING":
                    return moment(move["at"])
        raise AssertionError(f"{job} never ran")

    @classmethod
    def kill_them(cls):
        moments = [(cls.started(job) + at, worker) for job, worker, at in cls.killed]
        for instant, worker in sorted(moments, key=lambda one: one[0]):
            clock_passes(instant)
            worker.process.send_signal(signal.SIGKILL)

    def test_a_killed_worker_is_no_failure_whenever_it_is_killed(self):
        for job, worker, at in self.killed:
            with self.subTest(killed_after=str(at)):
                worker.process.wait(timeout=60)
                self.becomes(job, "QUEUED")
                got = self.details(job)
                self.assertEqual(got["errors"], [], self.moves(job))
                self.assertEqual(got["failures"], 0)
                self.assertEqual((got["crashes"], got["retryCount"]), (1, 0))

    def test_a_job_that_takes_too_long_fails_and_runs_again_at_once(self):
        clock_passes(self.started(self.slow), by=TIMEOUT)
        self.until(lambda: self.details(self.slow)["attempt"], 2)
        moves = self.history(self.slow)
        causes = [move["cause"] for move in moves]
        claim, timeout, queued, again = moves[causes.index("claim") :][:4]
        self.assertEqual((timeout["cause"], timeout["to"]), ("timeout", "RETRY"))
        self.assertEqual((queued["to"], again["to"]), ("QUEUED", "RUNNING"))
        self.assertEqual(timeout["at"], queued["at"])
        ran = moment(timeout["at"]) - moment(claim["at"])
        self.assertGreaterEqual(ran.total_seconds(), TIMEOUT)
        self.assertLess(ran.total_seconds(), TIMEOUT + 2)
        got = self.details(self.slow)
        self.assertEqual((got["failures"], got["retryCount"]), (1, 1))
        self.assertGreaterEqual(got["executionMillis"], TIMEOUT * 1000)
        self.assertEqual([error["code"] for error in got["errors"]], ["TIMEOUT"])

    def test_an_interrupted_thread_is_no_failure(self):
        self.becomes(self.interrupted, "QUEUED")
        got = self.details(self.interrupted)
        self.assertEqual((got["failures"], got["crashes"], got["errors"]), (0, 0, []))
        self.assertIn("release", [move["cause"] for move in self.history(self.interrupted)])


class WaitsBesideAPool(LongProfileCase):
    """A node that runs handlers itself answers for jobs that no worker starts."""

    profile = "basic"
    arguments = ("--pool",)

    @classmethod
    def more(cls):
        cls.case.script("echo", "cat")
        return '[work.handlers.ECHO]\nexec = "./echo"\n'

    @classmethod
    def begin(cls):
        # In a queue that the pool does not visit.
        cls.stuck = cls.server.enqueue("ECHO", queue="elsewhere", payload={"n": 1})
        cls.hopeless = cls.server.enqueue("NONE", queue="elsewhere")

    def test_a_job_without_a_worker_is_claimed_by_the_pool(self):
        self.assert_waited(self.stuck)
        self.assertEqual(self.server.ended(self.stuck)["status"], "COMPLETED")
        self.assertEqual(self.ok(self.get(f"/jobs/{self.stuck}/result")), {"n": 1})
        self.assertEqual(self.details(self.stuck)["failures"], 0)

    def test_a_job_without_a_handler_fails_from_running(self):
        self.assert_waited(self.hopeless)
        self.becomes(self.hopeless, "QUEUED")
        got = self.details(self.hopeless)
        self.assertEqual([error["code"] for error in got["errors"]], ["NO_HANDLER"])
        self.assertEqual((got["failures"], got["retryCount"]), (1, 1))

    def assert_waited(self, job):
        """Its start came when it had waited for so long, not before, and by the pool."""
        queued = moment(self.history(job)[1]["at"])
        clock_passes(queued, by=STUCK_AFTER)
        self.until(lambda: "RUNNING" in self.path(job), True)
        start = next(move for move in self.history(job) if move["to"] == "RUNNING")
        waited = (moment(start["at"]) - queued).total_seconds()
        self.assertGreaterEqual(waited, STUCK_AFTER)
        self.assertLess(waited, STUCK_AFTER + 5)
        self.assertTrue(start["workerId"].startswith("pool:"), start)


if KIND != "sqlite":
    del WaitsBesideAPool  # a minute of waiting on one kind of store; StoreSources has them all


def setUpModule():
    Waits.setUpClass()
    if KIND == "sqlite":
        WaitsBesideAPool.setUpClass()


if __name__ == "__main__":
    unittest.main()
