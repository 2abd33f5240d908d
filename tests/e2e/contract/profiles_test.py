"""The rules of each profile, as visible over HTTP."""

import signal
import unittest

import contract
from contract import FAILURE, later, moment, written


class Profile(contract.Contract):
    def defaults(self):
        got = self.details(self.enqueue(delaySeconds=3600))
        return got["timeoutSeconds"], got["maxRetries"]

    def backoff(self):
        return self.details(self.enqueue(delaySeconds=3600))["backoff"]

    def lease_seconds(self):
        job = self.enqueue()
        (lease,) = self.lease()
        started = moment(self.ok(self.get(f"/jobs/{job}"))["startedAt"])
        return (moment(lease["leaseExpiresAt"]) - started).total_seconds()

    def delay(self, job):
        got = self.details(job)
        self.assertEqual(got["state"], "RETRY")
        return (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds()

    def word(self, job, view):
        return self.ok(self.get(f"/jobs/{job}/details?view={view}"))["state"]

    def assert_most(self, most):
        self.ok(self.post("/leases", {"workerId": "w", "queues": ["none"], "maxJobs": most}))
        answer = self.post("/leases", {"workerId": "w", "queues": ["none"], "maxJobs": most + 1})
        self.fields_refused(answer, "maxJobs")

    def assert_system_claim(self):
        """A cancel and an expiry before a start leave through RUNNING, RETRY and DEAD."""
        path = [("RUNNING", "system"), ("RETRY", "system"), ("DEAD", "system")]
        job = self.enqueue()
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 200)
        got = self.details(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", "CANCELED"))
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["status"], "CANCELED")
        last = [(move["to"], move["workerId"]) for move in self.history(job)][-3:]
        self.assertEqual([move[0] for move in last], [move[0] for move in path])
        self.assertEqual(last[0], path[0])
        job = self.enqueue(expiresAt=written(later(2)))
        self.assertEqual(self.server.ended(job)["status"], "CANCELED")
        got = self.details(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", "EXPIRED"))
        self.assertEqual([move["to"] for move in self.history(job)][-3:], [m[0] for m in path])


class Native(Profile):
    def test_columns(self):
        self.assertEqual(self.defaults(), (1800, 3))
        self.assertEqual(self.lease_seconds(), 30)
        self.assert_most(1000)

    def test_state_words_of_every_profile(self):
        words = {
            "SCHEDULED": ("pending", ("Scheduled", 200), "Scheduled", "initial", "CREATED"),
            "QUEUED": ("pending", ("Queued", 100), "Queued", "initial", "QUEUED"),
            "RUNNING": ("running", ("InProgress", 300), "Running", "running", "RUNNING"),
            "WAITING": ("running", ("InProgress", 300), "Running", "running", "WAITING"),
            "RETRY": ("failed", ("Scheduled", 200), "Scheduled", "error", "RETRY"),
            "SUCCESS": ("completed", ("Completed", 400), "Completed", "final", "SUCCESS"),
            "DEAD": ("dead", ("Failed", 500), "Failed", "final", "DEAD"),
            "CANCELED": ("dead", ("Canceled", 600), "Failed", "final", "CANCELED"),
        }
        for state, (basic, (endpoints, code), scheduler, external, orchestrator) in words.items():
            with self.subTest(state):
                self.name = f"words-{state}"
                job, _ = self.job_in(state)
                self.assertEqual(self.word(job, "native"), state)
                self.assertEqual(self.word(job, "basic"), basic)
                self.assertEqual(self.word(job, "endpoints"), endpoints)
                self.assertEqual(self.word(job, "scheduler"), scheduler)
                self.assertEqual(self.word(job, "external"), external)
                self.assertEqual(self.word(job, "orchestrator"), orchestrator)
                body = self.get(f"/jobs/{job}/details?view=endpoints").json
                self.assertIn(code, body.values())

    def test_the_external_word_of_a_released_job_is_error(self):
        job, token = self.held()
        self.ok(self.settle("release", job, token))
        self.assertEqual(self.word(job, "external"), "error")

    def test_the_external_error_of_a_success_is_none(self):
        job, _ = self.job_in("SUCCESS")
        body = self.get(f"/jobs/{job}/details?view=external").body
        self.assertIn('"NONE"', body)

    def test_a_view_changes_no_public_status(self):
        job, _ = self.job_in("DEAD")
        for view in ("endpoints", "scheduler", "external", "orchestrator"):
            with self.subTest(view):
                body = self.ok(self.get(f"/jobs/{job}/details?view={view}"))
                self.assertEqual(body["status"], "FAILED")


class Basic(Profile):
    arguments = ("--profile", "basic")

    def test_columns(self):
        self.assertEqual(self.defaults(), (30, 3))
        self.assertEqual(self.backoff()["kind"], "none")
        self.assertEqual(self.lease_seconds(), 10)
        self.assert_most(1000)

    def test_an_error_is_retried_at_once(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE))
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual((lease["jobId"], lease["failures"]), (job, 1))

    def test_a_timeout_is_retried_at_once(self):
        job = self.enqueue(timeoutSeconds=1)
        self.lease(leaseSeconds=1)
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual(lease["lastError"]["code"], "TIMEOUT")
        moves = self.history(job)
        at = {move["cause"]: move["at"] for move in moves}
        self.assertEqual(at["timeout"], moves[-2]["at"])

    def test_the_next_attempt_is_a_clean_run(self):
        job, token = self.held()
        self.ok(self.settle("heartbeat", job, token, checkpoint={"at": 1}))
        self.ok(self.settle("fail", job, token, error=FAILURE))
        self.assertIsNone(self.lease(waitSeconds=20)[0]["checkpoint"])

    def test_a_withdrawn_job_ends_through_system_transitions(self):
        self.assert_system_claim()

    def test_no_handler_is_counted(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error={"code": "NO_HANDLER", "message": "m"}))
        self.assertEqual(self.details(job)["failures"], 1)

    def test_a_restart_reclaims_every_running_job(self):
        job, token = self.held(lease={"leaseSeconds": 600})
        self.connection.close()
        self.server.stop(signal.SIGKILL)
        type(self).start()
        self.assertEqual(self.state(job), "QUEUED")
        got = self.details(job)
        self.assertEqual((got["failures"], got["crashes"]), (0, 0))
        answer = self.settle("complete", job, token)
        self.assertEqual(answer.status, 409, answer)


