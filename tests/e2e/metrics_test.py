"""`/metrics` as Prometheus reads it."""

import subprocess
import unittest

import harness


class Metrics(harness.Case):
    def test_promtool_reports_no_problem(self):
        server = self.serve()
        self.use(server)
        answer = server.get("/metrics")
        self.assertEqual(answer.status, 200, answer)
        self.assertGreater(answer.body.count("\nlongshore_"), 100)
        self.assertEqual(check(answer.body), (0, ""))

    def test_promtool_reports_a_planted_problem(self):
        told = check("# TYPE longshore_jobs counter\nlongshore_jobs 1\n")
        self.assertEqual(told[0], 3)
        self.assertIn("longshore_jobs", told[1])

    def test_promtool_accepts_the_alerts(self):
        rules = harness.ROOT / "packaging" / "prometheus" / "alerts.yml"
        ended = subprocess.run(
            ["promtool", "check", "rules", rules], capture_output=True, text=True, check=False
        )
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def test_the_commit_delay_covers_every_write(self):
        server = self.serve()
        self.assertEqual(commits_measured(server), 0)
        job = server.enqueue()
        self.assertEqual(commits_measured(server), 1)
        server.post("/jobs/batch", {"jobs": [{"jobType": "T"}] * 3})
        self.assertEqual(commits_measured(server), 2)
        (lease,) = server.lease()
        outcome = {"jobId": job, "leaseToken": lease["leaseToken"], "result": 1}
        server.post("/leases/settle", {"outcomes": [outcome]})
        self.assertEqual(commits_measured(server), 3)

    def use(self, server):
        """Produces data to count: outcomes of every kind, and refused requests."""
        for body in ({"result": 1}, {"error": {"message": "m"}, "retryable": False}):
            job = server.enqueue("T")
            (lease,) = server.lease()
            verb = "complete" if "result" in body else "fail"
            told = server.post(f"/jobs/{job}/{verb}", {"leaseToken": lease["leaseToken"], **body})
            self.assertEqual(told.status, 200, told)
        server.post(f"/jobs/{server.enqueue('T')}/cancel")
        server.enqueue("LATER", delaySeconds=3600)
        self.assertEqual(server.post("/jobs", {}).status, 422)
        self.assertEqual(server.get("/nowhere").status, 404)


def commits_measured(server):
    name = "longshore_commit_delay_seconds_count "
    lines = server.get("/metrics").body.splitlines()
    return next(int(line.removeprefix(name)) for line in lines if line.startswith(name))


def check(text):
    """The exit status and output of promtool."""
    ended = subprocess.run(
        ["promtool", "check", "metrics"],
        input=text,
        capture_output=True,
        text=True,
        timeout=harness.PATIENCE,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


if __name__ == "__main__":
    unittest.main()
