"""Shared by the tests of profile orchestrator."""

from profile_case import ProfileCase

KEY = "req_550e8400-e29b-41d4-a716-446655440000"


class OrchestratorCase(ProfileCase):
    profile = "orchestrator"

    def post_job(self, **fields):
        return self.post("/jobs", {"jobType": self.name, "queue": self.name, **fields})

    def running(self, **fields):
        """A leased job and its token; it is accepted in a second commit."""
        job = self.enqueue(**fields)
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)
        return job, lease["leaseToken"]
