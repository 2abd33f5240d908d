"""100,000 jobs are canceled and 100,000 dead ones redriven in bulk while a producer runs."""

import threading
import time
from collections import Counter

from burdens.site import LONG, cancel_all, checked, fill, in_bulk, poll
from probes import Watch

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")
PAUSE = 0.02  # seconds between the calls of the producer


def run(site):
    server = site.serve()
    operator = server.connect(LONG)
    count = site.count(100_000)
    fill(operator, count, "unwanted")
    fill(operator, count, "failing")
    kill_all(operator, "failing", count)
    watch, producer = Watch(server.connect), Producer(server)
    canceled, cancel_seconds = timed(lambda: cancel_all(operator, "unwanted"))
    redriven, redrive_seconds = timed(lambda: in_bulk(operator, "/dead/redrive", queue="failing"))
    producer.finish()
    watch.finish()
    site.expect_in_time(watch)
    site.expect((canceled, redriven) == (count, count), f"of {count}: {canceled}, {redriven}")
    site.expect(set(producer.statuses) == {202}, f"the producer got {dict(producer.statuses)}")
    return (
        f"canceled {canceled} in {cancel_seconds:.1f} s  redriven {redriven} in "
        f"{redrive_seconds:.1f} s  {producer}  {watch}"
    )


def timed(deed):
    begun = time.monotonic()
    return deed(), time.monotonic() - begun


def kill_all(connection, queue, count):
    """Fails `number` jobs permanently."""
    while count > 0:
        leases = poll(connection, queue, maxJobs=1000, waitSeconds=10)
        outcomes = [
            {
                "jobId": lease["jobId"],
                "leaseToken": lease["leaseToken"],
                "error": {"message": "no"},
                "retryable": False,
            }
            for lease in leases
        ]
        checked(connection.call("POST", "/leases/settle", {"outcomes": outcomes}))
        count -= len(leases)


class Producer:
    """Enqueues one job after another with pauses, and records the responses."""

    def __init__(self, server):
        self.statuses = Counter()
        self.longest = 0
        self._connection = server.connect()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def _repeat(self):
        while not self._over.wait(PAUSE):
            begun = time.monotonic()
            self.statuses[self._enqueue()] += 1
            self.longest = max(self.longest, time.monotonic() - begun)

    def _enqueue(self):
        try:
            return self._connection.call("POST", "/jobs", {"jobType": "T", "queue": "s"}).status
        except OSError as failure:
            self._connection.close()
            return type(failure).__name__

    def finish(self):
        self._over.set()
        self._thread.join()

    def __str__(self):
        answers = ", ".join(f"{count} x {status}" for status, count in self.statuses.items())
        return f"producer: {answers} (longest {self.longest:.2f} s)"
