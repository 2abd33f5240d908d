"""Leasing: requests of workers, their leases, and the order."""

import json
import socket
import threading
import unittest

import contract
from contract import FAILURE, TIME, moment

LEASE = {
    "jobId", "jobType", "jobKey", "queue", "payload", "attempt", "failures", "maxRetries", "fence",
    "leaseToken", "leaseExpiresAt", "deadlineAt", "checkpoint", "lastError", "metadata", "request",
    "traceparent", "createdAt",
}  # fmt: skip


class Leasing(contract.Contract):
    def claim(self, **fields):
        return self.post("/leases", {"workerId": "w", "queues": [self.name], **fields})

    def test_a_lease_has_every_member_even_of_a_bare_job(self):
        job = self.enqueue()
        (lease,) = self.lease()
        self.assertLessEqual(LEASE, set(lease))
        self.assertEqual((lease["jobId"], lease["attempt"], lease["fence"]), (job, 1, 1))
        self.assertEqual((lease["failures"], lease["maxRetries"]), (0, 3))
        for name in ("jobKey", "payload", "checkpoint", "lastError", "request", "traceparent"):
            self.assertIsNone(lease[name], name)
        self.assertEqual(lease["metadata"], {})
        self.assertLessEqual(len(lease["leaseToken"]), 200)
        for name in ("leaseExpiresAt", "deadlineAt", "createdAt"):
            self.assertRegex(lease[name], TIME)

    def test_the_members_carry_what_was_enqueued(self):
        request = {
            "method": "POST",
            "path": "/orders",
            "headers": {"accept": ["a", "b"]},
            "routeParams": {"id": 7},
            "queryParams": [{"name": "q", "values": ["1", "2"]}],
        }
        fields = {"payload": {"p": 1}, "jobKey": "k", "metadata": {"m": "v"}, "request": request}
        job = self.enqueue(**fields, maxRetries=1, timeoutSeconds=77)
        (lease,) = self.lease()
        for name, value in fields.items():
            self.assertEqual(lease[name], value, name)
        self.assertEqual((lease["queue"], lease["jobType"]), (self.name, self.name))
        self.assertEqual(lease["maxRetries"], 1)
        started = moment(self.ok(self.get(f"/jobs/{job}"))["startedAt"])
        self.assertEqual((moment(lease["deadlineAt"]) - started).total_seconds(), 77)
        self.assertEqual((moment(lease["leaseExpiresAt"]) - started).total_seconds(), 30)

    def test_a_lease_never_outlasts_the_deadline(self):
        self.enqueue(timeoutSeconds=5)
        (lease,) = self.lease(leaseSeconds=60)
        self.assertEqual(lease["leaseExpiresAt"], lease["deadlineAt"])

    def test_defaults_are_the_default_queue_one_job_and_no_wait(self):
        for _ in range(2):
            self.ok(self.post("/jobs", {"jobType": self.name}), 202)
        body = {"workerId": "w", "jobTypes": [self.name]}
        for expected in (1, 1, 0):
            self.assertEqual(len(self.ok(self.post("/leases", body))["leases"]), expected)

    def test_limits_of_a_claim(self):
        for fields in [
            {"maxJobs": 1},
            {"maxJobs": 1000},
            {"waitSeconds": 0},
            {"waitSeconds": 0.001},
            {"leaseSeconds": 1},
            {"leaseSeconds": 86400},
            {"jobTypes": ["a", "b"]},
            {"queues": ["a", "b"]},
            {"worker": {"slots": 4, "host": "h", "version": "1"}},
            {"worker": {}},
            {"requestId": "r"},
        ]:
            with self.subTest(fields):
                self.assertEqual(self.ok(self.claim(**fields)), {"leases": []})
        for fields, field in [
            ({"workerId": None}, "workerId"),
            ({"workerId": ""}, "workerId"),
            ({"workerId": 1}, "workerId"),
            ({"maxJobs": 0}, "maxJobs"),
            ({"maxJobs": 1001}, "maxJobs"),
            ({"maxJobs": 1.5}, "maxJobs"),
            ({"maxJobs": "1"}, "maxJobs"),
            ({"waitSeconds": -1}, "waitSeconds"),
            ({"waitSeconds": 60.001}, "waitSeconds"),
            ({"leaseSeconds": 0.999}, "leaseSeconds"),
            ({"leaseSeconds": 86400.001}, "leaseSeconds"),
            ({"leaseSeconds": "30"}, "leaseSeconds"),
            ({"queues": "q"}, "queues"),
            ({"queues": []}, "queues"),
            ({"queues": ["a b"]}, "queues[0]"),
            ({"queues": [1]}, "queues[0]"),
            ({"jobTypes": "t"}, "jobTypes"),
            ({"jobTypes": ["a b"]}, "jobTypes[0]"),
            ({"worker": 1}, "worker"),
            ({"worker": {"slots": -1}}, "worker.slots"),
            ({"worker": {"host": 1}}, "worker.host"),
            ({"requestId": 1}, "requestId"),
        ]:
            with self.subTest(fields):
                self.fields_refused(self.claim(**fields), field)
        self.fields_refused(self.claim(colour=1), "colour", code="UNKNOWN_FIELD")
        unknown = self.claim(worker={"colour": 1})
        self.fields_refused(unknown, "worker.colour", code="UNKNOWN_FIELD")
        self.fields_refused(self.post("/leases"), "workerId")

    def test_job_types_filter(self):
        one = self.enqueue(jobType="one")
        two = self.enqueue(jobType="two")
        self.assertEqual(self.lease(jobTypes=["three"]), [])
        self.assertEqual([lease["jobId"] for lease in self.lease(jobTypes=["two"])], [two])
        self.assertEqual([lease["jobId"] for lease in self.lease()], [one])

    def test_queues_are_visited_in_the_order_given(self):
        late = self.enqueue(queue=self.name + "-b", priority=0)
        first = self.enqueue(queue=self.name + "-a", priority=9)
        queues = [self.name + "-a", self.name + "-b"]
        got = [lease["jobId"] for lease in self.lease(queues=queues, maxJobs=2)]
        self.assertEqual(got, [first, late])

    def test_lowest_priority_number_first_then_order_of_becoming_eligible(self):
        delayed = self.enqueue(priority=5, delaySeconds=0.05)
        jobs = {n: self.enqueue(priority=n) for n in (9, 5, 0, 7)}
        self.becomes(delayed, "QUEUED")
        again = self.enqueue(priority=0)
        got = [lease["jobId"] for lease in self.lease(maxJobs=10)]
        self.assertEqual(got, [jobs[0], again, jobs[5], delayed, jobs[7], jobs[9]])

    def test_released_jobs_go_to_the_front_and_failed_ones_to_the_back(self):
        first, second, third = (self.enqueue() for _ in range(3))
        one, two = self.lease(maxJobs=2)
        self.ok(self.settle("release", first, one["leaseToken"]))
        failing = {"error": FAILURE, "retryAfterSeconds": 0}
        self.ok(self.settle("fail", second, two["leaseToken"], **failing))
        self.becomes(second, "QUEUED")
        got = [lease["jobId"] for lease in self.lease(maxJobs=10)]
        self.assertEqual(got, [first, third, second])

    def test_a_released_job_does_not_pass_a_higher_priority(self):
        low, token = self.held(priority=6)
        high = self.enqueue(priority=5)
        self.ok(self.settle("release", low, token))
        self.assertEqual([one["jobId"] for one in self.lease(maxJobs=2)], [high, low])

    def test_a_paused_queue_leases_nothing_until_resumed(self):
        job = self.enqueue()
        self.ok(self.post(f"/queues/{self.name}/pause"))
        self.assertEqual(self.lease(), [])
        self.ok(self.post(f"/queues/{self.name}/resume"))
        self.assertEqual(self.lease()[0]["jobId"], job)

    def test_repeats_with_the_same_request_id_answer_the_same_leases(self):
        jobs = [self.enqueue() for _ in range(3)]
        body = {"workerId": "w", "queues": [self.name], "maxJobs": 2, "requestId": "r1"}
        first = self.ok(self.post("/leases", body))["leases"]
        again = self.ok(self.post("/leases", body))["leases"]
        self.assertEqual(again, first)
        other = self.ok(self.post("/leases", {**body, "requestId": "r2"}))["leases"]
        self.assertEqual([lease["jobId"] for lease in other], [jobs[2]])

    def test_a_request_id_is_answered_while_its_leases_hold(self):
        job = self.enqueue()
        first = self.lease(requestId="r3")[0]
        self.ok(self.settle("complete", job, first["leaseToken"]))
        fresh = self.enqueue()
        self.assertEqual([one["jobId"] for one in self.lease(requestId="r3")], [fresh])

    def test_of_the_same_leases_those_that_still_hold_are_answered(self):
        for _ in range(3):
            self.enqueue()
        one, two = self.lease(maxJobs=2, requestId="r4")
        self.ok(self.settle("complete", one["jobId"], one["leaseToken"]))
        again = self.lease(maxJobs=2, requestId="r4")
        self.assertEqual([lease["leaseToken"] for lease in again], [two["leaseToken"]])

    def test_a_response_stops_before_16_mebibytes(self):
        payload = '"' + "x" * (1024 * 1024 - 2) + '"'
        head = json.dumps({"jobType": self.name, "queue": self.name})[:-1]
        for _ in range(18):
            self.ok(self.post("/jobs", head + ',"payload":' + payload + "}"), 202)
        answer = self.claim(maxJobs=18)
        self.assertLess(len(answer.body), 16 * 1024 * 1024)
        first = len(answer.json["leases"])
        self.assertGreaterEqual(first, 14)
        self.assertEqual(len(self.lease(maxJobs=18)), 18 - first)

    def test_traceparent_is_passed_to_the_worker(self):
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        body = {"jobType": self.name, "queue": self.name}
        self.ok(self.post("/jobs", body, {"traceparent": trace}), 202)
        self.assertEqual(self.lease()[0]["traceparent"], trace)

    def test_a_broken_traceparent_is_ignored(self):
        body = {"jobType": self.name, "queue": self.name}
        self.ok(self.post("/jobs", body, {"traceparent": "nonsense"}), 202)
        self.assertIsNone(self.lease()[0]["traceparent"])

    def test_an_expired_job_is_never_leased(self):
        job = self.enqueue(expiresAt=contract.written(contract.later(2)))
        self.becomes(job, "CANCELED")
        self.assertEqual(self.lease(), [])
        got = self.details(job)
        self.assertEqual(got["error"]["code"], "EXPIRED")
        self.assertEqual(self.moves(job)[-1], ("CANCELED", "expired"))
        self.assertEqual(self.ok(self.get(f"/jobs/{job}"))["status"], "CANCELED")

    def test_expiry_is_also_the_latest_start_of_a_retry(self):
        job, token = self.held(expiresAt=contract.written(contract.later(3)))
        self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=3600))
        self.becomes(job, "CANCELED")
        self.assertEqual(self.details(job)["error"]["code"], "EXPIRED")

    def test_workers_may_not_use_reserved_names(self):
        for worker in ("system", "external"):
            with self.subTest(worker):
                self.fields_refused(self.claim(workerId=worker), "workerId")


