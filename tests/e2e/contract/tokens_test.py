"""Roles and namespaces: permissions and visibility of jobs."""

import json
import unittest

import contract
import harness
from contract import FAILURE, UNKNOWN_JOB
from stream import Stream

PRODUCER, WORKER, VIEWER, OPERATOR, ADMIN = "producer", "worker", "viewer", "operator", "admin"
TOP = {OPERATOR, ADMIN}
MAKE = {PRODUCER} | TOP
WORK = {WORKER} | TOP
VIEW = {VIEWER} | TOP

# Reading one job is a producer's and an operator's; whether a viewer may is not said, so not asked.
ROUTES = [
    ("POST", "/jobs", MAKE, set()),
    ("POST", "/jobs/batch", MAKE, set()),
    ("GET", "/jobs/{id}", MAKE, {VIEWER}),
    ("GET", "/jobs/{id}/result", MAKE, {VIEWER}),
    ("GET", "/jobs/{id}/events", MAKE, {VIEWER}),
    ("POST", "/jobs/{id}/cancel", MAKE, set()),
    ("POST", "/leases", WORK, set()),
    ("POST", "/leases/settle", WORK, set()),
    ("POST", "/jobs/{id}/heartbeat", WORK, set()),
    ("POST", "/jobs/{id}/complete", WORK, set()),
    ("POST", "/jobs/{id}/fail", WORK, set()),
    ("POST", "/jobs/{id}/release", WORK, set()),
    ("POST", "/jobs/{id}/handoff", WORK, set()),
    ("GET", "/types/T/keys/k", WORK, {VIEWER}),
    ("POST", "/types/T/keys/k/complete", WORK, set()),
    ("POST", "/types/T/keys/k/fail", WORK, set()),
    ("GET", "/jobs", VIEW, set()),
    ("GET", "/jobs/{id}/details", VIEW, set()),
    ("GET", "/jobs/{id}/history", VIEW, set()),
    ("GET", "/jobs/{id}/logs", VIEW, set()),
    ("GET", "/jobs/{id}/explain", VIEW, set()),
    ("GET", "/dead", VIEW, set()),
    ("GET", "/errors", VIEW, set()),
    ("GET", "/queues", VIEW, set()),
    ("GET", "/workers", VIEW, set()),
    ("GET", "/stats", VIEW, set()),
    ("POST", "/jobs/{id}/promote", TOP, set()),
    ("POST", "/jobs/{id}/resolve", TOP, set()),
    ("POST", "/jobs/{id}/redrive", TOP, set()),
    ("POST", "/dead/redrive", TOP, set()),
    ("POST", "/jobs/cancel", TOP, set()),
    ("GET", "/audit", TOP, set()),
    ("POST", "/queues/q/pause", TOP, set()),
    ("POST", "/queues/q/resume", TOP, set()),
    ("GET", "/check", VIEW, set()),
    ("POST", "/check", TOP, {VIEWER}),
    ("GET", "/tokens", {ADMIN}, set()),
    ("POST", "/tokens", {ADMIN}, set()),
    ("DELETE", "/tokens/x", {ADMIN}, set()),
]


class Guarded(contract.Contract):
    @classmethod
    def setUpClass(cls):
        cls.case = harness.Case()
        cls.case.setUp()
        cls.tokens = {role: cls.make(role) for role in (PRODUCER, WORKER, VIEWER, OPERATOR, ADMIN)}
        cls.elsewhere = cls.make(OPERATOR, "--namespace", "elsewhere")
        cls.start()

    @classmethod
    def make(cls, role, *more):
        ended = harness.run("token", "create", "--role", role, "--store", cls.case.store, *more)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    def call(self, method, path, body=None, headers=None):
        headers = {"Authorization": f"Bearer {self.tokens[ADMIN]}", **(headers or {})}
        return super().call(method, path, body, headers)

    def by(self, token, method, path, body=None):
        return self.call(method, path, body, {"Authorization": f"Bearer {token}"})


