"""Ownership of a job, the effect of each outcome, and the counters."""

import unittest

import contract
from contract import FAILURE, TIME, moment


class Heartbeats(contract.Contract):
    def beat(self, job, token, **fields):
        return self.settle("heartbeat", job, token, **fields)

    def test_it_answers_the_end_of_the_lease_and_whether_to_stop(self):
        job, token = self.held()
        body = self.ok(self.beat(job, token))
        self.assertEqual(set(body), {"leaseExpiresAt", "cancelRequested"})
        self.assertRegex(body["leaseExpiresAt"], TIME)
        self.assertIs(body["cancelRequested"], False)

    def test_it_extends_by_the_leases_own_seconds(self):
        job, token = self.held(lease={"leaseSeconds": 500})
        before = self.details(job)["lease"]["expiresAt"]
        after = self.ok(self.beat(job, token))["leaseExpiresAt"]
        self.assertGreater(moment(after), moment(before))
        self.assertLess((moment(after) - contract.later(0)).total_seconds(), 500.1)
        self.assertGreater((moment(after) - contract.later(0)).total_seconds(), 480)

    def test_it_never_shortens_a_lease(self):
        job, token = self.held(lease={"leaseSeconds": 600})
        before = self.details(job)["lease"]["expiresAt"]
        self.assertEqual(self.ok(self.beat(job, token, extendSeconds=1))["leaseExpiresAt"], before)

    def test_it_stops_at_the_deadline(self):
        job, token = self.held(timeoutSeconds=100)
        deadline = self.ok(self.beat(job, token, extendSeconds=86400))["leaseExpiresAt"]
        started = self.ok(self.get(f"/jobs/{job}"))["startedAt"]
        self.assertEqual((moment(deadline) - moment(started)).total_seconds(), 100)

    def test_in_waiting_it_answers_the_deadline(self):
        job, token = self.held()
        self.ok(self.settle("handoff", job, token, timeoutSeconds=300))
        left = moment(self.ok(self.beat(job, token))["leaseExpiresAt"]) - contract.later(0)
        self.assertGreater(left.total_seconds(), 280)
        self.assertLess(left.total_seconds(), 300.1)
        same = self.ok(self.beat(job, token, extendSeconds=5000))["leaseExpiresAt"]
        self.assertLess((moment(same) - contract.later(0)).total_seconds(), 300.1)

    def test_in_waiting_progress_may_be_reported(self):
        job, token = self.job_in("WAITING")
        self.ok(self.beat(job, token, progress=55))
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["progress"], 55)

    def test_limits(self):
        job, token = self.held()
        for fields in [
            {"extendSeconds": 1},
            {"extendSeconds": 86400},
            {"progress": 0},
            {"progress": 100},
            {"checkpoint": None},
            {"checkpoint": {"a": 1}},
            {"log": ""},
            {"log": "line\n"},
            {"checkpoint": "x" * (256 * 1024 - 2)},
        ]:
            with self.subTest(str(fields)[:60]):
                self.ok(self.beat(job, token, **fields))
        for fields, field in [
            ({"extendSeconds": 0}, "extendSeconds"),
            ({"extendSeconds": 0.5}, "extendSeconds"),
            ({"extendSeconds": 86401}, "extendSeconds"),
            ({"progress": -1}, "progress"),
            ({"progress": 101}, "progress"),
            ({"progress": "1"}, "progress"),
            ({"log": 1}, "log"),
            ({"leaseToken": 1}, "leaseToken"),
            ({"leaseToken": None}, "leaseToken"),
        ]:
            with self.subTest(fields):
                body = {"leaseToken": token, **fields}
                self.fields_refused(self.post(f"/jobs/{job}/heartbeat", body), field)
        self.fields_refused(self.beat(job, token, colour=1), "colour", code="UNKNOWN_FIELD")
        self.fields_refused(self.post(f"/jobs/{job}/heartbeat"), "leaseToken")
        large = self.beat(job, token, checkpoint="x" * (256 * 1024 - 1))
        self.assert_problem(large, 413, "TOO_LARGE")

    def test_a_token_of_another_job_or_an_unknown_token_is_lease_lost(self):
        job, _ = self.held()
        _, other = self.held()
        for token in (other, "x", "x" * 200, "1.00000000000000000000000000000000"):
            with self.subTest(token):
                self.assert_problem(self.beat(job, token), 409, "LEASE_LOST")

    def test_heartbeats_are_not_transitions(self):
        job, token = self.held()
        before = self.history(job)
        self.ok(self.beat(job, token, progress=5))
        self.assertEqual(self.history(job), before)

    def test_the_checkpoint_is_given_to_the_next_attempt(self):
        job, token = self.held()
        self.ok(self.beat(job, token, checkpoint={"at": 1}))
        self.assertEqual(self.details(job)["checkpoint"], {"at": 1})
        self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=0))
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual(lease["checkpoint"], {"at": 1})
        self.assertEqual(lease["lastError"]["code"], "E")
        self.ok(self.settle("release", job, lease["leaseToken"], checkpoint={"at": 2}))
        self.assertEqual(self.lease()[0]["checkpoint"], {"at": 2})


