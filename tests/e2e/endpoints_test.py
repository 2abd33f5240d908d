"""Configured endpoints: a request becomes a job and is forwarded to the real service."""

import json
import unittest

import harness
from receiver import Receiver

TABLE = """
[[endpoints]]
route = "POST /reports/{id}"
jobType = "REPORT"
queue = "reports"
priority = 2

[[endpoints]]
method = "PUT"
path = "/files/{owner}/{name...}"
jobType = "FILE"
keepHeaders = ["Cookie"]

[[endpoints]]
method = "GET"
path = "/slow"
jobType = "SLOW"
"""


class Endpoints(harness.Case):
    def serve_table(self, table=TABLE, *arguments):
        (self.folder / "longshore.toml").write_text(table)
        return self.serve(*arguments)

    def test_a_request_becomes_a_job_with_all_its_data(self):
        server = self.serve_table()
        answer = server.call(
            "POST", "/reports/7%20a?q=1&q=2&r=%C3%A9", b'{"x": [1, 2]}',
            headers={"X-Custom": "yes", "Authorization": "Bearer secret", "Cookie": "c=1",
                     "Connection": "keep-alive, X-Hop", "X-Hop": "1"},
        )  # fmt: skip
        self.assertEqual(answer.status, 202, answer)
        job = answer.json["jobId"]
        self.assertEqual(answer.json["status"], "PENDING")
        self.assertEqual(answer.headers["Location"], f"/jobs/{job}")
        (lease,) = server.lease(queues=["reports"])
        self.assertEqual((lease["jobId"], lease["jobType"]), (job, "REPORT"))
        self.assertEqual(lease["payload"], {"x": [1, 2]})
        request = lease["request"]
        self.assertEqual((request["method"], request["path"]), ("POST", "/reports/7%20a"))
        self.assertEqual(request["routeParams"], {"id": "7 a"})
        self.assertEqual(
            request["queryParams"],
            [{"name": "q", "values": ["1", "2"]}, {"name": "r", "values": ["é"]}],
        )
        headers = request["headers"]
        self.assertEqual(headers["x-custom"], ["yes"])
        self.assertEqual(headers["content-type"], ["application/json"])
        for name in ("authorization", "cookie", "connection", "x-hop", "host", "content-length"):
            self.assertNotIn(name, headers)
        self.assertEqual(server.get(f"/jobs/{job}/details").json["priority"], 2)

    def test_bodies_of_every_kind_are_payloads(self):
        server = self.serve_table()
        text = {"Content-Type": "text/plain"}
        for body, headers, payload in [
            (None, {}, None),
            ('"x"', {}, "x"),
            ("not json", text, "not json"),
            ("[1]", text, "[1]"),
            ("a=1&b=2", {"Content-Type": "application/x-www-form-urlencoded"}, "a=1&b=2"),
        ]:
            with self.subTest(body):
                answer = server.call("PUT", "/files/me/a/b.txt", body, headers=headers)
                self.assertEqual(answer.status, 202, answer)
                (lease,) = server.lease()
                self.assertEqual(lease["payload"], payload)
                self.assertEqual(
                    lease["request"]["routeParams"], {"owner": "me", "name": "a/b.txt"}
                )
        self.assert_problem(server.call("PUT", "/files/me/x", "{"), 400, "INVALID_JSON")
        answer = server.call("PUT", "/files/me/x", b"\xff\xfe", headers=text)
        self.assert_problem(answer, 415, "UNSUPPORTED_MEDIA_TYPE")
        answer = server.call("PUT", "/files/me/x", json.dumps("x" * 1024 * 1024))
        self.assert_problem(answer, 413, "TOO_LARGE")
        answer = server.call("PUT", "/files/me/x", headers={"Cookie": "kept=1"})
        (lease,) = server.lease()
        self.assertEqual(lease["request"]["headers"]["cookie"], ["kept=1"])

    def test_the_request_id_is_the_idempotency_key(self):
        server = self.serve_table()
        header = {"X-Async-Request-Id": "request-1"}
        first = server.post("/reports/1", {}, headers=header)
        second = server.post("/reports/1", {}, headers=header)
        other = server.post("/reports/1", {}, headers={"X-Async-Request-Id": "request-2"})
        self.assertEqual(first.json["jobId"], second.json["jobId"])
        self.assertNotEqual(first.json["jobId"], other.json["jobId"])
        details = server.get(f"/jobs/{first.json['jobId']}/details").json
        self.assertEqual(details["idempotencyKey"], "request-1")
        answer = server.post("/reports/1", {}, headers={"X-Async-Request-Id": "x" * 256})
        self.assert_problem(answer, 422, "INVALID_FIELD")

    def test_other_methods_and_paths_are_refused(self):
        server = self.serve_table()
        answer = server.get("/reports/1")
        self.assert_problem(answer, 405, "METHOD_NOT_ALLOWED")
        self.assertEqual(answer.headers["Allow"], "POST")
        self.assert_problem(server.post("/reports", {}), 404, "NOT_FOUND")
        self.assertEqual(server.get("/slow").status, 202)
        self.assertEqual(server.post("/v1/reports/1", {}).status, 202)
        self.assertIn('route="/reports/{id}"', server.get("/metrics").body)

    def test_a_push_handler_replays_it_to_the_real_service(self):
        server = self.serve_table()
        receiver = Receiver(lambda r: (200, {"Content-Type": "text/plain"}, b"written"))
        self.addCleanup(receiver.stop)
        (self.folder / "longshore.toml").write_text(
            f"""
            [outgoing]
            allow = ["127.0.0.1"]
            [work.handlers.FILE]
            push = "{receiver.url}/base"
            replay = true
            """
        )
        self.work(server)
        answer = server.call(
            "PUT", "/files/me/a%2Fb?x=1%262", "as it was",
            headers={"Content-Type": "text/plain", "X-Custom": "yes", "Cookie": "c=1",
                     "X-Async-Request-Id": "r-1"},
        )  # fmt: skip
        job = answer.json["jobId"]
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.get(f"/jobs/{job}/result").json, "written")
        sent = receiver.next()
        self.assertEqual((sent.method, sent.target), ("PUT", "/base/files/me/a%2Fb?x=1%262"))
        self.assertEqual(sent.body, b"as it was")
        self.assertEqual(sent.headers["Content-Type"], "text/plain")
        self.assertEqual(sent.headers["X-Custom"], "yes")
        self.assertEqual(sent.headers["Cookie"], "c=1")
        self.assertEqual(sent.headers["X-Async-Request-Id"], "r-1")
        self.assertEqual(sent.headers["Idempotency-Key"], job)
        self.assertEqual(sent.headers["Host"], receiver.url.split("//")[1])

    def test_an_endpoint_that_conflicts_with_the_api_is_refused_at_the_start(self):
        for line, expected in [
            ('route = "POST /jobs/{x}/y"', "conflicts with the API's own /jobs"),
            ('route = "POST /schedules"', "conflicts with"),
            ('route = "POST /v1/x"', "conflicts with"),
            ('route = "POST /{any}"', "must begin with a fixed segment"),
            ('route = "POST reports"', "path must look like"),
            ('route = "POST /a/../b"', "path must look like"),
            ('route = "POST /a/{x}/{x}"', "two parameters x"),
            ('route = "POST /a/{rest...}/b"', "path must look like"),
            ('route = "TRACE /a"', "method must be one of"),
            ('path = "/a"\npriority = 10', "priority must be"),
            ('path = "/a"\njobTypo = "T"', "did you mean jobType"),
        ]:
            with self.subTest(line):
                text = f"[[endpoints]]\n{line}\n" + ("" if "jobTypo" in line else 'jobType = "T"\n')
                (self.folder / "longshore.toml").write_text(text)
                ended = harness.run("serve", "--store", self.store, cwd=self.folder)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)
        twice = '[[endpoints]]\npath = "/a/{x}"\njobType = "T"\n'
        (self.folder / "longshore.toml").write_text(twice + twice.replace("{x}", "{y}"))
        ended = harness.run("serve", "--store", self.store, cwd=self.folder)
        self.assertIn("two endpoints are POST /a/{y}", ended.stderr)


if __name__ == "__main__":
    unittest.main()
