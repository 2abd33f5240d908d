"""Shared by the floods: many open requests without a thread per request, and their cost."""

import json
import selectors
import socket
import threading
import time
from pathlib import Path

import attack

harness = attack.harness


class Flood:
    """Requests that are sent and left open, each on its own connection."""

    def __init__(self, server):
        self.server = server
        self.sockets = []

    def open(self, method, path, token, body=None):
        text = "" if body is None else json.dumps(body)
        head = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {token}",
                f"Content-Length: {len(text)}", "Content-Type: application/json"]
        connection = socket.create_connection(("127.0.0.1", self.server.port))
        connection.sendall(("\r\n".join(head) + "\r\n\r\n" + text).encode())
        connection.setblocking(False)
        self.sockets.append(connection)

    def statuses(self, expected, patience=harness.PATIENCE):
        """Waits until `expected` responses have begun; returns a count per status."""
        counts = {}
        selector = selectors.DefaultSelector()
        for connection in self.sockets:
            selector.register(connection, selectors.EVENT_READ)
        deadline = time.monotonic() + patience
        while sum(counts.values()) < expected:
            for key, _ in selector.select(0.1 if patience else 0):
                status = int(key.fileobj.recv(4096).split(b" ")[1])
                counts[status] = counts.get(status, 0) + 1
                selector.unregister(key.fileobj)
            if time.monotonic() >= deadline:
                break
        selector.close()
        return counts

    def close(self):
        for connection in self.sockets:
            connection.close()
        self.sockets = []


def resident_bytes(server):
    for line in Path(f"/proc/{server.process.pid}/status").read_text("ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("the server has ended")


class Case(attack.Attack):
    """Two tenants: one attacks, the other goes about its work."""

    def setUp(self):
        super().setUp()
        self.admin = self.token("admin")

    def flood(self, server):
        flood = Flood(server)
        self.addCleanup(flood.close)
        return flood

    def tenant(self, server, role, namespace):
        """A token of a new namespace."""
        made = server.post("/tokens", {"role": role, "namespace": namespace},
                           headers=self.bearer(self.admin))
        self.assertEqual(made.status, 201, made)
        return made.json["token"]

    def enqueue_many(self, server, token, number, **fields):
        """In batches; their ids."""
        ids = []
        with server.connect(token=token) as connection:
            while len(ids) < number:
                jobs = [{"jobType": "T", **fields} for _ in range(min(1000, number - len(ids)))]
                answer = connection.call("POST", "/jobs/batch", {"jobs": jobs})
                self.assertEqual(answer.status, 202, answer)
                ids += [job["jobId"] for job in answer.json["jobs"]]
        return ids

    def slowest(self, act, stop):
        """Acts again and again until the event; how long the slowest took."""
        slowest = 0
        while not stop.is_set():
            began = time.monotonic()
            act()
            slowest = max(slowest, time.monotonic() - began)
        return slowest

    def beside(self, work):
        """An event that is set once the work, done on another thread, is over."""
        over = threading.Event()

        def run():
            try:
                work()
            finally:
                over.set()

        threading.Thread(target=run, daemon=True).start()
        return over
