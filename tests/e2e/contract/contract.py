"""Shared by the tests in this folder: one server per class, and jobs in every state.

Each test verifies one sentence of the contract with the running program. Tests of a class share a
server, so each uses its own queue and job type.
"""

import json
import re
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from http.client import HTTPException
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import harness  # noqa: E402
from document import Document  # noqa: E402
from stream import Stream  # noqa: E402

UNKNOWN_JOB = "01900000-0000-7000-8000-000000000000"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
FAILURE = {"code": "E", "message": "m"}


def moment(text):
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


def written(instant):
    return instant.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def later(seconds):
    return datetime.now(timezone.utc) + timedelta(seconds=seconds)


def clock_passes(instant, by=0.001):
    """Waits until the clock is `seconds` past the instant."""
    while (left := (instant - later(-by)).total_seconds()) > 0:
        passed = threading.Event()
        threading.Timer(left, passed.set).start()
        assert passed.wait(left + 30), "the timer did not ring"


class Contract(harness.Case):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.case = harness.Case()
        cls.case.setUp()
        cls.start()

    @classmethod
    def start(cls, *arguments):
        cls.server = cls.case.serve(*cls.arguments, *arguments)
        cls.connection = cls.server.connect()
        cls.document = Document(cls.server.get("/openapi.json").body)

    @classmethod
    def tearDownClass(cls):
        cls.connection.close()
        status = cls.server.stop()
        cls.case.doCleanups()
        assert status == 0, cls.server.log

    def setUp(self):
        self.name = self.id().rsplit(".", 1)[1][-120:]

    # ---- Requests

    def call(self, method, path, body=None, headers=None):
        """Sends a request on the connection that all tests of a class share."""
        if isinstance(body, str):
            body = body.encode()
        try:
            answer = self.connection.call(method, path, body, headers)
        except (OSError, HTTPException):
            type(self).connection = self.server.connect()
            raise
        self.assertEqual(self.document.faults(method, path, answer), [], f"{method} {path}")
        return answer

    def get(self, path, headers=None):
        return self.call("GET", path, None, headers)

    def post(self, path, body=None, headers=None):
        return self.call("POST", path, body, headers)

    def ok(self, answer, status=200):
        self.assertEqual(answer.status, status, answer)
        return answer.json

    def details(self, job):
        return self.ok(self.get(f"/jobs/{job}/details"))

    def history(self, job):
        return self.ok(self.get(f"/jobs/{job}/history"))["history"]

    def moves(self, job):
        """Its states and their causes."""
        return [(move["to"], move["cause"]) for move in self.history(job)]

    def state(self, job):
        return self.details(job)["state"]

    def becomes(self, job, state):
        """Follows the job's events until it is in that state, now or later."""
        now = self.history(job)[-1]["seq"]
        with Stream(self.server.port, f"/jobs/{job}/events") as stream:
            while event := stream.next():
                if int(event["id"]) >= now and json.loads(event["data"])["to"] == state:
                    return
        self.fail(f"{job} has ended and was never {state}")

    def until(self, what, value, patience=30):
        """Polls until the response is the expected one, since the server has no event for it."""
        deadline = time.monotonic() + patience
        while (got := what()) != value:
            if time.monotonic() > deadline:
                self.fail(f"{got!r} is not {value!r} after {patience} s")

    # ---- Jobs

    def enqueue(self, **fields):
        body = {"jobType": self.name, "queue": self.name, **fields}
        return self.ok(self.post("/jobs", body), 202)["jobId"]

    def lease(self, **fields):
        body = {"workerId": "w", "queues": [self.name], **fields}
        return self.ok(self.post("/leases", body))["leases"]

    def held(self, lease=None, **fields):
        """A leased job and its token."""
        job = self.enqueue(**fields)
        leases = self.lease(**(lease or {}))
        self.assertEqual([one["jobId"] for one in leases], [job])
        return job, leases[0]["leaseToken"]

    def settle(self, verb, job, token, **fields):
        return self.post(f"/jobs/{job}/{verb}", {"leaseToken": token, **fields})

    def job_in(self, state, **fields):
        """A job in that state, and the token of its last lease, if it had one."""
        if state == "SCHEDULED":
            return self.enqueue(delaySeconds=3600, **fields), None
        if state == "QUEUED":
            return self.enqueue(**fields), None
        job, token = self.held(**fields)
        if state == "WAITING":
            self.ok(self.settle("handoff", job, token))
        elif state == "RETRY":
            self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=3600))
        elif state == "SUCCESS":
            self.ok(self.settle("complete", job, token, result=1))
        elif state == "DEAD":
            self.ok(self.settle("fail", job, token, error=FAILURE, retryable=False))
        elif state == "CANCELED":
            self.ok(self.post(f"/jobs/{job}/cancel", {"force": True}))
        self.assertEqual(self.state(job), state)
        return job, token

    def fields_refused(self, answer, *fields, code="INVALID_FIELD"):
        self.assert_problem(answer, 422, code)
        self.assertEqual(sorted(error["field"] for error in answer.json["errors"]), sorted(fields))
