"""Operator routes over real sockets, with valid and invalid requests."""

import json
import socket
import unittest

import harness
from routes_test import UNKNOWN_JOB, Routes


class Operating(Routes):
    def dead(self, **fields):
        """A job that failed permanently."""
        job, token = self.held(**fields)
        error = {"leaseToken": token, "error": {"code": "E", "message": "no"}, "retryable": False}
        self.assertEqual(self.post(f"/jobs/{job}/fail", error).json["status"], "FAILED")
        return job

    def test_lists_are_paged_newest_first_and_filtered(self):
        jobs = [self.enqueue(jobType="listed", tags=[f"t{n % 2}"]) for n in range(5)]
        first = self.get("/jobs?jobType=listed&limit=3").json
        rest = self.get(f"/jobs?jobType=listed&limit=3&cursor={first['nextCursor']}").json
        seen = [job["jobId"] for job in first["jobs"] + rest["jobs"]]
        self.assertEqual(seen, jobs[::-1])
        self.assertNotIn("payload", first["jobs"][0])
        odd = self.get("/jobs?jobType=listed&tag=t1").json["jobs"]
        self.assertEqual(len(odd), 2)
        for query in ("limit=0", "limit=501", "state=ODD", "cursor=odd", "colour=red"):
            with self.subTest(query):
                self.assertEqual(self.get(f"/jobs?{query}").status, 422)

    def test_details_history_and_logs_are_complete(self):
        job, token = self.held(payload={"a": 1})
        self.post(f"/jobs/{job}/complete", {"leaseToken": token, "result": 2, "log": "line\n"})
        details = self.get(f"/jobs/{job}/details").json
        for name, value in {"state": "SUCCESS", "payload": {"a": 1}, "result": 2, "attempt": 1,
                            "epoch": 1, "lease": None}.items():  # fmt: skip
            self.assertEqual(details[name], value, name)
        history = self.get(f"/jobs/{job}/history").json["history"]
        self.assertEqual(
            [entry["to"] for entry in history], ["CREATED", "QUEUED", "RUNNING", "SUCCESS"]
        )
        self.assertIsNone(history[0]["from"])
        self.assertEqual(
            self.get(f"/jobs/{job}/logs").json["logs"], [{"attempt": 1, "text": "line\n"}]
        )

    def test_explain_says_why_a_job_does_not_run(self):
        later = self.enqueue(delaySeconds=3600)
        codes = [r["code"] for r in self.get(f"/jobs/{later}/explain").json["reasons"]]
        self.assertIn("scheduled", codes)
        self.post(f"/queues/{self.id()[-100:]}/pause")
        waiting = self.enqueue()
        codes = [r["code"] for r in self.get(f"/jobs/{waiting}/explain").json["reasons"]]
        self.assertTrue(any("ause" in code for code in codes), codes)

    def test_a_job_is_promoted_resolved_and_redriven(self):
        later = self.enqueue(delaySeconds=3600)
        self.assertEqual(self.post(f"/jobs/{later}/promote").status, 200)
        self.assertEqual(self.lease()[0]["jobId"], later)
        resolved = self.post(f"/jobs/{later}/resolve", {"result": 5})
        self.assertEqual((resolved.status, resolved.json["status"]), (200, "COMPLETED"))
        self.assertEqual(self.get(f"/jobs/{later}/result").json, 5)
        job = self.dead(payload=1)
        answer = self.post(f"/jobs/{job}/redrive", {"payload": 2})
        self.assertEqual(answer.status, 202, answer)
        successor = answer.json["jobId"]
        self.assertEqual(self.post(f"/jobs/{job}/redrive").json["jobId"], successor)
        self.assertEqual(self.get(f"/jobs/{job}").json["successorId"], successor)
        self.assertEqual(self.lease()[0]["payload"], 2)
        self.assert_problem(self.post(f"/jobs/{later}/redrive"), 409, "WRONG_STATE")

    def test_dead_jobs_are_listed_grouped_and_redriven_in_bulk(self):
        jobs = {self.dead(jobType="grave") for _ in range(3)}
        listed = self.get("/dead?jobType=grave").json["jobs"]
        self.assertEqual({job["jobId"] for job in listed}, jobs)
        groups = [g for g in self.get("/errors").json["errors"] if g["jobType"] == "grave"]
        self.assertEqual([group["count"] for group in groups], [3])
        body = {"filter": {"jobType": "grave"}, "limit": 2}
        dry = self.post("/dead/redrive", {**body, "dryRun": True}).json
        self.assertEqual(dry["count"], 2)
        self.assertEqual(len(self.get("/dead?jobType=grave").json["jobs"]), 3)
        done = self.post("/dead/redrive", body).json
        self.assertEqual((done["count"], done["more"]), (2, True))
        self.assertEqual(len(self.get("/dead?jobType=grave").json["jobs"]), 1)
        self.assertEqual(len(self.get("/dead?jobType=grave&redriven=true").json["jobs"]), 3)

    def test_many_jobs_are_canceled_at_once(self):
        jobs = [self.enqueue(jobType="many") for _ in range(4)]
        done = self.post("/jobs/cancel", {"filter": {"jobType": "many"}, "limit": 10})
        self.assertEqual(done.json["count"], 4, done)
        for job in jobs:
            self.assertEqual(self.get(f"/jobs/{job}").json["status"], "CANCELED")

    def test_a_paused_queue_leases_nothing(self):
        queue = self.id()[-100:]
        self.enqueue()
        self.assertEqual(self.post(f"/queues/{queue}/pause").status, 200)
        self.assertEqual(self.lease(), [])
        (shown,) = [q for q in self.get("/queues").json["queues"] if q["queue"] == queue]
        self.assertIs(shown["paused"], True)
        self.assertEqual(self.post(f"/queues/{queue}/resume").status, 200)
        self.assertEqual(len(self.lease()), 1)

    def test_the_server_reports_its_health(self):
        self.assertEqual(self.get("/livez").status, 200)
        ready = self.get("/readyz")
        self.assertEqual((ready.status, ready.json["durability"]), (200, "A"))
        self.enqueue()
        self.lease(worker={"slots": 3, "host": "h", "version": "1"})
        self.assertIn("w", self.get("/workers").body)
        for window in ("1h", "6h", "24h"):
            self.assertEqual(self.get(f"/stats?window={window}").status, 200)
        self.assertEqual(self.get("/stats?window=2h").status, 422)
        self.assertEqual(self.post("/check").status, 200)
        metrics = self.get("/metrics")
        self.assertIn("\nlongshore_", metrics.body)
        page = self.get("/ui/")
        self.assertEqual(page.status, 200)
        self.assertIn("Content-Security-Policy", page.headers)

    def test_unknown_resources_are_404(self):
        for method, path in [
            ("GET", "details"), ("GET", "history"), ("GET", "logs"), ("GET", "explain"),
            ("POST", "promote"), ("POST", "redrive"), ("GET", "events"),
        ]:  # fmt: skip
            with self.subTest(path):
                for job in (UNKNOWN_JOB, "no-id"):
                    answer = self.call(method, f"/jobs/{job}/{path}")
                    self.assert_problem(answer, 404, "NOT_FOUND")

    def events(self, job, **headers):
        """All events of a job: their ids and data."""
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection(("127.0.0.1", self.server.port), harness.PATIENCE) as raw:
            request = f"GET /jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n{lines}"
            raw.sendall(f"{request}Connection: close\r\n\r\n".encode())
            text = b"".join(iter(lambda: raw.recv(65536), b"")).decode()
        self.assertIn("text/event-stream", text)
        lines = text.splitlines()
        ids = [int(line[4:]) for line in lines if line.startswith("id: ")]
        return ids, [json.loads(line[6:]) for line in lines if line.startswith("data: ")]

    def test_events_begin_with_the_history_and_can_be_resumed(self):
        job, token = self.held()
        self.post(f"/jobs/{job}/complete", {"leaseToken": token})
        ids, said = self.events(job)
        self.assertEqual(ids, [1, 2, 3, 4])
        self.assertEqual([event["to"] for event in said][-1], "SUCCESS")
        ids, _ = self.events(job, **{"Last-Event-ID": "2"})
        self.assertEqual(ids, [3, 4])


if __name__ == "__main__":
    unittest.main()
