"""A scheduler loop, a ready queue and leases on shared structures (profile scheduler)."""

import subprocess
import unittest
from urllib.parse import parse_qs, urlsplit

from profile_case import KIND, LongProfileCase, ProfileCase, later, moment, written


class Scheduler(ProfileCase):
    profile = "scheduler"

    # ---- The API records intent

    def test_once_answered_a_job_does_not_disappear(self):
        job = self.enqueue(payload={"n": 1})
        self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, {"n": 1}))

    def test_invalid_input_is_refused_completely(self):
        answer = self.post("/jobs", {"jobType": "", "priority": 10, "queue": self.name})
        self.fields_refused(answer, "jobType", "priority")
        self.assertEqual(self.lease(), [])

    def test_the_api_assigns_ids(self):
        self.assertNotEqual(self.enqueue(), self.enqueue())

    def test_the_api_describes_itself(self):
        """What a user of FastAPI expects beside the routes."""
        document = self.ok(self.get("/openapi.json"))
        self.assertTrue(document["openapi"].startswith("3.1"), document["openapi"])
        self.assertIn("/jobs", document["paths"])

    def test_the_api_executes_nothing(self):
        job = self.enqueue()
        self.assertEqual([row["to"] for row in self.history(job)], ["CREATED", "QUEUED"])

    # ---- The states

    def test_scheduled_queued_running_completed(self):
        job = self.enqueue(runAt=written(later(0.5)))
        self.assertEqual(self.word(job), "Scheduled")
        self.becomes(job, "QUEUED")
        self.assertEqual(self.word(job), "Queued")
        (lease,) = self.lease()
        self.assertEqual(self.word(job), "Running")
        self.ok(self.settle("complete", job, lease["leaseToken"]))
        self.assertEqual(self.word(job), "Completed")

    def test_a_job_that_failed_for_good_is_failed(self):
        job, token = self.held(maxRetries=0)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "Failed")

    def test_the_response_has_the_fields_of_the_hash(self):
        job, token = self.held(payload={"p": 1}, maxRetries=0)
        got = self.view(job)
        names = (
            "job_id job_type state attempt_count run_at lease_expires_at error created_at "
            "updated_at payload result"
        )
        self.assertEqual(set(got), set(names.split()) | set("jobId status".split()))
        self.assertEqual((got["job_id"], got["job_type"]), (job, self.name))
        self.assertEqual((got["state"], got["attempt_count"]), ("Running", 1))
        self.assertEqual(got["run_at"], self.details(job)["runAt"])
        self.assertEqual(got["lease_expires_at"], self.details(job)["lease"]["expiresAt"])
        self.assertEqual(set(got) - set(self.listed(job, "Running")), {"payload", "result"})
        self.fail_job(job, token)
        self.assertIn("m", self.view(job)["error"])
        self.assertIsNotNone(self.listed(job, "Failed"))
        told = [(None, "Scheduled"), ("Scheduled", "Queued"), ("Queued", "Running"),
                ("Running", "Failed")]  # fmt: skip
        self.assertEqual(self.told_moves(job), told)
        self.assertEqual(self.followed(job), told)

    # ---- The scheduler loop

    def test_a_job_moves_when_its_time_has_come_and_not_before(self):
        job = self.enqueue(runAt=written(later(0.4)))
        due = moment(self.details(job)["runAt"])
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)
        self.assertGreaterEqual(moment(self.history(job)[-2]["at"]), due)

    def test_a_killed_scheduler_loop_continues_after_a_restart(self):
        jobs = [self.enqueue(runAt=written(later(0.3))) for _ in range(5)]
        self.again()
        taken = [self.next_lease()["jobId"] for _ in jobs]
        self.assertEqual(sorted(taken), sorted(jobs))

    def test_a_job_is_moved_once(self):
        job = self.enqueue(runAt=written(later(0.2)))
        self.again()
        self.assertEqual(self.next_lease()["jobId"], job)
        self.assertEqual(self.lease(), [])
        self.assertEqual([row["cause"] for row in self.history(job)].count("due"), 1)

    # ---- The worker pool

    def test_a_lease_has_an_end(self):
        job, _ = self.held()
        got = self.details(job)
        spell = moment(got["lease"]["expiresAt"]) - moment(got["startedAt"])
        self.assertEqual(spell.total_seconds(), 30)

    def test_an_expired_lease_is_refused(self):
        job, token = self.held(lease={"leaseSeconds": 1})
        (lease,) = self.lease(waitSeconds=30, workerId="another")
        self.assertEqual((lease["jobId"], lease["attempt"]), (job, 2))
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    def test_each_claim_returns_one_job(self):
        for _ in range(2):
            self.enqueue()
        self.assertEqual(len(self.lease()), 1)
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 2}
        self.fields_refused(self.post("/leases", body), "maxJobs")

    def test_user_code_is_executed_and_its_end_reported(self):
        self.case.script("double", "read n; echo $((n * 2))\n")
        self.case.script("broken", "echo no paper >&2; exit 1\n")
        self.work("--queue", self.name, "--exec", "D=./double", "--exec", "B=./broken")
        good = self.enqueue(jobType="D", payload=21)
        bad = self.enqueue(jobType="B")
        self.assertEqual(self.server.ended(good)["status"], "COMPLETED")
        self.assertEqual(self.ok(self.get(f"/jobs/{good}/result")), 42)
        self.becomes(bad, "RETRY")
        self.assertEqual(self.details(bad)["error"]["message"], "no paper")

    # ---- Retries and dead letters

    def test_a_failure_is_counted_and_retried_after_a_delay(self):
        job, token = self.held()
        for attempt, wait in enumerate((2, 4, 8), 1):
            self.fail_job(job, token)
            got = self.details(job)
            self.assertEqual((self.word(job), got["attempt"]), ("Scheduled", attempt))
            self.assertAlmostEqual(self.wait_before_retry(job), wait, delta=wait * 0.1 + 0.001)
            if wait > 2:  # the first is waited for
                self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.assertEqual(self.details(job)["attempt"], 4)

    def test_too_many_failures_lead_to_the_dead_letters(self):
        job, token = self.held()
        for _ in range(3):
            self.fail_job(job, token)
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.assertEqual(self.ok(self.get(f"/dead?queue={self.name}"))["jobs"], [])
        self.fail_job(job, token)
        dead = self.ok(self.get(f"/dead?queue={self.name}"))["jobs"]
        self.assertEqual([one["jobId"] for one in dead], [job])
        got = self.details(job)
        self.assertEqual((got["failures"], got["error"]["message"]), (4, "m"))
        self.assertEqual(len(got["errors"]), 4)

    def test_an_operator_redrives_a_dead_letter(self):
        job, token = self.held()
        self.fail_job(job, token, retryable=False)
        successor = self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"]
        self.assertEqual(self.lease()[0]["jobId"], successor)
        self.assertEqual(self.ok(self.get(f"/dead?queue={self.name}"))["jobs"], [])

    def next_lease(self):
        (lease,) = self.lease(waitSeconds=30)
        return lease


