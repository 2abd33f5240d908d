"""Requests of producers and their responses."""

import json
import secrets
import time
import unittest
import uuid

import contract
from contract import TIME, UUID7, later, moment, written

KIB = 1024
MIB = 1024 * KIB


def nested(depth):
    return "[" * depth + "]" * depth


def quoted(length):
    """JSON text of exactly that many bytes."""
    return '"' + "x" * (length - 2) + '"'


class Enqueueing(contract.Contract):
    def send(self, **fields):
        return self.post("/jobs", {"jobType": self.name, "queue": self.name, **fields})

    def test_the_answer_is_202_with_location_id_and_status(self):
        answer = self.post("/jobs", {"jobType": "T"})
        body = self.ok(answer, 202)
        self.assertEqual(set(body), {"jobId", "status"})
        self.assertRegex(body["jobId"], UUID7)
        self.assertEqual(body["status"], "PENDING")
        self.assertEqual(answer.headers["Location"], f"/jobs/{body['jobId']}")
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/json")

    def made_id(self, at=None):
        """A UUIDv7 of that time."""
        millis = int((time.time() if at is None else at) * 1000)
        high = millis << 16 | 7 << 12 | secrets.randbits(12)
        return str(uuid.UUID(int=high << 64 | 2 << 62 | secrets.randbits(62)))

    def test_a_caller_may_choose_the_id_and_send_it_again(self):
        mine = self.made_id()
        first = self.send(jobId=mine, payload=1)
        self.assertEqual(self.ok(first, 202), {"jobId": mine, "status": "PENDING"})
        again = self.send(jobId=mine, payload=1)
        self.assertEqual(self.ok(again, 202), {"jobId": mine, "status": "PENDING"})
        self.assertEqual(again.headers["Location"], f"/jobs/{mine}")
        self.ok(self.post(f"/jobs/{mine}/cancel"))
        self.assertEqual(self.ok(self.send(jobId=mine), 202)["status"], "CANCELED")
        batch = {"jobs": [{"jobType": self.name, "jobId": mine}, {"jobType": self.name}]}
        jobs = self.ok(self.post("/jobs/batch", batch), 202)["jobs"]
        self.assertEqual(jobs[0]["jobId"], mine)
        self.ok(self.post(f"/jobs/{jobs[1]['jobId']}/cancel"))

    def test_an_id_of_another_type_is_in_use(self):
        mine = self.made_id()
        self.ok(self.send(jobId=mine), 202)
        other = {"jobType": self.name + ".other", "jobId": mine}
        refused = self.post("/jobs", other)
        self.assert_problem(refused, 409, "ID_IN_USE")
        self.assertEqual(refused.json["jobId"], mine)
        fresh = self.made_id()
        batch = {"jobs": [{"jobType": self.name, "jobId": fresh}, other]}
        self.assert_problem(self.post("/jobs/batch", batch), 409, "ID_IN_USE")
        self.assertEqual(self.get(f"/jobs/{fresh}").status, 404)
        self.ok(self.post(f"/jobs/{mine}/cancel"))

    def test_an_id_must_be_a_uuid_of_version_7_and_of_now(self):
        hours = 3600
        for bad in [
            "",
            "mine",
            str(uuid.uuid4()),
            self.made_id(time.time() - 25 * hours),
            self.made_id(time.time() + 25 * hours),
            7,
        ]:
            with self.subTest(bad):
                self.assert_problem(self.send(jobId=bad), 422, "INVALID_FIELD")
        near = self.made_id(time.time() - 23 * hours)
        self.ok(self.send(jobId=near), 202)
        self.ok(self.post(f"/jobs/{near}/cancel"))

    def test_defaults_are_those_of_the_table(self):
        job = self.ok(self.post("/jobs", {"jobType": "defaults"}), 202)["jobId"]
        got = self.details(job)
        self.assertEqual(got["queue"], "default")
        self.assertEqual(got["priority"], 5)
        self.assertIsNone(got["payload"])
        self.assertEqual(got["maxRetries"], 3)
        self.assertEqual(got["timeoutSeconds"], 1800)
        backoff = got["backoff"]
        self.assertEqual(backoff["kind"], "exponential")
        self.assertEqual(backoff["baseSeconds"], 2)
        self.assertEqual(backoff["maxSeconds"], 3600)
        self.assertEqual(backoff["jitter"], 0.1)
        self.assertEqual(got["tags"], [])
        self.assertEqual(got["metadata"], {})
        self.assertEqual(got["state"], "QUEUED")
        self.ok(self.post(f"/jobs/{job}/cancel"))

    def test_values_at_a_limit_are_accepted(self):
        for fields in [
            {"jobType": "A"},
            {"jobType": "a" * 128},
            {"jobType": "AZaz09._:-"},
            {"jobType": "-x"},
            {"jobType": ".x"},
            {"jobType": "longshore"},
            {"jobType": "longshoreman.x"},
            {"jobType": "x_y"},
            {"queue": "q" * 128},
            {"queue": ":-._"},
            {"idempotencyKey": "i"},
            {"idempotencyKey": "i" * 255},
            {"idempotencyKey": "ü" * 255},
            {"jobKey": "j"},
            {"jobKey": "j" * 255},
            {"jobKey": "😀" * 255},
            {"priority": 0},
            {"priority": 9},
            {"delaySeconds": 0},
            {"delaySeconds": 0.25},
            {"delaySeconds": 86400 * 365},
            {"maxRetries": 0},
            {"maxRetries": 100},
            {"timeoutSeconds": 0.001},
            {"timeoutSeconds": 86400 * 30},
            {"backoff": {"kind": "none"}},
            {"backoff": {"kind": "fixed", "baseSeconds": 0.5}},
            {"backoff": {"kind": "exponential", "jitter": 0}},
            {"backoff": {"kind": "exponential", "jitter": 1}},
            {"backoff": {}},
            {"tags": ["t" * 64] + [f"t{n}" for n in range(15)]},
            {"tags": ["ü" * 64]},
            {"metadata": {f"k{n}": "v" for n in range(64)}},
            {"callback": {"url": "https://example.com/hook"}},
            {"callback": {"url": "http://example.com/hook?q=1"}},
            {"expiresAt": written(later(60))},
            {"request": {"method": "GET", "path": "/"}},
            {"request": {}},
        ]:
            with self.subTest(str(fields)[:80]):
                answer = self.send(**fields)
                self.assertEqual(answer.status, 202, answer)

    def test_values_beyond_a_limit_are_422(self):
        for fields, field in [
            ({"jobType": ""}, "jobType"),
            ({"jobType": "a" * 129}, "jobType"),
            ({"jobType": "a/b"}, "jobType"),
            ({"jobType": "ü"}, "jobType"),
            ({"jobType": "_x"}, "jobType"),
            ({"jobType": "longshore."}, "jobType"),
            ({"jobType": "longshore.x"}, "jobType"),
            ({"jobType": None}, "jobType"),
            ({"jobType": 7}, "jobType"),
            ({"queue": ""}, "queue"),
            ({"queue": "q" * 129}, "queue"),
            ({"queue": "q q"}, "queue"),
            ({"queue": 1}, "queue"),
            ({"idempotencyKey": ""}, "idempotencyKey"),
            ({"idempotencyKey": "i" * 256}, "idempotencyKey"),
            ({"idempotencyKey": 5}, "idempotencyKey"),
            ({"jobKey": ""}, "jobKey"),
            ({"jobKey": "j" * 256}, "jobKey"),
            ({"jobKey": 5}, "jobKey"),
            ({"onConflict": "EXISTING"}, "onConflict"),
            ({"onConflict": True}, "onConflict"),
            ({"callback": {"url": "http://h/", "secretName": "s"}}, "callback.secretName"),
            ({"priority": -1}, "priority"),
            ({"priority": 10}, "priority"),
            ({"priority": 1.5}, "priority"),
            ({"priority": "1"}, "priority"),
            ({"priority": True}, "priority"),
            ({"runAt": 5}, "runAt"),
            ({"runAt": "2026-11-15"}, "runAt"),
            ({"runAt": "2026-11-15T02:22:00"}, "runAt"),
            ({"runAt": "2026-02-30T02:22:00Z"}, "runAt"),
            ({"runAt": "2026-11-15T24:00:00Z"}, "runAt"),
            ({"delaySeconds": -0.001}, "delaySeconds"),
            ({"delaySeconds": "1"}, "delaySeconds"),
            ({"delaySeconds": 1e300}, "delaySeconds"),
            ({"expiresAt": "soon"}, "expiresAt"),
            ({"maxRetries": -1}, "maxRetries"),
            ({"maxRetries": 101}, "maxRetries"),
            ({"maxRetries": 1.5}, "maxRetries"),
            ({"timeoutSeconds": 0}, "timeoutSeconds"),
            ({"timeoutSeconds": -1}, "timeoutSeconds"),
            ({"timeoutSeconds": "1"}, "timeoutSeconds"),
            ({"timeoutSeconds": 1e300}, "timeoutSeconds"),
            ({"backoff": "none"}, "backoff"),
            ({"backoff": {"kind": "linear"}}, "backoff.kind"),
            ({"backoff": {"baseSeconds": -1}}, "backoff.baseSeconds"),
            ({"backoff": {"maxSeconds": -1}}, "backoff.maxSeconds"),
            ({"backoff": {"jitter": -0.1}}, "backoff.jitter"),
            ({"backoff": {"jitter": 1.1}}, "backoff.jitter"),
            ({"tags": "t"}, "tags"),
            ({"tags": ["t" * 65]}, "tags[0]"),
            ({"tags": [1]}, "tags[0]"),
            ({"metadata": []}, "metadata"),
            ({"callback": "http://x"}, "callback"),
            ({"callback": {}}, "callback.url"),
            ({"callback": {"url": 1}}, "callback.url"),
            ({"request": "GET /"}, "request"),
            ({"request": {"method": 1}}, "request.method"),
            ({"request": {"headers": {"a": "b"}}}, "request.headers.a"),
            ({"request": {"queryParams": {}}}, "request.queryParams"),
        ]:
            with self.subTest(str(fields)[:80]):
                self.fields_refused(self.send(**fields), field)

    def test_too_many_tags_or_pairs_are_422(self):
        self.assert_problem(self.send(tags=[f"t{n}" for n in range(17)]), 422, "INVALID_FIELD")
        pairs = {f"k{n}": "v" for n in range(65)}
        self.assert_problem(self.send(metadata=pairs), 422, "INVALID_FIELD")
        self.assert_problem(self.send(metadata={"k": "v" * 17 * KIB}), 422, "INVALID_FIELD")
        self.assert_problem(self.send(metadata={"k": 1}), 422, "INVALID_FIELD")

    def test_metadata_of_16_kib_fits(self):
        answer = self.send(metadata={"k": "v" * (16 * KIB - 16)})
        self.assertEqual(answer.status, 202, answer)

    def test_a_request_description_of_over_64_kib_is_refused(self):
        fits = {"method": "GET", "path": "/" + "p" * (64 * KIB - 64)}
        self.assertEqual(self.send(request=fits).status, 202)
        answer = self.send(request={"method": "GET", "path": "/" + "p" * 64 * KIB})
        self.assert_problem(answer, 422, "INVALID_FIELD")

    def test_unknown_fields_are_422_at_every_level(self):
        for fields, field in [
            ({"colour": 1}, "colour"),
            ({"JobType": "x"}, "JobType"),
            ({"backoff": {"kind": "none", "steps": 1}}, "backoff.steps"),
            ({"callback": {"url": "https://example.com", "method": "GET"}}, "callback.method"),
            ({"request": {"body": ""}}, "request.body"),
        ]:
            with self.subTest(str(fields)):
                self.fields_refused(self.send(**fields), field, code="UNKNOWN_FIELD")

    def test_every_wrong_field_is_named(self):
        answer = self.post("/jobs", {"priority": 11, "maxRetries": 101})
        self.fields_refused(answer, "jobType", "priority", "maxRetries")

    def test_a_body_that_is_not_an_object_is_422(self):
        for body in ("[]", "null", "1", '"x"', "true"):
            with self.subTest(body):
                answer = self.post("/jobs", body)
                self.assert_problem(answer, 422, "INVALID_FIELD")
                self.assertEqual(answer.json["detail"], "The body must be a JSON object")

    def test_a_body_that_is_not_json_is_400(self):
        for body in (
            "{", "{}x", "{'a':1}", '{"a":01}', '{"a":+1}', '{"a":NaN}', '{"a":1,}', "\ufeff{}",
            '{"a":"\t"}', '{"a":"\\x"}', '{"a":"\\ud800"}', b'{"a":"\xff"}', b'{"a":"\xc0\x80"}',
            "  ", '{"a":.5}', '{"a":1.}', "nul", '{"jobType":"T"} {}', '{"a":1 "b":2}', "//x\n{}",
        ):  # fmt: skip
            with self.subTest(repr(body)):
                self.assert_problem(self.post("/jobs", body), 400, "INVALID_JSON")

    def test_an_empty_body_is_an_empty_object(self):
        for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/json"}):
            with self.subTest(headers):
                self.fields_refused(self.post("/jobs", None, headers), "jobType")
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel", b"", {"Content-Type": "text/plain"}))

    def test_run_at_and_delay_together_are_422(self):
        answer = self.send(runAt=written(later(1)), delaySeconds=1)
        self.assert_problem(answer, 422, "INVALID_FIELD")

    def test_expiry_before_the_run_is_422(self):
        early = self.send(runAt=written(later(60)), expiresAt=written(later(30)))
        self.fields_refused(early, "expiresAt")
        early = self.send(delaySeconds=60, expiresAt=written(later(30)))
        self.fields_refused(early, "expiresAt")
        self.fields_refused(self.send(expiresAt="2020-01-01T00:00:00Z"), "expiresAt")
        same = written(later(60))
        self.assertEqual(self.send(runAt=same, expiresAt=same).status, 202)

    def test_times_may_carry_any_offset(self):
        for text, stored in [
            ("2100-01-01T00:00:00Z", "2100-01-01T00:00:00.000Z"),
            ("2100-01-01T00:00:00.5Z", "2100-01-01T00:00:00.500Z"),
            ("2100-01-01T05:30:00+05:30", "2100-01-01T00:00:00.000Z"),
            ("2099-12-31T16:00:00.123-08:00", "2100-01-01T00:00:00.123Z"),
            ("2100-01-01t00:00:00.1234567z", "2100-01-01T00:00:00.123Z"),
            ("2099-12-31T23:59:00-00:01", "2100-01-01T00:00:00.000Z"),
        ]:
            with self.subTest(text):
                job = self.enqueue(runAt=text)
                self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["runAt"], stored)

    def test_a_run_in_the_past_is_eligible_at_once(self):
        job = self.enqueue(runAt="2020-01-01T00:00:00Z")
        self.assertEqual(self.state(job), "QUEUED")
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_delay_may_be_fractional(self):
        job = self.enqueue(delaySeconds=0.3)
        self.assertEqual(self.moves(job), [("CREATED", "enqueue"), ("SCHEDULED", "accept")])
        public = self.ok(self.get(f"/jobs/{job}"))
        waited = (moment(public["runAt"]) - moment(public["createdAt"])).total_seconds()
        self.assertAlmostEqual(waited, 0.3, delta=0.002)
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual(lease["jobId"], job)
        due = self.history(job)[2]
        self.assertEqual((due["from"], due["to"], due["cause"]), ("SCHEDULED", "QUEUED", "due"))
        self.assertGreaterEqual(moment(due["at"]), moment(public["runAt"]))


