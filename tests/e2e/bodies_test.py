"""The cases of bodies.txt against the real program, which must neither crash nor leak memory."""

import re
import unittest
from dataclasses import dataclass
from pathlib import Path

import harness

CASES_MIN = 170  # with the 240 of tests/unit/http/hostile.txt more than 400
GROWTH_MAX = 16 << 20  # bytes by which memory may grow, after a warm-up


@dataclass
class Body:
    title: str
    status: int
    code: str
    fields: list
    method: str
    path: str
    content_type: str
    text: str

    def bytes(self, job):
        """The request, with the names of a leased job filled in."""
        text = self.text
        for name, value in job.items():
            text = text.replace(f"{{{name}}}", value)
        parts = re.split(r"‹(.+?)›", text)
        return b"".join(
            part.encode() if n % 2 == 0 else _spelled_out(part) for n, part in enumerate(parts)
        )


def _spelled_out(word):
    if word.startswith("x "):
        return bytes.fromhex(word[2:])
    times, _, what = word.partition("*")
    return int(times) * what.encode()


def read_bodies():
    text = Path(__file__).with_name("bodies.txt").read_text(encoding="utf-8")
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    for case in re.split(r"^== ", text, flags=re.M)[1:]:
        head, request, *body = case.rstrip("\n").split("\n")
        answer, _, title = head.partition(": ")
        expected, *fields = answer.split()
        status, _, code = expected.partition("/")
        method, path, _, content_type = re.fullmatch(
            r"(\S+) (\S+)( \[(.+)\])?", request
        ).groups()
        yield Body(
            title, int(status), code, fields, method, path, content_type or "application/json",
            "\n".join(body),
        )  # fmt: skip


class Bodies(harness.Case):
    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def leased(self):
        self.server.enqueue("LEASED")
        (lease,) = self.server.lease(jobTypes=["LEASED"], leaseSeconds=3600)
        return {"job": lease["jobId"], "token": lease["leaseToken"]}

    def send(self, connection, case, job):
        path = case.path.replace("{job}", job["job"])
        headers = {"Content-Type": case.content_type}
        return connection.call(case.method, path, case.bytes(job), headers)

    def test_each_body_gets_the_listed_response(self):
        cases = list(read_bodies())
        self.assertGreaterEqual(len(cases), CASES_MIN)
        for case in cases:
            with self.subTest(case.title), self.server.connect() as connection:
                answer = self.send(connection, case, self.leased())
                self.assertEqual(answer.status, case.status, answer)
                if case.code:
                    self.assert_problem(answer, case.status, case.code)
                named = {error["field"] for error in answer.json.get("errors", [])}
                self.assertLessEqual(set(case.fields), named, answer)

    def test_the_bodies_leak_nothing(self):
        cases = [case for case in read_bodies() if case.code]
        job = self.leased()
        self.send_all(cases, job)
        before = self.memory()
        for _ in range(3):
            self.send_all(cases, job)
        self.assertLessEqual(self.memory() - before, GROWTH_MAX)
        count = len(self.server.get("/jobs?limit=500").json["jobs"])
        self.assertEqual(count, 1, "a refused body made a job")

    def send_all(self, cases, job):
        for case in cases:
            with self.server.connect() as connection:
                self.assertEqual(self.send(connection, case, job).status, case.status, case.title)

    def memory(self):
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status).group(1)) * 1024


if __name__ == "__main__":
    unittest.main()
