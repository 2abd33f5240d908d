"""Routes of producers and workers over real sockets, with valid and invalid requests."""

import json
import threading
import unittest

import harness

UNKNOWN_JOB = "01900000-0000-7000-8000-000000000000"


class Routes(harness.Case):
    """One server for all tests of a class; each test uses its own job types and queues."""

    @classmethod
    def setUpClass(cls):
        cls.case = harness.Case()
        cls.case.setUp()
        cls.server = cls.case.serve()
        cls.connection = cls.server.connect()

    @classmethod
    def tearDownClass(cls):
        cls.connection.close()
        status = cls.server.stop()
        cls.case.doCleanups()
        assert status == 0, cls.server.log

    def call(self, method, path, body=None, **headers):
        return self.connection.call(method, path, body, headers)

    def post(self, path, body=None, **headers):
        return self.call("POST", path, body, **headers)

    def get(self, path, **headers):
        return self.call("GET", path, **headers)

    def enqueue(self, **fields):
        answer = self.post("/jobs", {"jobType": "T", "queue": self.id()[-100:], **fields})
        self.assertEqual(answer.status, 202, answer)
        return answer.json["jobId"]

    def lease(self, **fields):
        body = {"workerId": "w", "queues": [self.id()[-100:]], **fields}
        answer = self.post("/leases", body)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["leases"]

    def held(self, **fields):
        """A leased job and its token."""
        job = self.enqueue(**fields)
        (lease,) = self.lease()
        self.assertEqual(lease["jobId"], job)
        return job, lease["leaseToken"]


