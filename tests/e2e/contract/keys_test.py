"""Idempotency keys, job keys, conflicts and batches."""

import unittest

import contract
from contract import FAILURE, UNKNOWN_JOB


class Idempotency(contract.Contract):
    def send(self, headers=None, **fields):
        return self.post("/jobs", {"jobType": "T", "queue": self.name, **fields}, headers)

    def test_a_repeat_is_indistinguishable_from_the_first_answer(self):
        first = self.send(idempotencyKey=self.name, payload=1)
        again = self.send(idempotencyKey=self.name, payload=2, priority=1, delaySeconds=5)
        self.assertEqual((again.status, again.body), (first.status, first.body))
        self.assertEqual(again.headers["Location"], first.headers["Location"])
        self.assertEqual(set(again.headers), set(first.headers))
        self.assertEqual(len(self.lease(maxJobs=10)), 1)

    def test_a_repeat_answers_the_current_status_even_of_finished_jobs(self):
        first = self.send(idempotencyKey=self.name).json["jobId"]
        (lease,) = self.lease()
        running = self.send(idempotencyKey=self.name)
        self.assertEqual(self.ok(running, 202), {"jobId": first, "status": "RUNNING"})
        self.ok(self.settle("complete", first, lease["leaseToken"]))
        done = self.send(idempotencyKey=self.name)
        self.assertEqual(self.ok(done, 202), {"jobId": first, "status": "COMPLETED"})
        self.assertEqual(self.lease(), [])

    def test_it_is_unique_across_job_types_and_queues(self):
        first = self.send(idempotencyKey=self.name).json["jobId"]
        other = self.post("/jobs", {"jobType": "U", "queue": "x", "idempotencyKey": self.name})
        self.assertEqual(self.ok(other, 202)["jobId"], first)

    def test_the_header_means_the_same_as_the_field(self):
        first = self.send(headers={"Idempotency-Key": self.name}).json["jobId"]
        self.assertEqual(self.send(idempotencyKey=self.name).json["jobId"], first)
        both = self.send(headers={"Idempotency-Key": self.name}, idempotencyKey=self.name)
        self.assertEqual(self.ok(both, 202)["jobId"], first)
        self.assertEqual(self.details(first)["idempotencyKey"], self.name)

    def test_header_and_field_that_differ_are_422(self):
        answer = self.send(headers={"Idempotency-Key": "a"}, idempotencyKey="b")
        self.fields_refused(answer, "idempotencyKey")

    def test_a_header_out_of_its_limits_is_422(self):
        self.assertEqual(self.send(headers={"Idempotency-Key": "i" * 255}).status, 202)
        for key in ("", "i" * 256):
            with self.subTest(len(key)):
                answer = self.send(headers={"Idempotency-Key": key})
                self.assert_problem(answer, 422, "INVALID_FIELD")

    def test_it_is_checked_before_the_job_key(self):
        first = self.send(idempotencyKey=self.name, jobKey=self.name).json["jobId"]
        again = self.send(idempotencyKey=self.name, jobKey=self.name, onConflict="reject")
        self.assertEqual(self.ok(again, 202)["jobId"], first)

    def test_a_key_answered_by_an_existing_job_is_bound_to_it(self):
        first = self.send(jobKey=self.name).json["jobId"]
        bound = self.send(jobKey=self.name, idempotencyKey=self.name)
        self.assertEqual(self.ok(bound, 202)["jobId"], first)
        (lease,) = self.lease()
        self.ok(self.settle("complete", first, lease["leaseToken"]))
        again = self.send(idempotencyKey=self.name)
        self.assertEqual(self.ok(again, 202), {"jobId": first, "status": "COMPLETED"})

    def test_a_key_of_a_refused_enqueue_stays_free(self):
        first = self.send(jobKey=self.name).json["jobId"]
        refused = self.send(jobKey=self.name, idempotencyKey=self.name, onConflict="reject")
        self.assert_problem(refused, 409, "KEY_IN_USE")
        fresh = self.ok(self.send(idempotencyKey=self.name), 202)["jobId"]
        self.assertNotEqual(fresh, first)

    def test_an_invalid_repeat_is_422_too(self):
        self.send(idempotencyKey=self.name)
        self.fields_refused(self.send(idempotencyKey=self.name, priority=10), "priority")

    def test_a_list_finds_the_job_of_a_key(self):
        job = self.send(idempotencyKey=self.name).json["jobId"]
        self.assertEqual(self.listed(self.name), [job])

    def listed(self, key, also=""):
        found = self.ok(self.get(f"/jobs?idempotencyKey={key}{also}"))
        self.assertIsNone(found["nextCursor"])
        return [one["jobId"] for one in found["jobs"]]

    def test_a_list_finds_the_job_that_a_key_was_bound_to(self):
        before = self.send().json["jobId"]
        for own in ({}, {"idempotencyKey": f"{self.name}-own"}):
            with self.subTest(own):
                job_key = f"{self.name}-{len(own)}"
                job = self.send(jobKey=job_key, **own).json["jobId"]
                bound = f"{job_key}-bound"
                self.assertEqual(self.listed(bound), [])
                self.send(jobKey=job_key, idempotencyKey=bound)
                self.send()
                self.assertEqual(self.listed(bound), [job])
                self.assertEqual(self.listed(bound, "&limit=1&state=QUEUED"), [job])
                self.assertEqual(self.listed(bound, "&state=DEAD"), [])
                self.assertEqual(self.listed(bound, "&tag=other"), [])
                found = {"filter": {"idempotencyKey": bound}, "limit": 5, "dryRun": True}
                told = self.ok(self.post("/jobs/cancel", found))
                self.assertEqual([one["jobId"] for one in told["jobs"]], [job])
        self.assertEqual(self.state(before), "QUEUED")


