"""Reports the outcomes of attempts to the server."""

from __future__ import annotations

import queue
import threading
import traceback
from typing import Any, Dict, List, Optional, Tuple

from .errors import ApiError, LongshoreError, Unreachable
from .outcomes import Canceled, Fatal, HandOff, Outcome, Release, Retry
from .run import LEASE_GONE, JobRun, log, plain
from .transport import (
    FIRST_WARNING,
    NEXT_WARNING,
    Ending,
    Transport,
    is_transient,
    jittered,
    to_json,
)

_TRACE_CHARACTERS = 16 * 1024  # the end is kept; the server accepts 64 KiB of details
_MESSAGE_CHARACTERS = 8 * 1024  # the server keeps 8 KiB of a message
_BODY_BYTES = 2 * 1024 * 1024  # the server's limit for a request body
_BATCH_MAX = 1000
_INVALID_REQUEST = (400, 413, 422)  # statuses for a request that will never be accepted
_NOT_IN_PROFILE = "NOT_IN_PROFILE"  # the error code if the profile does not support hand-offs
_UNAVAILABLE = (429, 502, 503, 504)  # statuses of an overloaded or unreachable server
_NOT_JSON = (TypeError, ValueError, RecursionError)

Report = Tuple[str, Dict[str, Any]]  # the last segment of a route, and its body


def report_for(value: Any) -> Report:
    """The request for what a handler returned or raised."""
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
        return _fail(name, _text_of(value) or name, {"trace": _trace(value)})
    try:
        size = len(to_json(value))
    except _NOT_JSON as error:
        message = f"the result cannot be serialized as JSON: {error}"
        return _fail("BAD_RESULT", message, retryable=False)
    if size > _BODY_BYTES:
        return _fail("BAD_RESULT", f"the result is too large: {size} bytes", retryable=False)
    return "complete", {"result": value}


class Settler:
    """With `batch`, one thread sends the outcomes of many attempts in one call."""

    def __init__(self, transport: Transport, batch: bool) -> None:
        self._transport = transport
        self._batch = batch
        self._queue: "queue.SimpleQueue[Optional[Tuple[JobRun, Dict[str, Any]]]]"
        self._queue = queue.SimpleQueue()
        self._ending = Ending()
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        if not self._batch:
            return
        self._thread = threading.Thread(target=self._send_batches, name="longshore-settle")
        self._thread.daemon = True
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Sends the remaining outcomes, if the server responds within `timeout`."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout)
        self._ending.fire()

    def settle(self, run: JobRun, value: Any) -> None:
        """Sends the outcome of an attempt once. Discards it if the lease was lost.

        Retries until the server responds or the worker ends: a lease that expires while no server
        runs is extended when one is back.
        """
        if run.lost:
            run.end()
            return _log_lost(run, value)
        verb, body = report_for(value)
        pending = self._last_pending(run, verb)
        if not run.end():
            return _log_lost(run, value)
        body.update(pending)
        body["leaseToken"] = run.lease_token
        line = _line_of(verb, body) if self._batch else None
        if line is not None:
            self._queue.put((run, {"jobId": run.job_id, **line}))
        else:
            self._send(run, verb, body)

    def give_back(self, run: JobRun, patience: float) -> bool:
        """Releases a job whose handler is still running. False if its outcome is being sent."""
        if not run.end():
            return False
        body = {**self._last_pending(run, "release"), "leaseToken": run.lease_token}
        self._send(run, "release", body, patience)
        return True

    def _last_pending(self, run: JobRun, verb: str) -> Dict[str, Any]:
        """The pending data that this request can carry."""
        pending = run.take_pending()
        pending.pop("progress", None)
        if "checkpoint" in pending and verb not in ("complete", "release"):
            try:
                run.save(pending["checkpoint"])
            except LongshoreError as error:
                log.warning("job %s: could not save its checkpoint: %s", run.job_id, error)
        if verb != "release":
            pending.pop("checkpoint", None)
        if verb == "handoff":
            pending.pop("log", None)
        return pending

    def _send(
        self,
        run: JobRun,
        verb: str,
        body: Dict[str, Any],
        patience: Optional[float] = None,
        again: bool = True,
    ) -> None:
        try:
            self._post(f"/jobs/{run.job_id}/{verb}", body, patience)
        except Exception as error:
            if isinstance(error, ApiError) and error.code in LEASE_GONE:
                _log_lost(run, error)
            elif again and _is_invalid(error):
                verb, body = _simplified(run, verb, body, error)
                self._send(run, verb, body, patience, again=verb != "fail")
            else:
                log.error("job %s: could not report its outcome: %s", run.job_id, error)

    def _post(self, path: str, body: Any, patience: Optional[float] = None) -> Any:
        """Returns the response. Without `patience` it retries until the worker ends."""
        if patience is not None:
            limit = max(1.0, patience)
            return self._transport.call("POST", path, body, patience=patience, timeout=limit)[1]
        tried_for = FIRST_WARNING
        while True:
            try:
                call = self._transport.call
                return call("POST", path, body, patience=tried_for, interrupt=self._ending)[1]
            except LongshoreError as error:
                status = getattr(error, "status", 0)
                unavailable = isinstance(error, Unreachable) or status in _UNAVAILABLE
                failing = tried_for == NEXT_WARNING and not unavailable  # it responds with errors
                if failing or self._ending.fired or not is_transient(error):
                    raise
                log.warning("could not report an outcome yet (%s), retrying: %s", path, error)
            self._ending.sleep(jittered(1.0))
            tried_for = NEXT_WARNING

    def _send_batches(self) -> None:
        ending = False
        while not ending:
            items = [self._queue.get()]
            while len(items) < _BATCH_MAX and not self._queue.empty():
                items.append(self._queue.get())
            lines = [item for item in items if item is not None]
            ending = len(lines) < len(items)
            try:
                self._send_batch(lines)
            except Exception:  # the thread must survive for the other outcomes
                log.exception("could not report %d outcomes", len(lines))

    def _send_batch(self, lines: List[Tuple[JobRun, Dict[str, Any]]]) -> None:
        if not lines:
            return
        body = {"outcomes": [line for _, line in lines]}
        try:
            answer = self._post("/leases/settle", body)
        except Exception as error:
            if _is_invalid(error):
                return self._send_each(lines)
            for run, _ in lines:
                log.error("job %s: could not report its outcome: %s", run.job_id, error)
            return
        for (run, line), verdict in zip(lines, answer["verdicts"]):
            code = verdict.get("code")
            if code in LEASE_GONE:
                _log_lost(run, code)
            elif code is not None:
                self._send_each([(run, line)])

    def _send_each(self, lines: List[Tuple[JobRun, Dict[str, Any]]]) -> None:
        """Sends outcomes one by one, so that an invalid one does not affect the others."""
        for run, line in lines:
            body = {name: value for name, value in line.items() if name not in ("jobId", "release")}
            verb = next(v for v, n in _LINES.items() if n in line)
            self._send(run, verb, body)