class Producing(Routes):
    def test_enqueue_returns_the_location_of_the_job(self):
        answer = self.post("/jobs", {"jobType": "T", "payload": {"a": [1, 2.50, "ü"]}})
        self.assertEqual(answer.status, 202)
        job = answer.json["jobId"]
        self.assertEqual(answer.json, {"jobId": job, "status": "PENDING"})
        self.assertEqual(answer.headers["Location"], f"/jobs/{job}")
        self.assertTrue(answer.headers["X-Request-Id"])

    def test_every_route_also_answers_under_v1(self):
        answer = self.post("/v1/jobs", {"jobType": "T"})
        self.assertEqual(answer.status, 202)
        self.assertEqual(self.get(f"/v1/jobs/{answer.json['jobId']}").status, 200)

    def test_invalid_fields_of_a_job_are_named(self):
        cases = [
            ({}, "INVALID_FIELD", "jobType"),
            ({"jobType": "a b"}, "INVALID_FIELD", "jobType"),
            ({"jobType": "longshore.x"}, "INVALID_FIELD", "jobType"),
            ({"jobType": "T", "priority": 10}, "INVALID_FIELD", "priority"),
            ({"jobType": "T", "priority": "5"}, "INVALID_FIELD", "priority"),
            ({"jobType": "T", "delaySeconds": -1}, "INVALID_FIELD", "delaySeconds"),
            ({"jobType": "T", "runAt": "tomorrow"}, "INVALID_FIELD", "runAt"),
            ({"jobType": "T", "maxRetries": 101}, "INVALID_FIELD", "maxRetries"),
            ({"jobType": "T", "timeoutSeconds": 0}, "INVALID_FIELD", "timeoutSeconds"),
            ({"jobType": "T", "onConflict": "x"}, "INVALID_FIELD", "onConflict"),
            ({"jobType": "T", "tags": ["x"] * 17}, "INVALID_FIELD", "tags"),
            ({"jobType": "T", "metadata": {"a": 1}}, "INVALID_FIELD", "metadata.a"),
            ({"jobType": "T", "colour": "red"}, "UNKNOWN_FIELD", "colour"),
        ]
        for body, code, field in cases:
            with self.subTest(body):
                answer = self.post("/jobs", body)
                self.assert_problem(answer, 422, code)
                self.assertTrue(
                    any(e["field"].startswith(field) for e in answer.json["errors"]), answer
                )

    def test_invalid_requests_are_refused(self):
        deep = "[" * 65 + "]" * 65
        cases = [
            ("POST", "/jobs", "{", {}, 400, "INVALID_JSON"),
            ("POST", "/jobs", "[]", {}, 422, "INVALID_FIELD"),
            ("POST", "/jobs", '{"jobType":"T","payload":' + deep + "}", {}, 422, "INVALID_FIELD"),
            ("POST", "/jobs", "x", {"Content-Type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
            ("POST", "/jobs", "x" * (2 * 1024 * 1024 + 1), {}, 413, "TOO_LARGE"),
            ("DELETE", "/jobs/batch", None, {}, 405, "METHOD_NOT_ALLOWED"),
            ("GET", "/nothing/here", None, {}, 404, "NOT_FOUND"),
            ("GET", f"/jobs/{UNKNOWN_JOB}", None, {}, 404, "NOT_FOUND"),
            ("GET", "/jobs/no-id", None, {}, 404, "NOT_FOUND"),
            ("GET", "/livez", None, {"Origin": "http://evil.example"}, 403, "FORBIDDEN"),
            ("GET", "/openapi.json", None, {"Host": "evil.example"}, 403, "FORBIDDEN"),
        ]
        for method, path, body, headers, status, code in cases:
            with self.subTest(f"{method} {path} {str(body)[:30]}"):
                with self.server.connect() as connection:
                    answer = connection.call(method, path, body, headers)
                self.assert_problem(answer, status, code)
                if status == 405:
                    self.assertTrue(answer.headers["Allow"])

    def test_payload_and_result_come_back_byte_for_byte(self):
        payload = '{"b": 1.0,  "a":[1e2,"\\u00fc"], "b2":  null}'
        answer = self.post("/jobs", '{"jobType":"bytes","payload":' + payload + "}")
        leased = self.post("/leases", {"workerId": "w", "jobTypes": ["bytes"]})
        self.assertIn(f'"payload":{payload}', leased.body)
        token = leased.json["leases"][0]["leaseToken"]
        job = answer.json["jobId"]
        body = f'{{"leaseToken":"{token}","result":{payload}}}'
        self.assertEqual(self.post(f"/jobs/{job}/complete", body).status, 200)
        self.assertEqual(self.get(f"/jobs/{job}/result").body, payload)

    def test_an_idempotency_key_answers_the_first_job(self):
        first = self.post("/jobs", {"jobType": "T", "idempotencyKey": "k1"})
        again = self.post("/jobs", {"jobType": "T", "payload": 2}, **{"Idempotency-Key": "k1"})
        self.assertEqual((again.status, again.json), (202, first.json))
        both = self.post(
            "/jobs", {"jobType": "T", "idempotencyKey": "k1"}, **{"Idempotency-Key": "k2"}
        )
        self.assert_problem(both, 422, "INVALID_FIELD")

    def test_a_job_key_is_answered_rejected_or_replaced(self):
        job = self.enqueue(jobKey="key")
        self.assertEqual(self.enqueue(jobKey="key"), job)
        rejected = self.post("/jobs", {"jobType": "T", "jobKey": "key", "onConflict": "reject"})
        self.assert_problem(rejected, 409, "KEY_IN_USE")
        self.assertEqual(rejected.json["jobId"], job)
        self.assertEqual(self.enqueue(jobKey="key", onConflict="replace", payload=2), job)
        self.assertEqual(self.lease()[0]["payload"], 2)
        self.assertEqual(self.get("/types/T/keys/key").json["jobId"], job)

    def test_a_batch_is_all_or_nothing(self):
        good = self.post("/jobs/batch", {"jobs": [{"jobType": "T"}] * 3})
        self.assertEqual(good.status, 202)
        self.assertEqual(len({job["jobId"] for job in good.json["jobs"]}), 3)
        jobs = [{"jobType": "T"}, {"jobType": "T", "priority": 99}]
        bad = self.post("/jobs/batch", {"jobs": jobs})
        self.assert_problem(bad, 422, "INVALID_FIELD")
        self.assertEqual(bad.json["errors"][0]["field"], "jobs[1].priority")
        self.assert_problem(self.post("/jobs/batch", {"jobs": []}), 422, "INVALID_FIELD")

    def test_a_matching_etag_returns_304(self):
        job = self.enqueue()
        seen = self.get(f"/jobs/{job}")
        again = self.get(f"/jobs/{job}", **{"If-None-Match": seen.headers["ETag"]})
        self.assertEqual((again.status, again.body), (304, ""))
        self.lease()
        changed = self.get(f"/jobs/{job}", **{"If-None-Match": seen.headers["ETag"]})
        self.assertEqual(changed.status, 200)

    def test_a_wait_is_answered_by_the_end_of_the_job(self):
        job, token = self.held()
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.server.ended(job)))
        waiting.start()
        self.post(f"/jobs/{job}/complete", {"leaseToken": token, "result": 1})
        waiting.join()
        self.assertEqual(answers[0]["status"], "COMPLETED")

    def test_a_job_without_an_end_has_no_result_yet(self):
        job = self.enqueue()
        answer = self.get(f"/jobs/{job}/result")
        self.assertEqual((answer.status, answer.json["status"]), (202, "PENDING"))

    def test_cancel_ends_a_waiting_job_and_asks_the_owner_of_a_running_one(self):
        waiting = self.enqueue()
        answer = self.post(f"/jobs/{waiting}/cancel")
        self.assertEqual((answer.status, answer.json["status"]), (200, "CANCELED"))
        self.assertEqual(self.post(f"/jobs/{waiting}/cancel", {}).status, 200)
        self.assert_problem(self.get(f"/jobs/{waiting}/result"), 409, "JOB_CANCELED")
        job, token = self.held()
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        beat = self.post(f"/jobs/{job}/heartbeat", {"leaseToken": token})
        self.assertIs(beat.json["cancelRequested"], True)
        forced = self.post(f"/jobs/{job}/cancel", {"force": True})
        self.assertEqual((forced.status, forced.json["status"]), (200, "CANCELED"))
        late = self.post(f"/jobs/{job}/complete", {"leaseToken": token})
        self.assert_problem(late, 409, "LEASE_LOST")
        done, token = self.held()
        self.post(f"/jobs/{done}/complete", {"leaseToken": token})
        self.assert_problem(self.post(f"/jobs/{done}/cancel"), 409, "TERMINAL")


