"""Outcomes and heartbeats of the workers of both SDKs."""

import time
import unittest
from datetime import timedelta

import sdk
import network_test
from longshore.jobs import to_text, to_time

NONE = {"kind": "none"}
HEARD_WITHIN = 6  # seconds; heartbeats are sent every five


class Outcomes:
    def test_a_return_value_is_the_result(self):
        server = self.serve()
        self.start(server.url)
        jobs = [server.enqueue("DOUBLE", payload=n) for n in range(20)]
        for n, job in enumerate(jobs):
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            self.assertEqual(sdk.result_of(server, job), {"doubled": 2 * n})

    def test_outcomes_can_be_settled_in_batches(self):
        server = self.serve()
        self.start(server.url, {"batchSettle": True, "concurrency": 20})
        answer = server.post(
            "/jobs/batch",
            {
                "jobs": [{"jobType": "DOUBLE", "payload": n} for n in range(200)]
                + [{"jobType": "FATAL"}, {"jobType": "RELEASE"}]
                + [{"jobType": "BAD_RESULT", "payload": "large"}]
            },
        )
        *doubled, fatal, released, large = [job["jobId"] for job in answer.json["jobs"]]
        for n, job in enumerate(doubled):
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            self.assertEqual(sdk.result_of(server, job), {"doubled": 2 * n})
        self.assertEqual(server.ended(fatal)["status"], "FAILED")
        self.assertEqual(server.ended(released)["status"], "COMPLETED")
        self.assertEqual(server.ended(large)["status"], "FAILED")

    def test_an_exception_is_a_failure_with_its_text_and_trace(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("ERROR", backoff=NONE)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(sdk.result_of(server, job), {"attempt": 2, "last": "boom"})
        (error,) = self.details(server, job)["errors"]
        self.assertEqual(error["message"], "boom")
        self.assertIn(error["code"], ("ValueError", "RangeError"))
        self.assertIn("handlers.", error["details"]["trace"])

    def test_fatal_is_not_retried(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("FATAL", payload="because")
        self.assertEqual(server.ended(job)["status"], "FAILED")
        details = self.details(server, job)
        self.assertEqual((details["state"], details["attempt"]), ("DEAD", 1))
        expected = {"code": "NO_HOPE", "message": "no hope", "details": {"why": "because"}}
        self.assertEqual(details["error"], expected)

    def test_retry_counts_as_a_failure_and_sets_the_delay(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("RETRY")  # its back-off would be two seconds
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        details = self.details(server, job)
        self.assertEqual((details["attempt"], details["failures"]), (2, 1))
        self.assertEqual(details["errors"][0]["message"], "not yet")

    def test_release_does_not_count_as_a_failure(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("RELEASE", maxRetries=0)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        details = self.details(server, job)
        counters = details["attempt"], details["failures"], details["crashes"]
        self.assertEqual(counters, (2, 0, 0))

    def test_an_invalid_result_fails_the_job_permanently(self):
        server = self.serve()
        self.start(server.url)
        for payload in ("large", "not JSON"):
            with self.subTest(payload):
                job = server.enqueue("BAD_RESULT", payload=payload)
                self.assertEqual(server.ended(job)["status"], "FAILED")
                details = self.details(server, job)
                self.assertEqual((details["attempt"], details["error"]["code"]), (1, "BAD_RESULT"))

    def test_a_job_handed_off_is_finished_by_its_key(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("HANDOFF", jobKey="order 7/8")
        while self.details(server, job)["state"] != "WAITING":
            pass
        answer = server.post("/types/HANDOFF/keys/order%207%2F8/complete", {"result": "paid"})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(sdk.result_of(server, job), "paid")

    def test_a_hand_off_that_the_profile_refuses_fails_the_job(self):
        server = self.serve("--profile", "orchestrator")
        self.start(server.url)
        self.assert_hand_off_refused(server, server.enqueue("HANDOFF", jobKey="k"))

    def test_a_hand_off_that_is_refused_in_transit_fails_the_job(self):
        server = self.serve()
        proxy = network_test.NoHandOff(server.port)
        self.addCleanup(proxy.close)
        self.start(proxy.url)
        self.assert_hand_off_refused(server, server.enqueue("HANDOFF"))

    def assert_hand_off_refused(self, server, job):
        self.assertEqual(server.ended(job)["status"], "FAILED")
        details = self.details(server, job)
        self.assertEqual((details["state"], details["attempt"]), ("DEAD", 1))
        self.assertEqual(details["error"]["code"], "NOT_IN_PROFILE")
        self.assertIn("hand-off was refused", details["error"]["message"])
        self.assertIn("orchestrator", details["error"]["message"])

    def test_log_lines_are_sent_with_the_outcome(self):
        server = self.serve()
        self.start(server.url)
        job = server.enqueue("LOG")
        server.ended(job)
        logs = server.get(f"/jobs/{job}/logs").json["logs"]
        self.assertEqual(logs, [{"attempt": 1, "text": "a line\nanother\n"}])


class Heartbeats:
    def test_a_handler_learns_of_a_cancellation_within_one_heartbeat(self):
        server = self.serve()
        worker = self.start(server.url, {"leaseSeconds": 4.5})
        job = server.enqueue("WAIT")
        worker.await_line("started 1")
        self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 202)
        worker.await_line("stopped canceled")
        self.assertEqual(server.ended(job)["status"], "CANCELED")

    def test_they_are_sent_every_five_seconds_with_the_external_profile(self):
        self.assert_heard("external")  # its lease is a day

    def test_they_are_sent_every_five_seconds_with_the_endpoints_profile(self):
        self.assert_heard("endpoints")  # its lease is five minutes

    def assert_heard(self, profile):
        server = self.serve("--profile", profile)
        worker = self.start(server.url)
        job = server.enqueue("WAIT")
        worker.await_line("started 1")
        begin = time.monotonic()
        while "progress" not in server.get(f"/jobs/{job}?waitSeconds=0.1").json:
            self.assertLess(time.monotonic() - begin, HEARD_WITHIN)
        begin = time.monotonic()
        self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 202)
        worker.await_line("stopped canceled")
        self.assertLess(time.monotonic() - begin, HEARD_WITHIN)
        server.ended(job)
        self.assertEqual(self.details(server, job)["error"]["code"], "CANCELED")

    def test_the_rules_set_the_lease_time_unless_the_worker_does(self):
        server = self.serve("--profile", "endpoints")
        for options, seconds in (({}, 300), ({"leaseSeconds": 60}, 60)):
            worker = self.start(server.url, options)
            job = server.enqueue("WAIT")
            worker.await_line("started 1")
            lease = to_time(self.details(server, job)["lease"]["expiresAt"])
            lasts = lease - to_time(self.details(server, job)["startedAt"])
            self.assertLess(abs(lasts - timedelta(seconds=seconds)), timedelta(seconds=20))
            worker.kill()

    def test_they_extend_the_lease_and_carry_progress_and_checkpoints(self):
        server = self.serve()
        worker = self.start(server.url, {"leaseSeconds": 6})
        job = server.enqueue("WAIT")
        worker.await_line("started 1")
        begin = self.details(server, job)["startedAt"]
        while self.details(server, job)["lease"]["expiresAt"] < _seconds_after(begin, 13):
            server.get(f"/jobs/{job}?waitSeconds=1")  # returns after a second: the job still runs
        details = self.details(server, job)
        self.assertEqual((details["attempt"], details["crashes"]), (1, 0))
        self.assertEqual((details["progress"], details["checkpoint"]), (42, {"seen": 1}))

    def test_they_extend_a_short_lease_that_the_rules_set(self):
        (self.folder / "longshore.toml").write_text("[rules]\nlease-seconds = 3\n")
        server = self.serve()
        worker = self.start(server.url)
        job = server.enqueue("WAIT")
        worker.await_line("started 1")
        begin = self.details(server, job)["startedAt"]
        while self.details(server, job)["lease"]["expiresAt"] < _seconds_after(begin, 9):
            server.get(f"/jobs/{job}?waitSeconds=0.5")
        details = self.details(server, job)
        self.assertEqual((details["attempt"], details["crashes"]), (1, 0))

    def test_a_timeout_stops_the_handler(self):
        server = self.serve()
        worker = self.start(server.url, {"concurrency": 1, "leaseSeconds": 1.5})
        job = server.enqueue("WAIT", timeoutSeconds=1, maxRetries=1)
        worker.await_line("started 1 null")
        worker.await_line("stopped timed out")
        worker.await_line('started 2 {"seen"')
        worker.await_line("stopped timed out")
        self.assertEqual(server.ended(job)["status"], "FAILED")
        details = self.details(server, job)
        self.assertEqual([e["code"] for e in details["errors"]], ["TIMEOUT", "TIMEOUT"])


def _seconds_after(text, seconds):
    """The time plus `seconds`, in the same format."""
    return to_text(to_time(text) + timedelta(seconds=seconds)).replace("+00:00", "Z")


sdk.both(Outcomes, globals())
sdk.both(Heartbeats, globals())

if __name__ == "__main__":
    unittest.main()
