"""A server with its own store for one burden, and the calls that fill the store."""

import json
import math
import signal
import threading
import time
from pathlib import Path

import harness
import stores
from load import jobs
from probes import BOUND, Failed, Watch

BATCH = 5000  # jobs of one call that enqueues
BULK = 10_000  # jobs of one call that cancels or redrives: the most there may be
LONG = 600  # seconds; for calls of which each changes thousands of jobs


def checked(answer):
    if answer.status >= 300:
        raise Failed(answer)
    return answer.json


class Site:
    def __init__(self, folder, program, size, seconds):
        self.folder = Path(folder)
        self.kind = stores.KIND
        self.seconds = seconds
        self._program = program
        self._size = size
        self._servers = []
        self.store = None
        self.complaints = []

    def serve(self, *arguments, settings="", store=None):
        self.store = store or stores.fresh(self.folder)
        (self.folder / "longshore.toml").write_text(settings)
        server = harness.Server(
            self.store, *stores.arguments(), *arguments, cwd=self.folder, program=self._program
        )
        self._servers.append(server)
        return server

    def stop(self):
        for server in self._servers:
            server.stop(signal.SIGKILL)

    def count(self, full):
        """So many at full size."""
        return max(1, round(full * self._size))

    def observe(self):
        """Waits for the duration of one measurement."""
        threading.Event().wait(self.seconds)

    def expect(self, holds, complaint):
        if not holds:
            self.complaints.append(complaint)

    def expect_in_time(self, *watches):
        for watch in watches:
            self.complaints += watch.complaints()


def fill(connection, count, queue, **fields):
    """Enqueues so many jobs."""
    for first in range(0, count, BATCH):
        body = jobs(min(BATCH, count - first), queue, **fields)
        checked(patiently(connection, "POST", "/jobs/batch", body))


def patiently(connection, method, path, body):
    """The response; retried while the server is overloaded."""
    until = time.monotonic() + LONG
    while True:
        answer = connection.call(method, path, body)
        if answer.status not in (429, 503) or time.monotonic() > until:
            return answer
        threading.Event().wait(0.1)


def in_bulk(connection, path, **chosen):
    """Repeats a bulk call until no matching job is left; returns the number of changed jobs."""
    body = json.dumps({"filter": chosen, "limit": BULK})
    changed = 0
    while True:
        answer = checked(patiently(connection, "POST", path, body))
        changed += answer["count"]
        if not answer["more"]:
            return changed


def cancel_all(connection, queue):
    return in_bulk(connection, "/jobs/cancel", queue=queue, state="QUEUED")


def observe_queue(site, server, queue):
    """Polls and probes this queue and others; returns the measurements."""
    polls = [Polls(server.connect, name) for name in (queue, "other")]
    elsewhere = Watch(server.connect)
    site.observe()
    for one in [*polls, elsewhere]:
        one.finish()
    # Not while polls run, which would get these jobs.
    behind = seconds_until_leased(server, queue)
    within = Watch(server.connect, queue)
    site.observe()
    within.finish()
    site.expect_in_time(*polls, elsewhere, within)
    site.expect(behind <= BOUND, f"a job behind them was leased after {behind:.2f} s")
    return "  ".join(map(str, [*polls, elsewhere, f"behind them {behind:.2f} s", within]))


def seconds_until_leased(server, queue):
    """How long a worker waits for the last job of the queue."""
    job = server.enqueue("behind", queue=queue)
    begun = time.monotonic()
    try:
        with server.connect(30) as connection:
            leases = poll(connection, queue, waitSeconds=20, leaseSeconds=3600)
    except (Failed, OSError):
        return math.inf
    assert [lease["jobId"] for lease in leases] in ([], [job]), leases
    return time.monotonic() - begun if leases else math.inf


class Polls:
    """Repeatedly polls a queue without waiting, until finished."""

    def __init__(self, connect, queue, timeout=30):
        self.queue = queue
        self.seconds = []
        self.failure = None
        self._connection = connect(timeout)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def _repeat(self):
        try:
            while not self._over.is_set():
                begun = time.monotonic()
                poll(self._connection, self.queue)
                self.seconds.append(time.monotonic() - begun)
        except (Failed, OSError) as failure:
            self.failure = repr(failure)

    def finish(self):
        self._over.set()
        self._thread.join()
        return self

    def complaints(self):
        if self.failure:
            return [f"polls of {self.queue}: {self.failure}"]
        if max(self.seconds) > BOUND:
            return [f"a poll of {self.queue} took {max(self.seconds):.2f} s"]
        return []

    def __str__(self):
        longest = f"{max(self.seconds):.2f} s" if self.seconds else "none answered"
        return f"{len(self.seconds)} polls of {self.queue} (longest {longest})"


def poll(connection, queue, **fields):
    """The leases of one poll."""
    wanted = {"workerId": "w", "queues": [queue], **fields}
    return checked(connection.call("POST", "/leases", wanted))["leases"]
