"""Measures scheduling delays: of jobs that become due, and of leases that expire.

The delays are measured by the store's clock: from `runAt` to the transition `due`, and from the
end of a lease to the transition `leaseLost`.
"""

import http.client
import math
import threading
import time
from datetime import datetime

BOUND = 2.0  # seconds; the longest acceptable delay
GIVE_UP = 12  # seconds; timeout of a probe that should take one


class Failed(Exception):
    """The server did not answer a probe, or not correctly."""


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Probe:
    """One job at a time, in its own queue or with its own type."""

    def __init__(self, connect, queue, job_type=None):
        self._connection = connect(GIVE_UP + 18)
        self._queue = queue
        self._wanted = {"workerId": "probe", "queues": [queue], "waitSeconds": GIVE_UP}
        self._job_type = job_type or "P"
        if job_type:
            self._wanted["jobTypes"] = [job_type]

    def _call(self, method, path, body=None):
        """The response; retried while the server is overloaded."""
        until = time.monotonic() + GIVE_UP
        while True:
            answer = self._connection.call(method, path, body)
            if answer.status < 300:
                return answer.json
            if answer.status not in (429, 503) or time.monotonic() > until:
                raise Failed(f"{method} {path}: {answer}")
            threading.Event().wait(0.05)

    def _enqueue(self, **fields):
        wanted = {"jobType": self._job_type, "queue": self._queue, **fields}
        return self._call("POST", "/jobs", wanted)["jobId"]

    def _lease(self, job, seconds=30):
        wanted = {**self._wanted, "leaseSeconds": seconds}
        leases = self._call("POST", "/leases", wanted)["leases"]
        if [lease["jobId"] for lease in leases] != [job]:
            raise Failed(f"no lease on job {job} within {GIVE_UP} s, but {leases}")
        return leases[0]

    def _moved_at(self, job, cause):
        history = self._call("GET", f"/jobs/{job}/history")["history"]
        return next(instant(one["at"]) for one in history if one["cause"] == cause)

    def _finish(self, lease):
        path = f"/jobs/{lease['jobId']}/complete"
        self._call("POST", path, {"leaseToken": lease["leaseToken"]})

    def due(self):
        job = self._enqueue(delaySeconds=0.5)
        run_at = instant(self._call("GET", f"/jobs/{job}")["runAt"])
        self._finish(self._lease(job))
        return self._moved_at(job, "due") - run_at

    def reclaim(self):
        job = self._enqueue()
        first = self._lease(job, seconds=1)
        self._finish(self._lease(job))
        return self._moved_at(job, "leaseLost") - instant(first["leaseExpiresAt"])


class Delays:
    """Delays of one kind, in seconds. A failed probe counts as infinite."""

    def __init__(self, name):
        self.name = name
        self.seconds = []
        self.failure = None

    def measure_until(self, over, probe):
        """At least once."""
        try:
            while True:
                self.seconds.append(probe())
                if over.is_set():
                    return
        except (Failed, OSError, http.client.HTTPException, LookupError, ValueError) as failure:
            self.failure = repr(failure)

    @property
    def longest(self):
        return math.inf if self.failure or not self.seconds else max(self.seconds)

    def complaint(self):
        """The problem with them; None if there is none."""
        if self.longest <= BOUND:
            return None
        return self.failure or f"{self.name} took {self.longest:.2f} s; {BOUND} s are allowed"

    def __str__(self):
        return f"{self.name} {self.longest:5.2f} s"


class Watch:
    """Measures both delays, one job after another, from now until finished.

    Each uses its own queue, or both use the given queue.
    """

    def __init__(self, connect, queue=None):
        kinds = ("due", "reclaim")
        self._where = f"in {queue}: " if queue else ""
        self.delays = [Delays(kind) for kind in kinds]
        self._over = threading.Event()
        self._threads = []
        for kind, delays in zip(kinds, self.delays):
            probe = Probe(connect, queue, kind) if queue else Probe(connect, kind)
            given = (self._over, getattr(probe, kind))
            self._threads.append(
                threading.Thread(target=delays.measure_until, args=given, daemon=True)
            )
        for thread in self._threads:
            thread.start()

    def finish(self):
        self._over.set()
        for thread in self._threads:
            thread.join()
        return self

    def complaints(self):
        return [self._where + one.complaint() for one in self.delays if one.complaint()]

    def __str__(self):
        return self._where + "  ".join(map(str, self.delays))