class Sizes(contract.Contract):
    def send(self, payload, **more):
        body = json.dumps({"jobType": self.name, "queue": self.name, **more})
        return self.post("/jobs", body[:-1] + ',"payload":' + payload + "}")

    def test_a_payload_of_one_mebibyte_fits_and_a_byte_more_is_413(self):
        self.assertEqual(self.send(quoted(MIB)).status, 202)
        self.assert_problem(self.send(quoted(MIB + 1)), 413, "TOO_LARGE")
        (lease,) = self.lease()
        self.assertEqual(len(lease["payload"]), MIB - 2)
        token, job = lease["leaseToken"], lease["jobId"]
        body = '{"leaseToken":"' + token + '","result":'
        large = self.post(f"/jobs/{job}/complete", body + quoted(MIB + 1) + "}")
        self.assert_problem(large, 413, "TOO_LARGE")
        self.assertEqual(self.state(job), "RUNNING")
        self.ok(self.post(f"/jobs/{job}/complete", body + quoted(MIB) + "}"))
        self.assertEqual(self.get(f"/jobs/{job}/result").body, quoted(MIB))

    def test_depth_64_fits_and_65_is_422(self):
        self.assertEqual(self.send(nested(64)).status, 202)
        self.assert_problem(self.send(nested(65)), 422, "INVALID_FIELD")
        self.assertEqual(self.send('{"a":' * 64 + "1" + "}" * 64).status, 202)
        self.assert_problem(self.send('{"a":' * 65 + "1" + "}" * 65), 422, "INVALID_FIELD")
        self.assert_problem(self.send(nested(100_000)), 422, "INVALID_FIELD")
        (one, two) = self.lease(maxJobs=10)
        body = '{"leaseToken":"' + one["leaseToken"] + '","result":'
        deep = self.post(f"/jobs/{one['jobId']}/complete", body + nested(65) + "}")
        self.assert_problem(deep, 422, "INVALID_FIELD")
        self.ok(self.post(f"/jobs/{one['jobId']}/complete", body + nested(64) + "}"))
        self.assertEqual(self.get(f"/jobs/{one['jobId']}/result").body, nested(64))

    def test_a_batch_takes_payloads_of_depth_64(self):
        item = '{"jobType":"T","payload":' + nested(64) + "}"
        self.assertEqual(self.post("/jobs/batch", f'{{"jobs":[{item}]}}').status, 202)
        item = '{"jobType":"T","payload":' + nested(65) + "}"
        answer = self.post("/jobs/batch", f'{{"jobs":[{item}]}}')
        self.fields_refused(answer, "jobs[0].payload")

    def test_a_body_of_over_two_mebibytes_is_413(self):
        head, tail = '{"jobType":"T"', "}"
        fits = head + " " * (2 * MIB - len(head) - len(tail)) + tail
        self.assertEqual(self.post("/jobs", fits).status, 202)
        self.assert_problem(self.post("/jobs", fits + " "), 413, "TOO_LARGE")

    def test_a_batch_may_have_16_mebibytes(self):
        head, tail = '{"jobs":[{"jobType":"T"}]', "}"
        fits = head + " " * (16 * MIB - len(head) - len(tail)) + tail
        self.assertEqual(self.post("/jobs/batch", fits).status, 202)
        self.assert_problem(self.post("/jobs/batch", fits + " "), 413, "TOO_LARGE")

    def test_payloads_come_back_byte_for_byte(self):
        for text in [
            "1e400", "-0", "-0.0", "1.000", "1E+2", "123456789012345678901234567890", "0.1e-7",
            '{"a":1,"a":2}', '{"a" : [ 1 ,\t2 ] }', '"\\u00fc\\/\\ud83d\\ude00"', '"ü😀"',
            '"\\u0000"', "true", "null", "[]", "{}", '{"":""}', "[1,\n\r 2]", '"\x7f"', '"\u2028"',
        ]:  # fmt: skip
            with self.subTest(text):
                job = self.ok(self.send("  " + text + " "), 202)["jobId"]
                raw = self.post("/leases", {"workerId": "w", "queues": [self.name]})
                self.assertIn(f'"payload":{text}', raw.body.replace('"payload": ', '"payload":'))
                self.assertIn(text, self.get(f"/jobs/{job}/details").body)
                token = raw.json["leases"][0]["leaseToken"]
                body = f'{{"leaseToken":"{token}","result": {text} }}'
                self.ok(self.post(f"/jobs/{job}/complete", body))
                result = self.get(f"/jobs/{job}/result")
                self.assertEqual((result.status, result.body), (200, text))
                self.assertIn(text, self.get(f"/jobs/{job}/details").body)


