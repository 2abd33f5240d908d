"""JobRun: one attempt of a job, as passed to a handler."""

from __future__ import annotations

import enum
import json
import logging
import threading
import time
from datetime import datetime
from typing import Any, Dict, Mapping, Optional

from .errors import ApiError, LeaseLost, Unreachable
from .jobs import to_time
from .outcomes import Canceled, Release
from .transport import Transport, is_transient, to_json

log = logging.getLogger("longshore")

_MAX_INTERVAL = 5.0  # seconds between heartbeats; also bounds the delay of a cancellation
_MIN_INTERVAL = 0.1
_MAX_RESPONSE = 10.0  # seconds to wait for the response to a heartbeat
_MIN_LEASE = 1.0  # seconds, in case the clocks differ
_LOG_CHARACTERS = 64 * 1024  # the newest are kept, as on the server

# The error codes for a lease that the worker no longer holds.
LEASE_GONE = frozenset({"LEASE_LOST", "ALREADY_SETTLED", "NOT_FOUND"})


class StopReason(enum.Enum):
    CANCELED = "canceled"  # the job was canceled
    LEASE_LOST = "lease lost"  # the lease was lost: the handler's outcome is discarded
    TIMED_OUT = "timed out"  # the deadline has passed: the outcome is discarded
    WORKER_STOPPED = "worker stopped"  # the worker is stopping, and its grace period is over


