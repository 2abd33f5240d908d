"""The worker: runs handlers in threads."""

from __future__ import annotations

import inspect
import os
import queue
import socket
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set

from .errors import ApiError, Unreachable
from .heartbeat import Heartbeater
from .outcomes import Release
from .run import JobRun, StopReason, log
from .settle import Settler
from .signals import on_signals
from .transport import (
    FIRST_WARNING,
    NEXT_WARNING,
    Interrupt,
    Transport,
    is_transient,
    jittered,
    retry_after,
)
from .version import VERSION

_STOP_PATIENCE = 5.0  # seconds that a stopping worker waits for the server
_PAUSE = 0.5  # seconds, with jitter, between polls that return at once
_LONGEST_SLEEP = 86400.0  # Python cannot wait for an infinite timeout

Handler = Callable[[JobRun], Any]


class Worker:
    """Register handlers, then call run().

    Runs up to `concurrency` jobs at a time (default: the number of CPUs) from `queues`, in this
    order. The server's rules set the lease time unless `lease_seconds` does. To stop, it claims no
    more jobs, lets handlers finish for `grace` seconds, asks the others to stop, waits `patience`
    more seconds, and releases the remaining jobs without counting a failure.
    `batch_settle` sends outcomes in batches, which is faster for many short jobs. `server`, `token`
    and `ca_cert` are as for Client.
    """

    def __init__(
        self,
        server: Optional[str] = None,
        *,
        token: Optional[str] = None,
        ca_cert: Optional[str] = None,
        concurrency: Optional[int] = None,
        queues: Sequence[str] = ("default",),
        lease_seconds: Optional[float] = None,
        grace: float = 25.0,
        patience: float = 3.0,
        poll_seconds: float = 20.0,
        name: Optional[str] = None,
        batch_settle: bool = False,
    ) -> None:
        if concurrency is not None and concurrency < 1:
            raise ValueError(f"concurrency must be at least 1, got {concurrency}")
        self.concurrency = concurrency or os.cpu_count() or 1
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._transport = Transport(server, token, ca_cert)
        self._queues = list(queues)
        self._lease_seconds = lease_seconds
        self._grace = grace
        self._patience = patience
        self._poll_seconds = poll_seconds
        self._handlers: Dict[str, Handler] = {}
        self._heartbeater = Heartbeater()
        self._settler = Settler(self._transport, batch_settle)
        self._work: "queue.SimpleQueue[Optional[JobRun]]" = queue.SimpleQueue()
        # Events that run() and stop() wait for.
        self._events: "queue.SimpleQueue[str]" = queue.SimpleQueue()
        self._interrupt = Interrupt()
        self._changed = threading.Condition()
        # Guarded by _changed.
        self._runs: Set[JobRun] = set()
        self._stopping = False
        self._started = False
        self._max_jobs = 1000  # per lease request
        self._failure: Optional[Exception] = None
        self._poller: Optional[threading.Thread] = None
        self._hurried = False  # a second signal arrived

    def handler(self, job_type: str) -> Callable[[Handler], Handler]:
        """A decorator that registers a function for a job type. It returns the job's result."""

        def register(function: Handler) -> Handler:
            self.add(job_type, function)
            return function

        return register

    def add(self, job_type: str, function: Handler) -> None:
        """Registers an existing function. Raises TypeError if it is not callable."""
        if not callable(function):
            raise TypeError(f"the handler of {job_type} is not callable: {function!r}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"the handler of {job_type} is a coroutine function; use asyncio.run()")
        if job_type in self._handlers:
            raise ValueError(f"{job_type} already has a handler")
        if self._started:
            raise RuntimeError("add handlers before the worker starts")
        self._handlers[job_type] = function

    def run(self) -> int:
        """Runs until SIGINT or SIGTERM; a second signal skips waiting for handlers.

        Returns and raises like stop(). Call it from the main thread.
        """
        with on_signals(lambda: self._events.put("signal")):
            self.start()
            while self._events.get() not in ("signal", "failed"):
                pass
            return self.stop()

    def start(self) -> None:
        """Runs in the background until stop(). A worker can start only once."""
        if not self._handlers:
            raise ValueError("the worker has no handlers; add one before starting it")
        with self._changed:
            if self._started or self._stopping:
                raise RuntimeError("a worker can start only once; create another")
            self._started = True
        self._heartbeater.start()
        self._settler.start()
        for number in range(self.concurrency):
            _background(self._serve, f"longshore-job-{number}")
        self._poller = _background(self._poll, "longshore-poll")
        log.info("worker %s started for %s", self.name, ", ".join(sorted(self._handlers)))

    def stop(self) -> int:
        """Returns how many jobs were released because their handlers did not end. Idempotent.

        Raises ApiError if the server rejected the worker.
        """
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        log.info("stopping: worker %s claims no more jobs", self.name)
        self._interrupt.fire()
        if self._poller is not None:
            self._poller.join(_STOP_PATIENCE)
        if not self._idle_within(self._grace):
            for run in self._running():
                run.stop(StopReason.WORKER_STOPPED)
            self._idle_within(self._patience)
        left = self._give_back()
        for _ in range(self.concurrency):
            self._work.put(None)
        self._settler.stop(_STOP_PATIENCE)
        self._heartbeater.stop()
        self._transport.close()
        if self._failure is not None:
            raise self._failure
        return left

    def _poll(self) -> None:
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._stopping or self._free() > 0)
                    if self._stopping:
                        return
                    wanted = min(self._free(), self._max_jobs)
                self._poll_once(wanted)
        except Exception as error:  # not a Longshore server
            self._fail(error)

    def _poll_once(self, wanted: int) -> None:
        asked = time.monotonic()
        leases = self._lease(wanted)
        for lease in leases:
            self._begin(JobRun(self._transport, lease, self._lease_seconds))
        if not leases and time.monotonic() - asked < _PAUSE:
            self._interrupt.sleep(jittered(_PAUSE))  # the server did not long-poll

    def _free(self) -> int:
        return self.concurrency - len(self._runs)

    def _lease(self, wanted: int) -> List[Mapping[str, Any]]:
        """Retries until the server responds, with the same request ID, so that no lease is lost."""
        body: Dict[str, Any] = {
            "workerId": self.name,
            "queues": self._queues,
            "jobTypes": sorted(self._handlers),
            "maxJobs": wanted,
            "waitSeconds": self._poll_seconds,
            "requestId": str(uuid.uuid4()),
            "worker": {
                "slots": self.concurrency,
                "host": socket.gethostname(),
                "version": f"python/{VERSION}",
            },
        }
        if self._lease_seconds is not None:
            body["leaseSeconds"] = self._lease_seconds
        patience = FIRST_WARNING
        while not self._stopping:
            failure: Exception
            try:
                _, answer = self._transport.call(
                    "POST",
                    "/leases",
                    body,
                    timeout=self._poll_seconds + 15,
                    patience=patience,
                    interrupt=self._interrupt,
                )
                return _leases_in(answer, self._transport.server)
            except Unreachable as error:
                failure = error
            except ApiError as error:
                if any(e.get("field") == "maxJobs" for e in error.errors) and self._max_jobs > 1:
                    self._max_jobs = body["maxJobs"] = 1  # some profiles lease one job per request
                    continue
                if not is_transient(error):
                    return self._fail(error)
                failure = error
            if not self._stopping:
                log.warning("could not lease jobs, retrying: %s", failure)
                wait = max(jittered(_PAUSE), retry_after(failure))
                self._interrupt.sleep(min(wait, NEXT_WARNING))
            patience = NEXT_WARNING
        return []

    def _fail(self, error: Exception) -> List[Mapping[str, Any]]:
        log.error("the server rejected this worker: %s", error)
        with self._changed:
            self._failure, self._stopping = error, True
        self._events.put("failed")
        return []

    def _begin(self, run: JobRun) -> None:
        with self._changed:
            self._runs.add(run)
        self._heartbeater.hold(run)
        if self._stopping:
            self._end(run, Release())
        else:
            self._work.put(run)

    def _serve(self) -> None:
        while True:
            run = self._work.get()
            if run is None:
                return
            self._end(run, self._attempt(run))

    def _attempt(self, run: JobRun) -> Any:
        """Returns what the handler returned or raised."""
        try:
            return self._handlers[run.job_type](run)
        except SystemExit as error:
            return RuntimeError(f"the handler called exit({error.code})")
        except BaseException as error:  # for example asyncio.CancelledError
            return error

    def _end(self, run: JobRun, value: Any) -> None:
        try:
            self._settler.settle(run, value)
        except Exception:
            log.exception("job %s: could not report its outcome", run.job_id)
        self._heartbeater.drop(run)
        with self._changed:
            self._runs.discard(run)
            self._changed.notify_all()
            stopping = self._stopping
        if stopping:
            self._events.put("ended")

    def _running(self) -> List[JobRun]:
        with self._changed:
            return list(self._runs)

    def _idle_within(self, seconds: float) -> bool:
        """Waits until no handler runs; False on timeout or on a second signal."""
        end = time.monotonic() + seconds
        while self._running():
            left = min(end - time.monotonic(), _LONGEST_SLEEP)
            if left <= 0 or self._hurried:
                return False
            try:
                self._hurried = self._events.get(timeout=left) == "signal"
            except queue.Empty:
                pass
        return True

    def _give_back(self) -> int:
        """Releases running jobs and lets ended ones report; returns how many were released."""
        end = time.monotonic() + _STOP_PATIENCE
        running, reporting = self._running(), set()
        for run in running:
            run.stop(StopReason.WORKER_STOPPED)
            left = end - time.monotonic()
            if left <= 0:
                log.error("job %s was not released: its lease must expire first", run.job_id)
            elif not self._settler.give_back(run, left):
                reporting.add(run)
        with self._changed:
            left = max(0.0, end - time.monotonic())
            self._changed.wait_for(lambda: self._runs.isdisjoint(reporting), timeout=left)
        return len(running) - len(reporting)


def _leases_in(answer: Any, server: str) -> List[Mapping[str, Any]]:
    if not isinstance(answer, dict) or "leases" not in answer:
        raise ValueError(f"{server} did not respond like a Longshore server")
    return list(answer["leases"])


def _background(target: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread
