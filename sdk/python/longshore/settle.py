"""Tells the server how attempts ended."""

from __future__ import annotations

import queue
import threading
import traceback
from typing import Any, Dict, List, Optional, Tuple

from .errors import ApiError, LongshoreError
from .outcomes import Canceled, Fatal, HandOff, Outcome, Release, Retry
from .run import NOT_OURS, JobRun, log
from .transport import Transport, to_json

_TRACE_CHARACTERS = 16 * 1024  # its end is kept; the server takes 64 KiB of details
_BATCH_MAX = 1000
_UNTELLABLE = (400, 413, 422)  # statuses that say that the words themselves are at fault

Word = Tuple[str, Dict[str, Any]]  # the last part of a route, and its body


def word_for(value: Any) -> Word:
    """What to tell for what a handler returned or raised."""
    if isinstance(value, Release):
        return "release", _without_none({"delaySeconds": value.after})
    if isinstance(value, HandOff):
        return "handoff", _without_none({"timeoutSeconds": value.timeout})
    if isinstance(value, Canceled):
        return _fail("CANCELED", value.message)
    if isinstance(value, Fatal):
        return _fail(value.code or "FATAL", value.message, value.details, retryable=False)
    if isinstance(value, Retry):
        code, after = value.code or "RETRY", value.after
        return _fail(code, value.message, value.details, retryAfterSeconds=after)
    if isinstance(value, BaseException):
        name = type(value).__name__
        return _fail(name, str(value) or name, {"trace": _trace(value)})
    try:
        to_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        return _fail("BAD_RESULT", f"the result cannot be JSON: {error}", retryable=False)
    return "complete", {"result": value}


class Settler:
    """With `batch`, what ended at about the same time is told in one call, by one thread."""

    def __init__(self, transport: Transport, batch: bool) -> None:
        self._transport = transport
        self._batch = batch
        self._told: "queue.SimpleQueue[Optional[Tuple[JobRun, Dict[str, Any]]]]"
        self._told = queue.SimpleQueue()
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        if not self._batch:
            return
        self._thread = threading.Thread(target=self._tell_many, name="longshore-settle")
        self._thread.daemon = True
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Tells what is still to be told."""
        if self._thread is not None:
            self._told.put(None)
            self._thread.join(timeout)

    def settle(self, run: JobRun, value: Any, patience: Optional[float] = None) -> None:
        """Tells the outcome of an attempt, once. One that comes too late is dropped.

        Tries for `patience` seconds, by default for as long as the lease could still hold: what no
        server could end goes on when one is back.
        """
        if run.lost:
            run.end()
            return _log_lost(run, value)
        verb, body = word_for(value)
        news = self._last_news(run, verb)
        if not run.end():
            return _log_lost(run, value)
        body.update(news)
        body["leaseToken"] = run.lease_token
        line = _line_of(verb, body) if self._batch else None
        if line is not None:
            self._told.put((run, {"jobId": run.job_id, **line}))
        else:
            self._tell(run, verb, body, _hope(run) if patience is None else patience)

    def _last_news(self, run: JobRun, verb: str) -> Dict[str, Any]:
        """What the attempt had still to say, as far as this word can carry it."""
        news = run.take_news()
        news.pop("progress", None)
        if "checkpoint" in news and verb not in ("complete", "release"):
            try:
                run.save(news["checkpoint"])
            except LongshoreError as error:
                log.warning("job %s: its checkpoint was not saved: %s", run.job_id, error)
        if verb != "release":
            news.pop("checkpoint", None)
        if verb == "handoff":
            news.pop("log", None)
        return news

    def _tell(
        self, run: JobRun, verb: str, body: Dict[str, Any], patience: float, again: bool = True
    ) -> None:
        try:
            self._transport.call("POST", f"/jobs/{run.job_id}/{verb}", body, patience=patience)
        except ApiError as error:
            if error.code in NOT_OURS:
                _log_lost(run, error)
            elif error.status in _UNTELLABLE and again:
                self._tell(run, "fail", _plainly(run, verb, body, error), patience, again=False)
            else:
                log.error("job %s: its outcome was refused: %s", run.job_id, error)
        except LongshoreError as error:
            log.error("job %s: its outcome could not be told: %s", run.job_id, error)

    def _tell_many(self) -> None:
        ending = False
        while not ending:
            items = [self._told.get()]
            while len(items) < _BATCH_MAX and not self._told.empty():
                items.append(self._told.get())
            lines = [item for item in items if item is not None]
            ending = len(lines) < len(items)
            if lines:
                self._tell_lines(lines)

    def _tell_lines(self, lines: List[Tuple[JobRun, Dict[str, Any]]]) -> None:
        body = {"outcomes": [line for _, line in lines]}
        patience = max(_hope(run) for run, _ in lines)
        try:
            _, answer = self._transport.call("POST", "/leases/settle", body, patience=patience)
        except LongshoreError as error:
            if isinstance(error, ApiError) and error.status in _UNTELLABLE:
                return self._tell_each(lines)
            for run, _ in lines:
                log.error("job %s: its outcome could not be told: %s", run.job_id, error)
            return
        for (run, line), verdict in zip(lines, answer["verdicts"]):
            code = verdict.get("code")
            if code in NOT_OURS:
                _log_lost(run, code)
            elif code is not None:
                self._tell_each([(run, line)])

    def _tell_each(self, lines: List[Tuple[JobRun, Dict[str, Any]]]) -> None:
        """One by one, so that what is wrong with one is its own affair."""
        for run, line in lines:
            body = {name: value for name, value in line.items() if name not in ("jobId", "release")}
            verb = next(v for v, n in _LINES.items() if n in line)
            self._tell(run, verb, body, _hope(run))


# Which member of a line in a batch says what a route says.
_LINES = {"complete": "result", "fail": "error", "release": "release"}


def _line_of(verb: str, body: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """None for what a batch cannot say: hand-offs, delays, checkpoints and logs."""
    if verb not in _LINES or not body.keys().isdisjoint({"delaySeconds", "checkpoint", "log"}):
        return None
    return {**body, "release": True} if verb == "release" else body


def _fail(
    code: str, message: str, details: Any = None, *, retryable: bool = True, **more: Any
) -> Word:
    error = {"code": code[:128], "message": _plain(message), "details": details}
    body = {"error": _without_none(error), "retryable": retryable, **more}
    return "fail", _without_none(body)


def _plainly(run: JobRun, verb: str, body: Dict[str, Any], why: ApiError) -> Dict[str, Any]:
    """A failure in words that no server refuses, for one that was refused as it was."""
    log.error("job %s: its %s was refused: %s", run.job_id, verb, why)
    if verb == "fail":
        message, retryable = str(body["error"].get("message", "")), bool(body.get("retryable"))
    else:
        message, retryable = f"the server refused its {verb}: {why}", False
    error = {"code": "BAD_RESULT", "message": message}
    return {"error": error, "retryable": retryable, "leaseToken": run.lease_token}


def _hope(run: JobRun) -> float:
    return 2 * run.lease_seconds + 10


def _trace(error: BaseException) -> str:
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return _plain("".join(lines)[-_TRACE_CHARACTERS:])


def _plain(text: str) -> str:
    """Without what UTF-8 cannot say."""
    return text.encode("utf-8", "replace").decode()


def _without_none(members: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _log_lost(run: JobRun, what: Any) -> None:
    kind = type(what).__name__ if isinstance(what, Outcome) else "outcome"
    log.warning(
        "%s: job %s, attempt %d ran on after its lease; its %s is dropped",
        "LEASE_LOST",
        run.job_id,
        run.attempt,
        kind,
    )
