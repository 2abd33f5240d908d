"""Withdrawn jobs in profiles whose document has no canceled state."""

import unittest

from profile_case import ProfileCase, later, written


class Withdrawn:
    """For each such profile: a transition of the document, and the public status CANCELED."""

    def withdrawn(self, **fields):
        """One job that was canceled and one that expired before it started."""
        canceled = self.enqueue(delaySeconds=3600, **fields)
        self.ok(self.post(f"/jobs/{canceled}/cancel"))
        expired = self.enqueue(expiresAt=written(later(2)), **fields)
        self.server.ended(expired)
        return canceled, expired

    def ids_of(self, path):
        mark = "&" if "?" in path else "?"
        jobs = self.ok(self.get(f"{path}{mark}queue={self.name}"))["jobs"]
        return {one["jobId"] for one in jobs}

    def test_it_ends_through_a_transition_of_the_document(self):
        for job, code in zip(self.withdrawn(), ("CANCELED", "EXPIRED")):
            self.assertEqual(self.path(job)[-3:], ["RUNNING", "RETRY", "DEAD"])
            self.assertEqual(self.details(job)["error"]["code"], code)

    def test_its_public_status_is_canceled(self):
        for job in self.withdrawn():
            got = self.ok(self.get(f"/jobs/{job}"))
            self.assertEqual(got["status"], "CANCELED")
            self.assertNotIn("startedAt", got)
            self.assert_problem(self.get(f"/jobs/{job}/result"), 409, "JOB_CANCELED")

    def test_it_is_not_a_dead_letter(self):
        jobs = set(self.withdrawn())
        self.assertEqual(self.ids_of("/dead"), set())
        self.assertEqual(self.ids_of("/jobs?state=FAILED"), set())
        self.assertEqual(self.ids_of("/jobs?state=CANCELED"), jobs)

    def test_its_queue_counts_it_as_canceled(self):
        self.withdrawn()
        job, token = self.taken()
        self.fail_job(job, token, retryable=False)
        self.assertEqual(self.ids_of("/dead"), {job})
        (depth,) = [one["depth"] for one in self.ok(self.get("/queues"))["queues"]
                    if one["queue"] == self.name]  # fmt: skip
        self.assertEqual((depth["DEAD"], depth["CANCELED"]), (1, 2))
        line = f'queue="{self.name}",state="DEAD"'
        told = [one for one in self.server.get("/metrics").body.splitlines() if line in one]
        self.assertEqual([one.split()[-1] for one in told], ["1"])

    def taken(self):
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=30)
        return job, lease["leaseToken"]

    def test_one_that_ran_keeps_its_start(self):
        job, token = self.taken()
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        self.fail_job(job, token)
        got = self.ok(self.get(f"/jobs/{job}"))
        self.assertEqual(got["status"], "CANCELED")
        self.assertIn("startedAt", got)
        self.assertEqual(self.ids_of("/dead"), set())


class Basic(Withdrawn, ProfileCase):
    profile = "basic"


class Scheduler(Withdrawn, ProfileCase):
    profile = "scheduler"


class External(Withdrawn, ProfileCase):
    profile = "external"


class Orchestrator(Withdrawn, ProfileCase):
    profile = "orchestrator"


if __name__ == "__main__":
    unittest.main()
