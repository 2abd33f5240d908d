"""Helpers for the tests in this folder, on top of the harness of tests/e2e."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import harness  # noqa: E402
import terminal  # noqa: E402

ROOT = harness.ROOT
UNKNOWN_JOB = "01900000-0000-7000-8000-000000000000"
main = unittest.main


class Case(harness.Case):
    def run_on(self, server, *arguments, **options):
        """One command against a server."""
        return harness.run(*arguments, "--server", server.url, cwd=self.folder, **options)

    def ok(self, ended, status=0):
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended

    def lines(self, ended):
        return [json.loads(line) for line in ended.stdout.splitlines()]

    def terminal(self, *arguments, **options):
        opened = terminal.Terminal(*arguments, cwd=self.folder, **options)
        self.addCleanup(opened.close)
        return opened

    def fail_job(self, server, queue="default", message="it broke", **fields):
        """A job that is dead."""
        job = server.enqueue(queue=queue, maxRetries=0, **fields)
        [lease] = server.lease(queues=[queue])
        body = {"leaseToken": lease["leaseToken"], "error": {"code": "E1", "message": message}}
        answer = server.post(f"/jobs/{job}/fail", body)
        self.assertEqual(answer.status, 200, answer)
        return job

    def complete_job(self, server, job, result=None, queue="default"):
        [lease] = server.lease(queues=[queue])
        self.assertEqual(lease["jobId"], job)
        answer = server.post(
            f"/jobs/{job}/complete", {"leaseToken": lease["leaseToken"], "result": result}
        )
        self.assertEqual(answer.status, 200, answer)