class JobRun:
    """One attempt of a job. Thread-safe.

    `stopped` is set when the handler should stop: within one heartbeat (5 seconds at most) of a
    cancellation or a lost lease, and when the worker stops. `stop_reason` is the reason.
    """

    def __init__(
        self, transport: Transport, lease: Mapping[str, Any], lease_seconds: Optional[float] = None
    ) -> None:
        self.job_id: str = lease["jobId"]
        self.job_type: str = lease["jobType"]
        self.job_key: Optional[str] = lease.get("jobKey")
        self.queue: str = lease["queue"]
        self.payload: Any = lease.get("payload")
        self.attempt: int = lease["attempt"]
        self.failures: int = lease.get("failures", 0)
        self.max_retries: int = lease.get("maxRetries", 0)
        self.fence: int = lease["fence"]
        self.checkpoint: Any = lease.get("checkpoint")  # the last saved checkpoint
        self.last_error: Optional[Mapping[str, Any]] = lease.get("lastError")
        self.metadata: Mapping[str, str] = lease.get("metadata") or {}
        self.request: Optional[Mapping[str, Any]] = lease.get("request")
        self.traceparent: Optional[str] = lease.get("traceparent")
        self.created_at: datetime = to_time(lease["createdAt"])
        self.deadline_at: datetime = to_time(lease["deadlineAt"])
        self.lease_token: str = lease["leaseToken"]
        left = transport.seconds_until(to_time(lease["leaseExpiresAt"]))
        self.lease_seconds = lease_seconds or max(left, _MIN_LEASE)
        self.beat_seconds = max(_MIN_INTERVAL, min(self.lease_seconds / 3, _MAX_INTERVAL))
        self.stopped = threading.Event()
        self.stop_reason: Optional[StopReason] = None
        self._transport = transport
        self._beating = threading.Lock()  # keeps heartbeats in order
        self._lock = threading.Lock()
        self._pending: Dict[str, Any] = {}  # sent with the next heartbeat
        self._ended = False  # an outcome was sent, or none will be

    def progress(self, percent: float) -> None:
        """Sets the progress, 0 to 100; sent with the next heartbeat. Else raises ValueError."""
        if not 0 <= percent <= 100:
            raise ValueError(f"progress must be a number from 0 to 100, got {percent}")
        with self._lock:
            self._pending["progress"] = float(percent)

    def save(self, checkpoint: Any, *, now: bool = True) -> None:
        """Saves a checkpoint, which the next attempt gets as `checkpoint`.

        Durable when the call returns; with `now=False` it is sent with the next heartbeat instead.
        Raises LeaseLost if this attempt no longer holds the lease, and TypeError or ValueError if
        the checkpoint cannot be serialized as JSON.
        """
        copy = json.loads(to_json(checkpoint))  # the handler may modify the checkpoint afterwards
        self.checkpoint = checkpoint
        with self._lock:
            self._pending["checkpoint"] = copy
        if now:
            self.beat(patience=self.lease_seconds)

    def log(self, line: str) -> None:
        """Adds a line to the attempt's log; sent with the next heartbeat or the outcome."""
        with self._lock:
            text = self._pending.get("log", "") + plain(str(line)).rstrip("\n") + "\n"
            self._pending["log"] = text[-_LOG_CHARACTERS:]

    def raise_if_stopped(self) -> None:
        """If the handler was asked to stop, raises the outcome that matches the reason."""
        if not self.stopped.is_set():
            return
        if self.stop_reason is StopReason.CANCELED:
            raise Canceled()
        if self.stop_reason is StopReason.WORKER_STOPPED:
            raise Release()
        raise LeaseLost(f"job {self.job_id}: {self.lost_code()}")

    def time_left(self) -> float:
        """Seconds until the deadline by the local clock; never negative."""
        return max(0.0, self.deadline_at.timestamp() - time.time())

    @property
    def lost(self) -> bool:
        return self.stop_reason in (StopReason.LEASE_LOST, StopReason.TIMED_OUT)

    def lost_code(self) -> str:
        return "LEASE_LOST" if self.stop_reason is StopReason.LEASE_LOST else "LEASE_LOST (TIMEOUT)"

    def stop(self, reason: StopReason) -> None:
        """Asks the handler to stop. A lost lease overrides every other reason."""
        with self._lock:
            losing = reason in (StopReason.LEASE_LOST, StopReason.TIMED_OUT)
            if self.stop_reason is None or (losing and not self.lost):
                self.stop_reason = reason
        self.stopped.set()

    def beat(self, patience: float = 0.0, *, wait: bool = True) -> None:
        """Extends the lease, sends pending data, and learns of cancellations.

        Without `wait` it returns at once if another heartbeat is in flight.
        """
        if not self._beating.acquire(blocking=wait):
            return
        try:
            if not self._ended:
                self._beat(patience)
        finally:
            self._beating.release()

    def _beat(self, patience: float) -> None:
        pending = self.take_pending()
        body = {"leaseToken": self.lease_token, **pending}
        path = f"/jobs/{self.job_id}/heartbeat"
        limit = max(1.0, min(self.lease_seconds / 3, _MAX_RESPONSE))
        try:
            _, answer = self._transport.call("POST", path, body, patience=patience, timeout=limit)
        except ApiError as error:
            if error.code in LEASE_GONE:
                late = self.time_left() == 0
                self.stop(StopReason.TIMED_OUT if late else StopReason.LEASE_LOST)
                raise LeaseLost(f"job {self.job_id}: {error}") from error
            # Rejected data is not sent again, except for the log, which is always valid.
            rejected = () if is_transient(error) else ("progress", "checkpoint")
            self._restore({name: pending[name] for name in pending if name not in rejected})
            raise
        except Unreachable:
            self._restore(pending)
            raise
        if answer.get("cancelRequested"):
            self.stop(StopReason.CANCELED)

    @property
    def ended(self) -> bool:
        return self._ended

    def end(self) -> bool:
        """Marks the attempt as ended: nothing more is sent for it. True for the first caller."""
        with self._lock:
            first, self._ended = not self._ended, True
        return first

    def take_pending(self) -> Dict[str, Any]:
        with self._lock:
            pending, self._pending = self._pending, {}
        return pending

    def _restore(self, pending: Dict[str, Any]) -> None:
        """Puts back data that was not delivered. Newer values win; log lines are concatenated."""
        with self._lock:
            text = pending.get("log", "") + self._pending.get("log", "")
            self._pending = {**pending, **self._pending}
            if text:
                self._pending["log"] = text[-_LOG_CHARACTERS:]


def plain(text: str) -> str:
    """Replaces lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
