"""How soon the passing of time is noticed while a server is under load.

    fairness.py [--seconds N]     on the store of LONGSHORE_TEST_STORE; see harness.py and stores.py

Under each kind of load, one job after another becomes due and one lease after another ends. The
delays are those of the store's own clock: from `runAt` to the transition `due`, and from the end of
the lease to the transition `leaseLost`. Fails when one takes longer than the bound.
"""

import argparse
import http.client
import json
import signal
import sys
import tempfile
import threading
import time
from datetime import datetime

import harness
import stores

BOUND = 2.0  # seconds
GIVE_UP = 12  # seconds; how long a probe waits for what should take one


def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def jobs(count, queue="load"):
    return json.dumps({"jobs": [{"jobType": "T", "queue": queue, "payload": {"n": 1}}] * count})


class Load:
    """Threads that call the server without a pause until they are told to stop."""

    def __init__(self, server, steps):
        self._server = server
        self._over = threading.Event()
        self.calls = 0
        self._threads = [threading.Thread(target=self._repeat, args=(step,)) for step in steps]
        for thread in self._threads:
            thread.start()

    def _repeat(self, step):
        connection = self._server.connect()
        while not self._over.is_set():
            try:
                step(connection)
                self.calls += 1
            except (OSError, http.client.HTTPException):
                connection.close()
                connection = self._server.connect()

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join()


def post_batches(size):
    body = jobs(size)
    return lambda connection: connection.call("POST", "/jobs/batch", body)


def post_one(connection):
    connection.call("POST", "/jobs", {"jobType": "T", "queue": "load"})


def work(connection):
    """Leases many jobs, heartbeats for some and settles all."""
    wanted = {"workerId": "w", "queues": ["load"], "maxJobs": 1000, "waitSeconds": 1}
    answer = connection.call("POST", "/leases", wanted)
    leases = answer.json["leases"] if answer.status == 200 else []
    for lease in leases[:20]:
        path = f"/jobs/{lease['jobId']}/heartbeat"
        connection.call("POST", path, {"leaseToken": lease["leaseToken"], "progress": 50})
    outcomes = [{"jobId": a["jobId"], "leaseToken": a["leaseToken"], "result": 1} for a in leases]
    if outcomes:
        connection.call("POST", "/leases/settle", {"outcomes": outcomes})


LOADS = {
    "two clients, 5,000 jobs a batch": [post_batches(5000)] * 2,
    "16 clients, one job a call": [post_one] * 16,
    "workers that settle 1,000 a call": [work] * 4 + [post_batches(1000)] * 2,
}


class Probe:
    """One job at a time in a queue of its own."""

    def __init__(self, server, queue):
        self._connection = server.connect(GIVE_UP + 60)
        self._queue = queue

    def _call(self, method, path, body=None):
        while True:
            answer = self._connection.call(method, path, body)
            if answer.status not in (429, 503):
                return answer.json
            threading.Event().wait(0.05)

    def _enqueue(self, **fields):
        wanted = {"jobType": "P", "queue": self._queue, **fields}
        return self._call("POST", "/jobs", wanted)["jobId"]

    def _lease(self, seconds=30):
        """The next job; none if the time is over."""
        wanted = {"workerId": "probe", "queues": [self._queue], "waitSeconds": GIVE_UP}
        leases = self._call("POST", "/leases", {**wanted, "leaseSeconds": seconds})["leases"]
        return leases[0] if leases else None

    def _moved_at(self, job, cause):
        history = self._call("GET", f"/jobs/{job}/history")["history"]
        return next(instant(one["at"]) for one in history if one["cause"] == cause)

    def _finish(self, lease):
        path = f"/jobs/{lease['jobId']}/complete"
        self._call("POST", path, {"leaseToken": lease["leaseToken"]})

    def due(self):
        job = self._enqueue(delaySeconds=0.5)
        run_at = instant(self._call("GET", f"/jobs/{job}")["runAt"])
        lease = self._lease()
        if lease is None:
            return float(GIVE_UP)
        self._finish(lease)
        return self._moved_at(job, "due") - run_at

    def reclaim(self):
        job = self._enqueue()
        first = self._lease(seconds=1)
        second = self._lease()
        if second is None:
            return float(GIVE_UP)
        self._finish(second)
        return self._moved_at(job, "leaseLost") - instant(first["leaseExpiresAt"])


def measure(probe, seconds, delays):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        delays.append(probe())


def longest_delays(server, load, seconds):
    """Of becoming due and of being reclaimed, and how many calls the load made meanwhile."""
    running = Load(server, load)
    kinds = [Probe(server, "due").due, Probe(server, "reclaim").reclaim]
    delays = [[] for _ in kinds]
    threads = [
        threading.Thread(target=measure, args=(kind, seconds, into))
        for kind, into in zip(kinds, delays)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    running.stop()
    return [max(one) for one in delays], running.calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    late = 0
    for name, load in LOADS.items():
        with tempfile.TemporaryDirectory() as folder:
            server = harness.Server(stores.fresh(folder), cwd=folder)
            try:
                (due, reclaim), calls = longest_delays(server, load, seconds)
            finally:
                server.stop(signal.SIGKILL)
        late += max(due, reclaim) > BOUND
        delays = f"due {due:6.2f} s   reclaim {reclaim:6.2f} s"
        print(f"{stores.KIND:9}{name:34} {delays}   {calls} calls")
    if late:
        sys.exit(f"{late} of {len(LOADS)} loads kept a job waiting for more than {BOUND} s")


if __name__ == "__main__":
    main()
