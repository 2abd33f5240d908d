"""Shared by the profile tests: the contract's server and jobs, started with a profile.

Each file covers one of the systems that Longshore grew out of and verifies that system's promises
with the real program. The server gets `--profile NAME` and no other rules; docs/sources.md maps
each promise to these tests.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e" / "contract"))

import contract  # noqa: E402
import stores  # noqa: E402
from contract import FAILURE, UNKNOWN_JOB, Stream, clock_passes  # noqa: E402,F401
from contract import later, moment, written  # noqa: E402,F401

KIND = stores.KIND


class ProfileCase(contract.Contract):
    profile = "native"
    state_name = "state"  # the field of the state

    @classmethod
    def setUpClass(cls):
        cls.case = contract.harness.Case()
        cls.case.setUp()
        (cls.case.folder / "longshore.toml").write_text(cls.more())
        cls.start()

    @classmethod
    def start(cls):
        super().start("--profile", cls.profile)

    @classmethod
    def more(cls):
        """What longshore.toml says: handlers and policies of job types, and no rules."""
        return ""

    @classmethod
    def work(cls, *arguments):
        """`longshore work` in a process of its own."""
        return cls.case.work(cls.server, *arguments)

    def run_at_once(self, workers, jobs=12):
        """How many jobs that many workers of one slot run at the same time, on average: seconds of
        work that were done in each second."""
        queue = f"{self.name}-{workers}"
        self.case.script("nap", "exec sleep 0.25\n")
        for _ in range(workers):
            self.work("--queue", queue, "--exec", "NAP=./nap", "--concurrency", 1)
        done = [self.enqueue(jobType="NAP", queue=queue) for _ in range(jobs)]
        for job in done:
            self.assertEqual(self.server.ended(job)["status"], "COMPLETED")
        rows = [self.details(job) for job in done]
        first = min(moment(row["startedAt"]) for row in rows)
        last = max(moment(row["completedAt"]) for row in rows)
        worked = sum(row["executionMillis"] for row in rows) / 1000
        return worked / (last - first).total_seconds()

    def again(self):
        """The server is killed and started on the same store."""
        self.connection.close()
        self.server.stop(contract.harness.signal.SIGKILL)
        type(self).start()

    def view(self, job):
        """The job as the profile's own document writes it."""
        return self.ok(self.get(f"/jobs/{job}/details?view={self.profile}"))

    def word(self, job):
        """Its state as the profile's own document calls it."""
        return self.view(job)[self.state_name]

    def listed(self, job, state=None):
        """The job in a list, as the document writes it; None if the list leaves it out."""
        words = f"&state={state}" if state else ""
        path = f"/jobs?view={self.profile}&jobType={self.details(job)['jobType']}{words}"
        jobs = self.ok(self.get(path))["jobs"]
        own = self.view(job)
        name = next(name for name in ("id", "Id", "jobId", "job_id") if name in own)
        return next((one for one in jobs if one[name] == own[name]), None)

    def told_moves(self, job):
        """The moves of its history in the document's words, as pairs."""
        path = f"/jobs/{job}/history?view={self.profile}"
        moves = [(move["from"], move["to"]) for move in self.ok(self.get(path))["history"]]
        self.assertEqual([old for old, _ in moves[1:]], [new for _, new in moves[:-1]])
        return moves

    def followed(self, job):
        """The moves that its events tell, of a job that has ended."""
        answer = self.get(f"/jobs/{job}/events?view={self.profile}")
        lines = answer.body.splitlines()
        told = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        return [(event["from"], event["to"]) for event in told]

    def fail_job(self, job, token, **fields):
        return self.ok(self.settle("fail", job, token, **{"error": FAILURE, **fields}))

    def next_token(self, **fields):
        (lease,) = self.lease(waitSeconds=30, **fields)
        return lease["leaseToken"]

    def path(self, job):
        return [move["to"] for move in self.history(job)]

    def wait_before_retry(self, job):
        """The seconds between the last failure and the retry."""
        got = self.details(job)
        return (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds()

    def assert_refused_unchanged(self, job, answer, code):
        """Refused with this code, and the job is as it was in `self.before`."""
        self.assert_problem(answer, 409, code)
        self.assertEqual(self.details(job), self.before)


class LongProfileCase(ProfileCase):
    """Starts slow jobs in `begin`, before the other tests of its file, and checks them after those:
    setUpModule of the file calls setUpClass, and its name puts the class last."""

    begun = False

    @classmethod
    def setUpClass(cls):
        if cls.begun:
            return
        cls.begun = True
        super().setUpClass()
        cls.begin()
