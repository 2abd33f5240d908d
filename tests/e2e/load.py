"""Load for a server: threads that call it without pauses."""

import http.client
import json
import threading


class Load:
    """Repeats each step on its own connection until stopped.

    A step that returns False is not counted: the server refused it.
    """

    def __init__(self, connect, steps):
        self._connect = connect
        self._over = threading.Event()
        self._counts = [0] * len(steps)
        self._threads = [
            threading.Thread(target=self._repeat, args=(number, step), daemon=True)
            for number, step in enumerate(steps)
        ]
        for thread in self._threads:
            thread.start()

    def _repeat(self, number, step):
        connection = self._connect()
        while not self._over.is_set():
            try:
                self._counts[number] += step(connection) is not False
            except (OSError, http.client.HTTPException):
                connection.close()
                connection = self._connect()

    @property
    def calls(self):
        return sum(self._counts)

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join()


def jobs(count, queue="load", **fields):
    one = {"jobType": "T", "queue": queue, "payload": {"n": 1}, **fields}
    return json.dumps({"jobs": [one] * count})


def post_batches(size):
    body = jobs(size)
    return lambda connection: connection.call("POST", "/jobs/batch", body).status == 202


def post_one(connection):
    return enqueue(connection, jobType="T", queue="load")


def enqueue(connection, **fields):
    """Whether the job was accepted."""
    return connection.call("POST", "/jobs", fields).status == 202


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
