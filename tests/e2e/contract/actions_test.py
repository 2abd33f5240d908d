"""Operator actions: promote, resolve and redrive, singly and in bulk."""

import unittest

import contract
from contract import FAILURE, later, moment, written


class Redriving(contract.Contract):
    def redrive(self, job, **fields):
        return self.post(f"/jobs/{job}/redrive", fields)

    def dead(self, **fields):
        return self.job_in("DEAD", **fields)[0]

    def test_the_successor_copies_all_but_keys_times_checkpoint_and_counters(self):
        fields = {
            "payload": {"p": 1}, "jobKey": "k", "priority": 2, "maxRetries": 7, "tags": ["t"],
            "timeoutSeconds": 55, "metadata": {"m": "v"}, "request": {"method": "GET"},
            "backoff": {"kind": "fixed", "baseSeconds": 3, "jitter": 0},
        }  # fmt: skip
        job, token = self.held(**fields, idempotencyKey=self.name)
        self.ok(self.settle("heartbeat", job, token, checkpoint={"at": 1}))
        self.ok(self.settle("fail", job, token, error=FAILURE, retryable=False))
        answer = self.ok(self.redrive(job), 202)
        self.assertEqual(set(answer), {"jobId", "status"})
        self.assertEqual(answer["status"], "PENDING")
        self.assertNotEqual(answer["jobId"], job)
        old, new = self.details(job), self.details(answer["jobId"])
        for name, value in fields.items():
            if name != "backoff":
                self.assertEqual(new[name], value, name)
        self.assertEqual(new["backoff"], old["backoff"])
        self.assertEqual((new["queue"], new["jobType"]), (old["queue"], old["jobType"]))
        self.assertIsNone(new["idempotencyKey"])
        self.assertIsNone(new["checkpoint"])
        for name in ("attempt", "failures", "crashes", "retryCount", "epoch"):
            self.assertEqual(new[name], 0, name)
        self.assertEqual((new["redriveOf"], old["successorId"]), (job, new["jobId"]))
        self.assertEqual(new["errors"], [])
        self.assertNotIn("error", new)
        self.assertEqual(old["state"], "DEAD")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["successorId"], new["jobId"])
        self.assertGreater(moment(new["createdAt"]), moment(old["createdAt"]))

    def test_a_successor_may_be_delayed(self):
        at = later(3600)
        for fields in ({"delaySeconds": 3600}, {"runAt": written(at)}):
            successor = self.ok(self.redrive(self.dead(), **fields), 202)
            self.assertEqual(successor["status"], "PENDING")
            details = self.details(successor["jobId"])
            self.assertEqual(details["state"], "SCHEDULED")
            self.assertLess(abs((moment(details["runAt"]) - at).total_seconds()), 60)
        job = self.dead()
        both = self.redrive(job, delaySeconds=1, runAt=written(at))
        self.assert_problem(both, 422, "INVALID_FIELD")
        self.assert_problem(self.redrive(job, delaySeconds=-1), 422, "INVALID_FIELD")
        self.assert_problem(self.redrive(job, runAt="soon"), 422, "INVALID_FIELD")
        self.assertIsNone(self.details(job)["successorId"])

    def test_an_expired_job_runs_again_without_its_expiry(self):
        job = self.enqueue(expiresAt=written(later(2)))
        self.becomes(job, "CANCELED")
        successor = self.ok(self.redrive(job), 202)["jobId"]
        self.assertIsNone(self.details(successor)["expiresAt"])
        self.assertEqual([one["jobId"] for one in self.lease()], [successor])

    def test_only_version_and_successor_of_the_old_job_change(self):
        job = self.dead()
        before = self.details(job)
        successor = self.ok(self.redrive(job), 202)["jobId"]
        after = self.details(job)
        self.assertGreater(after.pop("version"), before.pop("version"))
        self.assertEqual(after, {**before, "successorId": successor})

    def test_a_repeated_redrive_returns_the_same_successor(self):
        job = self.dead()
        first = self.ok(self.redrive(job), 202)
        self.assertEqual(self.ok(self.redrive(job, payload=5), 202), first)
        (lease,) = self.lease()
        again = self.ok(self.redrive(job), 202)
        self.assertEqual(again, {"jobId": first["jobId"], "status": "RUNNING"})
        self.ok(self.settle("complete", first["jobId"], lease["leaseToken"]))
        self.assertEqual(self.ok(self.redrive(job), 202)["status"], "COMPLETED")

    def test_overrides(self):
        job = self.dead(payload=1)
        new = {"payload": {"fixed": True}, "queue": self.name + "2", "priority": 0,
               "maxRetries": 0, "timeoutSeconds": 5.5}  # fmt: skip
        successor = self.details(self.ok(self.redrive(job, **new), 202)["jobId"])
        self.assertEqual({name: successor[name] for name in new}, new)
        self.assertEqual(self.details(job)["payload"], 1)

    def test_a_payload_may_be_replaced_by_null(self):
        job = self.dead(payload=1)
        successor = self.ok(self.redrive(job, payload=None), 202)["jobId"]
        self.assertIsNone(self.details(successor)["payload"])

    def test_bad_overrides_are_422(self):
        job = self.dead()
        for name, value in [
            ("queue", "a b"), ("priority", 10), ("maxRetries", 101), ("timeoutSeconds", 0),
        ]:  # fmt: skip
            with self.subTest(name):
                self.fields_refused(self.redrive(job, **{name: value}), name)
        self.fields_refused(self.redrive(job, jobType="x"), "jobType", code="UNKNOWN_FIELD")

    def test_a_live_key_is_409(self):
        job = self.dead(jobKey="k")
        live = self.enqueue(jobKey="k")
        answer = self.redrive(job)
        self.assert_problem(answer, 409, "KEY_IN_USE")
        self.assertEqual(answer.json["jobId"], live)
        self.assertIsNone(self.details(job)["successorId"])

    def test_a_canceled_job_can_be_redriven(self):
        job, _ = self.job_in("CANCELED")
        self.ok(self.redrive(job), 202)

    def test_a_successor_that_dies_can_be_redriven(self):
        job = self.dead()
        second = self.ok(self.redrive(job), 202)["jobId"]
        (lease,) = self.lease()
        fatal = {"error": FAILURE, "retryable": False}
        self.ok(self.settle("fail", second, lease["leaseToken"], **fatal))
        third = self.ok(self.redrive(second), 202)["jobId"]
        self.assertEqual(self.details(third)["redriveOf"], second)
        self.assertEqual(self.details(job)["successorId"], second)


class Resolving(contract.Contract):
    def resolve(self, job, **fields):
        return self.post(f"/jobs/{job}/resolve", fields)

    def test_it_goes_through_running_as_system(self):
        job = self.enqueue()
        self.assertEqual(self.ok(self.resolve(job, result=1))["status"], "COMPLETED")
        claim, done = self.history(job)[-2:]
        self.assertEqual((claim["to"], claim["workerId"]), ("RUNNING", "system"))
        self.assertEqual((done["from"], done["to"]), ("RUNNING", "SUCCESS"))
        self.assertEqual(self.details(job)["attempt"], 0)

    def test_with_an_error_it_dies(self):
        job = self.enqueue()
        self.assertEqual(self.ok(self.resolve(job, error=FAILURE))["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", "E"))
        path = [move["to"] for move in self.history(job)][-3:]
        self.assertEqual(path, ["RUNNING", "RETRY", "DEAD"])

    def test_the_worker_of_a_resolved_job_has_lost_its_lease(self):
        job, token = self.held()
        self.ok(self.resolve(job, result=1))
        self.assert_problem(self.settle("complete", job, token, result=2), 409, "LEASE_LOST")

    def test_result_or_error_and_not_both(self):
        job = self.enqueue()
        for fields in ({}, {"result": 1, "error": FAILURE}, {"error": {}}, {"result": 1, "x": 1}):
            with self.subTest(fields):
                self.assertEqual(self.resolve(job, **fields).status, 422)
        self.ok(self.resolve(job, result=None))


class Promoting(contract.Contract):
    def test_a_scheduled_job_runs_now(self):
        job = self.enqueue(delaySeconds=3600)
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.assertEqual(self.moves(job)[-1], ("QUEUED", "promote"))
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_a_retry_runs_now(self):
        job, _ = self.job_in("RETRY")
        body = self.ok(self.post(f"/jobs/{job}/promote"))
        self.assertEqual(body, {"jobId": job, "status": "PENDING"})
        self.assertEqual(self.lease()[0]["attempt"], 2)


class Bulk(contract.Contract):
    def cancel(self, **fields):
        body = {"filter": {"queue": self.name}, "limit": 100, **fields}
        return self.post("/jobs/cancel", body)

    def redrive(self, **fields):
        body = {"filter": {"queue": self.name}, "limit": 100, **fields}
        return self.post("/dead/redrive", body)

    def test_a_dry_run_only_counts(self):
        jobs = {self.enqueue() for _ in range(3)}
        body = self.ok(self.cancel(dryRun=True))
        self.assertEqual((body["count"], body["more"]), (3, False))
        self.assertLessEqual({"count", "jobs", "more"}, set(body))
        self.assertEqual({self.state(job) for job in jobs}, {"QUEUED"})

    def test_cancel_affects_all_matching_live_jobs(self):
        jobs = [self.enqueue(tags=["x"]) for _ in range(3)]
        other = self.enqueue(tags=["y"])
        body = self.ok(self.cancel(filter={"queue": self.name, "tag": "x"}))
        self.assertEqual((body["count"], body["more"]), (3, False))
        self.assertEqual({self.state(job) for job in jobs}, {"CANCELED"})
        self.assertEqual(self.state(other), "QUEUED")
        self.assertEqual(self.ok(self.cancel(filter={"queue": self.name, "tag": "x"}))["count"], 0)

    def test_a_limit_reports_remaining_jobs(self):
        for _ in range(3):
            self.enqueue()
        body = self.ok(self.cancel(limit=2))
        self.assertEqual((body["count"], len(body["jobs"]), body["more"]), (2, 2, True))
        body = self.ok(self.cancel(limit=2))
        self.assertEqual((body["count"], body["more"]), (1, False))

    def test_as_of_excludes_later_jobs(self):
        early = self.enqueue()
        at = self.details(early)["createdAt"]
        contract.clock_passes(contract.moment(at), 0.006)
        late = self.enqueue()
        self.assertEqual(self.ok(self.cancel(asOf=at))["count"], 1)
        self.assertEqual((self.state(early), self.state(late)), ("CANCELED", "QUEUED"))

    def test_running_jobs_get_a_cancel_request(self):
        job, token = self.held()
        self.assertEqual(self.ok(self.cancel())["count"], 1)
        self.assertIs(self.ok(self.settle("heartbeat", job, token))["cancelRequested"], True)

    def test_redrive_creates_successors(self):
        jobs = [self.job_in("DEAD")[0] for _ in range(2)]
        self.job_in("SUCCESS")
        body = self.ok(self.redrive())
        self.assertEqual((body["count"], body["more"]), (2, False))
        self.assertEqual(len(self.lease(maxJobs=10)), 2)
        for job in jobs:
            self.assertIsNotNone(self.details(job)["successorId"])
        self.assertEqual(self.ok(self.redrive())["count"], 0)

    def test_redrive_by_error(self):
        job, token = self.held()
        error = {"code": "MINE", "message": "m"}
        self.ok(self.settle("fail", job, token, error=error, retryable=False))
        self.job_in("DEAD")
        body = self.ok(self.redrive(filter={"queue": self.name, "error": "MINE"}))
        self.assertEqual(body["count"], 1)

    def test_bodies_are_strict(self):
        for path in ("/jobs/cancel", "/dead/redrive"):
            for body, field in [
                ({"filter": {}, "limit": 0}, "limit"),
                ({"filter": {}, "limit": 10_001}, "limit"),
                ({"filter": {}, "limit": "1"}, "limit"),
                ({"filter": 1, "limit": 1}, "filter"),
                ({"filter": {}, "limit": 1, "asOf": "now"}, "asOf"),
                ({"filter": {}, "limit": 1, "dryRun": 1}, "dryRun"),
                ({"filter": {"state": "NONE"}, "limit": 1}, "filter.state"),
            ]:
                with self.subTest(f"{path} {body}"):
                    self.fields_refused(self.post(path, body), field)
            for body, field in [
                ({"filter": {"colour": "red"}, "limit": 1, "dryRun": True}, "filter.colour"),
                ({"filter": {}, "limit": 1, "dryRun": True, "colour": 1}, "colour"),
            ]:
                with self.subTest(f"{path} {body}"):
                    self.fields_refused(self.post(path, body), field, code="UNKNOWN_FIELD")
            self.ok(self.post(path, {"filter": {}, "limit": 10_000, "dryRun": True}))


if __name__ == "__main__":
    unittest.main()