class Roles(Guarded):
    def test_every_route_for_every_role(self):
        job, _ = self.job_in("SUCCESS")
        for method, path, may, perhaps in ROUTES:
            for role, token in self.tokens.items():
                if role in perhaps:
                    continue
                with self.subTest(f"{role} {method} {path}"):
                    answer = self.by(token, method, path.format(id=job))
                    if role in may:
                        self.assertNotIn(answer.status, (401, 403), answer)
                    else:
                        self.assert_problem(answer, 403, "FORBIDDEN")

    def test_without_a_token_or_with_a_wrong_one_it_is_401(self):
        for method, path, _, _ in ROUTES:
            with self.subTest(f"{method} {path}"):
                answer = self.server.call(method, path.format(id=UNKNOWN_JOB))
                self.assert_problem(answer, 401, "UNAUTHENTICATED")
                self.assertIn("Bearer", answer.headers["WWW-Authenticate"])

    def test_health_needs_no_token(self):
        for path in ("/livez", "/readyz"):
            with self.subTest(path):
                self.assertEqual(self.server.get(path).status, 200)

    def test_a_token_is_created_listed_and_revoked(self):
        made = self.post("/tokens", {"role": "producer"})
        self.assertIn(made.status, (200, 201), made)
        token = made.json
        self.assertEqual(self.by(token["token"], "POST", "/jobs", {"jobType": "T"}).status, 202)
        listed = self.get("/tokens")
        self.assertIn(token["id"], listed.body)
        self.assertNotIn(token["token"], listed.body)
        ended = self.call("DELETE", f"/tokens/{token['id']}")
        self.assertIn(ended.status, (200, 204), ended)
        answer = self.by(token["token"], "POST", "/jobs", {"jobType": "T"})
        self.assert_problem(answer, 401, "UNAUTHENTICATED")

    def test_bad_tokens_are_refused(self):
        self.fields_refused(self.post("/tokens", {"role": "king"}), "role")
        self.fields_refused(self.post("/tokens", {}), "role")
        unknown = self.post("/tokens", {"role": "viewer", "colour": 1})
        self.fields_refused(unknown, "colour", code="UNKNOWN_FIELD")
        self.assert_problem(self.call("DELETE", "/tokens/none"), 404, "NOT_FOUND")

    def test_a_session_is_created_with_a_token_and_its_cookie_can_read(self):
        answer = self.server.post("/ui/session", {"token": self.tokens[VIEWER]})
        self.assertIn(answer.status, (200, 201, 204), answer)
        cookie = answer.headers["Set-Cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite", cookie)
        self.assertNotIn(self.tokens[VIEWER], cookie)
        headers = {"Cookie": cookie.split(";")[0]}
        self.assertEqual(self.server.get("/queues", headers=headers).status, 200)
        self.assertEqual(self.server.get("/tokens", headers=headers).status, 403)
        wrong = self.server.post("/ui/session", {"token": "wrong"})
        self.assert_problem(wrong, 401, "UNAUTHENTICATED")