class Endpoints(Profile):
    arguments = ("--profile", "endpoints")

    def test_columns(self):
        self.assertEqual(self.defaults(), (1800, 3))
        self.assertEqual(self.lease_seconds(), 300)
        self.assertEqual(self.backoff()["jitter"], 0)
        self.assertIsNone(self.backoff().get("maxSeconds"))
        self.assert_most(10)

    def test_back_off_is_exact(self):
        job, token = self.held()
        for expected in (2, 4, 8):
            self.ok(self.settle("fail", job, token, error=FAILURE))
            self.assertEqual(self.delay(job), expected)
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.lease()[0]["leaseToken"]

    def test_a_redrive_reopens_in_place(self):
        for state in ("DEAD", "CANCELED"):
            with self.subTest(state):
                job, _ = self.job_in(state)
                epoch = self.details(job)["epoch"]
                self.assertEqual(self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"], job)
                self.assertEqual(self.state(job), "QUEUED")
                (lease,) = self.lease()
                self.assertEqual(lease["jobId"], job)
                self.assertGreater(lease["fence"], epoch)

    def test_ended_jobs_can_be_canceled(self):
        for state in ("SUCCESS", "DEAD"):
            with self.subTest(state):
                job, _ = self.job_in(state)
                answer = self.post(f"/jobs/{job}/cancel")
                self.assertEqual(self.ok(answer), {"jobId": job, "status": "CANCELED"})
                self.assertEqual(self.state(job), "CANCELED")

    def test_a_cancel_before_a_start_is_direct(self):
        job = self.enqueue()
        self.assertEqual(self.ok(self.post(f"/jobs/{job}/cancel"))["status"], "CANCELED")
        self.assertEqual(self.state(job), "CANCELED")


class Scheduler(Profile):
    arguments = ("--profile", "scheduler")

    def test_columns(self):
        self.assertEqual(self.defaults(), (1800, 3))
        self.assertEqual(self.lease_seconds(), 30)
        self.assertEqual(self.backoff()["jitter"], 0.1)
        self.assert_most(1)

    def test_a_timeout_waits_its_back_off(self):
        backoff = {"kind": "fixed", "baseSeconds": 500, "jitter": 0}
        job, _ = self.held(timeoutSeconds=0.2, backoff=backoff)
        self.becomes(job, "RETRY")
        self.assertEqual(self.delay(job), 500)
        self.assertEqual(self.details(job)["failures"], 1)

    def test_a_withdrawn_job_ends_through_system_transitions(self):
        self.assert_system_claim()


class External(Profile):
    arguments = ("--profile", "external")

    @classmethod
    def setUpClass(cls):
        cls.case = contract.harness.Case()
        cls.case.setUp()
        (cls.case.folder / "longshore.toml").write_text("[types.again]\nmaxRetries = 2\n")
        cls.start()

    def test_columns(self):
        self.assertEqual(self.defaults(), (86400, 0))
        self.assertEqual(self.lease_seconds(), 86400)
        self.assert_most(1000)
        typed = self.enqueue(jobType="again", delaySeconds=3600)
        self.assertEqual(self.details(typed)["maxRetries"], 2)

    def test_the_lease_is_as_long_as_the_jobs_own_timeout(self):
        self.enqueue(timeoutSeconds=77)
        (lease,) = self.lease()
        self.assertEqual(lease["leaseExpiresAt"], lease["deadlineAt"])

    def test_a_lost_lease_waits_for_the_timeout(self):
        job, _ = self.held(lease={"leaseSeconds": 1}, timeoutSeconds=2.5)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((got["error"]["code"], got["failures"]), ("TIMEOUT", 1))
        spent = moment(got["completedAt"]) - moment(got["startedAt"])
        self.assertGreaterEqual(spent.total_seconds(), 2.5)

    def test_a_withdrawn_job_ends_through_system_transitions(self):
        self.assert_system_claim()


class Orchestrator(Profile):
    arguments = ("--profile", "orchestrator")

    def test_columns(self):
        self.assertEqual(self.lease_seconds_when_accepted(), 30)
        self.assert_most(1)

    def lease_seconds_when_accepted(self):
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=30)
        started = moment(self.ok(self.get(f"/jobs/{job}"))["startedAt"])
        return (moment(lease["leaseExpiresAt"]) - started).total_seconds()

    def test_enqueue_answers_after_the_first_of_two_phases(self):
        job = self.enqueue()
        self.becomes(job, "QUEUED")
        self.assertEqual(self.moves(job), [("CREATED", "enqueue"), ("QUEUED", "accept")])

    def test_a_withdrawn_job_ends_through_system_transitions(self):
        self.assert_system_claim()

    def test_an_accepted_job_is_not_replaced(self):
        job = self.enqueue(jobKey="k", payload=1)
        self.becomes(job, "QUEUED")
        body = {"jobType": self.name, "queue": self.name, "jobKey": "k", "onConflict": "replace"}
        self.assert_problem(self.post("/jobs", body), 409, "NOT_IN_PROFILE")
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, 1))


if __name__ == "__main__":
    unittest.main()
