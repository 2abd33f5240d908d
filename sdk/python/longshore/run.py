"""One attempt at a job: what a handler is given."""

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
from .transport import Transport, is_passing, to_json

log = logging.getLogger("longshore")

_BEAT_MOST = 5.0  # seconds between heartbeats, however long the lease: they bring cancellations
_BEAT_LEAST = 0.1
_ANSWER_MOST = 10.0  # seconds that the answer to a heartbeat may take
_LEASE_LEAST = 1.0  # seconds, whatever two clocks make of it
_LOG_CHARACTERS = 64 * 1024  # the newest are kept, as the server does

# What a server says to a worker whose lease is not the job's any more.
NOT_OURS = frozenset({"LEASE_LOST", "ALREADY_SETTLED", "NOT_FOUND"})


class StopReason(enum.Enum):
    CANCELED = "canceled"  # somebody canceled the job
    LEASE_LOST = "lease lost"  # it is somebody else's now: what the handler answers is dropped
    TIMED_OUT = "timed out"  # its deadline has passed: the same
    WORKER_STOPPED = "worker stopped"  # the grace of a stopping worker is over


class JobRun:
    """Belongs to one attempt. Safe to share between the threads of its handler.

    `stopped` is set when the handler should give up: within one heartbeat (5 seconds at most) of a
    cancellation or a lost lease, and when the worker has to stop. `stop_reason` says why.
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
        self.checkpoint: Any = lease.get("checkpoint")  # what an attempt saved last
        self.last_error: Optional[Mapping[str, Any]] = lease.get("lastError")
        self.metadata: Mapping[str, str] = lease.get("metadata") or {}
        self.request: Optional[Mapping[str, Any]] = lease.get("request")
        self.traceparent: Optional[str] = lease.get("traceparent")
        self.created_at: datetime = to_time(lease["createdAt"])
        self.deadline_at: datetime = to_time(lease["deadlineAt"])
        self.lease_token: str = lease["leaseToken"]
        left = transport.seconds_until(to_time(lease["leaseExpiresAt"]))
        self.lease_seconds = lease_seconds or max(left, _LEASE_LEAST)
        self.beat_seconds = max(_BEAT_LEAST, min(self.lease_seconds / 3, _BEAT_MOST))
        self.stopped = threading.Event()
        self.stop_reason: Optional[StopReason] = None
        self._transport = transport
        self._beating = threading.Lock()  # so that beats arrive in the order they were made
        self._lock = threading.Lock()
        self._news: Dict[str, Any] = {}  # what the next beat carries
        self._ended = False  # an outcome was told, or will not be

    def progress(self, percent: float) -> None:
        """0 to 100, else ValueError; goes with the next heartbeat."""
        if not 0 <= percent <= 100:
            raise ValueError(f"progress is a number from 0 to 100, not {percent}")
        with self._lock:
            self._news["progress"] = float(percent)

    def save(self, checkpoint: Any, *, now: bool = True) -> None:
        """What the next attempt is given as `checkpoint`, should there be one.

        Durable when the call returns; with `now=False` it goes with the next heartbeat instead.
        Raises LeaseLost if the job is not this attempt's any more, and TypeError or ValueError for
        what JSON cannot say.
        """
        told = json.loads(to_json(checkpoint))  # as it is now; the handler may go on changing it
        self.checkpoint = checkpoint
        with self._lock:
            self._news["checkpoint"] = told
        if now:
            self.beat(patience=self.lease_seconds)

    def log(self, line: str) -> None:
        """A line for the attempt's log; goes with the next heartbeat or the outcome."""
        with self._lock:
            text = self._news.get("log", "") + plain(str(line)).rstrip("\n") + "\n"
            self._news["log"] = text[-_LOG_CHARACTERS:]

    def raise_if_stopped(self) -> None:
        """Ends a handler that was asked to stop, in the way that suits the reason."""
        if not self.stopped.is_set():
            return
        if self.stop_reason is StopReason.CANCELED:
            raise Canceled()
        if self.stop_reason is StopReason.WORKER_STOPPED:
            raise Release()
        raise LeaseLost(f"job {self.job_id}: {self.lost_word()}")

    def time_left(self) -> float:
        """Seconds until the deadline, by this machine's clock; never negative."""
        return max(0.0, self.deadline_at.timestamp() - time.time())

    @property
    def lost(self) -> bool:
        return self.stop_reason in (StopReason.LEASE_LOST, StopReason.TIMED_OUT)

    def lost_word(self) -> str:
        return "LEASE_LOST" if self.stop_reason is StopReason.LEASE_LOST else "LEASE_LOST (TIMEOUT)"

    def stop(self, reason: StopReason) -> None:
        """Asks the handler to give up. A lost lease outdoes every other reason."""
        with self._lock:
            losing = reason in (StopReason.LEASE_LOST, StopReason.TIMED_OUT)
            if self.stop_reason is None or (losing and not self.lost):
                self.stop_reason = reason
        self.stopped.set()

    def beat(self, patience: float = 0.0, *, wait: bool = True) -> None:
        """Extends the lease, carries the news, and hears of cancellations.

        Without `wait` it leaves the beating to a beat that is under way.
        """
        if not self._beating.acquire(blocking=wait):
            return
        try:
            if not self._ended:
                self._beat(patience)
        finally:
            self._beating.release()

    def _beat(self, patience: float) -> None:
        news = self.take_news()
        body = {"leaseToken": self.lease_token, **news}
        path = f"/jobs/{self.job_id}/heartbeat"
        limit = max(1.0, min(self.lease_seconds / 3, _ANSWER_MOST))
        try:
            _, answer = self._transport.call("POST", path, body, patience=patience, timeout=limit)
        except ApiError as error:
            if error.code in NOT_OURS:
                late = self.time_left() == 0
                self.stop(StopReason.TIMED_OUT if late else StopReason.LEASE_LOST)
                raise LeaseLost(f"job {self.job_id}: {error}") from error
            # What the server refuses is not sent again, but the log is never at fault.
            refused = () if is_passing(error) else ("progress", "checkpoint")
            self._give_back({name: news[name] for name in news if name not in refused})
            raise
        except Unreachable:
            self._give_back(news)
            raise
        if answer.get("cancelRequested"):
            self.stop(StopReason.CANCELED)

    @property
    def ended(self) -> bool:
        return self._ended

    def end(self) -> bool:
        """From now on nothing more is told about this attempt. True for the first who asks."""
        with self._lock:
            first, self._ended = not self._ended, True
        return first

    def take_news(self) -> Dict[str, Any]:
        with self._lock:
            news, self._news = self._news, {}
        return news

    def _give_back(self, news: Dict[str, Any]) -> None:
        """What is newer wins, but no line of the log gets lost."""
        with self._lock:
            text = news.get("log", "") + self._news.get("log", "")
            self._news = {**news, **self._news}
            if text:
                self._news["log"] = text[-_LOG_CHARACTERS:]


def plain(text: str) -> str:
    """Without what UTF-8 cannot say."""
    return text.encode("utf-8", "replace").decode()
