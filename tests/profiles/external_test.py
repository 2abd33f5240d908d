"""Jobs that something outside finishes, found again by type and key (profile external)."""

import json
import os
import signal
import unittest

from profile_case import ProfileCase, moment


class External(ProfileCase):
    profile = "external"

    @classmethod
    def more(cls):
        """The retry logic of a type is its user's."""
        return "[types.again]\nmaxRetries = 2\nbackoff = { kind = \"none\" }\n"

    # ---- What is stored

    def test_an_instance_has_the_fields_of_the_document(self):
        job, token = self.held(jobKey="order-1")
        got = self.details(job)
        self.assertIsInstance(got["id"], int)
        self.assertEqual((got["jobType"], got["jobKey"]), (self.name, "order-1"))
        self.assertEqual(got["attempt"], 1)
        self.assertLessEqual(moment(got["createdAt"]), moment(got["updatedAt"]))
        self.ok(self.settle("complete", job, token))

    def test_the_response_has_the_fields_of_the_document(self):
        job, token = self.held(jobKey="order-1", jobType="again")
        got = self.view(job)
        names = "id job_type job_key state error attempt scheduled_run_time create_time update_time"
        self.assertEqual(set(got), set(names.split()) | set("jobId status".split()))
        self.assertEqual((got["id"], got["job_type"]), (self.details(job)["id"], "again"))
        self.assertEqual((got["job_key"], got["attempt"]), ("order-1", 1))
        self.assertLessEqual(moment(got["create_time"]), moment(got["update_time"]))
        self.assertEqual(self.listed(job), got)
        self.fail_job(job, token, retryAfterSeconds=60)
        error = self.view(job)["error"]
        self.assertEqual(json.loads(error)["message"], "m")
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.ok(self.settle("complete", job, self.next_token()))
        self.assertEqual(self.view(job)["error"], "NONE")
        told = [(None, "initial"), ("initial", "running"), ("running", "error"),
                ("error", "running"), ("running", "final")]  # fmt: skip
        self.assertEqual(self.told_moves(job), told)
        self.assertEqual(self.followed(job), told)

    def test_its_state_names_filter_jobs(self):
        job, token = self.held(jobType="again", jobKey="found")
        for state, others in (
            ("running", "initial,error,final"),
            ("error", "initial,running,final"),
            ("final", "initial,running,error"),
        ):
            if state == "error":
                self.fail_job(job, token, retryAfterSeconds=60)
            if state == "final":
                self.ok(self.post(f"/jobs/{job}/cancel"))
            self.assertIsNotNone(self.listed(job, state), state)
            self.assertIsNone(self.listed(job, others), others)
        self.fields_refused(self.get("/jobs?view=external&state=dead"), "state")
        self.fields_refused(self.get("/jobs?state=initial"), "state")

    def test_a_canceled_job_is_not_a_dead_letter(self):
        job = self.enqueue()
        self.ok(self.post(f"/jobs/{job}/cancel"))
        self.assertEqual(self.state(job), "DEAD")
        found = {
            state: [one["jobId"] for one in self.ok(self.get(path))["jobs"]]
            for state, path in {
                "DEAD": f"/jobs?state=DEAD&jobType={self.name}",
                "CANCELED": f"/jobs?state=CANCELED&jobType={self.name}",
                "FAILED": f"/jobs?state=FAILED&jobType={self.name}",
                "letters": f"/dead?jobType={self.name}",
            }.items()
        }
        self.assertEqual(found, {"DEAD": [job], "CANCELED": [job], "FAILED": [], "letters": []})
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["status"], "CANCELED")
        self.assert_problem(self.get(f"/jobs/{job}/result"), 409, "JOB_CANCELED")
        body = {"filter": {"jobType": self.name}, "limit": 10}
        self.assertEqual(self.ok(self.post("/dead/redrive", body))["count"], 0)

    def test_each_type_runs_its_own_code(self):
        self.case.script("one", "echo 1\n")
        self.case.script("two", "echo 2\n")
        self.work("--queue", self.name, "--exec", "ONE=./one", "--exec", "TWO=./two")
        jobs = [self.enqueue(jobType=kind) for kind in ("ONE", "TWO")]
        self.assertEqual([self.server.ended(job)["status"] for job in jobs], ["COMPLETED"] * 2)
        self.assertEqual([self.ok(self.get(f"/jobs/{job}/result")) for job in jobs], [1, 2])

    def test_ids_are_unique_numbers(self):
        one, two = (self.details(self.enqueue())["id"] for _ in range(2))
        self.assertNotEqual(one, two)

    def test_the_scheduled_time_is_stored(self):
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
        listed = self.ok(self.get(f"/jobs?jobType={self.name}&jobKey=k"))["jobs"]
        self.assertEqual({one["jobId"] for one in listed}, ended)

    def test_the_same_key_of_another_type_is_another_job(self):
        job = self.enqueue(jobKey="k")
        self.assertNotEqual(self.enqueue(jobKey="k", jobType=self.name + ".b"), job)

    def test_a_result_from_outside_finds_its_job_by_key(self):
        job, token = self.held(jobKey="k")
        self.ok(self.settle("handoff", job, token))
        self.assertEqual(self.word(job), "running")
        answer = self.post(f"/types/{self.name}/keys/k/complete", {"result": {"paid": True}})
        self.assertEqual(self.ok(answer)["jobId"], job)
        self.assertEqual(self.word(job), "final")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"paid": True})

    # ---- States

    def test_an_initial_job_has_no_error_and_no_attempt(self):
        job = self.enqueue()
        got = self.view(job)
        self.assertEqual((got["state"], got["attempt"]), ("initial", 0))
        self.assertEqual(got["error"], "NONE")

    def test_an_initial_job_can_only_become_running(self):
        job = self.enqueue()
        self.assertEqual(self.post(f"/types/{self.name}/keys/x/complete").status, 404)
        self.ok(self.post(f"/jobs/{job}/cancel"))
        moves = [move["to"] for move in self.history(job)]
        self.assertEqual(moves, ["CREATED", "QUEUED", "RUNNING", "RETRY", "DEAD"])

    def test_a_running_job_has_no_error(self):
        job, _ = self.held()
        got = self.view(job)
        self.assertEqual((got["state"], got["error"]), ("running", "NONE"))

    def test_a_success_is_final_without_an_error(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        got = self.view(job)
        self.assertEqual((got["state"], got["error"]), ("final", "NONE"))

    def test_an_error_is_stored_and_leads_to_another_run(self):
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

    def test_the_third_attempt_has_number_three(self):
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

    def test_the_default_is_a_day_and_no_retries(self):
        self.enqueue()
        (lease,) = self.lease()
        got = self.details(lease["jobId"])
        self.assertEqual((got["timeoutSeconds"], got["maxRetries"]), (86400, 0))
        self.assertEqual(lease["leaseExpiresAt"], lease["deadlineAt"])

    def test_a_job_whose_app_crashed_waits_for_its_timeout_and_is_final(self):
        job, _ = self.held(timeoutSeconds=3)
        self.again()
        self.assertEqual(self.word(job), "running")
        self.assertEqual(self.lease(), [])
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        got = self.view(job)
        self.assertEqual(got["state"], "final")
        self.assertIn("TIMEOUT", str(got["error"]))

    def test_a_job_whose_app_crashed_is_retried_if_its_type_allows_it(self):
        job, _ = self.held(jobType="again", timeoutSeconds=2)
        self.again()
        self.assertEqual(self.word(job), "running")
        token = self.next_token()
        self.assertEqual(self.details(job)["attempt"], 2)
        self.ok(self.settle("complete", job, token))
        self.assertEqual(self.word(job), "final")

    def test_a_job_runs_however_often_the_app_crashes(self):
        job = self.enqueue(payload={"n": 1})
        for _ in range(3):
            self.again()
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["payload"]), (job, {"n": 1}))
        self.again()
        self.ok(self.settle("complete", job, lease["leaseToken"]))
        self.assertEqual(self.word(job), "final")

    def test_a_handler_can_tell_a_second_run_from_the_first(self):
        job, token = self.held(jobType="again")
        self.fail_job(job, token)
        (lease,) = self.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["attempt"], lease["fence"]), (job, 2, 2))

    def test_a_job_that_is_stored_as_initial_runs_after_the_crash(self):
        job = self.enqueue()
        self.again()
        self.assertEqual(self.word(job), "initial")
        self.assertEqual(self.lease(waitSeconds=30)[0]["jobId"], job)

    def test_a_job_that_really_ran_when_everything_crashed_runs_again(self):
        """What it did is done; that it did so was not noted."""
        done = self.case.folder / "done"
        fifo = self.case.folder / "fifo"
        os.mkfifo(fifo)
        text = f'echo $LONGSHORE_ATTEMPT >> {done}; [ "$LONGSHORE_ATTEMPT" = 1 ] || exit 0\n'
        self.case.script("app", text + f"echo > {fifo}; exec sleep 600\n")
        command = ("--queue", self.name, "--exec", "again=./app")
        worker = self.work(*command)
        job = self.enqueue(jobType="again", timeoutSeconds=3)
        fifo.read_text(encoding="utf-8")
        worker.stop(signal.SIGKILL)
        self.again()
        self.assertEqual((self.word(job), done.read_text()), ("running", "1\n"))
        self.work(*command)
        self.assertEqual(self.server.ended(job)["status"], "COMPLETED")
        self.assertEqual(done.read_text(), "1\n2\n")


if __name__ == "__main__":
    unittest.main()
