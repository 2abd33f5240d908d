"""Server-Sent Events, and waits that end with an event."""

import json
import threading
import time
import unittest

import contract
from contract import FAILURE
from stream import PATIENCE, Stream


class JobEvents(contract.Contract):
    def stream(self, job, headers=None, version=""):
        return Stream(self.server.port, f"{version}/jobs/{job}/events", headers)

    def test_it_is_an_event_stream_with_the_history_so_far(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        with self.stream(job) as stream:
            self.assertEqual(stream.answer.status, 200)
            kind = stream.answer.headers["Content-Type"].split(";")[0]
            self.assertEqual(kind, "text/event-stream")
            events = stream.rest()
        self.assertEqual([event["event"] for event in events], ["transition"] * 4)
        history = self.history(job)
        self.assertEqual([int(event["id"]) for event in events], [one["seq"] for one in history])
        for event, move in zip(events, history):
            data = json.loads(event["data"])
            needed = {"jobId", "jobType", "queue", "from", "to", "cause", "at", "status"}
            self.assertLessEqual(needed, set(data))
            self.assertEqual((data["jobId"], data["jobType"]), (job, self.name))
            self.assertEqual(data["queue"], self.name)
            for name in ("from", "to", "cause", "at"):
                self.assertEqual(data[name], move[name])
            self.assertNotIn("error", data)
        statuses = [json.loads(event["data"])["status"] for event in events]
        self.assertEqual(statuses, ["PENDING", "PENDING", "RUNNING", "COMPLETED"])

    def test_new_transitions_follow_and_a_terminal_one_ends_it(self):
        job = self.enqueue()
        with self.stream(job) as stream:
            self.assertEqual([stream.next()["id"], stream.next()["id"]], ["1", "2"])
            (lease,) = self.lease()
            self.assertEqual(json.loads(stream.next()["data"])["to"], "RUNNING")
            self.ok(self.settle("complete", job, lease["leaseToken"]))
            self.assertEqual(json.loads(stream.next()["data"])["to"], "SUCCESS")
            self.assertIsNone(stream.next())

    def test_failures_carry_their_error(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE, retryable=False))
        with self.stream(job) as stream:
            data = [json.loads(event["data"]) for event in stream.rest()]
        self.assertEqual([one["to"] for one in data][-2:], ["RETRY", "DEAD"])
        self.assertEqual(data[-1]["error"]["code"], "E")
        self.assertEqual(data[-1]["status"], "FAILED")

    def test_it_resumes_after_the_last_event_id(self):
        job, token = self.held()
        with self.stream(job, {"Last-Event-ID": "2"}) as stream:
            self.assertEqual(stream.next()["id"], "3")
            self.ok(self.settle("complete", job, token))
            self.assertEqual(stream.next()["id"], "4")
            self.assertIsNone(stream.next())
        with self.stream(job, {"Last-Event-ID": "3"}, "/v1") as stream:
            self.assertEqual([event["id"] for event in stream.rest()], ["4"])
        with self.stream(job, {"Last-Event-ID": "4"}) as stream:
            self.assertEqual(stream.rest(), [])

    def test_a_canceled_job_ends_its_stream(self):
        job = self.enqueue()
        with self.stream(job) as stream:
            stream.next()
            self.ok(self.post(f"/jobs/{job}/cancel"))
            self.assertEqual(json.loads(stream.rest()[-1]["data"])["to"], "CANCELED")


class AllEvents(contract.Contract):
    def stream(self, query=""):
        stream = Stream(self.server.port, f"/events{query}")
        self.assertEqual(stream.answer.status, 200)
        stream.comment()
        return stream

    def test_transitions_are_streamed_and_filtered(self):
        with self.stream(f"?queue={self.name}&jobType=wanted") as stream:
            self.enqueue(jobType="unwanted")
            self.enqueue(jobType="wanted", queue="elsewhere")
            job = self.enqueue(jobType="wanted")
            one, two = stream.next(), stream.next()
            self.assertEqual((one["event"], two["event"]), ("transition", "transition"))
            data = [json.loads(event["data"]) for event in (one, two)]
            self.assertEqual([each["jobId"] for each in data], [job, job])
            self.assertEqual([each["to"] for each in data], ["CREATED", "QUEUED"])
            needed = {"jobId", "jobType", "queue", "from", "to", "cause", "at", "status"}
            self.assertLessEqual(needed, set(data[0]))

    def test_failures_carry_their_error(self):
        job, token = self.held()
        with self.stream(f"?queue={self.name}") as stream:
            error = {"code": "E", "message": "first line\nsecond line"}
            self.ok(self.settle("fail", job, token, error=error, retryable=False))
            for state in ("RETRY", "DEAD"):
                data = json.loads(stream.next()["data"])
                self.assertEqual(data["to"], state)
                self.assertEqual(data["error"], {"code": "E", "message": "first line"})

    def test_either_filter_works_alone(self):
        for query in (f"?queue={self.name}", f"?jobType={self.name}"):
            with self.subTest(query), self.stream(query) as stream:
                job = self.enqueue()
                self.assertEqual(json.loads(stream.next()["data"])["jobId"], job)

    def test_bad_filters_are_422(self):
        for query in ("?queue=a%20b", "?jobType=a%20b", "?colour=red"):
            with self.subTest(query):
                self.assertEqual(self.get(f"/events{query}").status, 422)


class Waits(contract.Contract):
    def waiting(self, path, headers=None):
        answers = []
        thread = threading.Thread(
            target=lambda: answers.append(self.server.get(path, headers=headers))
        )
        thread.start()
        return thread, answers

    def test_a_wait_is_answered_as_soon_as_the_job_ends(self):
        for name, path, headers in [
            ("query", "?waitSeconds=60", None),
            ("prefer", "", {"Prefer": "wait=60"}),
            ("prefer among others", "", {"Prefer": "respond-async, wait=60"}),
        ]:
            with self.subTest(name):
                job, token = self.held()
                thread, answers = self.waiting(f"/jobs/{job}{path}", headers)
                self.ok(self.settle("complete", job, token))
                thread.join(PATIENCE)
                self.assertEqual(self.ok(answers[0])["status"], "COMPLETED")

    def test_a_job_that_has_ended_is_answered_at_once(self):
        job, _ = self.job_in("DEAD")
        self.assertEqual(self.ok(self.get(f"/jobs/{job}?waitSeconds=60"))["status"], "FAILED")

    def test_a_wait_that_times_out_returns_the_current_job(self):
        job = self.enqueue()
        begun = time.monotonic()
        self.assertEqual(self.ok(self.get(f"/jobs/{job}?waitSeconds=0.3"))["status"], "PENDING")
        self.assertGreaterEqual(time.monotonic() - begun, 0.29)

    def test_limits(self):
        job, _ = self.job_in("CANCELED")
        self.ok(self.get(f"/jobs/{job}?waitSeconds=60"))
        self.ok(self.get(f"/jobs/{job}?waitSeconds=0"))
        for value in ("60.001", "-1", "x", "", "1e3"):
            with self.subTest(value):
                self.fields_refused(self.get(f"/jobs/{job}?waitSeconds={value}"), "waitSeconds")
        answer = self.get(f"/jobs/{job}?colour=red")
        self.fields_refused(answer, "colour", code="UNKNOWN_FIELD")

    def test_an_unknown_job_is_404_at_once(self):
        answer = self.get(f"/jobs/{contract.UNKNOWN_JOB}?waitSeconds=60")
        self.assert_problem(answer, 404, "NOT_FOUND")


if __name__ == "__main__":
    unittest.main()