# The field of a batch entry that corresponds to each route.
_LINES = {"complete": "result", "fail": "error", "release": "release"}


def _line_of(verb: str, body: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """None if a batch cannot carry it: hand-offs, delays, checkpoints and logs."""
    if verb not in _LINES or not body.keys().isdisjoint({"delaySeconds", "checkpoint", "log"}):
        return None
    return {**body, "release": True} if verb == "release" else body


def _fail(
    code: str, message: str, details: Any = None, *, retryable: bool = True, **more: Any
) -> Report:
    text = plain(str(message))[:_MESSAGE_CHARACTERS]
    error = {"code": plain(str(code))[:128], "message": text, "details": _serializable(details)}
    body = {"error": _without_none(error), "retryable": retryable, **more}
    return "fail", _without_none(body)


def _simplified(run: JobRun, verb: str, body: Dict[str, Any], why: Exception) -> Report:
    """A simpler request to send after a rejection; it ends with a failure that is always valid."""
    log.error("job %s: the server rejected its %s: %s", run.job_id, verb, why)
    if "checkpoint" in body:
        return verb, {name: body[name] for name in body if name != "checkpoint"}
    if getattr(why, "code", None) == _NOT_IN_PROFILE:
        # Permanent: another attempt would repeat the handler's calls to other systems.
        refused = f"the handler's hand-off was refused: {getattr(why, 'detail', why)}"
        failed = _fail(_NOT_IN_PROFILE, refused, retryable=False)[1]
        return "fail", {**failed, "leaseToken": body["leaseToken"]}
    error = {"code": "BAD_RESULT", "message": f"the server rejected the {verb} request: {why}"}
    if verb == "fail":
        error["message"] = body["error"]["message"]
        if getattr(why, "status", 0) == 413:
            error["code"] = body["error"]["code"]  # the details were too large
    failed = {"error": error, "retryable": verb == "fail" and body.get("retryable", True)}
    kept = {name: body[name] for name in ("leaseToken", "log") if name in body}
    return "fail", {**failed, **kept}


def _is_invalid(error: Exception) -> bool:
    """True if a retry cannot help, but a different request might."""
    if isinstance(error, ApiError):
        return error.status in _INVALID_REQUEST or error.code == _NOT_IN_PROFILE
    return isinstance(error, _NOT_JSON)


def _serializable(details: Any) -> Any:
    """The details, or their text if they cannot be serialized as JSON."""
    try:
        to_json(details)
        return details
    except _NOT_JSON:
        return plain(_text_of(details))[:_TRACE_CHARACTERS]


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # str() runs the handler's code
        return ""


def _trace(error: BaseException) -> str:
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return plain("".join(lines))[-_TRACE_CHARACTERS:]


def _without_none(members: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _log_lost(run: JobRun, what: Any) -> None:
    kind = type(what).__name__ if isinstance(what, Outcome) else "outcome"
    log.warning(
        "%s: job %s, attempt %d no longer holds the lease; its %s is discarded",
        "LEASE_LOST",
        run.job_id,
        run.attempt,
        kind,
    )
