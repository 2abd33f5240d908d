"""The job types of the client."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, Mapping, Optional, Sequence, Union

Time = Union[datetime, str]  # a naive datetime is local time; a str is RFC 3339

FINISHED = frozenset({"COMPLETED", "FAILED", "CANCELED"})

_NAMES = {
    "idempotency_key": "idempotencyKey",
    "job_key": "jobKey",
    "on_conflict": "onConflict",
    "queue": "queue",
    "priority": "priority",
    "run_at": "runAt",
    "delay_seconds": "delaySeconds",
    "expires_at": "expiresAt",
    "max_retries": "maxRetries",
    "timeout_seconds": "timeoutSeconds",
    "backoff": "backoff",
    "tags": "tags",
    "metadata": "metadata",
    "callback": "callback",
    "request": "request",
}


@dataclass
class NewJob:
    """A job to enqueue. Fields that are None get the server's default."""

    job_type: str
    payload: Any = None
    idempotency_key: Optional[str] = None  # None: generated, so that a retry is safe
    job_key: Optional[str] = None
    on_conflict: Optional[str] = None  # "existing", "reject" or "replace"
    queue: Optional[str] = None
    priority: Optional[int] = None  # 0 to 9; 0 runs first
    run_at: Optional[Time] = None
    delay_seconds: Optional[float] = None
    expires_at: Optional[Time] = None
    max_retries: Optional[int] = None
    timeout_seconds: Optional[float] = None
    backoff: Optional[Mapping[str, Any]] = None  # kind, baseSeconds, maxSeconds, jitter
    tags: Optional[Sequence[str]] = None
    metadata: Optional[Mapping[str, str]] = None
    callback: Optional[Mapping[str, Any]] = None  # url, secretName
    request: Optional[Mapping[str, Any]] = None

    def to_json(self) -> Dict[str, Any]:
        body: Dict[str, Any] = {"jobType": self.job_type, "payload": self.payload}
        for name, member in _NAMES.items():
            value = getattr(self, name)
            if value is not None:
                body[member] = to_text(value) if isinstance(value, datetime) else value
        return body


@dataclass(frozen=True)
class Enqueued:
    """The response to an enqueue: the job is on stable storage."""

    job_id: str
    status: str


@dataclass(frozen=True)
class Job:
    """A snapshot of a job at the time of the call."""

    job_id: str
    job_type: str
    status: str  # PENDING, RUNNING, COMPLETED, FAILED or CANCELED
    created_at: datetime
    updated_at: datetime
    run_at: Optional[datetime] = None
    started_at: Optional[datetime] = None
    completed_at: Optional[datetime] = None
    progress: Optional[float] = None
    cancel_requested: bool = False
    successor_id: Optional[str] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def finished(self) -> bool:
        return self.status in FINISHED

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> "Job":
        return Job(
            job_id=body["jobId"],
            job_type=body["jobType"],
            status=body["status"],
            created_at=to_time(body["createdAt"]),
            updated_at=to_time(body["updatedAt"]),
            run_at=_time_or_none(body.get("runAt")),
            started_at=_time_or_none(body.get("startedAt")),
            completed_at=_time_or_none(body.get("completedAt")),
            progress=body.get("progress"),
            cancel_requested=bool(body.get("cancelRequested", False)),
            successor_id=body.get("successorId"),
            raw=body,
        )


def to_text(time: datetime) -> str:
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds")


def to_time(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def _time_or_none(text: Optional[str]) -> Optional[datetime]:
    return None if text is None else to_time(text)
