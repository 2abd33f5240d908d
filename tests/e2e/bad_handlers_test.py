"""Faulty handlers and malicious jobs: the worker keeps running."""

import json
import unittest

import harness
from programs_test import assert_tidied
from receiver import Receiver

EACH = 50

BAD = {
    "SEGFAULT": ("kill -SEGV $$\n", {}, "SIGSEGV"),
    "EXIT": ("exit $(($(cut -c 1) % 60 + 1))\n", {}, "EXIT_"),
    "LEAK": ("exec python3 -S -c 'x = bytearray(300_000_000)'\n", {}, "EXIT_1"),
    "DEAF": ("trap '' TERM; while :; do sleep 0.05; done\n", {"timeoutSeconds": 1}, "TIMEOUT"),
}


class BadHandlers(harness.Case):
    def test_two_hundred_bad_handlers_do_not_affect_others(self):
        server = self.serve()
        arguments = []
        for name, (body, _, _) in BAD.items():
            arguments += ["--exec", f"{name}={self.script(name, body)}"]
        good = self.script("good", "cat\n")
        worker = self.work(server, *arguments, "--exec", f"GOOD={good}", "--concurrency", 32,
                           "--programs-memory-bytes", 200_000_000,
                           "--type-limit", "LEAK=4")  # fmt: skip
        jobs = []
        for n in range(EACH):
            for name, (_, fields, code) in BAD.items():
                fields = {"payload": n, "maxRetries": 0, **fields}
                jobs.append((server.enqueue(name, **fields), code))
        between = [server.enqueue("GOOD", payload=n, priority=0) for n in range(20)]
        for n, job in enumerate(between):
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            self.assertEqual(server.get(f"/jobs/{job}/result").json, n)
        for job, code in jobs:
            self.assertEqual(server.ended(job)["status"], "FAILED")
            error = server.get(f"/jobs/{job}/details").json["error"]
            self.assertTrue(error["code"].startswith(code), error)
        self.assertEqual(server.ended(server.enqueue("GOOD"))["status"], "COMPLETED")
        self.assertIsNone(worker.process.poll())
        assert_tidied(self, worker.process)


COMMANDS = ["touch {file}", "; touch {file}", "| touch {file}", "& touch {file} &",
            "$(touch {file})", "`touch {file}`", "' ; touch {file} ; '", '" ; touch {file} ; "',
            "\n touch {file} \n", "|| touch {file}", "-e touch${IFS}{file}",
            "() {{ :; }}; touch {file}", "\u0000; touch {file}", "{{touch,{file}}}",
            "<(touch {file})", "\r\ntouch {file}\r\n"]  # fmt: skip

VARIABLES = ["LD_PRELOAD", "PATH", "IFS", "BASH_ENV", "ENV", "LONGSHORE_FENCE", "PYTHONPATH",
             "LD_LIBRARY_PATH"]  # fmt: skip

LINES = ["x\r\nInjected: yes", "x\nInjected: yes", "x\r\n\r\nPOST /evil HTTP/1.1\r\n\r\n",
         "x\u0000\r\nInjected: yes", "\r\nInjected: yes", "é\r\nInjected: yes"]  # fmt: skip


class Injection(harness.Case):
    def test_job_data_is_never_executed_or_expanded(self):
        server = self.serve()
        file = self.folder / "pwned"
        body = 'echo "$# $PATH $LONGSHORE_FENCE ${LD_PRELOAD-none}" >&2; exec cat\n'
        self.work(server, "--exec", f"T={self.script('p', body)}", env={"PATH": "/usr/bin:/bin"})
        jobs = []
        for command in COMMANDS:
            text = command.replace("{file}", str(file))
            fields = {"payload": {text: text}, "metadata": {"k": text.replace("\0", "")},
                      "tags": [text.replace("\0", "")[:64]]}  # fmt: skip
            key = f"{len(jobs)} " + text.replace("\0", "")
            jobs.append((server.enqueue(jobKey=key, **fields), fields))
        for name in VARIABLES:
            fields = {"payload": {name: "evil"}, "metadata": {name: "evil"}}
            jobs.append((server.enqueue(**fields), fields))
        for job, fields in jobs:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            self.assertEqual(server.get(f"/jobs/{job}/result").json, fields["payload"])
            (log,) = server.get(f"/jobs/{job}/logs").json["logs"]
            self.assertEqual(log["text"], "0 /usr/bin:/bin 1 none\n")
        for command in COMMANDS[:6]:
            answer = server.post("/jobs", {"jobType": "T" + command})
            self.assertEqual(answer.status, 422)
        self.assertFalse(file.exists())

    def test_job_data_cannot_inject_headers_or_requests(self):
        server = self.serve()
        receiver = Receiver(lambda r: (200, {}, b"1"))
        self.addCleanup(receiver.stop)
        (self.folder / "longshore.toml").write_text(
            f"""
            [outgoing]
            allow = ["127.0.0.1"]
            [work.handlers.POST]
            push = "{receiver.url}/fixed"
            [work.handlers.REPLAY]
            push = "{receiver.url}/fixed"
            replay = true
            """
        )
        self.work(server, "--concurrency", 1)
        for line in LINES:
            payload = {line: line}
            metadata = {"k": line.replace("\0", "")}
            job = server.enqueue("POST", payload=payload, metadata=metadata)
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            request = receiver.next()
            self.assertEqual(request.target, "/fixed")
            self.assertIsNone(request.headers["Injected"])
            self.assertEqual(json.loads(request.body), payload)
        parts = [("headers", lambda line: {line: ["v"], "Fine": [line]}),
                 ("queryParams", lambda line: [{"name": line, "values": [line]}])]  # fmt: skip
        for line in LINES:
            for part, made in parts:
                request = {"method": "POST", "path": "/x", part: made(line)}
                job = server.enqueue("REPLAY", payload=1, request=request)
                self.assertEqual(server.ended(job)["status"], "COMPLETED")
                sent = receiver.next()
                self.assertTrue(sent.target.startswith("/fixed/x"))
                self.assertIsNone(sent.headers["Injected"])
        for request in [
            {"method": "GET / HTTP/1.1\r\nInjected: yes\r\n", "path": "/x"},
            {"method": "CONNECT", "path": "/x"},
            {"method": "GET", "path": "/x HTTP/1.1\r\nInjected: yes\r\n"},
            {"method": "GET", "path": "/../../admin"},
            {"method": "GET", "path": "//evil.example\\@x"},
            {"method": "GET", "path": "http://evil.example/"},
            {"method": "GET", "path": "@evil.example/"},
        ]:
            job = server.enqueue("REPLAY", request=request)
            self.assertEqual(server.ended(job)["status"], "FAILED")
        self.assertTrue(receiver.requests.empty())


if __name__ == "__main__":
    unittest.main()
