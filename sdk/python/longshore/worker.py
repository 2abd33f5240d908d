"""Runs handlers for jobs, in threads."""

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
from .heart import Heart
from .outcomes import Release
from .run import JobRun, StopReason, log
from .settle import Settler
from .signals import told_of_signals
from .transport import (
    FIRST_WORD,
    NEXT_WORD,
    Interrupt,
    Transport,
    is_passing,
    jittered,
    retry_after,
)
from .version import VERSION

_LAST_PATIENCE = 5.0  # seconds that a worker that ends waits for a server to answer
_PAUSE = 0.5  # seconds, more or less, between calls that end at once
_LONGEST_SLEEP = 86400.0  # so that "for ever" is a number that Python can wait for

Handler = Callable[[JobRun], Any]


class Worker:
    """Register handlers, then run().

    `concurrency` jobs at once (default: the number of processors), taken from `queues` in the
    order given. A lease lasts as long as the server's rules say, or `lease_seconds`. When asked to
    stop it takes no more jobs, lets handlers finish for `grace` seconds, then asks them to stop,
    waits `patience` seconds more, and gives the rest back uncounted.
    `batch_settle` tells outcomes together, which is faster for many short jobs. The address and
    the token are as for Client.
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
            raise ValueError(f"concurrency is how many jobs may run at once, not {concurrency}")
        self.concurrency = concurrency or os.cpu_count() or 1
        self.name = name or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._transport = Transport(server, token, ca_cert)
        self._queues = list(queues)
        self._lease_seconds = lease_seconds
        self._grace = grace
        self._patience = patience
        self._poll_seconds = poll_seconds
        self._handlers: Dict[str, Handler] = {}
        self._heart = Heart()
        self._settler = Settler(self._transport, batch_settle)
        self._work: "queue.SimpleQueue[Optional[JobRun]]" = queue.SimpleQueue()
        # What run() and stop() wait for.
        self._events: "queue.SimpleQueue[str]" = queue.SimpleQueue()
        self._interrupt = Interrupt()
        self._changed = threading.Condition()
        # Guarded by _changed.
        self._runs: Set[JobRun] = set()
        self._stopping = False
        self._started = False
        self._most = 1000  # jobs that one call may ask for
        self._failure: Optional[Exception] = None
        self._poller: Optional[threading.Thread] = None
        self._hurried = False  # by a second signal

    def handler(self, job_type: str) -> Callable[[Handler], Handler]:
        """A decorator: the function runs jobs of this type. What it returns is the result."""

        def register(function: Handler) -> Handler:
            self.add(job_type, function)
            return function

        return register

    def add(self, job_type: str, function: Handler) -> None:
        """The same for a function that exists. Raises TypeError for what is none."""
        if not callable(function):
            raise TypeError(f"the handler of {job_type} is no function: {function!r}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"the handler of {job_type} is a coroutine; wrap it in asyncio.run()")
        if job_type in self._handlers:
            raise ValueError(f"{job_type} has a handler already")
        if self._started:
            raise RuntimeError("the worker has started")
        self._handlers[job_type] = function

    def run(self) -> int:
        """Works until SIGINT or SIGTERM; a second one does not wait for handlers.

        Returns and raises as stop() does. Call it from the main thread.
        """
        with told_of_signals(lambda: self._events.put("signal")):
            self.start()
            while self._events.get() not in ("signal", "failed"):
                pass
            return self.stop()

    def start(self) -> None:
        """Works in the background until stop(). A worker starts once."""
        if not self._handlers:
            raise ValueError("a worker without handlers has nothing to do")
        with self._changed:
            if self._started or self._stopping:
                raise RuntimeError("a worker starts once; make another")
            self._started = True
        self._heart.start()
        self._settler.start()
        for number in range(self.concurrency):
            _background(self._serve, f"longshore-job-{number}")
        self._poller = _background(self._poll, "longshore-poll")
        log.info("%s works on %s", self.name, ", ".join(sorted(self._handlers)))

    def stop(self) -> int:
        """Says how many jobs were given back because their handlers did not end. Idempotent.

        Raises ApiError if the server has refused the worker.
        """
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        log.info("stopping: %s takes no more jobs", self.name)
        self._interrupt.fire()
        if self._poller is not None:
            self._poller.join(_LAST_PATIENCE)
        if not self._idle_within(self._grace):
            for run in self._running():
                run.stop(StopReason.WORKER_STOPPED)
            self._idle_within(self._patience)
        left = self._give_back()
        for _ in range(self.concurrency):
            self._work.put(None)
        self._settler.stop(_LAST_PATIENCE)
        self._heart.stop()
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
                    wanted = min(self._free(), self._most)
                self._poll_once(wanted)
        except Exception as error:  # what is asked is no Longshore server
            self._fail(error)

    def _poll_once(self, wanted: int) -> None:
        asked = time.monotonic()
        leases = self._lease(wanted)
        for lease in leases:
            self._begin(JobRun(self._transport, lease, self._lease_seconds))
        if not leases and time.monotonic() - asked < _PAUSE:
            self._interrupt.sleep(jittered(_PAUSE))  # whatever does not wait for jobs, we do

    def _free(self) -> int:
        return self.concurrency - len(self._runs)

    def _lease(self, wanted: int) -> List[Mapping[str, Any]]:
        """Asks until there is an answer. A repeat is the same request, so no lease gets lost."""
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
        patience = FIRST_WORD
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
                if any(e.get("field") == "maxJobs" for e in error.errors) and self._most > 1:
                    self._most = body["maxJobs"] = 1  # some profiles hand out one at a time
                    continue
                if not is_passing(error):
                    return self._fail(error)
                failure = error
            if not self._stopping:
                log.warning("no jobs can be had, asking again: %s", failure)
                self._interrupt.sleep(min(max(jittered(_PAUSE), retry_after(failure)), NEXT_WORD))
            patience = NEXT_WORD
        return []

    def _fail(self, error: Exception) -> List[Mapping[str, Any]]:
        log.error("the server refuses this worker: %s", error)
        with self._changed:
            self._failure, self._stopping = error, True
        self._events.put("failed")
        return []

    def _begin(self, run: JobRun) -> None:
        with self._changed:
            self._runs.add(run)
        self._heart.hold(run)
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
        """What the handler returned or raised."""
        try:
            return self._handlers[run.job_type](run)
        except SystemExit as error:
            return RuntimeError(f"the handler called exit({error.code})")
        except BaseException as error:  # asyncio.CancelledError is no Exception, to name one
            return error

    def _end(self, run: JobRun, value: Any) -> None:
        try:
            self._settler.settle(run, value)
        except Exception:
            log.exception("job %s: its outcome could not be told", run.job_id)
        self._heart.drop(run)
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
        """Whether no handler runs any more. Waits no longer once there is a second signal."""
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
        """Releases what still runs, and lets what has ended be told; how many were released."""
        end = time.monotonic() + _LAST_PATIENCE
        running, telling = self._running(), set()
        for run in running:
            run.stop(StopReason.WORKER_STOPPED)
            left = end - time.monotonic()
            if left <= 0:
                log.error("job %s is not given back: its lease has to end first", run.job_id)
            elif not self._settler.give_back(run, left):
                telling.add(run)
        with self._changed:
            left = max(0.0, end - time.monotonic())
            self._changed.wait_for(lambda: self._runs.isdisjoint(telling), timeout=left)
        return len(running) - len(telling)


def _leases_in(answer: Any, server: str) -> List[Mapping[str, Any]]:
    if not isinstance(answer, dict) or "leases" not in answer:
        raise ValueError(f"{server} does not answer as a Longshore server does")
    return list(answer["leases"])


def _background(target: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread
