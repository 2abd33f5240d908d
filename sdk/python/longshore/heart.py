"""Heartbeats for all the jobs a worker holds, from a thread of their own."""

from __future__ import annotations

import threading
import time
from typing import Dict, Optional, Tuple

from .errors import LeaseLost, LongshoreError
from .run import JobRun, log

_AFTER_DEADLINE = 0.05  # seconds; the server then knows that the attempt has timed out
_SOON = 1.0  # seconds until a beat that failed is tried again


class Heart:
    """Beats for each job at a third of its lease, and once its deadline has passed."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._due: Dict[JobRun, float] = {}
        self._ending = False
        self._thread: Optional[threading.Thread] = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._beat, name="longshore-heart", daemon=True)
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

    def _beat(self) -> None:
        while True:
            run = self._wait_for_due()
            if run is None:
                return
            soon = False
            try:
                run.beat(wait=False)
            except LeaseLost:
                self.drop(run)
                continue
            except LongshoreError as error:
                log.warning("no heartbeat for job %s: %s", run.job_id, error)
                soon = True
            except Exception:  # such as a checkpoint that JSON cannot say: it is not sent again
                log.exception("no heartbeat for job %s", run.job_id)
            with self._changed:
                if run in self._due:
                    at = _next_beat(run)
                    self._due[run] = min(at, time.monotonic() + _SOON) if soon else at

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
    interval = run.lease_seconds / 3
    left = run.time_left()
    # Past the deadline and yet not told so: the two clocks differ.
    wait = min(interval, left + _AFTER_DEADLINE) if left > 0 else min(interval, _SOON)
    return time.monotonic() + wait
