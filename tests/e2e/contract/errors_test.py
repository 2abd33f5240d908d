"""Errors, headers, methods and prefixes: the same on every route."""

import socket
import unittest

import contract
from contract import FAILURE, UNKNOWN_JOB

ROUTES = [
    ("POST", "/jobs"), ("GET", "/jobs"), ("POST", "/jobs/batch"), ("POST", "/jobs/cancel"),
    ("GET", "/jobs/{id}"), ("GET", "/jobs/{id}/result"), ("GET", "/jobs/{id}/events"),
    ("POST", "/jobs/{id}/cancel"), ("POST", "/leases"), ("POST", "/jobs/{id}/heartbeat"),
    ("POST", "/jobs/{id}/complete"), ("POST", "/jobs/{id}/fail"), ("POST", "/jobs/{id}/release"),
    ("POST", "/jobs/{id}/handoff"), ("POST", "/leases/settle"), ("GET", "/types/T/keys/k"),
    ("POST", "/types/T/keys/k/complete"), ("POST", "/types/T/keys/k/fail"),
    ("GET", "/jobs/{id}/details"), ("GET", "/jobs/{id}/history"), ("GET", "/jobs/{id}/logs"),
    ("GET", "/jobs/{id}/explain"), ("POST", "/jobs/{id}/promote"), ("POST", "/jobs/{id}/resolve"),
    ("POST", "/jobs/{id}/redrive"), ("GET", "/dead"), ("POST", "/dead/redrive"),
    ("GET", "/errors"), ("GET", "/audit"), ("GET", "/queues"), ("POST", "/queues/q/pause"),
    ("POST", "/queues/q/resume"), ("GET", "/workers"), ("GET", "/stats"), ("POST", "/check"),
    ("GET", "/check"),
    ("GET", "/livez"), ("GET", "/readyz"), ("GET", "/metrics"), ("GET", "/openapi.json"),
    ("GET", "/ui/"), ("GET", "/tokens"), ("POST", "/tokens"), ("GET", "/events"),
    ("POST", "/ui/session"), ("DELETE", "/ui/session"), ("DELETE", "/tokens/x"),
    ("DELETE", "/tokens"),
]  # fmt: skip