class Structures(ProfileCase):
    """What Redis itself holds, asked by a client that knows nothing of Longshore."""

    profile = "scheduler"

    def redis(self, *words):
        url = urlsplit(self.case.store)
        asked = ["redis-cli", "-h", url.hostname, "-p", str(url.port), *words]
        return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()

    def places(self, job):
        """The type and the name of every structure that holds the job."""
        prefix = parse_qs(urlsplit(self.case.store).query)["prefix"][0]
        base = f"{prefix}:{{default}}:"
        held = {}
        for key in self.redis("--scan", "--pattern", f"{prefix}:*"):
            (kind,) = self.redis("TYPE", key)
            members = {
                "zset": lambda: self.redis("ZRANGE", key, "0", "-1"),
                "list": lambda: self.redis("LRANGE", key, "0", "-1"),
            }.get(kind, list)()
            if any(member.startswith(job) for member in members) or key.endswith(f"job:{job}"):
                held[key.removeprefix(base).split(":")[0]] = kind
        return held

    def assert_place(self, job, place, kind):
        held = self.places(job)
        self.assertEqual(held.get("job"), "hash")
        self.assertEqual(held.get(place), kind, held)
        return held

    def test_each_state_has_its_structure(self):
        job = self.enqueue(delaySeconds=3600)
        self.assert_place(job, "future", "zset")
        self.ok(self.post(f"/jobs/{job}/promote"))
        held = self.assert_place(job, "ready", "list")
        self.assertNotIn("future", held)
        (lease,) = self.lease()
        held = self.assert_place(job, "leases", "zset")
        self.assertNotIn("ready", held)
        self.fail_job(job, lease["leaseToken"], retryable=False)
        held = self.assert_place(job, "dead", "list")
        self.assertNotIn("leases", held)

    def test_a_retry_is_a_future_job(self):
        job, token = self.held()
        self.fail_job(job, token)
        held = self.assert_place(job, "future", "zset")
        self.assertNotIn("leases", held)

    def test_a_withdrawn_job_is_not_a_dead_letter(self):
        canceled = self.enqueue()
        self.ok(self.post(f"/jobs/{canceled}/cancel"))
        expired = self.enqueue(expiresAt=written(later(2)))
        self.server.ended(expired)
        for job, code in ((canceled, "CANCELED"), (expired, "EXPIRED")):
            got = self.details(job)
            self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", code))
            self.assertNotIn("dead", self.places(job))


class Waits(LongProfileCase):
    """A worker dies, and its lease lasts as long as is shipped."""

    profile = "scheduler"

    @classmethod
    def begin(cls):
        cls.job = cls.server.enqueue(queue="q")
        (cls.first,) = cls.server.lease(queues=["q"])

    def test_the_job_of_a_dead_worker_is_reclaimed(self):
        (lease,) = self.server.lease("another", queues=["q"], waitSeconds=45)
        self.assertEqual((lease["jobId"], lease["attempt"]), (self.job, 2))
        late = self.settle("complete", self.job, self.first["leaseToken"])
        self.assert_problem(late, 409, "LEASE_LOST")
        claims = [move for move in self.history(self.job) if move["cause"] == "claim"]
        waited = moment(claims[1]["at"]) - moment(claims[0]["at"])
        self.assertGreaterEqual(waited.total_seconds(), 30)
        self.assertLess(waited.total_seconds(), 33)
        self.assertEqual(self.details(self.job)["failures"], 0)


if KIND != "redis":
    del Structures  # no other store has them


def setUpModule():
    Waits.setUpClass()


if __name__ == "__main__":
    unittest.main()
