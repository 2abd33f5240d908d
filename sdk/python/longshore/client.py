"""The client: enqueues jobs, queries and waits for them."""

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

UNCHANGED: Any = object()  # a redrive with this payload keeps the job's own
_LONGEST_WAIT = 30.0  # seconds per long poll; the server allows 60


class Client:
    """A client of one server. Thread-safe.

    `server` is a URL, which may have a path ("https://example.org/longshore"); it defaults to
    LONGSHORE_SERVER, then http://127.0.0.1:7788. `token` defaults to LONGSHORE_TOKEN. `ca_cert` is
    a file of certificates to trust instead of the system's; it defaults to LONGSHORE_CA_CERT. A
    call without a response is retried for `patience` seconds; then it raises Unreachable.
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
        """Closes idle connections. The client can still be used."""
        self._transport.close()

    def enqueue(self, job_type: str, payload: Any = None, **fields: Any) -> Enqueued:
        """Returns once the job is on stable storage. `fields` are the fields of NewJob."""
        return self.enqueue_job(NewJob(job_type, payload, **fields))

    def enqueue_job(self, job: NewJob) -> Enqueued:
        return _enqueued(self._call("POST", "/jobs", _repeatable(job, str(uuid.uuid4()))))

    def enqueue_batch(self, jobs: Iterable[NewJob]) -> List[Enqueued]:
        """Enqueues up to 10,000 jobs atomically; returns them in the same order."""
        batch = str(uuid.uuid4())
        body = {"jobs": [_repeatable(job, f"{batch}:{n}") for n, job in enumerate(jobs)]}
        return [_enqueued(one) for one in self._call("POST", "/jobs/batch", body)["jobs"]]

    def get(self, job_id: str) -> Job:
        return Job.from_json(self._call("GET", _path(job_id)))

    def find(self, job_type: str, job_key: str) -> Job:
        """Returns the live job with this key, or else the latest one."""
        return Job.from_json(self._call("GET", _key_path(job_type, job_key)))

    def wait(self, job_id: str, timeout: Optional[float] = None) -> Job:
        """Waits until the job has finished, with any outcome. Raises TimeoutError after `timeout`.

        Raises Unreachable if the server is unreachable by then.
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
            cause = error.problem.get("error") or {}
            raise kind(job_id, cause.get("code"), cause.get("message")) from None

    def cancel(self, job_id: str, *, force: bool = False) -> str:
        """Returns the job's status: CANCELED, or RUNNING if its worker was asked to stop.

        Raises ApiError with the code TERMINAL if the job has already succeeded or failed.
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

        Returns the successor; a second redrive returns the same one. Omitted arguments keep the
        job's values. Needs the operator role. Raises ApiError with the code WRONG_STATE if the job
        has not failed or been canceled, and KEY_IN_USE while another job has its key.
        """
        body = {
            "queue": queue,
            "priority": priority,
            "maxRetries": max_retries,
            "timeoutSeconds": timeout_seconds,
            "delaySeconds": delay_seconds,
            "runAt": to_text(run_at) if isinstance(run_at, datetime) else run_at,
        }
        changes = {name: value for name, value in body.items() if value is not None}
        if payload is not UNCHANGED:
            changes["payload"] = payload
        return _enqueued(self._call("POST", f"{_path(job_id)}/redrive", changes))

    def complete_by_key(
        self, job_type: str, job_key: str, result: Any = None, *, fence: Optional[int] = None
    ) -> str:
        """Finishes the live job with this key, such as one that was handed off."""
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
        given = {name: value for name, value in error.items() if value is not None}
        body = {"error": given, "retryable": retryable}
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
    """Adds an idempotency key if the caller gave none, so that a retry is safe."""
    body = job.to_json()
    body.setdefault("idempotencyKey", key)
    return body


def _enqueued(body: Mapping[str, Any]) -> Enqueued:
    return Enqueued(body["jobId"], body["status"])


def _path(job_id: str) -> str:
    return f"/jobs/{quote(job_id, safe='')}"


def _key_path(job_type: str, job_key: str) -> str:
    return f"/types/{quote(job_type, safe='')}/keys/{quote(job_key, safe='')}"