class Everywhere(contract.Contract):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job = cls.server.enqueue(jobKey="k")
        (lease,) = cls.server.lease()
        cls.server.post(f"/jobs/{job}/complete", {"leaseToken": lease["leaseToken"]})
        cls.job = job

    def test_every_route_exists_also_under_v1(self):
        for method, path in ROUTES:
            if path == "/events":
                continue  # endless; tested below
            for prefix in ("", "/v1"):
                with self.subTest(f"{method} {prefix}{path}"):
                    answer = self.call(method, prefix + path.format(id=self.job))
                    self.assertNotIn(answer.status, (405, 500, 501), answer)
                    if answer.status == 404:
                        self.assertNotIn("No such path", answer.json["detail"], answer)

    def test_live_events_work_under_v1(self):
        for prefix in ("", "/v1"):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as raw:
                raw.sendall(f"GET {prefix}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                self.assertTrue(raw.recv(100).startswith(b"HTTP/1.1 200 "))

    def test_the_location_of_a_v1_job_leads_to_it(self):
        answer = self.post("/v1/jobs", {"jobType": "T"})
        self.assertIn(answer.headers["Location"], (
            f"/jobs/{answer.json['jobId']}", f"/v1/jobs/{answer.json['jobId']}"
        ))  # fmt: skip
        self.ok(self.get(answer.headers["Location"]))

    def test_a_wrong_method_is_405_with_allow(self):
        allowed = {}
        for method, path in ROUTES:
            allowed.setdefault(path, set()).add(method)
        for path, methods in allowed.items():
            for method in {"GET", "POST", "PUT", "DELETE", "PATCH"} - methods:
                for prefix in ("", "/v1"):
                    with self.subTest(f"{method} {prefix}{path}"):
                        answer = self.call(method, prefix + path.format(id=self.job))
                        self.assert_problem(answer, 405, "METHOD_NOT_ALLOWED")
                        told = {each.strip() for each in answer.headers["Allow"].split(",")}
                        self.assertLessEqual(methods, told)
                        self.assertNotIn(method, told)

    def test_request_ids_are_echoed_or_generated(self):
        for path in ("/livez", f"/jobs/{self.job}", "/nothing"):
            with self.subTest(path):
                made = self.get(path).headers["X-Request-Id"]
                self.assertTrue(made)
                self.assertNotEqual(self.get(path).headers["X-Request-Id"], made)
                echoed = self.get(path, {"X-Request-Id": "abc-123"})
                self.assertEqual(echoed.headers["X-Request-Id"], "abc-123")

    def test_problems_have_all_members(self):
        answer = self.get(f"/jobs/{UNKNOWN_JOB}")
        self.assert_problem(answer, 404, "NOT_FOUND")
        self.assertLessEqual({"type", "title", "status", "detail", "code"}, set(answer.json))
        for name in ("type", "title", "detail"):
            self.assertIsInstance(answer.json[name], str)
        invalid = self.post("/jobs", {"jobType": 1})
        for error in invalid.json["errors"]:
            self.assertEqual(set(error), {"field", "detail"})

    def test_another_media_type_is_415(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/xml", "x"):
            with self.subTest(kind):
                answer = self.post("/jobs", '{"jobType":"T"}', {"Content-Type": kind})
                self.assert_problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
        for kind in ("application/json; charset=utf-8", "APPLICATION/JSON"):
            with self.subTest(kind):
                answer = self.post("/jobs", '{"jobType":"T"}', {"Content-Type": kind})
                self.assertEqual(answer.status, 202, answer)

    def test_every_route_that_takes_a_body_is_strict(self):
        for method, path in ROUTES:
            if method != "POST":
                continue
            path = path.format(id=self.job)
            with self.subTest(path):
                unknown = self.post(path, {"noSuchField": 1})
                self.assertEqual(unknown.status, 422, unknown)
                self.assertIn("noSuchField", [e["field"] for e in unknown.json["errors"]])
                self.assert_problem(self.post(path, "{"), 400, "INVALID_JSON")
                self.assertEqual(self.post(path, "[]").status, 422)

    def test_a_duplicate_member_is_refused(self):
        answer = self.post("/jobs", '{"jobType":"T","jobType":"U"}')
        self.assertIn(answer.status, (400, 422), answer)

    def test_a_foreign_origin_or_host_is_403_without_tokens(self):
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Host": "evil.example"},
            {"Host": "evil.example:80"},
        ):
            for method, path in (("GET", "/jobs"), ("POST", "/jobs"), ("GET", "/metrics")):
                with self.subTest(f"{headers} {method} {path}"):
                    answer = self.server.call(method, path, headers=headers)
                    self.assert_problem(answer, 403, "FORBIDDEN")
        port = self.server.port
        for headers in (
            {"Origin": f"http://127.0.0.1:{port}"},
            {"Host": f"localhost:{port}"},
            {"Host": f"127.0.0.1:{port}"},
            {"Host": f"[::1]:{port}"},
        ):
            with self.subTest(headers):
                self.ok(self.server.get("/queues", headers=headers))

    def test_ids_may_be_written_in_capitals_or_are_404(self):
        self.assertIn(self.get(f"/jobs/{self.job.upper()}").status, (200, 404))

    def test_reserved_paths_are_404(self):
        for path in ("/schedules", "/workflows", "/limits", "/", "/v2/jobs", "/v1", "/jobs/"):
            with self.subTest(path):
                self.assert_problem(self.get(path), 404, "NOT_FOUND")


class Wire(contract.Contract):
    """Invalid HTTP."""

    def send(self, data):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as raw:
            raw.sendall(data)
            answer = b""
            while chunk := raw.recv(65536):
                answer += chunk
        return answer.decode()

    def test_each_violation_has_its_code(self):
        for data, status, code in [
            (b"NONSENSE\r\n\r\n", 400, "BAD_REQUEST"),
            (b"GET /livez HTTP/2.0\r\nHost: localhost\r\n\r\n", 505, "HTTP_VERSION"),
            (b"GET /livez HTTP/1.1\r\n\r\n", 400, "BAD_REQUEST"),
            (b"GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "BAD_REQUEST"),
            (
                b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                414,
                "URI_TOO_LONG",
            ),
            (
                b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 17000 + b"\r\n\r\n",
                431,
                "HEADERS_TOO_LARGE",
            ),
            (
                b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n"
                b"Content-Length: 2\r\n\r\nxx",
                400,
                "BAD_REQUEST",
            ),
            (
                b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400,
                "BAD_REQUEST",
            ),
            (
                b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
                400,
                "BAD_REQUEST",
            ),
        ]:
            with self.subTest(data[:60]):
                answer = self.send(data)
                self.assertTrue(answer.startswith(f"HTTP/1.1 {status} "), answer[:300])
                self.assertIn("application/problem+json", answer)
                self.assertIn(f'"code":"{code}"', answer.replace('": "', '":"'))

    def test_a_chunked_body_is_read(self):
        body = b'{"jobType":"T"}'
        answer = self.send(
            b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            + b"5\r\n" + body[:5] + b"\r\n" + b"a\r\n" + body[5:] + b"\r\n0\r\n\r\n"
        )  # fmt: skip
        self.assertTrue(answer.startswith("HTTP/1.1 202 "), answer)

    def test_a_chunked_body_has_the_same_limit(self):
        chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
        head = (
            b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as raw:
            raw.sendall(head + chunk * 2 + b"1\r\n \r\n")
            answer = raw.recv(65536).decode()
        self.assertTrue(answer.startswith("HTTP/1.1 413 "), answer)
        self.assertIn("TOO_LARGE", answer)

    def test_invalid_http_also_gets_a_request_id(self):
        for data in (b"NONSENSE\r\n\r\n", b"GET /livez HTTP/1.1\r\n\r\n"):
            with self.subTest(data):
                self.assertIn("\r\nx-request-id: ", self.send(data).lower())

    def test_headers_of_15_kib_are_read(self):
        answer = self.get("/livez", {"X-Long": "y" * 15 * 1024})
        self.assertEqual(answer.status, 200)

    def test_head_is_get_without_a_body_or_405(self):
        answer = self.call("HEAD", "/livez")
        self.assertIn(answer.status, (200, 405))
        self.assertEqual(answer.body, "")


class SlowClients(contract.Contract):
    arguments = ("--limits-header-time", "1s", "--limits-body-time", "1s")

    def test_slow_headers_and_bodies_are_408(self):
        for data in (
            b"GET /livez HTTP/1.1\r\nHost: loc",
            b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 10\r\n\r\n{",
        ):
            with self.subTest(data):
                answer = Wire.send(self, data)
                self.assertTrue(answer.startswith("HTTP/1.1 408 "), answer)
                self.assertIn("REQUEST_TIMEOUT", answer)


class Crowded(contract.Contract):
    arguments = ("--limits-connections", "3")

    def test_an_excess_connection_gets_retry_after(self):
        address = ("127.0.0.1", self.server.port)
        idle = [socket.create_connection(address, timeout=30) for _ in range(3)]
        try:
            with socket.create_connection(address, timeout=30) as raw:
                raw.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                answer = raw.recv(65536).decode()
        finally:
            for connection in idle:
                connection.close()
        self.assertRegex(answer, r"^HTTP/1.1 (429|503) ")
        self.assertIn("OVERLOADED", answer)
        self.assertIn("\r\nretry-after: ", answer.lower())


class NoEffect(contract.Contract):
    def test_a_refused_request_changes_nothing(self):
        job, token = self.held()
        before = self.details(job)
        for verb, fields in [
            ("heartbeat", {"progress": 101}),
            ("complete", {"result": 1, "colour": 1}),
            ("fail", {"error": {**FAILURE, "code": "TIMEOUT"}}),
            ("release", {"delaySeconds": -1}),
            ("handoff", {"timeoutSeconds": 0}),
        ]:
            with self.subTest(verb):
                self.assertEqual(self.settle(verb, job, token, **fields).status, 422)
        self.assertEqual(self.details(job), before)


if __name__ == "__main__":
    unittest.main()
