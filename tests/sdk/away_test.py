"""Workers of both SDKs when the server is down, hangs, or is not a Longshore server."""

import signal
import unittest

import sdk
from network_test import Listener, read_message


class Parrot(Listener):
    """Answers every request with the same bytes, and counts requests."""

    def __init__(self, answer):
        self.count = 0
        self._answer = answer.replace("\n", "\r\n").encode()
        super().__init__()

    def _serve(self, client):
        with client, client.makefile("rb") as asked:
            while read_message(asked)[0]:
                self.count += 1
                client.sendall(self._answer)


BUSY = "HTTP/1.1 503 Busy\nRetry-After: 3600\nContent-Length: 0\n\n"
OTHER = "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 2\n\n{}"


class Away:
    def parrot(self, answer):
        parrot = Parrot(answer)
        self.addCleanup(parrot.close)
        return parrot

    def test_a_worker_can_start_and_stop_before_the_server_starts(self):
        server = self.serve()
        job = server.enqueue("DOUBLE", payload=2)
        self.end(server)
        stays, leaves = self.start(server.url), self.start(server.url)
        for worker in (stays, leaves):
            self.assertIn(server.url, worker.await_line("could not lease jobs, retrying"))
        leaves.signal(signal.SIGTERM)
        self.assertEqual(leaves.wait(), 0)
        server = self.serve("--listen", f"127.0.0.1:{server.port}")
        self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_an_outcome_is_retried_until_the_server_is_back(self):
        server = self.serve()
        workers = [self.start(server.url, {"concurrency": 1, "batchSettle": b}) for b in (0, 1)]
        jobs = [server.enqueue("UNTIL", payload=self.path()) for _ in workers]
        for worker in workers:
            worker.await_line("started 1")
        self.end(server)
        self.touch()
        for worker in workers:
            worker.await_line("could not report an outcome yet")
        server = self.serve("--listen", f"127.0.0.1:{server.port}")
        for job in jobs:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            details = self.details(server, job)
            self.assertEqual((details["attempt"], details["crashes"], details["result"]), (1, 0, 1))

    def test_an_unreported_outcome_does_not_keep_a_worker_from_stopping(self):
        server = self.serve()
        options = {"concurrency": 1, "leaseSeconds": 3600, "grace": 0.1, "patience": 0.1}
        workers = [self.start(server.url, {**options, "batchSettle": b}) for b in (0, 1)]
        for _ in workers:
            server.enqueue("UNTIL", payload=self.path())
        for worker in workers:
            worker.await_line("started 1")
        self.end(server)
        self.touch()
        for worker in workers:
            worker.await_line("could not report an outcome yet")
            worker.signal(signal.SIGTERM)
        for worker in workers:
            self.assertEqual(worker.wait(), 0)

    def test_a_hanging_server_does_not_keep_a_worker_from_stopping(self):
        server = self.serve()
        options = {"concurrency": 4, "pollSeconds": 60, "grace": 0.1, "patience": 0.1}
        worker = self.start(server.url, options)
        for _ in range(3):
            server.enqueue("UNTIL", payload=self.path())
            worker.await_line("started 1")
        server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(server.process.send_signal, signal.SIGCONT)
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)

    def test_a_worker_honors_retry_after_of_a_busy_server(self):
        parrot = self.parrot(BUSY)
        worker = self.start(parrot.url)
        worker.await_line("could not lease jobs, retrying")
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(parrot.count, 1)

    def test_a_worker_ends_if_the_url_is_not_a_longshore_server(self):
        worker = self.start(self.parrot(OTHER).url)
        self.assertEqual(worker.wait(), 1)
        self.assertIn("did not respond like a Longshore server", "\n".join(worker.lines))


sdk.both(Away, globals())

if __name__ == "__main__":
    unittest.main()
