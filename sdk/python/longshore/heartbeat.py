"""Sends heartbeats for all jobs of a worker, from a background thread."""

from __future__ import annotations

import threading
import time
from typing import Dict, Optional, Set, Tuple

from .errors import LeaseLost
from .run import JobRun, log

_AFTER_DEADLINE = 0.05  # seconds after which the server has timed the attempt out
_RETRY_SECONDS = 1.0  # until a failed heartbeat is retried


class Heartbeater:
    """Sends each job's heartbeats at its own interval, and one right after its deadline."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: Dict[JobRun, float] = {}
        self._failing: Set[JobRun] = set()  # the last heartbeat failed, and this was logged
        self._ending = False
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._beat, name="longshore-heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify()

    def hold(self, run: JobRun) -> None:
        with self._changed:
            self._due[run] = _next_beat(run)
            self._changed.notify()

    def drop(self, run: JobRun) -> None:
        with self._changed:
            self._due.pop(run, None)
            self._failing.discard(run)

    def _beat(self) -> None:
        while True:
            run = self._wait_for_due()
            if run is None:
                return
            try:
                run.beat(wait=False)
                self._set_next(run)
            except LeaseLost:
                self.drop(run)
            except Exception as error:
                self._set_next(run, error)

    def _set_next(self, run: JobRun, error: Optional[Exception] = None) -> None:
        with self._changed:
            if run not in self._due:
                return
            at = _next_beat(run)
            self._due[run] = at if error is None else min(at, time.monotonic() + _RETRY_SECONDS)
            if error is None:
                self._failing.discard(run)
            elif run not in self._failing:
                self._failing.add(run)
                log.warning("heartbeat for job %s failed, retrying: %s", run.job_id, error)

    def _wait_for_due(self) -> Optional[JobRun]:
        with self._changed:
            while not self._ending:
                first = self._first()
                now = time.monotonic()
                if first is not None and first[1] <= now:
                    return first[0]
                self._changed.wait(None if first is None else first[1] - now)
        return None

    def _first(self) -> Optional[Tuple[JobRun, float]]:
        return min(self._due.items(), key=lambda item: item[1]) if self._due else None


def _next_beat(run: JobRun) -> float:
    interval = run.beat_seconds
    left = run.time_left()
    # Past the deadline, but the server has not timed the attempt out: the clocks differ.
    wait = min(interval, left + _AFTER_DEADLINE) if left > 0 else min(interval, _RETRY_SECONDS)
    return time.monotonic() + wait