class Namespaces(Guarded):
    def there(self, method, path, body=None):
        return self.by(self.elsewhere, method, path, body)

    def test_no_route_shows_or_changes_another_namespaces_job(self):
        job, token = self.held(jobKey="k")
        before = self.details(job)
        for method, path, may, _ in ROUTES:
            if "{id}" not in path or not may & {OPERATOR}:
                continue
            body = None
            if path.rsplit("/", 1)[1] in ("heartbeat", "complete", "release", "handoff"):
                body = {"leaseToken": token}
            elif path.endswith("/fail"):
                body = {"leaseToken": token, "error": FAILURE}
            elif path.endswith("/resolve"):
                body = {"result": 1}
            with self.subTest(f"{method} {path}"):
                answer = self.there(method, path.format(id=job), body)
                self.assert_problem(answer, 404, "NOT_FOUND")
        outcome = {"jobId": job, "leaseToken": token, "result": 1}
        verdicts = self.ok(self.there("POST", "/leases/settle", {"outcomes": [outcome]}))
        self.assertEqual(verdicts["verdicts"], [{"jobId": job, "code": "NOT_FOUND"}])
        by_key = f"/types/{self.name}/keys/k"
        self.assert_problem(self.there("GET", by_key), 404, "NOT_FOUND")
        finish = self.there("POST", by_key + "/complete", {"result": 1})
        self.assert_problem(finish, 404, "NOT_FOUND")
        self.assertEqual(self.details(job), before)

    def test_lists_leases_queues_and_workers_are_separate(self):
        job = self.enqueue()
        self.assertNotIn(job, self.there("GET", "/jobs?limit=500").body)
        body = {"workerId": "far", "queues": [self.name]}
        self.assertEqual(self.ok(self.there("POST", "/leases", body))["leases"], [])
        self.assertNotIn(self.name, self.there("GET", "/queues").body)
        self.assertNotIn("far", self.get("/workers").body)
        cancel = {"filter": {}, "limit": 100}
        self.ok(self.there("POST", "/jobs/cancel", cancel))
        self.assertEqual(self.state(job), "QUEUED")

    def test_a_pause_applies_to_its_namespace_only(self):
        job = self.enqueue()
        self.ok(self.there("POST", f"/queues/{self.name}/pause"))
        self.assertEqual([one["jobId"] for one in self.lease()], [job])

    def test_keys_are_separate(self):
        body = {"jobType": "T", "jobKey": "k", "idempotencyKey": "i"}
        here = self.ok(self.post("/jobs", body), 202)["jobId"]
        there = self.ok(self.there("POST", "/jobs", body), 202)["jobId"]
        self.assertNotEqual(here, there)
        self.assertEqual(self.ok(self.post("/jobs", body), 202)["jobId"], here)
        self.assertEqual(self.ok(self.there("POST", "/jobs", body), 202)["jobId"], there)

    def test_statistics_and_errors_are_separate(self):
        self.job_in("DEAD")
        groups = self.ok(self.there("GET", "/errors"))["errors"]
        self.assertNotIn(self.name, str(groups))

    def test_the_audit_trail_is_per_namespace_and_names_the_token(self):
        self.ok(self.post(f"/queues/{self.name}/pause"))
        here = self.ok(self.get("/audit?limit=500"))["audit"]
        (entry,) = [one for one in here if one["target"] == self.name]
        self.assertEqual(entry["action"], "pause")
        self.assertTrue(entry["actor"])
        there = self.ok(self.there("GET", "/audit?limit=500"))["audit"]
        self.assertNotIn(self.name, str(there))

    def test_live_events_are_per_namespace(self):
        headers = {"Authorization": f"Bearer {self.elsewhere}"}
        with Stream(self.server.port, f"/events?queue={self.name}", headers) as stream:
            self.assertEqual(stream.answer.status, 200)
            stream.comment()
            self.enqueue()
            body = {"jobType": "T", "queue": self.name}
            job = self.ok(self.there("POST", "/jobs", body), 202)["jobId"]
            self.assertEqual(json.loads(stream.next()["data"])["jobId"], job)

    def test_per_minute_statistics_are_per_namespace(self):
        minutes = lambda call: self.ok(call("GET", "/stats"))["minutes"]  # noqa: E731
        before = sum(minute["dead"] for minute in minutes(self.there))
        self.job_in("DEAD")
        count = lambda call: sum(minute["dead"] for minute in minutes(call))  # noqa: E731
        self.until(lambda: count(self.call) > 0, True)
        self.assertEqual(count(self.there), before)

    def test_a_foreign_host_is_allowed_with_tokens(self):
        headers = {"Host": "jobs.example", "Authorization": f"Bearer {self.tokens[ADMIN]}"}
        self.assertEqual(self.server.get("/queues", headers=headers).status, 200)


if __name__ == "__main__":
    unittest.main()