class Working(Routes):
    def test_a_lease_has_all_data_for_a_worker(self):
        job = self.enqueue(payload=[1], jobKey="j", metadata={"m": "v"}, maxRetries=2)
        (lease,) = self.lease(leaseSeconds=7, worker={"slots": 1, "host": "h", "version": "1"})
        for name, value in {
            "jobId": job, "jobType": "T", "jobKey": "j", "payload": [1], "attempt": 1,
            "failures": 0, "maxRetries": 2, "fence": 1, "metadata": {"m": "v"},
        }.items():  # fmt: skip
            self.assertEqual(lease[name], value, name)
        for name in ("leaseToken", "leaseExpiresAt", "deadlineAt", "createdAt", "queue"):
            self.assertIn(name, lease)
        self.assertEqual(self.lease(), [])

    def test_a_poll_is_woken_by_the_job_it_waits_for(self):
        leases = []
        body = {"workerId": "w", "queues": ["woken"], "waitSeconds": 60}
        polling = threading.Thread(target=lambda: leases.append(self.server.post("/leases", body)))
        polling.start()
        job = self.enqueue(queue="woken")
        polling.join()
        self.assertEqual(leases[0].json["leases"][0]["jobId"], job)

    def test_the_same_request_gets_the_same_leases(self):
        for _ in range(3):
            self.enqueue()
        first = self.lease(requestId="r-1", maxJobs=2)
        self.assertEqual(len(first), 2)
        tokens = [lease["leaseToken"] for lease in first]
        again = self.lease(requestId="r-1", maxJobs=2)
        self.assertEqual([lease["leaseToken"] for lease in again], tokens)

    def test_bad_claims_are_refused(self):
        for body, field in [
            ({}, "workerId"),
            ({"workerId": ""}, "workerId"),
            ({"workerId": "w", "maxJobs": 0}, "maxJobs"),
            ({"workerId": "w", "waitSeconds": 61}, "waitSeconds"),
            ({"workerId": "w", "leaseSeconds": 0.5}, "leaseSeconds"),
            ({"workerId": "w", "queues": []}, "queues"),
            ({"workerId": "w", "queues": ["a b"]}, "queues"),
        ]:
            with self.subTest(body):
                answer = self.post("/leases", body)
                self.assert_problem(answer, 422, "INVALID_FIELD")
                self.assertTrue(answer.json["errors"][0]["field"].startswith(field), answer)

    def test_a_heartbeat_extends_the_lease_and_reports_progress(self):
        job, token = self.held()
        beat = self.post(
            f"/jobs/{job}/heartbeat",
            {"leaseToken": token, "extendSeconds": 100, "progress": 40, "checkpoint": {"at": 4}},
        )
        self.assertEqual(beat.status, 200, beat)
        self.assertIs(beat.json["cancelRequested"], False)
        self.assertEqual(self.get(f"/jobs/{job}").json["progress"], 40)
        self.post(f"/jobs/{job}/release", {"leaseToken": token})
        self.assertEqual(self.lease()[0]["checkpoint"], {"at": 4})

    def test_outcomes_and_their_repetitions(self):
        job, token = self.held()
        done = {"leaseToken": token, "result": {"x": 1}}
        for _ in range(2):
            answer = self.post(f"/jobs/{job}/complete", done)
            self.assertEqual((answer.status, answer.json["status"]), (200, "COMPLETED"))
        other = self.post(f"/jobs/{job}/complete", {"leaseToken": token, "result": 2})
        self.assert_problem(other, 409, "ALREADY_SETTLED")

    def test_a_failure_is_retried_or_final(self):
        job, token = self.held(backoff={"kind": "none"})
        error = {"code": "E", "message": "no", "details": {"d": 1}}
        failed = self.post(f"/jobs/{job}/fail", {"leaseToken": token, "error": error})
        self.assertEqual(failed.json["status"], "PENDING")
        (lease,) = self.lease(waitSeconds=10)
        self.assertEqual((lease["attempt"], lease["failures"]), (2, 1))
        self.assertEqual(lease["lastError"]["code"], "E")
        body = {"leaseToken": lease["leaseToken"], "error": error, "retryable": False}
        self.assertEqual(self.post(f"/jobs/{job}/fail", body).json["status"], "FAILED")
        result = self.get(f"/jobs/{job}/result")
        self.assert_problem(result, 409, "JOB_FAILED")
        self.assertEqual(result.json["error"], {"code": "E", "message": "no"})

    def test_commands_for_a_job_that_is_not_leased_are_refused(self):
        job, token = self.held()
        self.post(f"/jobs/{job}/release", {"leaseToken": token})
        (fresh,) = self.lease()
        for verb, body in [
            ("heartbeat", {}),
            ("complete", {"result": 1}),
            ("fail", {"error": {"message": "m"}}),
            ("handoff", {}),
        ]:
            with self.subTest(verb):
                stale = self.post(f"/jobs/{job}/{verb}", {"leaseToken": token, **body})
                self.assert_problem(stale, 409, "LEASE_LOST")
                for bad in ({**body}, {**body, "leaseToken": 7}):
                    self.assertEqual(self.post(f"/jobs/{job}/{verb}", bad).status, 422, bad)
                gone = self.post(
                    f"/jobs/{UNKNOWN_JOB}/{verb}", {"leaseToken": fresh["leaseToken"], **body}
                )
                self.assert_problem(gone, 404, "NOT_FOUND")

    def test_many_outcomes_are_settled_independently(self):
        for _ in range(3):
            self.enqueue()
        one, two, three = self.lease(maxJobs=3)
        _, other = self.held(queue=self.id()[-100:])
        outcomes = [
            {"jobId": one["jobId"], "leaseToken": one["leaseToken"], "result": 1},
            {"jobId": two["jobId"], "leaseToken": two["leaseToken"], "release": True},
            {"jobId": three["jobId"], "leaseToken": other, "result": 1},
            {
                "jobId": three["jobId"],
                "leaseToken": three["leaseToken"],
                "error": {"message": "m"},
                "retryable": False,
            },
        ]
        answer = self.post("/leases/settle", {"outcomes": outcomes})
        self.assertEqual(answer.status, 200, answer)
        got = [v.get("status") or v.get("code") for v in answer.json["verdicts"]]
        self.assertEqual(got, ["COMPLETED", "PENDING", "LEASE_LOST", "FAILED"])

    def test_a_hand_off_is_finished_by_key(self):
        job, token = self.held(jobKey="out/side?")
        handed = self.post(f"/jobs/{job}/handoff", {"leaseToken": token, "timeoutSeconds": 60})
        self.assertEqual((handed.status, handed.json["status"]), (200, "RUNNING"))
        path = "/types/T/keys/out%2Fside%3F"
        self.assertEqual(self.get(path).json["jobId"], job)
        wrong = self.post(f"{path}/complete", {"result": 1, "fence": 99})
        self.assert_problem(wrong, 409, "LEASE_LOST")
        done = self.post(f"{path}/complete", {"result": 1, "fence": 1})
        self.assertEqual((done.status, done.json["status"]), (200, "COMPLETED"))
        self.assert_problem(self.post(f"{path}/complete", {"result": 1}), 404, "NOT_FOUND")
        never = self.enqueue(jobKey="never")
        answer = self.post("/types/T/keys/never/fail", {"error": {"message": "m"}})
        self.assert_problem(answer, 409, "WRONG_STATE")
        self.assertEqual(self.get(f"/jobs/{never}").json["status"], "PENDING")

    def test_the_document_names_every_route(self):
        document = self.get("/openapi.json").json
        self.assertTrue(document["openapi"].startswith("3.1"))
        for path in ("/jobs", "/jobs/{jobId}", "/leases", "/leases/settle"):
            self.assertIn(path, document["paths"])
        self.assertTrue(json.dumps(document))


if __name__ == "__main__":
    unittest.main()