class Mismatch(contract.Contract):
    arguments = ("--idempotency-mismatch", "reject")

    def test_a_different_body_is_422_if_configured(self):
        body = {"jobType": "T", "idempotencyKey": "k", "payload": {"a": 1}}
        first = self.ok(self.post("/jobs", body), 202)
        self.assertEqual(self.ok(self.post("/jobs", body), 202), first)
        for other in ({"payload": {"a": 2}}, {"priority": 1}, {"tags": ["t"]}):
            with self.subTest(other):
                answer = self.post("/jobs", {**body, **other})
                self.assert_problem(answer, 422, "IDEMPOTENCY_MISMATCH")


class JobKeys(contract.Contract):
    def send(self, **fields):
        body = {"jobType": self.name, "queue": self.name, "jobKey": "k", **fields}
        return self.post("/jobs", body)

    def test_it_is_unique_per_type_among_live_jobs(self):
        first = self.send().json["jobId"]
        self.assertEqual(self.ok(self.send(), 202), {"jobId": first, "status": "PENDING"})
        self.assertNotEqual(self.send(jobType=self.name + "2").json["jobId"], first)
        lease = next(one for one in self.lease(maxJobs=9) if one["jobId"] == first)
        self.assertEqual(self.ok(self.send(), 202), {"jobId": first, "status": "RUNNING"})
        self.ok(self.settle("complete", first, lease["leaseToken"]))
        self.assertNotEqual(self.send().json["jobId"], first)

    def test_reject_is_409_with_the_job(self):
        first = self.send(onConflict="reject").json["jobId"]
        answer = self.send(onConflict="reject")
        self.assert_problem(answer, 409, "KEY_IN_USE")
        self.assertEqual(answer.json["jobId"], first)

    def test_replace_overwrites_all_but_id_keys_and_creation(self):
        old = {"payload": 1, "priority": 1, "tags": ["a"], "metadata": {"a": "1"}}
        job = self.send(**old, idempotencyKey="old-" + self.name, maxRetries=7).json["jobId"]
        before = self.details(job)
        answer = self.send(onConflict="replace", payload=2, delaySeconds=100, tags=["b"])
        self.assertEqual(self.ok(answer, 202), {"jobId": job, "status": "PENDING"})
        after = self.details(job)
        self.assertEqual(after["state"], "SCHEDULED")
        for name in ("jobId", "id", "jobKey", "idempotencyKey", "createdAt", "jobType"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual((after["payload"], after["priority"]), (2, 5))
        self.assertEqual((after["tags"], after["metadata"]), (["b"], {}))
        self.assertEqual(after["maxRetries"], 3)
        self.assertGreater(after["version"], before["version"])
        self.assertEqual(self.moves(job)[-1], ("SCHEDULED", "replace"))
        self.ok(self.send(onConflict="replace", queue=self.name + "2"), 202)
        self.assertEqual(self.moves(job)[-1], ("QUEUED", "replace"))
        self.assertEqual(self.details(job)["queue"], self.name + "2")
        self.assertEqual(self.lease(), [])
        (lease,) = self.lease(queues=[self.name + "2"])
        self.assertEqual(lease["jobId"], job)

    def test_replace_goes_to_the_back(self):
        first = self.send().json["jobId"]
        second = self.enqueue()
        self.send(onConflict="replace")
        self.assertEqual([one["jobId"] for one in self.lease(maxJobs=2)], [second, first])

    def test_replace_of_a_started_job_is_409(self):
        for state in ("RUNNING", "WAITING", "RETRY"):
            with self.subTest(state):
                self.name = f"replace-{state}"
                job, _ = self.job_in(state, jobKey="k")
                answer = self.send(onConflict="replace")
                self.assert_problem(answer, 409, "KEY_IN_USE")
                self.assertEqual(answer.json["jobId"], job)
                self.assertEqual(self.state(job), state)
        self.name = "replace-released"
        job, token = self.held(jobKey="k")
        self.ok(self.settle("release", job, token))
        self.assert_problem(self.send(onConflict="replace"), 409, "KEY_IN_USE")

    def test_replace_without_a_conflict_just_enqueues(self):
        self.assertEqual(self.ok(self.send(onConflict="replace"), 202)["status"], "PENDING")

    def test_replace_binds_a_new_idempotency_key(self):
        job = self.send().json["jobId"]
        key = "new-" + self.name
        self.send(onConflict="replace", idempotencyKey=key)
        answer = self.post("/jobs", {"jobType": "other", "idempotencyKey": key})
        self.assertEqual(self.ok(answer, 202)["jobId"], job)

    def test_the_key_route_shows_the_live_else_the_latest_job(self):
        path = f"/types/{self.name}/keys/k"
        self.assert_problem(self.get(path), 404, "NOT_FOUND")
        first, token = self.held(jobKey="k")
        self.assertEqual(self.ok(self.get(path)), self.ok(self.get(f"/jobs/{first}")))
        self.ok(self.settle("complete", first, token))
        self.assertEqual(self.ok(self.get(path))["jobId"], first)
        second = self.send().json["jobId"]
        self.assertEqual(self.ok(self.get(path))["jobId"], second)
        self.ok(self.post(f"/jobs/{second}/cancel"))
        shown = self.ok(self.get(path))
        self.assertEqual((shown["jobId"], shown["status"]), (second, "CANCELED"))

    def test_keys_with_any_character_are_addressed_percent_encoded(self):
        for key, path in [("a/b", "a%2Fb"), ("ü ?#%", "%C3%BC%20%3F%23%25"), ("a+b", "a+b")]:
            with self.subTest(key):
                job = self.send(jobKey=key).json["jobId"]
                self.assertEqual(self.ok(self.get(f"/types/{self.name}/keys/{path}"))["jobId"], job)


class FinishByKey(contract.Contract):
    def finish(self, verb="complete", key="k", **fields):
        return self.post(f"/types/{self.name}/keys/{key}/{verb}", fields)

    def test_it_is_accepted_in_every_started_state(self):
        for state in ("RUNNING", "WAITING", "RETRY", "QUEUED"):
            with self.subTest(state):
                self.name = f"finish-{state}"
                if state == "QUEUED":
                    job, token = self.held(jobKey="k")
                    self.ok(self.settle("release", job, token))
                else:
                    job, token = self.job_in(state, jobKey="k")
                before = self.details(job)
                answer = self.finish(result={"by": "key"})
                self.assertEqual(self.ok(answer), {"jobId": job, "status": "COMPLETED"})
                after = self.details(job)
                self.assertEqual(after["state"], "SUCCESS")
                self.assertEqual(after["result"], {"by": "key"})
                self.assertEqual(after["attempt"], before["attempt"])
                last = self.history(job)[-1]
                self.assertEqual((last["from"], last["cause"]), (last["from"], "complete"))
                if state in ("RETRY", "QUEUED"):
                    self.assertGreater(after["epoch"], before["epoch"])
                    self.assertEqual(last["from"], "RUNNING")
                    claim = self.history(job)[-2]
                    self.assertEqual((claim["to"], claim["workerId"]), ("RUNNING", "external"))
                late = self.settle("complete", job, token, result={"by": "worker"})
                self.assertEqual(late.status, 409, late)
                self.assertIn(late.json["code"], ("LEASE_LOST", "ALREADY_SETTLED"))

    def test_it_revokes_the_lease(self):
        job, token = self.held(jobKey="k")
        self.ok(self.finish(result=1))
        self.assert_problem(self.settle("heartbeat", job, token), 409, "LEASE_LOST")

    def test_a_failure_by_key_follows_the_same_rules_as_a_workers(self):
        job, token = self.held(jobKey="k")
        answer = self.finish("fail", error=FAILURE)
        self.assertEqual(self.ok(answer), {"jobId": job, "status": "PENDING"})
        got = self.details(job)
        self.assertEqual((got["state"], got["failures"], got["attempt"]), ("RETRY", 1, 1))
        self.assert_problem(self.settle("heartbeat", job, token), 409, "LEASE_LOST")
        answer = self.finish("fail", error=FAILURE, retryable=False)
        self.assertEqual(self.ok(answer), {"jobId": job, "status": "FAILED"})
        self.assertEqual(self.details(job)["failures"], 2)

    def test_a_fence_must_equal_the_epoch(self):
        job, _ = self.held(jobKey="k")
        self.assert_problem(self.finish(result=1, fence=2), 409, "LEASE_LOST")
        self.assert_problem(self.finish("fail", error=FAILURE, fence=0), 409, "LEASE_LOST")
        self.assertEqual(self.state(job), "RUNNING")
        self.ok(self.finish(result=1, fence=1))

    def test_a_job_never_started_is_409_wrong_state(self):
        for state in ("SCHEDULED", "QUEUED"):
            with self.subTest(state):
                self.name = f"never-{state}"
                self.job_in(state, jobKey="k")
                self.assert_problem(self.finish(result=1), 409, "WRONG_STATE")
                self.assert_problem(self.finish("fail", error=FAILURE), 409, "WRONG_STATE")

    def test_without_a_live_job_it_is_404(self):
        self.assert_problem(self.finish(result=1), 404, "NOT_FOUND")
        self.job_in("SUCCESS", jobKey="k")
        self.assert_problem(self.finish(result=1), 404, "NOT_FOUND")
        self.assert_problem(self.finish("fail", error=FAILURE), 404, "NOT_FOUND")

    def test_bodies_are_strict(self):
        self.held(jobKey="k")
        self.fields_refused(self.finish(result=1, colour=1), "colour", code="UNKNOWN_FIELD")
        self.fields_refused(self.finish(result=1, fence="1"), "fence")
        self.fields_refused(self.finish(result=1, fence=1.5), "fence")
        self.fields_refused(self.finish("fail"), "error")
        self.fields_refused(self.finish("fail", error={"code": "x"}), "error.message")


class Batches(contract.Contract):
    def send(self, *jobs):
        jobs = [{"jobType": self.name, "queue": self.name, **job} for job in jobs]
        return self.post("/jobs/batch", {"jobs": jobs})

    def test_the_answer_is_202_in_order(self):
        answer = self.send(*[{"payload": n} for n in range(5)])
        jobs = self.ok(answer, 202)["jobs"]
        self.assertEqual([set(job) for job in jobs], [{"jobId", "status"}] * 5)
        leases = self.lease(maxJobs=10)
        self.assertEqual([one["payload"] for one in leases], list(range(5)))
        self.assertEqual([one["jobId"] for one in leases], [job["jobId"] for job in jobs])

    def test_one_to_ten_thousand_jobs(self):
        self.fields_refused(self.post("/jobs/batch", {"jobs": []}), "jobs")
        self.fields_refused(self.post("/jobs/batch", {}), "jobs")
        self.fields_refused(self.post("/jobs/batch", {"jobs": {}}), "jobs")
        self.assertEqual(len(self.ok(self.send(*[{}] * 10_000), 202)["jobs"]), 10_000)
        self.fields_refused(self.send(*[{}] * 10_001), "jobs")

    def test_every_invalid_item_is_named_and_nothing_stored(self):
        bad = [{}, {"priority": 10}, {"delaySeconds": -1}, {"colour": 1}]
        answer = self.send(*bad)
        self.assertEqual(answer.status, 422, answer)
        fields = [error["field"] for error in answer.json["errors"]]
        self.assertEqual(
            sorted(set(fields)), ["jobs[1].priority", "jobs[2].delaySeconds", "jobs[3].colour"]
        )
        self.assertEqual(self.lease(), [])

    def test_up_to_a_hundred_invalid_items_are_named(self):
        answer = self.send(*[{"priority": 10}] * 150)
        self.assert_problem(answer, 422, "INVALID_FIELD")
        self.assertEqual(len(answer.json["errors"]), 100)

    def test_items_that_are_not_objects_are_named(self):
        answer = self.post("/jobs/batch", {"jobs": [{"jobType": "T"}, 7, None]})
        self.fields_refused(answer, "jobs[1]", "jobs[2]")

    def test_unknown_members_beside_jobs_are_422(self):
        answer = self.post("/jobs/batch", {"jobs": [{"jobType": "T"}], "atomic": True})
        self.fields_refused(answer, "atomic", code="UNKNOWN_FIELD")

    def test_a_reject_conflict_is_409_and_nothing_is_stored(self):
        held = self.enqueue(jobKey="k")
        answer = self.send({"payload": "first"}, {"jobKey": "k", "onConflict": "reject"})
        self.assert_problem(answer, 409, "KEY_IN_USE")
        self.assertEqual(answer.json["jobId"], held)
        self.assertEqual([one["jobId"] for one in self.lease(maxJobs=9)], [held])

    def test_items_are_processed_in_order_as_if_sent_singly(self):
        answer = self.send(
            {"idempotencyKey": self.name, "payload": 1},
            {"idempotencyKey": self.name, "payload": 2},
            {"jobKey": "k", "payload": 3},
            {"jobKey": "k", "payload": 4},
            {"jobKey": "k", "payload": 5, "onConflict": "replace"},
        )
        ids = [job["jobId"] for job in self.ok(answer, 202)["jobs"]]
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(ids[2], ids[3])
        self.assertEqual(ids[2], ids[4])
        self.assertEqual([one["payload"] for one in self.lease(maxJobs=9)], [1, 5])
        within = self.send({"jobKey": "l"}, {"jobKey": "l", "onConflict": "reject"})
        self.assert_problem(within, 409, "KEY_IN_USE")
        self.assertEqual(self.lease(), [])

    def test_an_item_too_large_is_413(self):
        answer = self.send({}, {"payload": "x" * 1024 * 1024})
        self.assert_problem(answer, 413, "TOO_LARGE")
        self.assertEqual(self.lease(), [])

    def test_the_header_does_not_apply_to_a_batch(self):
        """Two jobs cannot share one key; they are two jobs."""
        jobs = [{"jobType": self.name, "queue": self.name}] * 2
        answer = self.post("/jobs/batch", {"jobs": jobs}, {"Idempotency-Key": "k"})
        if answer.status == 202:
            self.assertEqual(len({job["jobId"] for job in answer.json["jobs"]}), 2)
        else:
            self.assert_problem(answer, 422, "INVALID_FIELD")

    def test_batch_is_not_a_job_id(self):
        answer = self.get("/jobs/batch")
        self.assertIn(answer.status, (404, 405))
        self.assert_problem(self.get(f"/jobs/{UNKNOWN_JOB}"), 404, "NOT_FOUND")


if __name__ == "__main__":
    unittest.main()