class Failing(contract.Contract):
    def test_an_error_is_counted_and_retried_after_its_back_off(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE))
        got = self.details(job)
        counted = {"attempt": 1, "failures": 1, "retryCount": 1, "crashes": 0, "state": "RETRY"}
        self.assertEqual({name: got[name] for name in counted}, counted)
        wait = (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds()
        self.assertGreaterEqual(wait, 1.8 - 0.002)
        self.assertLessEqual(wait, 2.2 + 0.002)
        self.assertEqual(self.moves(job)[-1], ("RETRY", "fail"))

    def test_back_off_doubles_up_to_its_cap(self):
        backoff = {"kind": "exponential", "baseSeconds": 10, "maxSeconds": 30, "jitter": 0}
        job, token = self.held(backoff=backoff, maxRetries=5)
        for expected in (10, 20, 30, 30):
            self.ok(self.settle("fail", job, token, error=FAILURE))
            got = self.details(job)
            wait = (moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds()
            self.assertEqual(wait, expected)
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.lease()[0]["leaseToken"]

    def test_the_cap_is_applied_before_the_jitter(self):
        backoff = {"kind": "exponential", "baseSeconds": 1000, "maxSeconds": 100, "jitter": 0.1}
        waits = []
        for _ in range(30):
            job, token = self.held(backoff=backoff)
            self.ok(self.settle("fail", job, token, error=FAILURE))
            got = self.details(job)
            waits.append((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds())
        self.assertTrue(all(90 <= wait <= 110 for wait in waits), waits)
        self.assertLess(min(waits), 100)  # fails by chance once in 2^30
        self.assertGreater(max(waits), 100)

    def test_fixed_and_no_back_off(self):
        job, token = self.held(backoff={"kind": "fixed", "baseSeconds": 7, "jitter": 0})
        self.ok(self.settle("fail", job, token, error=FAILURE))
        got = self.details(job)
        self.assertEqual((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), 7)
        self.ok(self.post(f"/jobs/{job}/cancel"))
        job, token = self.held(backoff={"kind": "none"})
        self.ok(self.settle("fail", job, token, error=FAILURE))
        self.assertEqual(self.lease(waitSeconds=20)[0]["jobId"], job)

    def test_retry_after_overrides_up_to_30_days(self):
        month = 30 * 86400
        job, token = self.held()
        far = self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=month + 1)
        self.fields_refused(far, "retryAfterSeconds")
        bad = self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=-1)
        self.fields_refused(bad, "retryAfterSeconds")
        self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=month))
        got = self.details(job)
        self.assertEqual((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), month)

    def test_max_retries_3_is_at_most_4_counted_attempts(self):
        job, token = self.held(backoff={"kind": "none"})
        for attempt in range(1, 5):
            status = self.ok(self.settle("fail", job, token, error=FAILURE))["status"]
            self.assertEqual(status, "PENDING" if attempt < 4 else "FAILED")
            if attempt < 4:
                token = self.lease(waitSeconds=20)[0]["leaseToken"]
        got = self.details(job)
        self.assertEqual((got["attempt"], got["failures"], got["retryCount"]), (4, 4, 3))
        self.assertEqual(self.moves(job)[-2:], [("RETRY", "fail"), ("DEAD", "limitExceeded")])
        self.assertEqual([one["attempt"] for one in got["errors"]], [1, 2, 3, 4])

    def test_no_retries_means_one_attempt(self):
        job, token = self.held(maxRetries=0)
        body = self.ok(self.settle("fail", job, token, error=FAILURE))
        self.assertEqual(body["status"], "FAILED")

    def test_a_fatal_error_is_dead_at_once(self):
        job, token = self.held()
        body = self.ok(self.settle("fail", job, token, error=FAILURE, retryable=False))
        self.assertEqual(body, {"jobId": job, "status": "FAILED"})
        self.assertEqual(self.moves(job)[-2:], [("RETRY", "fail"), ("DEAD", "fatal")])
        self.assertEqual(self.details(job)["retryCount"], 0)

    def test_the_error_is_kept_as_sent(self):
        job, token = self.held()
        error = {"code": "C", "message": "line 1\nline 2", "details": {"k": [1, 2]}}
        self.ok(self.settle("fail", job, token, error=error, retryable=False))
        got = self.details(job)
        self.assertEqual(got["error"], error)
        (listed,) = got["errors"]
        self.assertEqual({name: listed[name] for name in error}, error)
        self.assertEqual(listed["attempt"], 1)
        self.assertRegex(listed["at"], TIME)

    def test_a_message_is_cut_at_8_kib(self):
        job, token = self.held()
        error = {"message": "é" * 8 * 1024}
        self.ok(self.settle("fail", job, token, error=error, retryable=False))
        message = self.details(job)["error"]["message"]
        self.assertLessEqual(len(message.encode()), 8 * 1024)
        self.assertGreater(len(message.encode()), 8 * 1024 - 8)
        self.assertTrue(message.startswith("é" * 4000))

    def test_details_of_over_64_kib_are_413(self):
        job, token = self.held()
        error = {"message": "m", "details": "x" * (64 * 1024 - 1)}
        self.assert_problem(self.settle("fail", job, token, error=error), 413, "TOO_LARGE")
        error["details"] = "x" * (64 * 1024 - 2)
        self.ok(self.settle("fail", job, token, error=error))

    def test_bad_failures_are_422(self):
        job, token = self.held()
        for fields, field in [
            ({}, "error"),
            ({"error": None}, "error"),
            ({"error": "m"}, "error"),
            ({"error": {}}, "error.message"),
            ({"error": {"message": 1}}, "error.message"),
            ({"error": {"message": "m", "code": 1}}, "error.code"),
            ({"error": FAILURE, "retryable": "no"}, "retryable"),
            ({"error": FAILURE, "log": 1}, "log"),
        ]:
            with self.subTest(fields):
                self.fields_refused(self.settle("fail", job, token, **fields), field)
        unknown = self.settle("fail", job, token, error={**FAILURE, "stack": ""})
        self.fields_refused(unknown, "error.stack", code="UNKNOWN_FIELD")

    def test_a_worker_may_send_only_two_platform_codes(self):
        job, token = self.held()
        for code in ("TIMEOUT", "LEASE_LOST", "RELEASED", "POISON", "EXPIRED"):
            with self.subTest(code):
                error = {"code": code, "message": "m"}
                self.fields_refused(self.settle("fail", job, token, error=error), "error.code")
        body = self.ok(self.settle("fail", job, token, error={"code": "CANCELED", "message": "m"}))
        self.assertEqual(body["status"], "CANCELED")
        self.assertEqual(self.details(job)["error"]["code"], "CANCELED")

    def test_no_handler_is_uncounted_and_delays_5_s(self):
        job, token = self.held()
        error = {"code": "NO_HANDLER", "message": "m"}
        self.ok(self.settle("fail", job, token, error=error))
        got = self.details(job)
        self.assertEqual((got["state"], got["failures"], got["retryCount"]), ("RETRY", 0, 0))
        self.assertEqual((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), 5)

    def test_newest_128_errors_are_kept(self):
        job, token = self.held(maxRetries=100, backoff={"kind": "none"})
        for attempt in range(1, 101):
            self.ok(self.settle("fail", job, token, error=FAILURE))
            token = self.lease(waitSeconds=20)[0]["leaseToken"]
        errors = self.details(job)["errors"]
        self.assertEqual([one["attempt"] for one in errors], list(range(1, 101)))

    def test_success_after_failures_has_no_error_but_its_errors(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=0))
        token = self.lease(waitSeconds=20)[0]["leaseToken"]
        self.ok(self.settle("complete", job, token, result=1))
        got = self.details(job)
        self.assertNotIn("error", got)
        self.assertEqual(len(got["errors"]), 1)


