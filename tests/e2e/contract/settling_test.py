"""Outcomes that are repeated, in batches, after a cancel, and in every state."""

import unittest

import contract
from contract import FAILURE, moment

PENDING = ("SCHEDULED", "QUEUED")
STARTED = ("RUNNING", "WAITING", "RETRY")
ENDED = ("SUCCESS", "DEAD", "CANCELED")


class SettledTwice(contract.Contract):
    OUTCOMES = [
        ("complete", {"result": 1}),
        ("fail", {"error": FAILURE, "retryAfterSeconds": 3600}),
        ("fail", {"error": FAILURE, "retryable": False}),
        ("release", {}),
        ("release", {"delaySeconds": 3600}),
    ]

    def test_a_repeat_answers_as_before_and_changes_nothing(self):
        for number, (verb, fields) in enumerate(self.OUTCOMES):
            with self.subTest(f"{verb} {fields}"):
                self.name = f"twice-{number}"
                job, token = self.held()
                first = self.settle(verb, job, token, **fields)
                before = self.details(job)
                again = self.settle(verb, job, token, **fields)
                self.assertEqual((again.status, again.body), (first.status, first.body))
                self.assertEqual(self.details(job), before)

    def test_a_different_outcome_is_already_settled(self):
        for number, (verb, fields) in enumerate(self.OUTCOMES):
            for other, (verb2, fields2) in enumerate(self.OUTCOMES):
                if number == other or verb == verb2 == "release":
                    continue
                with self.subTest(f"{verb} {fields} then {verb2} {fields2}"):
                    self.name = f"other-{number}-{other}"
                    job, token = self.held()
                    self.ok(self.settle(verb, job, token, **fields))
                    answer = self.settle(verb2, job, token, **fields2)
                    self.assert_problem(answer, 409, "ALREADY_SETTLED")

    def test_another_result_or_error_is_another_outcome(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token, result=1))
        other = self.settle("complete", job, token, result=2)
        self.assert_problem(other, 409, "ALREADY_SETTLED")
        none = self.settle("complete", job, token)
        self.assert_problem(none, 409, "ALREADY_SETTLED")
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE, retryable=False))
        error = {**FAILURE, "message": "another"}
        other = self.settle("fail", job, token, error=error, retryable=False)
        self.assert_problem(other, 409, "ALREADY_SETTLED")

    def test_after_the_next_claim_it_is_lease_lost(self):
        job, token = self.held()
        self.ok(self.settle("release", job, token))
        self.lease()
        for verb, fields in self.OUTCOMES[:4]:
            with self.subTest(verb):
                self.assert_problem(self.settle(verb, job, token, **fields), 409, "LEASE_LOST")

    def test_a_heartbeat_after_settling_is_refused(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        answer = self.settle("heartbeat", job, token)
        self.assertEqual(answer.status, 409, answer)

    def test_the_settled_job_is_not_changed_by_refusals(self):
        job, token = self.job_in("SUCCESS")
        before = self.details(job)
        for verb, fields in self.OUTCOMES[1:]:
            self.settle(verb, job, token, **fields)
        self.assertEqual(self.details(job), before)


class Cancelling(contract.Contract):
    def cancel(self, job, **fields):
        return self.post(f"/jobs/{job}/cancel", fields)

    def test_waiting_jobs_are_canceled_at_once(self):
        for state in ("SCHEDULED", "QUEUED", "RETRY", "WAITING"):
            for force in (False, True):
                with self.subTest(f"{state} {force}"):
                    self.name = f"cancel-{state}-{force}"
                    job, _ = self.job_in(state)
                    answer = self.cancel(job, force=force)
                    self.assertEqual(self.ok(answer), {"jobId": job, "status": "CANCELED"})
                    got = self.details(job)
                    self.assertEqual((got["state"], got["error"]["code"]), ("CANCELED", "CANCELED"))
                    self.assertEqual(self.moves(job)[-1], ("CANCELED", "cancel"))
                    self.assertIn("completedAt", self.ok(self.get(f"/jobs/{job}")))

    def test_the_owner_of_a_running_job_gets_a_request(self):
        job, token = self.held()
        answer = self.cancel(job)
        self.assertEqual(self.ok(answer, 202), {"jobId": job, "status": "RUNNING"})
        self.assertIs(self.ok(self.get(f"/jobs/{job}"))["cancelRequested"], True)
        self.assertIs(self.ok(self.settle("heartbeat", job, token))["cancelRequested"], True)
        self.assertEqual(self.cancel(job).status, 202)
        self.assertEqual(self.state(job), "RUNNING")

    def test_the_outcome_of_the_owner_decides(self):
        for verb, fields, status in [
            ("complete", {"result": 1}, "COMPLETED"),
            ("fail", {"error": FAILURE}, "CANCELED"),
            ("fail", {"error": FAILURE, "retryable": False}, "CANCELED"),
            ("release", {}, "CANCELED"),
            ("handoff", {}, "CANCELED"),
        ]:
            with self.subTest(f"{verb} {fields}"):
                job, token = self.held()
                self.assertEqual(self.cancel(job).status, 202)
                answer = self.settle(verb, job, token, **fields)
                self.assertEqual(self.ok(answer), {"jobId": job, "status": status})
                if status == "CANCELED":
                    self.assertEqual(self.details(job)["error"]["code"], "CANCELED")

    def test_a_reply_by_key_then_completes_or_cancels(self):
        for verb, fields, status in [
            ("complete", {"result": 1}, "COMPLETED"),
            ("fail", {"error": FAILURE}, "CANCELED"),
        ]:
            with self.subTest(verb):
                job, _ = self.held(jobKey="k")
                self.assertEqual(self.cancel(job).status, 202)
                answer = self.post(f"/types/{self.name}/keys/k/{verb}", fields)
                self.assertEqual(self.ok(answer), {"jobId": job, "status": status})

    def test_a_timeout_or_a_lost_lease_then_cancels(self):
        for name, fields, lease in [
            ("timeout", {"timeoutSeconds": 0.5}, {}),
            ("lost", {}, {"leaseSeconds": 1}),
        ]:
            with self.subTest(name):
                job, _ = self.held(lease=lease, **fields)
                self.assertEqual(self.cancel(job).status, 202)
                self.assertEqual(self.server.ended(job)["status"], "CANCELED")
                self.assertEqual(self.details(job)["error"]["code"], "CANCELED")

    def test_force_cancels_now_and_the_worker_has_lost_its_lease(self):
        job, token = self.held()
        answer = self.cancel(job, force=True)
        self.assertEqual(self.ok(answer), {"jobId": job, "status": "CANCELED"})
        for verb, fields in [
            ("heartbeat", {}), ("complete", {"result": 1}), ("fail", {"error": FAILURE}),
            ("release", {}), ("handoff", {}),
        ]:  # fmt: skip
            with self.subTest(verb):
                self.assert_problem(self.settle(verb, job, token, **fields), 409, "LEASE_LOST")

    def test_force_after_a_request_cancels(self):
        job, _ = self.held()
        self.assertEqual(self.cancel(job).status, 202)
        self.assertEqual(self.ok(self.cancel(job, force=True))["status"], "CANCELED")

    def test_a_canceled_job_is_200_again_and_other_ends_are_terminal(self):
        job, _ = self.job_in("CANCELED")
        before = self.details(job)
        self.assertEqual(self.ok(self.cancel(job)), {"jobId": job, "status": "CANCELED"})
        self.assertEqual(self.details(job), before)
        for state in ("SUCCESS", "DEAD"):
            for force in (False, True):
                with self.subTest(f"{state} {force}"):
                    self.name = f"terminal-{state}-{force}"
                    job, _ = self.job_in(state)
                    self.assert_problem(self.cancel(job, force=force), 409, "TERMINAL")

    def test_bodies_are_strict(self):
        job = self.enqueue()
        self.fields_refused(self.cancel(job, force="yes"), "force")
        self.fields_refused(self.cancel(job, colour=1), "colour", code="UNKNOWN_FIELD")


class SettlingMany(contract.Contract):
    def send(self, *outcomes):
        return self.post("/leases/settle", {"outcomes": list(outcomes)})

    def take(self, count):
        for _ in range(count):
            self.enqueue()
        leases = self.lease(maxJobs=count)
        return [{"jobId": one["jobId"], "leaseToken": one["leaseToken"]} for one in leases]

    def test_each_outcome_is_processed_separately_and_in_order(self):
        a, b, c, d, e = self.take(5)
        answer = self.send(
            {**a, "result": {"x": 1}},
            {**b, "error": FAILURE},
            {**c, "error": FAILURE, "retryable": False},
            {**d, "release": True},
            {**e, "leaseToken": "stale", "result": 1},
            {"jobId": contract.UNKNOWN_JOB, "leaseToken": "x", "result": 1},
        )
        verdicts = self.ok(answer)["verdicts"]
        self.assertEqual(
            verdicts,
            [
                {"jobId": a["jobId"], "status": "COMPLETED"},
                {"jobId": b["jobId"], "status": "PENDING"},
                {"jobId": c["jobId"], "status": "FAILED"},
                {"jobId": d["jobId"], "status": "PENDING"},
                {"jobId": e["jobId"], "code": "LEASE_LOST"},
                {"jobId": contract.UNKNOWN_JOB, "code": "NOT_FOUND"},
            ],
        )
        self.assertEqual(self.details(a["jobId"])["result"], {"x": 1})

    def test_retry_after_is_taken_from_the_outcome(self):
        (one,) = self.take(1)
        self.ok(self.send({**one, "error": FAILURE, "retryAfterSeconds": 50}))
        got = self.details(one["jobId"])
        self.assertEqual((moment(got["runAt"]) - moment(got["updatedAt"])).total_seconds(), 50)

    def test_a_null_result_is_a_result(self):
        (one,) = self.take(1)
        verdicts = self.ok(self.send({**one, "result": None}))["verdicts"]
        self.assertEqual(verdicts[0]["status"], "COMPLETED")

    def test_the_second_of_two_outcomes_for_one_job_is_refused(self):
        for _ in range(50):  # with many connections the second could overtake the first
            one, two = self.take(2)
            outcomes = [{**one, "result": 1}, {**two, "release": True}, {**one, "result": 2},
                        {**two, "release": True}, {**two, "result": 3}]  # fmt: skip
            verdicts = self.ok(self.send(*outcomes))["verdicts"]
            told = [verdict.get("status") or verdict["code"] for verdict in verdicts]
            expected = "COMPLETED PENDING ALREADY_SETTLED PENDING ALREADY_SETTLED".split()
            self.assertEqual(told, expected)
            self.ok(self.post(f"/jobs/{two['jobId']}/cancel"))

    def test_an_invalid_outcome_is_422(self):
        (one,) = self.take(1)
        for body, field in [
            ({}, "outcomes"),
            ({"outcomes": {}}, "outcomes"),
            ({"outcomes": [7]}, "outcomes[0]"),
        ]:
            with self.subTest(body):
                self.fields_refused(self.post("/leases/settle", body), field)
        unknown = self.post("/leases/settle", {"outcomes": [], "x": 1})
        self.assertEqual(unknown.status, 422, unknown)

    def test_an_inconsistent_outcome_does_not_affect_others(self):
        one, two = self.take(2)
        wrong = [
            ({}, "INVALID_FIELD"),
            ({"result": 1, "error": FAILURE}, "INVALID_FIELD"),
            ({"error": FAILURE, "retryable": True, "release": True}, "INVALID_FIELD"),
            ({"release": False}, "INVALID_FIELD"),
            ({"error": {**FAILURE, "code": "TIMEOUT"}}, "INVALID_FIELD"),
            ({"result": 1, "colour": 1}, "UNKNOWN_FIELD"),
            ({"result": "x" * 1024 * 1024}, "TOO_LARGE"),
        ]
        answer = self.send(*[{**one, **fields} for fields, _ in wrong], {**two, "result": 1})
        verdicts = self.ok(answer)["verdicts"]
        self.assertEqual([verdict.get("code") for verdict in verdicts[:-1]], [c for _, c in wrong])
        self.assertEqual(verdicts[-1], {"jobId": two["jobId"], "status": "COMPLETED"})
        self.assertEqual(self.state(one["jobId"]), "RUNNING")

    def test_at_most_ten_thousand_outcomes(self):
        outcome = {"jobId": contract.UNKNOWN_JOB, "leaseToken": "x", "result": 1}
        verdicts = self.ok(self.send(*[outcome] * 10_000))["verdicts"]
        self.assertEqual(len(verdicts), 10_000)
        self.fields_refused(self.send(*[outcome] * 10_001), "outcomes")


class EveryState(contract.Contract):
    """The response to each worker operation in each state, with the token of the last lease."""

    def test_operations_with_an_unknown_token_are_lease_lost_in_every_state(self):
        for state in PENDING + STARTED + ENDED:
            self.name = f"unknown-{state}"
            job, _ = self.job_in(state)
            before = self.details(job)
            for verb, fields in [
                ("heartbeat", {}), ("complete", {}), ("fail", {"error": FAILURE}),
                ("release", {}), ("handoff", {}),
            ]:  # fmt: skip
                with self.subTest(f"{state} {verb}"):
                    answer = self.settle(verb, job, "unknown", **fields)
                    self.assert_problem(answer, 409, "LEASE_LOST")
            self.assertEqual(self.details(job), before)

    def test_promote_in_each_state(self):
        expected = {"SCHEDULED": 200, "RETRY": 200, "QUEUED": 200}
        for state in PENDING + STARTED + ENDED:
            with self.subTest(state):
                self.name = f"promote-{state}"
                job, _ = self.job_in(state)
                answer = self.post(f"/jobs/{job}/promote")
                self.assertEqual(answer.status, expected.get(state, 409), answer)
                if answer.status == 200:
                    self.assertEqual(self.state(job), "QUEUED")
                else:
                    self.assertIn(answer.json["code"], ("WRONG_STATE", "TERMINAL"))
                    self.assertEqual(self.state(job), state)

    def test_redrive_in_each_state(self):
        for state in PENDING + STARTED + ENDED:
            with self.subTest(state):
                self.name = f"redrive-{state}"
                job, _ = self.job_in(state)
                answer = self.post(f"/jobs/{job}/redrive")
                if state in ("DEAD", "CANCELED"):
                    self.assertEqual(self.ok(answer, 202)["status"], "PENDING")
                else:
                    self.assert_problem(answer, 409, "WRONG_STATE")

    def test_resolve_in_each_state(self):
        for state in PENDING + STARTED + ENDED:
            with self.subTest(state):
                self.name = f"resolve-{state}"
                job, _ = self.job_in(state)
                answer = self.post(f"/jobs/{job}/resolve", {"result": {"by": "hand"}})
                if state in ENDED:
                    self.assertEqual(answer.status, 409, answer)
                else:
                    self.assertEqual(self.ok(answer), {"jobId": job, "status": "COMPLETED"})
                    self.assertEqual(self.get(f"/jobs/{job}/result").json, {"by": "hand"})


if __name__ == "__main__":
    unittest.main()
