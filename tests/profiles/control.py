"""What the tests of profile orchestrator share."""

from source import Source

KEY = "req_550e8400-e29b-41d4-a716-446655440000"


class Control(Source):
    profile = "orchestrator"

    def post_job(self, **fields):
        return self.post("/jobs", {"jobType": self.name, "queue": self.name, **fields})

    def running(self, **fields):
        """A job in our hands, and its token; it takes two commits to get there."""
        job = self.enqueue(**fields)
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual(lease["jobId"], job)
        return job, lease["leaseToken"]
