"""The Python client against a real server."""

import os
import unittest
from datetime import datetime, timedelta, timezone

import sdk
import network_test
from away_test import Parrot
from longshore import (
    ApiError,
    Client,
    JobCanceled,
    JobFailed,
    NewJob,
    Unreachable,
    Worker,
)

ELSEWHERE = "HTTP/1.1 301 Moved\nLocation: https://example.org/\nContent-Length: 0\n\n"
NOT_JSON = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 6\n\n<html>"


class PythonClient(sdk.Case):
    language = "Python"

    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.client = Client(self.server.url)
        self.addCleanup(self.client.close)

    def test_every_field_of_a_new_job_is_sent(self):
        run_at = datetime.now(timezone.utc) + timedelta(hours=1)
        fields = {
            "idempotency_key": "once",
            "job_key": "key",
            "on_conflict": "reject",
            "queue": "slow",
            "priority": 0,
            "run_at": run_at,
            "expires_at": (run_at + timedelta(hours=1)).isoformat(),
            "max_retries": 7,
            "timeout_seconds": 12.5,
            "backoff": {"kind": "fixed", "baseSeconds": 3},
            "tags": ["a", "b"],
            "metadata": {"team": "x"},
            "callback": {"url": "https://example.org/hook"},
            "request": {"method": "GET", "path": "/here"},
        }
        job = self.client.enqueue("T", {"n": [1, "ü"]}, **fields)
        self.assertEqual(job.status, "PENDING")
        details = self.details(self.server, job.job_id)
        self.assertEqual(details["payload"], {"n": [1, "ü"]})
        expected = {
            "idempotencyKey": "once",
            "jobKey": "key",
            "queue": "slow",
            "priority": 0,
            "maxRetries": 7,
            "timeoutSeconds": 12.5,
            "tags": ["a", "b"],
            "metadata": {"team": "x"},
        }
        self.assertEqual({name: details[name] for name in expected}, expected)
        self.assertEqual(details["backoff"]["kind"], "fixed")
        self.assertEqual(details["request"]["path"], "/here")
        found = self.client.find("T", "key")
        self.assertEqual(found.job_id, job.job_id)
        self.assertLess(abs(found.run_at - run_at), timedelta(milliseconds=2))
        with self.assertRaises(ApiError) as refused:
            self.client.enqueue("T", job_key="key", on_conflict="reject")
        self.assertEqual((refused.exception.status, refused.exception.code), (409, "KEY_IN_USE"))
        self.assertEqual(refused.exception.problem["jobId"], job.job_id)

    def test_the_same_idempotency_key_returns_the_same_job(self):
        first, again = (self.client.enqueue("T", n, idempotency_key="k") for n in (1, 2))
        self.assertEqual(first.job_id, again.job_id)
        self.assertNotEqual(first.job_id, self.client.enqueue("T").job_id)

    def test_a_batch_is_all_or_nothing_and_in_order(self):
        jobs = self.client.enqueue_batch(NewJob("T", n) for n in range(50))
        self.assertEqual(len({job.job_id for job in jobs}), 50)
        self.assertEqual(self.details(self.server, jobs[17].job_id)["payload"], 17)
        with self.assertRaises(ApiError) as refused:
            self.client.enqueue_batch([NewJob("OTHER"), NewJob("OTHER", priority=11)])
        self.assertEqual(refused.exception.errors[0]["field"], "jobs[1].priority")
        self.assertEqual(self.server.get("/jobs?jobType=OTHER").json["jobs"], [])

    def test_wait_returns_when_the_job_ends(self):
        self.start(self.server.url)
        done = self.client.enqueue("DOUBLE", 4)
        self.assertEqual(self.client.result(done.job_id, timeout=60), {"doubled": 8})
        self.assertTrue(self.client.get(done.job_id).finished)
        failed = self.client.enqueue("FATAL")
        self.assertEqual(self.client.wait(failed.job_id, timeout=60).status, "FAILED")
        with self.assertRaises(JobFailed) as raised:
            self.client.result(failed.job_id)
        self.assertEqual((raised.exception.code, raised.exception.message), ("NO_HOPE", "no hope"))

    def test_wait_times_out(self):
        job = self.client.enqueue("NO_WORKER")
        with self.assertRaises(TimeoutError):
            self.client.wait(job.job_id, timeout=0.05)

    def test_cancel(self):
        job = self.client.enqueue("NO_WORKER")
        self.assertEqual(self.client.cancel(job.job_id), "CANCELED")
        self.assertEqual(self.client.cancel(job.job_id), "CANCELED")
        with self.assertRaises(JobCanceled):
            self.client.result(job.job_id)

    def test_redrive(self):
        canceled = self.client.enqueue("NO_WORKER", {"n": 1}).job_id
        self.client.cancel(canceled)
        run_at = datetime.now(timezone.utc) + timedelta(hours=1)
        options = {"queue": "slow", "priority": 0, "max_retries": 7, "timeout_seconds": 12.5}
        job = self.client.redrive(canceled, payload=None, run_at=run_at, **options)
        self.assertEqual(job.status, "PENDING")
        self.assertEqual(self.client.redrive(canceled).job_id, job.job_id)
        details = self.details(self.server, job.job_id)
        self.assertEqual((details["redriveOf"], details["state"]), (canceled, "SCHEDULED"))
        self.assertEqual((details["payload"], details["queue"]), (None, "slow"))
        self.assertEqual((details["priority"], details["maxRetries"]), (0, 7))
        self.assertEqual(details["timeoutSeconds"], 12.5)
        found = self.client.get(job.job_id).run_at
        self.assertLess(abs(found - run_at), timedelta(milliseconds=2))

    def test_redrive_keeps_omitted_fields_and_can_be_delayed(self):
        canceled = self.client.enqueue("NO_WORKER", {"n": 1}, queue="slow").job_id
        with self.assertRaises(ApiError) as refused:
            self.client.redrive(canceled)
        self.assertEqual(refused.exception.code, "WRONG_STATE")
        self.client.cancel(canceled)
        with self.assertRaises(ApiError) as refused:
            self.client.redrive(canceled, delay_seconds=1, run_at="2999-01-01T00:00:00Z")
        self.assertEqual(refused.exception.errors[0]["field"], "delaySeconds")
        job = self.client.redrive(canceled, delay_seconds=600)
        details = self.details(self.server, job.job_id)
        self.assertEqual((details["payload"], details["queue"]), ({"n": 1}, "slow"))
        self.assertEqual(details["state"], "SCHEDULED")

    def test_a_job_that_was_handed_off_is_finished_by_key(self):
        self.start(self.server.url)
        job = self.client.enqueue("HANDOFF", job_key="a/b c")
        while self.details(self.server, job.job_id)["state"] != "WAITING":
            pass
        status = self.client.fail_by_key("HANDOFF", "a/b c", "no", code="NO", retryable=True)
        self.assertEqual(status, "PENDING")
        status = self.client.complete_by_key("HANDOFF", "a/b c", {"by": "key"})
        self.assertEqual(status, "COMPLETED")
        self.assertEqual(self.client.result(job.job_id), {"by": "key"})

    def test_an_enqueue_whose_answer_was_lost_makes_one_job(self):
        self.assert_enqueued_once_behind(network_test.Proxy)

    def test_an_enqueue_whose_answer_was_cut_off_makes_one_job(self):
        self.assert_enqueued_once_behind(network_test.Cutter)

    def assert_enqueued_once_behind(self, make_proxy):
        seen = []

        def first_of_each(path, _):
            seen.append(path)
            return seen.count(path) == 1

        proxy = make_proxy(self.server.port, first_of_each)
        self.addCleanup(proxy.close)
        client = Client(proxy.url)
        self.addCleanup(client.close)
        job = client.enqueue("T")
        jobs = client.enqueue_batch([NewJob("T"), NewJob("T")])
        self.assertEqual(proxy.lost, ["/jobs", "/jobs/batch"])
        listed = {job["jobId"] for job in self.server.get("/jobs").json["jobs"]}
        self.assertEqual(listed, {one.job_id for one in [job, *jobs]})

    def test_a_call_is_retried_while_the_server_restarts(self):
        job = self.client.enqueue("T")
        self.server = self.serve_again(self.server)
        self.assertEqual(self.client.get(job.job_id).status, "PENDING")

    def test_no_server_is_unreachable(self):
        self.end(self.server)
        with self.assertRaises(Unreachable):
            Client(self.server.url, patience=0.2).enqueue("T")
        with self.assertRaises(Unreachable):  # within the timeout of the wait
            Client(self.server.url, patience=3600).wait("some job", timeout=0.2)
        with self.assertRaises(ValueError):
            Client("127.0.0.1:7788")

    def test_the_error_for_another_kind_of_server_says_why(self):
        for answer, words in ((ELSEWHERE, "https://example.org/"), (NOT_JSON, "not JSON")):
            with self.subTest(words):
                parrot = Parrot(answer)
                self.addCleanup(parrot.close)
                with self.assertRaises(Unreachable) as raised:
                    Client(parrot.url, patience=0).get("some job")
                self.assertIn(words, str(raised.exception))

    def test_a_token_can_end_with_a_newline(self):
        self.server.stop()
        token = self.make_token("producer")
        self.server = self.serve()
        self.assertTrue(Client(self.server.url, token=f"{token}\n").enqueue("T").job_id)
        with self.assertRaises(ApiError) as refused:
            Client(self.server.url, token="wrong").enqueue("T")
        self.assertEqual(refused.exception.code, "UNAUTHENTICATED")
        with self.assertRaises(ValueError) as raised:
            Client(self.server.url, token="two\nlines")
        self.assertNotIn("lines", str(raised.exception).replace("one line", ""))

    def test_a_payload_is_sent_as_utf_8_without_escapes(self):
        job = self.client.enqueue("T", "ü" * 500_000)
        self.assertEqual(self.details(self.server, job.job_id)["payload"], "ü" * 500_000)
        for size in (1_200_000, 60_000_000):  # the server does not read all of the second
            with self.assertRaises(ApiError) as refused:
                self.client.enqueue("T", "x" * size)
            self.assertEqual(refused.exception.code, "TOO_LARGE")

    def test_a_forked_process_has_its_own_connections(self):
        jobs = [self.client.enqueue("T").job_id for _ in range(2)]
        child = os.fork()
        if child == 0:  # must not return to the test runner
            status = 1
            try:
                status = 0 if self.finds_itself(jobs[0]) else 1
            finally:
                os._exit(status)
        self.assertTrue(self.finds_itself(jobs[1]))
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def finds_itself(self, job):
        return all(self.client.get(job).job_id == job for _ in range(50))

    def test_an_invalid_worker_raises_at_once(self):
        async def coroutine(_):
            return None

        with self.assertRaises(ValueError):
            Worker(self.server.url, concurrency=-1)
        with self.assertRaises(ValueError):
            Worker(self.server.url).start()
        worker = Worker(self.server.url, concurrency=1)
        for wrong in (coroutine, None):
            with self.assertRaises(TypeError):
                worker.add("T", wrong)
        worker.add("T", lambda job: None)
        worker.start()
        for again in (worker.start, worker.run):
            with self.assertRaises(RuntimeError):
                again()
        self.assertEqual(worker.stop(), 0)
        with self.assertRaises(RuntimeError):
            worker.start()


if __name__ == "__main__":
    unittest.main()