class TimeAndLoss(contract.Contract):
    def test_an_attempt_that_takes_too_long_is_a_counted_timeout_retried_at_once(self):
        job, token = self.held(timeoutSeconds=0.3)
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual((lease["attempt"], lease["failures"]), (2, 1))
        self.assertEqual(lease["lastError"]["code"], "TIMEOUT")
        self.assert_problem(self.settle("complete", job, token), 409, "LEASE_LOST")
        self.assertIn(("RETRY", "timeout"), self.moves(job))
        self.assertEqual(self.details(job)["errors"][0]["code"], "TIMEOUT")
        self.assertEqual(self.details(job)["retryCount"], 1)

    def test_a_lost_lease_is_not_counted_and_requeued_at_once(self):
        job, token = self.held(lease={"leaseSeconds": 1})
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual((lease["attempt"], lease["failures"], lease["fence"]), (2, 0, 2))
        got = self.details(job)
        self.assertEqual((got["crashes"], got["errors"], got["retryCount"]), (1, [], 0))
        self.assertIn(("RETRY", "leaseLost"), self.moves(job))
        self.assert_problem(self.settle("heartbeat", job, token), 409, "LEASE_LOST")

    def test_the_lost_lease_after_five_is_poison(self):
        job = self.enqueue()
        for attempt in range(1, 7):
            (lease,) = self.lease(waitSeconds=20, leaseSeconds=1)
            self.assertEqual(lease["attempt"], attempt)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.details(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("DEAD", "POISON"))
        self.assertEqual((got["crashes"], got["failures"]), (6, 0))

    def test_an_overdue_hand_off_is_a_counted_timeout(self):
        job, token = self.held()
        self.ok(self.settle("handoff", job, token, timeoutSeconds=0.3))
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual((lease["attempt"], lease["failures"]), (2, 1))
        self.assertEqual(lease["lastError"]["code"], "TIMEOUT")


