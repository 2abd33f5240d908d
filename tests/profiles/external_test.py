"""Jobs that something outside finishes, found again by type and key (profile external)."""

import unittest

from source import Source, moment


class External(Source):
    profile = "external"

    @classmethod
    def more(cls):
        return "[types.again]\nmaxRetries = 2\nbackoff = { kind = \"none\" }\n"

    def view(self, job):
        return self.ok(self.get(f"/jobs/{job}/details?view=external"))

    # ---- What is stored

    def test_what_an_instance_is_made_of(self):
        job, token = self.held(jobKey="order-1")
        got = self.details(job)
        self.assertIsInstance(got["id"], int)
        self.assertEqual((got["jobType"], got["jobKey"]), (self.name, "order-1"))
        self.assertEqual(got["attempt"], 1)
        self.assertLessEqual(moment(got["createdAt"]), moment(got["updatedAt"]))
        self.ok(self.settle("complete", job, token))

    def test_ids_are_numbers_of_their_own(self):
        one, two = (self.details(self.enqueue())["id"] for _ in range(2))
        self.assertNotEqual(one, two)

    def test_the_time_we_want_it_to_run_is_kept(self):
        job = self.enqueue(runAt="2100-01-01T00:00:00Z")
        self.assertEqual(self.details(job)["runAt"], "2100-01-01T00:00:00.000Z")
        self.assertEqual(self.lease(), [])

    # ---- One live job of a type and key, any number of ended ones

    def test_one_live_job_of_a_key_and_many_ended_ones(self):
        ended = set()
        for _ in range(3):
            job, token = self.held(jobKey="k")
            self.assertEqual(self.enqueue(jobKey="k"), job)
            self.ok(self.settle("complete", job, token))
            ended.add(job)
        self.assertEqual(len(ended), 3)

    def test_the_same_key_of_another_type_is_another_job(self):
        job = self.enqueue(jobKey="k")
        self.assertNotEqual(self.enqueue(jobKey="k", jobType=self.name + ".b"), job)

    def test_a_result_from_outside_finds_its_job_by_key(self):
        job, token = self.held(jobKey="k")
        self.ok(self.settle("handoff", job, token))
        self.assertEqual(self.word(job), "running")
        answer = self.post(f"/types/{self.name}/keys/k/complete", {"result": {"paid": True}})
        self.assertEqual(self.ok(answer)["jobId"], job)
        self.assertEqual(self.view(job)["state"], "final")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"paid": True})

    # ---- States

    def test_an_initial_job_has_no_error_and_no_attempt(self):
        job = self.enqueue()
        got = self.view(job)
        self.assertEqual((got["state"], got["attempt"]), ("initial", 0))
        self.assertEqual(got["error"]["code"], "NONE")

    def test_an_initial_job_becomes_running_alone(self):
        job = self.enqueue()
        self.assertEqual(self.post(f"/types/{self.name}/keys/x/complete").status, 404)
        self.ok(self.post(f"/jobs/{job}/cancel"))
        moves = [move["to"] for move in self.history(job)]
        self.assertEqual(moves, ["CREATED", "QUEUED", "RUNNING", "RETRY", "DEAD"])

    def test_a_running_job_has_no_error(self):
        job, _ = self.held()
        got = self.view(job)
        self.assertEqual((got["state"], got["error"]["code"]), ("running", "NONE"))

    def test_an_error_is_told_and_leads_to_another_run(self):
        job, token = self.held(jobType="again")
        self.fail_job(job, token, error={"code": "E1", "message": "no paper"}, retryAfterSeconds=60)
        got = self.view(job)
        self.assertEqual(got["state"], "error")
        self.assertIn("no paper", str(got["error"]))
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.assertEqual(self.word(job), "error")
        token = self.next_token()
        self.assertEqual((self.word(job), self.details(job)["attempt"]), ("running", 2))
        self.ok(self.settle("complete", job, token))

    def test_an_error_may_be_final(self):
        job, token = self.held()
        self.fail_job(job, token, error={"code": "E1", "message": "no paper"})
        got = self.view(job)
        self.assertEqual(got["state"], "final")
        self.assertIn("no paper", str(got["error"]))

    def test_the_third_try_says_three(self):
        job, token = self.held(jobType="again")
        for _ in range(2):
            self.fail_job(job, token)
            token = self.next_token()
        self.assertEqual(self.details(job)["attempt"], 3)
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "final")

    def test_final_never_changes(self):
        job, token = self.held(jobKey="k")
        self.ok(self.settle("complete", job, token, result=1))
        before = self.details(job)
        for path in ("cancel", "redrive", "promote", "resolve"):
            body = {"result": 2} if path == "resolve" else {}
            self.assertEqual(self.post(f"/jobs/{job}/{path}", body).status, 409, path)
        self.assertEqual(self.settle("fail", job, token, error={"message": "m"}).status, 409)
        self.assertEqual(self.post(f"/types/{self.name}/keys/k/complete").status, 404)
        self.assertEqual(self.details(job), before)

    # ---- What is stored, and what really happens

    def test_a_job_whose_app_crashed_waits_for_its_timeout_and_is_final(self):
        job, _ = self.held(lease={"leaseSeconds": 1}, timeoutSeconds=2)
        self.again()
        self.assertEqual(self.word(job), "running")
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.view(job)
        self.assertEqual(got["state"], "final")
        self.assertIn("TIMEOUT", str(got["error"]))

    def test_a_job_whose_app_crashed_is_tried_again_if_its_type_says_so(self):
        job, _ = self.held(lease={"leaseSeconds": 1}, jobType="again", timeoutSeconds=1)
        self.again()
        token = self.next_token()
        self.assertEqual(self.details(job)["attempt"], 2)
        self.ok(self.settle("complete", job, token))
        self.assertEqual(self.word(job), "final")

    def test_a_job_that_ran_before_the_crash_was_noted_runs_again(self):
        job = self.enqueue()
        self.again()
        self.assertEqual(self.word(job), "initial")
        self.assertEqual(self.lease(waitSeconds=30)[0]["jobId"], job)


if __name__ == "__main__":
    unittest.main()
