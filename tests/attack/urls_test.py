"""Forbidden URLs: encoded paths to files and routes, and addresses of this machine and its network
in callbacks and pushes."""

import socket
import threading
import unittest

import attacked


class Targets(attacked.AttackedServer):
    def test_an_encoded_path_reaches_no_file_and_no_route(self):
        for section, target in attacked.read_table("paths.txt"):
            for method in (b"GET", b"DELETE"):
                with self.subTest(f"{method} {target}"):
                    head = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                    answer = self.raw(method + b" " + target.encode() + head)
                    self.requests += 1
                    status = int(answer.split(b" ", 2)[1])
                    self.assertLess(status, 500, answer[:300])
                    self.assertNotIn(b"root:", answer)
                    self.assertNotIn(b"SQLite format", answer)
                    self.assertNotIn(b"\r\nSet-Cookie: a", answer)
                    if section != "traversal":
                        self.assertIn(status, (400, 401, 404, 405), answer[:300])


class Canary:
    """A listener that records connections."""

    def __init__(self):
        self._listener = socket.create_server(("::", 0), family=socket.AF_INET6,
                                              dualstack_ipv6=True)
        self.port = self._listener.getsockname()[1]
        self.visits = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, address = self._listener.accept()
            except OSError:
                return
            self.visits.append(address)
            client.close()

    def close(self):
        self._listener.close()


class Outgoing(attacked.AttackedServer):
    def setUp(self):
        super().setUp()
        self.canary = Canary()
        self.addCleanup(self.canary.close)

    def urls(self):
        for section, line in attacked.some(attacked.read_table("urls.txt")):
            yield section, line.replace("{port}", str(self.canary.port)).replace("\\r\\n", "\r\n")

    def test_no_callback_reaches_this_machine_or_its_network(self):
        operator, taken = self.tokens["operator"], []
        for section, url in self.urls():
            with self.subTest(url):
                body = {"jobType": "C", "queue": "none", "callback": {"url": url}}
                answer = self.attack("POST", "/jobs", body, operator)
                if section == "refused":
                    self.assert_problem(answer, 422, "INVALID_FIELD")
                if answer.status == 202:
                    taken.append(url)
                    job = answer.json["jobId"]
                    self.attack("POST", f"/jobs/{job}/cancel", {}, operator)
        deliveries = self.attack("GET", "/jobs?jobType=longshore.callback&limit=500",
                                 token=operator).json["jobs"]
        self.assertEqual(len(deliveries), len(taken), "each callback has its own delivery job")
        for one in deliveries:
            ended = self.attack("GET", f"/jobs/{one['jobId']}?waitSeconds=60", token=operator)
            self.assertEqual(ended.json["status"], "FAILED", ended)
            details = self.attack("GET", f"/jobs/{one['jobId']}/details", token=operator).json
            self.assertEqual(details["error"]["code"], "URL_REFUSED", details["error"])
        self.assertEqual(self.canary.visits, [])

    def test_no_push_reaches_this_machine_or_its_network(self):
        for _, url in self.urls():
            with self.subTest(url):
                ended = attacked.harness.run(
                    "work", "--server", self.server.url, "--push", f"T={url}",
                    env={"LONGSHORE_TOKEN": self.tokens["worker"]})
                self.requests += 1
                self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(self.canary.visits, [])


if __name__ == "__main__":
    unittest.main()