class Releasing(contract.Contract):
    def test_nothing_is_counted(self):
        job, token = self.held()
        body = self.ok(self.settle("release", job, token))
        self.assertEqual(body, {"jobId": job, "status": "PENDING"})
        got = self.details(job)
        self.assertEqual(got["state"], "QUEUED")
        self.assertEqual((got["failures"], got["crashes"], got["retryCount"]), (0, 0, 0))
        self.assertEqual(got["errors"], [])
        self.assertEqual(self.moves(job)[-2][1], "release")
        self.assertIsNone(got["lease"])

    def test_with_a_delay_it_waits(self):
        job, token = self.held()
        self.ok(self.settle("release", job, token, delaySeconds=100))
        got = self.details(job)
        self.assertEqual(got["state"], "RETRY")
        self.assertEqual((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), 100)

    def test_bad_releases_are_422(self):
        job, token = self.held()
        self.fields_refused(self.settle("release", job, token, delaySeconds=-1), "delaySeconds")
        unknown = self.settle("release", job, token, error=FAILURE)
        self.fields_refused(unknown, "error", code="UNKNOWN_FIELD")


class HandingOff(contract.Contract):
    def test_it_ends_the_lease_and_frees_the_slot(self):
        job, token = self.held()
        body = self.ok(self.settle("handoff", job, token))
        self.assertEqual(body, {"jobId": job, "status": "RUNNING"})
        got = self.details(job)
        self.assertEqual((got["state"], got["lease"]), ("WAITING", None))
        self.assertEqual(self.moves(job)[-1], ("WAITING", "handOff"))

    def test_its_deadline_is_the_timeout_of_the_job_by_default(self):
        job, token = self.held(timeoutSeconds=500)
        self.ok(self.settle("handoff", job, token))
        deadline = moment(self.ok(self.settle("heartbeat", job, token))["leaseExpiresAt"])
        handed = moment(self.history(job)[-1]["at"])
        self.assertEqual((deadline - handed).total_seconds(), 500)

    def test_a_canceled_wait_is_over_for_its_token(self):
        job, token = self.job_in("WAITING")
        self.ok(self.post(f"/jobs/{job}/cancel", {"force": True}))
        for verb, fields in [("heartbeat", {}), ("complete", {}), ("fail", {"error": FAILURE})]:
            with self.subTest(verb):
                self.assert_problem(self.settle(verb, job, token, **fields), 409, "LEASE_LOST")

    def test_it_may_be_released(self):
        job, token = self.job_in("WAITING")
        self.assertEqual(self.ok(self.settle("release", job, token))["status"], "PENDING")
        self.assertEqual(self.moves(job)[-2], ("RETRY", "release"))

    def test_the_token_may_still_settle(self):
        for verb, fields, status in [
            ("complete", {"result": 1}, "COMPLETED"),
            ("fail", {"error": FAILURE, "retryable": False}, "FAILED"),
        ]:
            with self.subTest(verb):
                self.name = f"handed-{verb}"
                job, token = self.job_in("WAITING")
                body = self.ok(self.settle(verb, job, token, **fields))
                self.assertEqual(body, {"jobId": job, "status": status})

    def test_repeating_a_hand_off_answers_as_before(self):
        job, token = self.job_in("WAITING")
        body = self.ok(self.settle("handoff", job, token))
        self.assertEqual(body, {"jobId": job, "status": "RUNNING"})

    def test_bad_hand_offs_are_422(self):
        job, token = self.held()
        self.fields_refused(self.settle("handoff", job, token, timeoutSeconds=0), "timeoutSeconds")
        unknown = self.settle("handoff", job, token, result=1)
        self.fields_refused(unknown, "result", code="UNKNOWN_FIELD")


if __name__ == "__main__":
    unittest.main()
