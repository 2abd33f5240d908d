"""A scheduler loop, a ready queue and leases on shared structures (profile scheduler)."""

import subprocess
import unittest
from urllib.parse import parse_qs, urlsplit

from source import KIND, Source, later, moment, written


class Scheduler(Source):
    profile = "scheduler"

    # ---- The API records intent

    def test_once_answered_a_job_does_not_disappear(self):
        job = self.enqueue(payload={"n": 1})
        self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, {"n": 1}))

    def test_input_is_checked_and_refused_whole(self):
        answer = self.post("/jobs", {"jobType": "", "priority": 10, "queue": self.name})
        self.fields_refused(answer, "jobType", "priority")
        self.assertEqual(self.lease(), [])

    def test_ids_are_given_by_the_api(self):
        self.assertNotEqual(self.enqueue(), self.enqueue())

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

    # ---- The scheduler loop

    def test_a_job_moves_when_its_time_has_come_and_not_before(self):
        job = self.enqueue(runAt=written(later(0.4)))
        due = moment(self.details(job)["runAt"])
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)
        self.assertGreaterEqual(moment(self.history(job)[-2]["at"]), due)

    def test_a_loop_that_was_killed_goes_on(self):
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

    def test_a_dead_workers_job_is_reclaimed_by_another(self):
        job, token = self.held(lease={"leaseSeconds": 1})
        (lease,) = self.lease(waitSeconds=30, workerId="another")
        self.assertEqual((lease["jobId"], lease["attempt"]), (job, 2))
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")

    # ---- Retries and dead letters

    def test_a_retry_counts_waits_and_comes_again(self):
        job, token = self.held(backoff={"kind": "exponential", "baseSeconds": 2, "jitter": 0})
        for wait in (2, 4, 8):
            self.fail_job(job, token)
            got = self.details(job)
            self.assertEqual(self.word(job), "Scheduled")
            self.assertEqual(
                (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), wait
            )
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.assertEqual(self.details(job)["attempt"], 4)

    def test_too_many_failures_lead_to_the_dead_letters(self):
        job, token = self.held(maxRetries=1, backoff={"kind": "none"})
        self.fail_job(job, token)
        self.fail_job(job, self.next_token())
        dead = self.ok(self.get(f"/dead?queue={self.name}"))["jobs"]
        self.assertEqual([one["jobId"] for one in dead], [job])
        self.assertEqual(self.details(job)["error"]["message"], "m")

    def next_lease(self):
        (lease,) = self.lease(waitSeconds=30)
        return lease


class Structures(Source):
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
        job = self.enqueue(delaySeconds=3600, maxRetries=0)
        self.assert_place(job, "future", "zset")
        self.ok(self.post(f"/jobs/{job}/promote"))
        held = self.assert_place(job, "ready", "list")
        self.assertNotIn("future", held)
        (lease,) = self.lease()
        held = self.assert_place(job, "leases", "zset")
        self.assertNotIn("ready", held)
        self.fail_job(job, lease["leaseToken"])
        held = self.assert_place(job, "dead", "list")
        self.assertNotIn("leases", held)


if KIND != "redis":
    del Structures  # those of Redis are nobody else's


if __name__ == "__main__":
    unittest.main()
