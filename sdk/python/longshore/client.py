"""Enqueues jobs and asks after them."""

from __future__ import annotations

import math
import time
import uuid
from datetime import datetime
from typing import Any, Dict, Iterable, List, Mapping, Optional
from urllib.parse import quote

from .errors import ApiError, JobCanceled, JobFailed
from .jobs import Enqueued, Job, NewJob, Time, to_text
from .transport import Transport

UNCHANGED: Any = object()  # the payload of a redrive that changes none
_LONGEST_WAIT = 30.0  # seconds of one long poll; the server allows 60


class Client:
    """Safe to share between threads.

    `server` may have a path ("https://example.org/longshore"); without one LONGSHORE_SERVER is
    used, then http://127.0.0.1:7788. `token` defaults to LONGSHORE_TOKEN, `ca_cert`, a file of
    certificates to trust instead of the system's, to LONGSHORE_CA_CERT. A call that got no answer
    is repeated for `patience` seconds; then Unreachable is raised.
    """

    def __init__(
        self,
        server: Optional[str] = None,
        *,
        token: Optional[str] = None,
        ca_cert: Optional[str] = None,
        timeout: float = 30.0,
        patience: float = 30.0,
    ) -> None:
        self._transport = Transport(server, token, ca_cert, timeout)
        self._timeout = timeout
        self._patience = patience

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes idle connections. The client may still be used."""
        self._transport.close()

    def enqueue(self, job_type: str, payload: Any = None, **fields: Any) -> Enqueued:
        """Returns once the job is on stable storage. `fields` are those of NewJob."""
        return self.enqueue_job(NewJob(job_type, payload, **fields))

    def enqueue_job(self, job: NewJob) -> Enqueued:
        return _enqueued(self._call("POST", "/jobs", _repeatable(job, str(uuid.uuid4()))))

    def enqueue_batch(self, jobs: Iterable[NewJob]) -> List[Enqueued]:
        """All of them or none, at most 10,000; the answers are in the same order."""
        batch = str(uuid.uuid4())
        body = {"jobs": [_repeatable(job, f"{batch}:{n}") for n, job in enumerate(jobs)]}
        return [_enqueued(one) for one in self._call("POST", "/jobs/batch", body)["jobs"]]

    def get(self, job_id: str) -> Job:
        return Job.from_json(self._call("GET", _path(job_id)))

    def find(self, job_type: str, job_key: str) -> Job:
        """The live job of that key, else the latest."""
        return Job.from_json(self._call("GET", _key_path(job_type, job_key)))

    def wait(self, job_id: str, timeout: Optional[float] = None) -> Job:
        """The job once it has finished, however it did. Raises TimeoutError after `timeout`.

        A server that is away by then is Unreachable.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = math.inf if end is None else max(0.0, end - time.monotonic())
            seconds = min(left, _LONGEST_WAIT)
            path = f"{_path(job_id)}?waitSeconds={seconds:.3f}"
            limits = {"timeout": self._timeout + seconds, "patience": min(left, self._patience)}
            job = Job.from_json(self._call("GET", path, **limits))
            if job.finished:
                return job
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(f"job {job_id} is {job.status} after {timeout} seconds")

    def result(self, job_id: str, timeout: Optional[float] = None) -> Any:
        """Waits for the job and returns its result.

        Raises JobFailed, JobCanceled, or TimeoutError after `timeout` seconds.
        """
        self.wait(job_id, timeout)
        try:
            return self._call("GET", f"{_path(job_id)}/result")
        except ApiError as error:
            kind = {"JOB_FAILED": JobFailed, "JOB_CANCELED": JobCanceled}.get(error.code)
            if kind is None:
                raise
            told = error.problem.get("error") or {}
            raise kind(job_id, told.get("code"), told.get("message")) from None

    def cancel(self, job_id: str, *, force: bool = False) -> str:
        """The job's status: CANCELED, or RUNNING if its owner was asked to stop.

        Raises ApiError with the code TERMINAL for a job that has ended otherwise.
        """
        return str(self._call("POST", f"{_path(job_id)}/cancel", {"force": force})["status"])

    def redrive(
        self,
        job_id: str,
        *,
        payload: Any = UNCHANGED,
        queue: Optional[str] = None,
        priority: Optional[int] = None,
        max_retries: Optional[int] = None,
        timeout_seconds: Optional[float] = None,
        delay_seconds: Optional[float] = None,
        run_at: Optional[Time] = None,
    ) -> Enqueued:
        """Runs a failed or canceled job again: now, after `delay_seconds` or at `run_at`.

        The answer names the successor, which is the same when asked again. What is left out is as
        the job had it. Needs the operator role. Raises ApiError with the code WRONG_STATE for a job
        that has not failed, and KEY_IN_USE while another job has its key.
        """
        body = {
            "queue": queue,
            "priority": priority,
            "maxRetries": max_retries,
            "timeoutSeconds": timeout_seconds,
            "delaySeconds": delay_seconds,
            "runAt": to_text(run_at) if isinstance(run_at, datetime) else run_at,
        }
        told = {name: value for name, value in body.items() if value is not None}
        if payload is not UNCHANGED:
            told["payload"] = payload
        return _enqueued(self._call("POST", f"{_path(job_id)}/redrive", told))

    def complete_by_key(
        self, job_type: str, job_key: str, result: Any = None, *, fence: Optional[int] = None
    ) -> str:
        """Finishes the live job of that key, such as one that was handed off."""
        return self._finish(job_type, job_key, "complete", {"result": result}, fence)

    def fail_by_key(
        self,
        job_type: str,
        job_key: str,
        message: str,
        *,
        code: Optional[str] = None,
        details: Any = None,
        retryable: bool = True,
        fence: Optional[int] = None,
    ) -> str:
        error = {"code": code, "message": message, "details": details}
        told = {name: value for name, value in error.items() if value is not None}
        body = {"error": told, "retryable": retryable}
        return self._finish(job_type, job_key, "fail", body, fence)

    def _finish(
        self, job_type: str, job_key: str, verb: str, body: Dict[str, Any], fence: Optional[int]
    ) -> str:
        if fence is not None:
            body["fence"] = fence
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        path = f"{_key_path(job_type, job_key)}/{verb}"
        return str(self._call("POST", path, body, headers=headers)["status"])

    def _call(self, method: str, path: str, body: Any = None, **options: Any) -> Any:
        options.setdefault("patience", self._patience)
        return self._transport.call(method, path, body, **options)[1]


def _repeatable(job: NewJob, key: str) -> Dict[str, Any]:
    """Without a key of the caller's own, one that makes sending it again harmless."""
    body = job.to_json()
    body.setdefault("idempotencyKey", key)
    return body


def _enqueued(body: Mapping[str, Any]) -> Enqueued:
    return Enqueued(body["jobId"], body["status"])


def _path(job_id: str) -> str:
    return f"/jobs/{quote(job_id, safe='')}"


def _key_path(job_type: str, job_key: str) -> str:
    return f"/types/{quote(job_type, safe='')}/keys/{quote(job_key, safe='')}"
