"""Tells the server how attempts ended."""

from __future__ import annotations

import queue
import threading
import traceback
from typing import Any, Dict, List, Optional, Tuple

from .errors import ApiError, LongshoreError, Unreachable
from .outcomes import Canceled, Fatal, HandOff, Outcome, Release, Retry
from .run import NOT_OURS, JobRun, log, plain
from .transport import (
    FIRST_WORD,
    NEXT_WORD,
    Ending,
    Transport,
    is_passing,
    jittered,
    to_json,
)

_TRACE_CHARACTERS = 16 * 1024  # its end is kept; the server takes 64 KiB of details
_MESSAGE_CHARACTERS = 8 * 1024  # the server keeps 8 KiB of a message
_BODY_BYTES = 2 * 1024 * 1024  # no server takes a larger request
_BATCH_MAX = 1000
_UNTELLABLE = (400, 413, 422)  # statuses that say that the words themselves are at fault
_NOT_IN_PROFILE = "NOT_IN_PROFILE"  # what a server answers that knows no hand-off
_AWAY = (429, 502, 503, 504)  # those that say that nobody could listen
_NO_JSON = (TypeError, ValueError, RecursionError)

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
        return _fail(name, _text_of(value) or name, {"trace": _trace(value)})
    try:
        size = len(to_json(value))
    except _NO_JSON as error:
        return _fail("BAD_RESULT", f"the result cannot be JSON: {error}", retryable=False)
    if size > _BODY_BYTES:
        return _fail("BAD_RESULT", f"a result of {size} bytes is too large", retryable=False)
    return "complete", {"result": value}


class Settler:
    """With `batch`, what ended at about the same time is told in one call, by one thread."""

    def __init__(self, transport: Transport, batch: bool) -> None:
        self._transport = transport
        self._batch = batch
        self._told: "queue.SimpleQueue[Optional[Tuple[JobRun, Dict[str, Any]]]]"
        self._told = queue.SimpleQueue()
        self._ending = Ending()
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        if not self._batch:
            return
        self._thread = threading.Thread(target=self._tell_many, name="longshore-settle")
        self._thread.daemon = True
        self._thread.start()

    def stop(self, timeout: float) -> None:
        """Tells what is still to be told, if somebody hears it in that time."""
        if self._thread is not None:
            self._told.put(None)
            self._thread.join(timeout)
        self._ending.fire()

    def settle(self, run: JobRun, value: Any) -> None:
        """Tells the outcome of an attempt, once. One that comes too late is dropped.

        Tries until there is an answer or the worker ends: a lease that no server could end holds
        on when one is back.
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
            self._tell(run, verb, body)

    def give_back(self, run: JobRun, patience: float) -> bool:
        """Releases a job whose handler goes on. False if it has ended, and its outcome is told."""
        if not run.end():
            return False
        body = {**self._last_news(run, "release"), "leaseToken": run.lease_token}
        self._tell(run, "release", body, patience)
        return True

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
            if isinstance(error, ApiError) and error.code in NOT_OURS:
                _log_lost(run, error)
            elif again and _is_untellable(error):
                verb, body = _plainly(run, verb, body, error)
                self._tell(run, verb, body, patience, again=verb != "fail")
            else:
                log.error("job %s: its outcome could not be told: %s", run.job_id, error)

    def _post(self, path: str, body: Any, patience: Optional[float] = None) -> Any:
        """The answer. With no `patience` it waits for one until the worker ends."""
        if patience is not None:
            limit = max(1.0, patience)
            return self._transport.call("POST", path, body, patience=patience, timeout=limit)[1]
        word = FIRST_WORD
        while True:
            try:
                call = self._transport.call
                return call("POST", path, body, patience=word, interrupt=self._ending)[1]
            except LongshoreError as error:
                away = isinstance(error, Unreachable) or getattr(error, "status", 0) in _AWAY
                tried = word == NEXT_WORD and not away  # a server that cannot, and is there
                if tried or self._ending.fired or not is_passing(error):
                    raise
                log.warning("an outcome cannot be told yet (%s): %s", path, error)
            self._ending.sleep(jittered(1.0))
            word = NEXT_WORD

    def _tell_many(self) -> None:
        ending = False
        while not ending:
            items = [self._told.get()]
            while len(items) < _BATCH_MAX and not self._told.empty():
                items.append(self._told.get())
            lines = [item for item in items if item is not None]
            ending = len(lines) < len(items)
            try:
                self._tell_lines(lines)
            except Exception:  # the thread has to live for all the others
                log.exception("%d outcomes could not be told", len(lines))

    def _tell_lines(self, lines: List[Tuple[JobRun, Dict[str, Any]]]) -> None:
        if not lines:
            return
        body = {"outcomes": [line for _, line in lines]}
        try:
            answer = self._post("/leases/settle", body)
        except Exception as error:
            if _is_untellable(error):
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
            self._tell(run, verb, body)


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
    text = plain(str(message))[:_MESSAGE_CHARACTERS]
    error = {"code": plain(str(code))[:128], "message": text, "details": _tellable(details)}
    body = {"error": _without_none(error), "retryable": retryable, **more}
    return "fail", _without_none(body)


def _plainly(run: JobRun, verb: str, body: Dict[str, Any], why: Exception) -> Word:
    """What to tell instead of what was refused as it was; a failure is never refused again."""
    log.error("job %s: its %s was refused: %s", run.job_id, verb, why)
    if "checkpoint" in body:
        return verb, {name: body[name] for name in body if name != "checkpoint"}
    if getattr(why, "code", None) == _NOT_IN_PROFILE:
        # For good: another attempt would repeat what the handler has already asked of others.
        refused = f"the handler's hand-off was refused: {getattr(why, 'detail', why)}"
        failed = _fail(_NOT_IN_PROFILE, refused, retryable=False)[1]
        return "fail", {**failed, "leaseToken": body["leaseToken"]}
    error = {"code": "BAD_RESULT", "message": f"the server refused its {verb}: {why}"}
    if verb == "fail":
        error["message"] = body["error"]["message"]
        if getattr(why, "status", 0) == 413:
            error["code"] = body["error"]["code"]  # it was the details
    plainly = {"error": error, "retryable": verb == "fail" and body.get("retryable", True)}
    kept = {name: body[name] for name in ("leaseToken", "log") if name in body}
    return "fail", {**plainly, **kept}


def _is_untellable(error: Exception) -> bool:
    """Whether no repeating would help, but other words might."""
    if isinstance(error, ApiError):
        return error.status in _UNTELLABLE or error.code == _NOT_IN_PROFILE
    return isinstance(error, _NO_JSON)


def _tellable(details: Any) -> Any:
    """The details, or what they look like if JSON cannot say them."""
    try:
        to_json(details)
        return details
    except _NO_JSON:
        return plain(_text_of(details))[:_TRACE_CHARACTERS]


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # the text is made by code of the handler's
        return ""


def _trace(error: BaseException) -> str:
    lines = traceback.format_exception(type(error), error, error.__traceback__)
    return plain("".join(lines))[-_TRACE_CHARACTERS:]


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