class Reading(contract.Contract):
    def test_a_new_job_shows_only_its_public_fields(self):
        job = self.enqueue(payload={"secret": 1}, metadata={"m": "v"}, tags=["t"], jobKey="k")
        public = self.ok(self.get(f"/jobs/{job}"))
        needed = {"jobId", "jobType", "status", "createdAt", "updatedAt"}
        self.assertLessEqual(needed, set(public))
        allowed = needed | {"runAt", "progress", "cancelRequested"}
        self.assertLessEqual(set(public), allowed)
        self.assertRegex(public["createdAt"], TIME)
        self.assertRegex(public["updatedAt"], TIME)

    def test_a_finished_job_shows_its_start_and_end(self):
        job, token = self.held()
        self.ok(self.settle("heartbeat", job, token, progress=30))
        self.ok(self.settle("complete", job, token))
        public = self.ok(self.get(f"/jobs/{job}"))
        self.assertEqual(public["status"], "COMPLETED")
        self.assertLessEqual(moment(public["startedAt"]), moment(public["completedAt"]))
        self.assertEqual(public["progress"], 30)
        hidden = {"payload", "attempt", "failures", "crashes", "retryCount", "workerId", "lease",
                  "leaseToken", "epoch", "error", "errors", "version", "state"}  # fmt: skip
        self.assertFalse(hidden & set(public))

    def test_unknown_and_malformed_ids_are_404(self):
        too_short = contract.UNKNOWN_JOB[:-1]
        for job in (contract.UNKNOWN_JOB, "x", too_short, "%00", "a%2Fb"):
            for path in ("", "/result", "/details", "/history", "/logs", "/events", "/explain"):
                with self.subTest(job + path):
                    self.assert_problem(self.get(f"/jobs/{job}{path}"), 404, "NOT_FOUND")
            for verb in ("cancel", "promote", "redrive"):
                with self.subTest(f"{job} {verb}"):
                    self.assert_problem(self.post(f"/jobs/{job}/{verb}"), 404, "NOT_FOUND")

    def test_the_result_of_an_unfinished_job_is_202(self):
        for state, status in [
            ("SCHEDULED", "PENDING"), ("QUEUED", "PENDING"), ("RUNNING", "RUNNING"),
            ("WAITING", "RUNNING"), ("RETRY", "PENDING"),
        ]:  # fmt: skip
            with self.subTest(state):
                self.name = f"unfinished-{state}"
                job, _ = self.job_in(state)
                body = self.ok(self.get(f"/jobs/{job}/result"), 202)
                self.assertEqual(body, {"jobId": job, "status": status})

    def test_a_missing_result_is_null(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        answer = self.get(f"/jobs/{job}/result")
        self.assertEqual((answer.status, answer.body), (200, "null"))
        self.assertEqual(answer.headers["Content-Type"].split(";")[0], "application/json")

    def test_the_result_of_a_dead_job_is_409_with_the_first_line_of_its_error(self):
        job, token = self.held()
        message = "x" * 600 + "\nat secret.cc:7"
        error = {"code": "BOOM", "message": message, "details": {"stack": "s"}}
        self.ok(self.settle("fail", job, token, error=error, retryable=False))
        answer = self.get(f"/jobs/{job}/result")
        self.assert_problem(answer, 409, "JOB_FAILED")
        self.assertEqual(answer.json["error"], {"code": "BOOM", "message": "x" * 500})

    def test_the_result_of_a_canceled_job_is_409(self):
        job, _ = self.job_in("CANCELED")
        answer = self.get(f"/jobs/{job}/result")
        self.assert_problem(answer, 409, "JOB_CANCELED")
        self.assertEqual(answer.json["error"]["code"], "CANCELED")

    def test_the_etag_is_the_version(self):
        job, token = self.held()
        seen = self.get(f"/jobs/{job}")
        version = self.details(job)["version"]
        self.assertIn(str(version), seen.headers["ETag"])
        self.assertRegex(seen.headers["ETag"], r'^(W/)?"[^"]*"$')
        tag = seen.headers["ETag"]
        for match in (tag, f'"other", {tag}', "*", f"W/{tag.removeprefix('W/')}"):
            with self.subTest(match):
                same = self.get(f"/jobs/{job}", {"If-None-Match": match})
                self.assertEqual((same.status, same.body), (304, ""))
                self.assertEqual(same.headers["ETag"], tag)
        self.ok(self.settle("heartbeat", job, token))
        self.assertEqual(self.get(f"/jobs/{job}", {"If-None-Match": tag}).status, 304)
        for beat in ({"progress": 1}, {"checkpoint": 1}):
            with self.subTest(beat):
                tag = self.get(f"/jobs/{job}").headers["ETag"]
                self.ok(self.settle("heartbeat", job, token, **beat))
                changed = self.get(f"/jobs/{job}", {"If-None-Match": tag})
                self.assertEqual(changed.status, 200)
                self.assertNotEqual(changed.headers["ETag"], tag)
        tag = self.get(f"/jobs/{job}").headers["ETag"]
        self.ok(self.settle("complete", job, token))
        self.assertNotEqual(self.get(f"/jobs/{job}").headers["ETag"], tag)


if __name__ == "__main__":
    unittest.main()