class Polling(contract.Contract):
    def poll(self, **fields):
        """Starts a poll in the background; call the returned function for the response."""
        answers = []
        body = {"workerId": "w", "queues": [self.name], "waitSeconds": 60, **fields}
        thread = threading.Thread(target=lambda: answers.append(self.server.post("/leases", body)))
        thread.start()

        def answer():
            thread.join(30)
            self.assertFalse(thread.is_alive(), "the poll was not woken")
            return self.ok(answers[0])["leases"]

        return answer

    def polling(self, count):
        """Waits until the server has that many polls."""
        self.until(lambda: self.parked(), count)

    def parked(self):
        workers = self.ok(self.get("/workers"))["workers"]
        return sum(1 for worker in workers if worker["workerId"].startswith(self.name))

    def test_a_poll_without_a_job_answers_empty_after_its_wait(self):
        answer = self.post("/leases", {"workerId": "w", "queues": ["none"], "waitSeconds": 0.2})
        self.assertEqual(self.ok(answer), {"leases": []})

    def test_an_enqueue_wakes_it(self):
        answer = self.poll()
        job = self.enqueue()
        self.assertEqual([lease["jobId"] for lease in answer()], [job])

    def test_a_due_job_wakes_it(self):
        job = self.enqueue(delaySeconds=0.3)
        self.assertEqual([lease["jobId"] for lease in self.poll()()], [job])

    def test_a_resumed_queue_wakes_it(self):
        job = self.enqueue()
        self.ok(self.post(f"/queues/{self.name}/pause"))
        answer = self.poll()
        self.ok(self.post(f"/queues/{self.name}/resume"))
        self.assertEqual([lease["jobId"] for lease in answer()], [job])

    def test_a_release_wakes_it(self):
        job, token = self.held()
        answer = self.poll()
        self.ok(self.settle("release", job, token))
        self.assertEqual([lease["jobId"] for lease in answer()], [job])

    def test_a_promotion_wakes_it(self):
        job = self.enqueue(delaySeconds=3600)
        answer = self.poll()
        self.ok(self.post(f"/jobs/{job}/promote"))
        self.assertEqual([lease["jobId"] for lease in answer()], [job])

    def test_a_retry_that_comes_due_wakes_it(self):
        job, token = self.held()
        answer = self.poll()
        self.ok(self.settle("fail", job, token, error=FAILURE, retryAfterSeconds=0.2))
        self.assertEqual([lease["jobId"] for lease in answer()], [job])

    def test_a_lost_lease_wakes_it(self):
        job, _ = self.held(lease={"leaseSeconds": 1})
        self.assertEqual([lease["jobId"] for lease in self.poll()()], [job])

    def test_a_poll_for_other_types_keeps_waiting(self):
        answer = self.poll(jobTypes=["wanted"])
        self.enqueue(jobType="unwanted")
        wanted = self.enqueue(jobType="wanted")
        self.assertEqual([lease["jobId"] for lease in answer()], [wanted])

    def test_the_lease_of_a_disconnected_client_is_released_uncounted(self):
        body = json.dumps({"workerId": "gone", "queues": [self.name], "waitSeconds": 60})
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            raw.sendall(
                b"POST /leases HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            seen = lambda: "gone" in self.get("/workers").body  # noqa: E731
            self.until(seen, True)
        job = self.enqueue()
        (lease,) = self.lease(waitSeconds=20)
        self.assertEqual(lease["jobId"], job)
        self.assertEqual((lease["failures"], self.details(job)["crashes"]), (0, 0))

    def test_the_oldest_poll_is_served_first(self):
        first = self.poll(workerId=self.name + "-1")
        self.until(lambda: self.parked(), 1)
        second = self.poll(workerId=self.name + "-2")
        self.until(lambda: self.parked(), 2)
        one = self.enqueue()
        self.assertEqual([lease["jobId"] for lease in first()], [one])
        two = self.enqueue()
        self.assertEqual([lease["jobId"] for lease in second()], [two])

    def test_polls_are_served_oldest_first_for_consecutive_jobs(self):
        for turn in range(10):
            polls = []
            for number in range(3):
                polls.append(self.poll(workerId=f"{self.name}-{turn}-{number}"))
                self.until(lambda: self.parked(), 3 * turn + number + 1)
            jobs = [self.enqueue() for _ in polls]
            got = [[lease["jobId"] for lease in poll()] for poll in polls]
            self.assertEqual(got, [[job] for job in jobs], f"turn {turn}")


if __name__ == "__main__":
    unittest.main()
