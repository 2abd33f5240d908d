"""A worker on a network that loses responses: nothing is done twice, and no job stays leased
unused."""

import json
import signal
import socket
import threading
import time
import unittest

import harness


def read_message(file):
    """One HTTP message: its first line, bytes and body. Empty at the end."""
    head = b""
    length = 0
    while True:
        line = file.readline()
        if not line:
            return b"", b"", b""
        head += line
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        if line == b"\r\n":
            break
    body = file.read(length)
    return head.split(b"\r\n")[0], head + body, body


class Listener:
    """Serves each connection to `url` with `_serve` in a thread."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()


class Proxy(Listener):
    """Forwards requests and responses, except responses that `is_lost` selects: it closes those
    connections after the server has processed the request."""

    def __init__(self, port, is_lost):
        self._upstream = port
        self._is_lost = is_lost
        self.lost = []
        super().__init__()

    def _serve(self, client):
        try:
            with client, socket.create_connection(("127.0.0.1", self._upstream)) as server:
                with client.makefile("rb") as asked, server.makefile("rb") as answered:
                    while self._pass_one(client, server, asked, answered):
                        pass
        except OSError:
            pass

    def _pass_one(self, client, server, asked, answered):
        line, request, _ = read_message(asked)
        if not line:
            return False
        server.sendall(request)
        status, answer, body = read_message(answered)
        path = line.split()[1].decode()
        if self._is_lost(path, body):
            self.lost.append(path)
            self._lose(client, answer)
            return False
        client.sendall(answer)
        return bool(status)

    def _lose(self, client, answer):
        pass


class Cutter(Proxy):
    """Closes the connection in the middle of a response."""

    def _lose(self, client, answer):
        client.sendall(answer[:-2])


class NoHandOff(Proxy):
    """Refuses hand-offs like a profile without them, and forwards everything else."""

    PROBLEM = {
        "title": "Not in the profile",
        "status": 409,
        "code": "NOT_IN_PROFILE",
        "detail": "the store's profile orchestrator does not allow hand-off",
    }

    def __init__(self, port):
        super().__init__(port, lambda path, body: False)

    def _pass_one(self, client, server, asked, answered):
        line, request, _ = read_message(asked)
        if not line:
            return False
        if not line.split()[1].endswith(b"/handoff"):
            server.sendall(request)
            status, answer, _ = read_message(answered)
            client.sendall(answer)
            return bool(status)
        body = json.dumps(self.PROBLEM).encode()
        head = "HTTP/1.1 409 Conflict\r\nContent-Type: application/problem+json\r\n"
        client.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return True


class LostAnswers(harness.Case):
    def through(self, server, is_lost):
        proxy = Proxy(server.port, is_lost)
        self.addCleanup(proxy.close)
        return proxy

    def run_jobs(self, proxy, server, count):
        runs = self.folder / "runs"
        program = self.script("p", f"echo $LONGSHORE_JOB_ID >> {runs}; cat\n")
        worker = harness.Process(
            "work", "--server", proxy.url, "--exec", f"T={program}", "--lease-time", "1h",
            "--concurrency", 1, cwd=self.folder,
        )  # fmt: skip
        self.addCleanup(worker.stop, signal.SIGKILL)
        worker.await_line("working")
        jobs = [server.enqueue(payload=n) for n in range(count)]
        for n, job in enumerate(jobs):
            self.assertEqual(server.ended(job)["status"], "COMPLETED", worker.log)
            self.assertEqual(server.get(f"/jobs/{job}/result").json, n)
            details = server.get(f"/jobs/{job}/details").json
            self.assertEqual((details["attempt"], details["crashes"]), (1, 0))
        self.assertEqual(worker.stop(), 0)
        self.assertEqual(sorted(runs.read_text().split()), sorted(jobs), "each job ran once")

    def test_leases_whose_response_was_lost_are_requested_again(self):
        server = self.serve()
        seen = []

        def every_other(path, body):
            if path != "/leases" or not json.loads(body).get("leases"):
                return False
            seen.append(path)
            return len(seen) % 2 == 1

        proxy = self.through(server, every_other)
        self.run_jobs(proxy, server, 5)
        self.assertGreaterEqual(len(proxy.lost), 5)

    def test_an_outcome_whose_response_was_lost_is_resent(self):
        server = self.serve()
        seen = []

        def every_other(path, _):
            if not path.endswith("/complete"):
                return False
            seen.append(path)
            return len(seen) % 2 == 1

        proxy = self.through(server, every_other)
        self.run_jobs(proxy, server, 5)
        self.assertEqual(len(proxy.lost), 5)


class RepeatedPolls(harness.Case):
    """A poll is repeated on a new connection with the same requestId, while its claim waits for a
    commit and its first connection has just been closed."""

    def test_a_repeated_poll_keeps_its_leases(self):
        server = self.serve()
        batch = json.dumps({"jobs": [{"jobType": "FILL", "queue": "fill"}] * 5000})
        for n in range(5):
            job = server.enqueue(queue="q")
            poll = {"workerId": "w", "queues": ["q"], "waitSeconds": 5, "requestId": f"r{n}"}
            filling = [
                threading.Thread(target=server.post, args=("/jobs/batch", batch)) for _ in range(2)
            ]
            for thread in filling:
                thread.start()
            self.await_commits_waiting(server)
            send_and_hang_up(server.port, "/leases", poll)
            (lease,) = server.post("/leases", poll).json["leases"]
            self.assertEqual(lease["jobId"], job)
            for thread in filling:
                thread.join()
            server.enqueue(queue="other")  # all earlier requests have been committed
            body = {"leaseToken": lease["leaseToken"]}
            answer = server.post(f"/jobs/{job}/complete", body)
            self.assertEqual(answer.status, 200, answer)

    def await_commits_waiting(self, server):
        """Waits until one batch waits for the commit of another; at most a second, since a fast
        store may have committed already."""
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            if int(metric(server, "longshore_commits_waiting")) > 0:
                return


def metric(server, name):
    lines = server.get("/metrics").body.splitlines()
    return next(line.split()[1] for line in lines if line.startswith(name + " "))


def send_and_hang_up(port, path, body):
    text = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)


if __name__ == "__main__":
    unittest.main()
