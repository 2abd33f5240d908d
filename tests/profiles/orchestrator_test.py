"""A control plane that records intent (profile orchestrator)."""

import http.client
import signal
import threading
import unittest

from orchestrator_case import KEY, OrchestratorCase
from profile_case import FAILURE, UNKNOWN_JOB, LongProfileCase, Stream, moment

PUBLIC = {"jobId", "jobType", "status", "createdAt", "updatedAt"}
HIDDEN = "secret stack retry failures workerId lease attempt epoch version queue idempotencyKey"


class Orchestrator(OrchestratorCase):
    # ---- The invariants

    def test_stored_jobs_survive_every_restart(self):
        job, token = self.running()
        self.ok(self.settle("heartbeat", job, token, checkpoint={"page": 3}))
        before = self.details(job)
        self.again()
        after = self.details(job)
        self.assertEqual((after["state"], after["epoch"]), ("RUNNING", before["epoch"]))
        self.assertEqual(after["checkpoint"], {"page": 3})
        self.ok(self.settle("complete", job, token))

    def test_a_client_follows_a_job_to_its_outcome(self):
        job, token = self.running()
        self.ok(self.settle("heartbeat", job, token, progress=40))
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["progress"], 40)
        self.ok(self.settle("complete", job, token, result={"sent": True}))
        self.assertEqual(self.server.ended(job)["status"], "COMPLETED")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/result")), {"sent": True})

    def test_a_handler_gets_the_data_for_idempotency(self):
        job, token = self.running()
        (lease,) = self.again_by(job, token)
        self.assertEqual((lease["jobId"], lease["attempt"], lease["fence"]), (job, 2, 2))

    def again_by(self, job, token):
        self.fail_job(job, token, retryAfterSeconds=0)
        return self.lease(waitSeconds=30)

    # ---- The states and their table

    def test_a_job_is_created_first_and_accepted_in_a_second_step(self):
        job = self.enqueue()
        self.becomes(job, "QUEUED")
        rows = self.history(job)
        self.assertEqual([row["to"] for row in rows], ["CREATED", "QUEUED"])
        self.assertEqual([row["cause"] for row in rows], ["enqueue", "accept"])

    def test_a_created_job_is_not_eligible(self):
        job = self.enqueue(delaySeconds=3600)
        self.assertEqual(self.word(job), "CREATED")
        self.assertEqual(self.lease(), [])

    def test_the_path_of_a_success(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(states, ["CREATED", "QUEUED", "RUNNING", "SUCCESS"])

    def test_the_path_of_a_retry(self):
        job, token = self.running()
        self.fail_job(job, token)
        self.assertEqual(self.word(job), "RETRY")
        self.assertAlmostEqual(self.wait_before_retry(job), 2, delta=0.2)
        self.assertEqual(self.lease(), [])
        self.ok(self.settle("complete", job, self.next_token()))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(
            states, ["CREATED", "QUEUED", "RUNNING", "RETRY", "QUEUED", "RUNNING", "SUCCESS"]
        )

    def test_the_path_of_a_death(self):
        job, token = self.running()
        for _ in range(3):
            self.fail_job(job, token)
            self.ok(self.post(f"/jobs/{job}/promote"))
            token = self.next_token()
        self.fail_job(job, token)
        self.assertEqual(self.path(job)[-4:], ["QUEUED", "RUNNING", "RETRY", "DEAD"])
        self.assertEqual(self.details(job)["failures"], 4)
        self.assertIn(job, [one["jobId"] for one in self.ok(self.get("/dead"))["jobs"]])

    def test_a_fatal_error_is_a_death_without_retries(self):
        job, token = self.running()
        self.fail_job(job, token, retryable=False)
        self.assertEqual([row["to"] for row in self.history(job)][-2:], ["RETRY", "DEAD"])

    def test_transitions_that_are_not_in_the_table_are_refused(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        before = self.details(job)
        for verb in ("fail", "release", "handoff"):
            body = {"error": {"message": "m"}} if verb == "fail" else {}
            self.assertEqual(self.settle(verb, job, token, **body).status, 409, verb)
        for path in ("cancel", "promote", "redrive"):
            self.assertEqual(self.post(f"/jobs/{job}/{path}").status, 409, path)
        self.assertEqual(self.details(job), before)
        self.assertEqual(self.lease(), [])

    def test_operator_actions_that_are_not_in_the_table_are_refused(self):
        job, token = self.running(jobKey="k")
        self.before = self.details(job)
        by_key = f"/types/{self.name}/keys/k"
        answers = {
            "hand-off": lambda: self.settle("handoff", job, token),
            "complete by key": lambda: self.post(f"{by_key}/complete", {"result": 1}),
            "fail by key": lambda: self.post(f"{by_key}/fail", {"error": FAILURE}),
            "resolve": lambda: self.post(f"/jobs/{job}/resolve", {"result": 1}),
            "forced cancel": lambda: self.post(f"/jobs/{job}/cancel", {"force": True}),
        }
        for name, ask in answers.items():
            with self.subTest(name):
                self.assert_refused_unchanged(job, ask(), "NOT_IN_PROFILE")
        self.ok(self.settle("complete", job, token))

    def test_an_accepted_job_is_not_replaced(self):
        job = self.enqueue(jobKey="k", delaySeconds=3600)
        self.becomes(job, "SCHEDULED")
        self.before = self.details(job)
        answer = self.post_job(jobKey="k", onConflict="replace", payload=2)
        self.assert_refused_unchanged(job, answer, "NOT_IN_PROFILE")

    def test_a_canceled_job_ends_through_the_table(self):
        job = self.enqueue()
        self.becomes(job, "QUEUED")
        self.ok(self.post(f"/jobs/{job}/cancel"))
        states = [row["to"] for row in self.history(job)]
        self.assertEqual(states, ["CREATED", "QUEUED", "RUNNING", "RETRY", "DEAD"])

    def test_only_the_owner_moves_a_running_job(self):
        job, token = self.running()
        stranger = token[:-1] + ("a" if token[-1] != "a" else "b")
        for verb in ("complete", "release", "heartbeat"):
            self.assert_problem(self.settle(verb, job, stranger), 409, "LEASE_LOST")
        self.ok(self.settle("complete", job, token))

    def test_a_dead_job_waits_for_a_person(self):
        job, token = self.running()
        self.fail_job(job, token, retryable=False)
        self.assertEqual(self.lease(), [])
        successor = self.ok(self.post(f"/jobs/{job}/redrive"), 202)["jobId"]
        self.assertNotEqual(successor, job)
        self.assertEqual(self.state(job), "DEAD")

    # ---- POST /jobs

    def test_a_first_request_is_recorded_and_pending(self):
        answer = self.post_job(payload={"to": "user@example.com"}, idempotencyKey=KEY + self.name)
        body = self.ok(answer, 202)
        self.assertEqual(answer.headers["Location"], f"/jobs/{body['jobId']}")
        self.assertEqual(set(body), {"jobId", "status"})
        self.assertEqual(body["status"], "PENDING")
        self.again()
        self.assertEqual(self.details(body["jobId"])["payload"], {"to": "user@example.com"})

    def test_a_repeated_request_gets_the_same_response(self):
        first = self.post_job(payload=1, idempotencyKey=KEY + self.name)
        again = self.post_job(payload=1, idempotencyKey=KEY + self.name)
        self.assertEqual((again.status, again.json), (first.status, first.json))
        unlike = {"Date", "X-Request-Id"}
        told = [{k: v for k, v in one.headers.items() if k not in unlike} for one in (first, again)]
        self.assertEqual(told[0], told[1])

    def test_a_repeated_request_returns_the_current_status(self):
        job, token = self.running(idempotencyKey=KEY + self.name)
        self.ok(self.settle("complete", job, token))
        body = self.ok(self.post_job(idempotencyKey=KEY + self.name), 202)
        self.assertEqual(body, {"jobId": job, "status": "COMPLETED"})

    def test_concurrent_requests_create_one_job(self):
        answers = []

        def ask():
            body = {"jobType": self.name, "queue": self.name, "idempotencyKey": KEY + self.name}
            answers.append(self.server.post("/jobs", body))

        askers = [threading.Thread(target=ask) for _ in range(16)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        self.assertEqual({answer.status for answer in answers}, {202})
        self.assertEqual(len({answer.json["jobId"] for answer in answers}), 1)

    def test_a_crash_after_the_insert_creates_no_second_job(self):
        job = self.enqueue(idempotencyKey=KEY + self.name)
        self.again()
        self.assertEqual(self.enqueue(idempotencyKey=KEY + self.name), job)

    def test_the_key_is_stored_with_its_job(self):
        job = self.enqueue(idempotencyKey=KEY + self.name, payload=1)
        got = self.details(job)
        self.assertEqual((got["idempotencyKey"], got["payload"]), (KEY + self.name, 1))
        self.again()
        listed = self.ok(self.get(f"/jobs?idempotencyKey={KEY + self.name}"))["jobs"]
        self.assertEqual([one["jobId"] for one in listed], [job])

    def test_a_job_that_a_crash_left_created_is_accepted_later(self):
        # With so many producers, some job is always between its two commits.
        for _ in range(100):
            answered = self.kill_under_load()
            if left := [job for job in self.created() if job in answered]:
                break
        self.assertTrue(left, "each crash came after the jobs had been accepted")
        job = left[0]
        self.assertEqual([row["to"] for row in self.history(job)], ["CREATED"])
        self.becomes(job, "QUEUED")
        self.until(self.created, [])
        rows = self.history(job)
        self.assertEqual([row["cause"] for row in rows], ["enqueue", "accept"])
        waited = moment(rows[1]["at"]) - moment(rows[0]["at"])
        self.assertGreaterEqual(waited.total_seconds(), 5)

    def kill_under_load(self):
        """The ids that sixteen producers were answered before the server was killed."""
        answered, server = set(), self.server

        def produce():
            try:
                with server.connect() as connection:
                    while True:
                        body = {"jobType": self.name, "queue": self.name}
                        answered.add(connection.call("POST", "/jobs", body).json["jobId"])
            except (OSError, http.client.HTTPException):
                return  # the server is gone

        producers = [threading.Thread(target=produce) for _ in range(16)]
        for producer in producers:
            producer.start()
        self.until(lambda: len(answered) >= 100, True)
        self.again()
        for producer in producers:
            producer.join()
        return answered

    def created(self):
        """Jobs of this test that are stored and not accepted."""
        path = f"/jobs?state=CREATED&queue={self.name}"
        return [one["jobId"] for one in self.ok(self.get(path))["jobs"]]

    # ---- GET /jobs/{jobId}

    def test_responses_show_public_fields_only(self):
        job, token = self.running(payload={"secret": 1})
        got = self.ok(self.get(f"/jobs/{job}"))
        self.assertTrue(PUBLIC <= set(got), got)
        self.assertTrue(set(got) <= PUBLIC | {"runAt", "startedAt"}, got)
        self.fail_job(job, token, error={"message": "m", "details": {"stack": "at line 1"}})
        body = self.get(f"/jobs/{job}").body.replace(self.name, "")
        for hidden in HIDDEN.split():
            self.assertNotIn(hidden, body)

    def test_reading_changes_nothing(self):
        job = self.enqueue(delaySeconds=3600)
        self.becomes(job, "SCHEDULED")
        before = self.details(job)
        answers = {self.get(f"/jobs/{job}").body for _ in range(5)}
        self.assertEqual(len(answers), 1)
        self.assertEqual(self.details(job), before)

    def test_an_unknown_job_is_404_and_stays_unknown(self):
        for _ in range(2):
            self.assert_problem(self.get(f"/jobs/{UNKNOWN_JOB}"), 404, "NOT_FOUND")

    # ---- Leases

    def test_a_lease_is_valid_until_it_ends(self):
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=30)
        got = self.details(job)
        self.assertEqual(got["lease"]["expiresAt"], lease["leaseExpiresAt"])
        spell = moment(lease["leaseExpiresAt"]) - moment(got["startedAt"])
        self.assertEqual(spell.total_seconds(), 30)
        self.assertEqual(self.lease(), [])

    def test_the_response_has_the_columns_of_the_table(self):
        job, token = self.running(payload={"p": 1}, idempotencyKey=KEY + self.name, maxRetries=1)
        got = self.view(job)
        names = (
            "jobId jobType state retry_count lease_owner lease_expiry idempotencyKey created_at "
            "updated_at payload"
        )
        self.assertEqual(set(got), set(names.split()) | set("status".split()))
        self.assertEqual((got["jobId"], got["jobType"], got["state"]), (job, self.name, "RUNNING"))
        self.assertEqual((got["idempotencyKey"], got["payload"]), (KEY + self.name, {"p": 1}))
        self.assertEqual((got["lease_owner"], got["retry_count"]), ("w", 0))
        self.assertEqual(got["lease_expiry"], self.details(job)["lease"]["expiresAt"])
        self.assertEqual(set(got) - set(self.listed(job, "RUNNING")), {"payload"})
        self.fail_job(job, token, retryAfterSeconds=0)
        self.fail_job(job, self.next_token())
        got = self.view(job)
        self.assertEqual((got["state"], got["retry_count"]), ("DEAD", 2))
        self.assertEqual((got["lease_owner"], got["lease_expiry"]), (None, None))
        moves = [(None, "CREATED"), ("CREATED", "QUEUED"), ("QUEUED", "RUNNING"),
                 ("RUNNING", "RETRY"), ("RETRY", "QUEUED"), ("QUEUED", "RUNNING"),
                 ("RUNNING", "RETRY"), ("RETRY", "DEAD")]  # fmt: skip
        self.assertEqual(self.told_moves(job), moves)
        self.assertEqual(self.followed(job), moves)

    def test_a_scheduled_job_is_created_in_the_words_of_the_document(self):
        job = self.enqueue(delaySeconds=3600)
        self.becomes(job, "SCHEDULED")
        self.assertIsNotNone(self.listed(job, "CREATED"))
        self.assertIsNone(self.listed(job, "QUEUED,RUNNING,RETRY,SUCCESS,DEAD"))

    def test_each_claim_returns_one_job(self):
        for _ in range(3):
            self.enqueue()
        self.assertEqual(len(self.lease(waitSeconds=30)), 1)
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 2}
        self.fields_refused(self.post("/leases", body), "maxJobs")

    def test_concurrent_workers_never_share_a_job(self):
        jobs = {self.enqueue() for _ in range(20)}
        taken = []

        def take(worker):
            body = {"workerId": worker, "queues": [self.name], "waitSeconds": 30}
            taken.extend(one["jobId"] for one in self.server.post("/leases", body).json["leases"])

        takers = [threading.Thread(target=take, args=(f"w{i}",)) for i in range(20)]
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
        self.assertEqual(sorted(taken), sorted(jobs))

    def test_more_workers_get_more_done_in_the_same_time(self):
        self.assertLessEqual(self.run_at_once(1), 1)
        self.assertGreater(self.run_at_once(4), 2)

    def test_an_outcome_ends_the_lease(self):
        job, token = self.running()
        self.assertEqual(self.details(job)["lease"]["workerId"], "w")
        self.ok(self.settle("complete", job, token))
        self.assertIsNone(self.details(job)["lease"])

    def test_a_failure_counts_and_ends_the_lease(self):
        job, token = self.running()
        self.fail_job(job, token)
        got = self.details(job)
        self.assertEqual((got["retryCount"], got["lease"]), (1, None))

    def test_workers_delete_nothing(self):
        job, token = self.running()
        self.ok(self.settle("complete", job, token))
        self.assertEqual(self.call("DELETE", f"/jobs/{job}").status, 405)
        self.assertEqual(self.state(job), "SUCCESS")

    def test_a_worker_acquires_executes_persists_and_repeats(self):
        self.case.script("double", "read n; echo $((n * 2))\n")
        self.work("--queue", self.name, "--exec", "D=./double", "--concurrency", 1)
        jobs = [self.enqueue(jobType="D", payload=n) for n in range(5)]
        self.assertEqual({self.server.ended(job)["status"] for job in jobs}, {"COMPLETED"})
        results = [self.ok(self.get(f"/jobs/{job}/result")) for job in jobs]
        self.assertEqual(results, [0, 2, 4, 6, 8])


class Waits(LongProfileCase):
    """Workers die, and their leases last as long as is shipped."""

    profile = "orchestrator"

    @classmethod
    def begin(cls):
        cls.job = cls.server.enqueue(queue="silent")
        (cls.first,) = cls.server.lease(queues=["silent"], waitSeconds=30)
        body = {"leaseToken": cls.first["leaseToken"], "checkpoint": {"page": 3}}
        assert cls.server.post(f"/jobs/{cls.job}/heartbeat", body).status == 200
        cls.case.script("slow", "exec sleep 600\n")
        worker = cls.work("--queue", "killed", "--exec", "SLOW=./slow")
        cls.killed = cls.server.enqueue("SLOW", queue="killed")
        with Stream(cls.server.port, f"/jobs/{cls.killed}/events") as stream:
            while '"to":"RUNNING"' not in stream.next()["data"]:
                pass
        worker.process.send_signal(signal.SIGKILL)

    def test_a_job_of_a_crashed_worker_continues_from_its_checkpoint(self):
        (second,) = self.server.lease("another", queues=["silent"], waitSeconds=45)
        self.assertEqual((second["jobId"], second["checkpoint"]), (self.job, {"page": 3}))
        self.assertGreater(second["fence"], self.first["fence"])
        late = self.settle("complete", self.job, self.first["leaseToken"])
        self.assert_problem(late, 409, "LEASE_LOST")
        started = moment(self.ok(self.get(f"/jobs/{self.job}"))["startedAt"])
        self.assertGreaterEqual(started, moment(self.first["leaseExpiresAt"]))
        self.assertLess((started - moment(self.first["leaseExpiresAt"])).total_seconds(), 3)

    def test_a_job_of_a_killed_worker_goes_to_the_next_worker(self):
        (lease,) = self.server.lease("another", queues=["killed"], waitSeconds=45)
        self.assertEqual((lease["jobId"], lease["attempt"]), (self.killed, 2))
        states = self.path(self.killed)
        self.assertEqual(states[2:], ["RUNNING", "RETRY", "QUEUED", "RUNNING"])
        self.assertEqual(self.details(self.killed)["failures"], 0)


def setUpModule():
    Waits.setUpClass()


if __name__ == "__main__":
    unittest.main()
