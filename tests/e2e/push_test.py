"""Pushes to services, and callbacks with outcomes."""

import json
import signal
import subprocess
import threading
import time
import unittest

import harness
from receiver import SECRET, Receiver

ALLOW = ["--outgoing-allow", "127.0.0.1"]
SECRETS = ["--secrets", f"billing={SECRET}"]
NO_WAIT = {"backoff": {"kind": "none"}}


class Sending(harness.Case):
    def receiver(self, *arguments, **options):
        receiver = Receiver(*arguments, **options)
        self.addCleanup(receiver.stop)
        return receiver

    def push(self, server, receiver, *arguments, **options):
        return self.work(
            server, "--push", f"T={receiver.url}/hook?x=1", *ALLOW, *arguments, **options
        )


class Push(Sending):
    def test_the_payload_is_posted_and_the_response_is_the_result(self):
        server = self.serve()
        receiver = self.receiver(lambda r: (200, {}, b'{"got": ' + r.body + b"}"))
        self.push(server, receiver, *SECRETS, "--push-secret", "billing")
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        answer = server.post("/jobs", {"jobType": "T", "payload": {"a": 1}},
                             headers={"traceparent": trace})  # fmt: skip
        job = answer.json["jobId"]
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.get(f"/jobs/{job}/result").json, {"got": {"a": 1}})
        request = receiver.next()
        self.assertEqual((request.method, request.target), ("POST", "/hook?x=1"))
        self.assertEqual(json.loads(request.body), {"a": 1})
        self.assertEqual(request.headers["Idempotency-Key"], job)
        self.assertEqual(request.headers["Longshore-Fence"], "1")
        self.assertEqual(request.headers["Longshore-Job-Type"], "T")
        self.assertIn("4bf92f3577b34da6a3ce929d0e0e4736", request.headers["traceparent"])
        self.assertTrue(request.is_signed)

    def test_the_status_decides_the_outcome(self):
        server = self.serve()

        def answer(request):
            status, again = json.loads(request.body)
            first = request.headers["Longshore-Attempt"] == "1"
            return (status, again, b"why") if first else (200, {}, b"7")

        self.push(server, self.receiver(answer))
        retried = [server.enqueue(payload=[s, {}], **NO_WAIT) for s in (408, 425, 500, 599)]
        obeyed = [server.enqueue(payload=[s, {"Retry-After": "0"}]) for s in (429, 503)]
        fatal = {s: server.enqueue(payload=[s, {"Location": "/"}]) for s in (301, 400, 404, 422)}
        for job in retried + obeyed:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
        for status, job in fatal.items():
            self.assertEqual(server.ended(job)["status"], "FAILED")
            error = server.get(f"/jobs/{job}/details").json["error"]
            self.assertEqual(error["code"], f"HTTP_{status}")
            self.assertIn("why", error["message"])

    def test_retry_after_is_honored(self):
        server = self.serve()
        self.push(server, self.receiver(lambda r: (503, {"Retry-After": "3600"}, b"")))
        job = server.enqueue()
        with server.connect() as connection:
            while connection.call("GET", f"/jobs/{job}/details").json["state"] != "RETRY":
                pass
            details = connection.call("GET", f"/jobs/{job}/details").json
        at = lambda text: time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
        self.assertAlmostEqual(at(details["runAt"]) - at(details["updatedAt"]), 3600, delta=2)

    def test_202_hands_the_job_off_until_it_is_finished_by_key(self):
        server = self.serve()
        receiver = self.receiver(lambda r: (202, {}, b""))
        self.push(server, receiver)
        job = server.enqueue(jobKey="order-7")
        receiver.next()
        with server.connect() as connection:
            while connection.call("GET", f"/jobs/{job}/details").json["state"] != "WAITING":
                pass
        answer = server.post("/types/T/keys/order-7/complete", {"result": "done", "fence": 1})
        self.assertEqual(answer.status, 200, answer)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_a_cancel_and_a_timeout_end_the_wait(self):
        server = self.serve()
        stuck = self.receiver(Receiver.never)
        self.push(server, stuck, "--lease-time", "1s", "--concurrency", 2)
        canceled = server.enqueue()
        late = server.enqueue(timeoutSeconds=1, maxRetries=0)
        stuck.next()
        stuck.next()
        server.post(f"/jobs/{canceled}/cancel")
        self.assertEqual(server.ended(canceled)["status"], "CANCELED")
        self.assertEqual(server.ended(late)["status"], "FAILED")
        self.assertEqual(server.get(f"/jobs/{late}/details").json["error"]["code"], "TIMEOUT")

    def test_a_cancel_ends_the_wait_within_six_seconds_even_with_a_long_lease(self):
        server = self.serve("--profile", "endpoints")
        stuck = self.receiver(Receiver.never)
        self.push(server, stuck)
        job = server.enqueue()
        stuck.next()
        began = time.monotonic()
        self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 202)
        self.assertEqual(server.ended(job)["status"], "CANCELED")
        self.assertLess(time.monotonic() - began, 6)

    def test_a_202_is_a_failure_in_a_profile_without_hand_off(self):
        server = self.serve("--profile", "orchestrator")
        self.push(server, self.receiver(lambda request: (202, {}, b"")))
        job = server.enqueue()
        self.assertEqual(server.ended(job)["status"], "FAILED")
        error = server.get(f"/jobs/{job}/details").json["error"]
        self.assertEqual(error["code"], "NOT_IN_PROFILE")
        self.assertIn("orchestrator", error["message"])

    def test_a_worker_reports_an_expired_lease(self):
        server = self.serve()
        released = threading.Event()

        def answer(request):
            if request.headers["Longshore-Fence"] == "1":
                released.wait(60)
            return (200, {}, request.headers["Longshore-Fence"].encode())

        receiver = self.receiver(answer)
        worker = self.push(server, receiver, "--lease-time", "1s")
        job = server.enqueue()
        receiver.next()
        worker.process.send_signal(signal.SIGSTOP)
        self.push(server, receiver, "--lease-time", "1s")
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        released.set()
        worker.process.send_signal(signal.SIGCONT)
        self.assertIn(job, worker.await_line("LEASE_LOST")["error"])
        self.assertGreater(server.get(f"/jobs/{job}/result").json, 1)

    def test_an_unreachable_service_is_retried(self):
        server = self.serve()
        receiver = self.receiver()
        url = receiver.url
        receiver.stop()
        self.work(server, "--push", f"T={url}", *ALLOW)
        job = server.enqueue(maxRetries=1, **NO_WAIT)
        self.assertEqual(server.ended(job)["status"], "FAILED")
        errors = server.get(f"/jobs/{job}/details").json["errors"]
        self.assertEqual([e["code"] for e in errors], ["UNREACHABLE", "UNREACHABLE"])

    def test_a_forbidden_url_is_reported_at_once(self):
        server = self.serve()
        cases = [
            ("T=http://127.0.0.1/", "not public"),
            ("T=http://localhost/", "host name is local"),
            ("T=http://169.254.169.254/latest/", "not public"),
            ("T=http://2130706433/", "looks like an IP address"),
            ("T=ftp://example.com/", "must be http or https"),
            ("T=https://me@example.com/", "user information"),
        ]
        for push, expected in cases:
            with self.subTest(push):
                ended = harness.run("work", "--server", server.url, "--push", push)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)
        ended = harness.run("work", "--server", server.url, "--push", "T=https://example.com/",
                            "--push-secret", "absent")  # fmt: skip
        self.assertIn("no such secret: absent", ended.stderr)

    def test_a_certificate_must_be_for_the_host_and_trusted(self):
        server = self.serve()
        both = self.folder / "both.pem"
        key, cert = self.folder / "key.pem", self.folder / "cert.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                   "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert,
                   "-days", "2", "-subj", "/CN=test", "-addext"]  # fmt: skip
        for san, trusted, status in [
            ("IP:127.0.0.1", True, "COMPLETED"),
            ("IP:127.0.0.1", False, "FAILED"),
            ("DNS:elsewhere", True, "FAILED"),
        ]:
            with self.subTest(san=san, trusted=trusted):
                subprocess.run([*command, f"subjectAltName={san}"], check=True, capture_output=True)
                both.write_text(key.read_text() + cert.read_text())
                receiver = self.receiver(certificate=both)
                trust = ["--outgoing-ca-cert", cert] if trusted else []
                worker = self.push(server, receiver, *trust)
                job = server.enqueue(maxRetries=0)
                self.assertEqual(server.ended(job)["status"], status)
                worker.stop()

    def test_a_stopped_worker_releases_unanswered_jobs(self):
        server = self.serve()
        stuck = self.receiver(Receiver.never)
        worker = self.push(server, stuck, "--grace", "100ms")
        job = server.enqueue()
        stuck.next()
        self.assertEqual(worker.stop(signal.SIGTERM), 0)
        details = server.get(f"/jobs/{job}/details").json
        self.assertEqual((details["state"], details["failures"]), ("QUEUED", 0))


class Callbacks(Sending):
    def bind(self, receiver, name="billing", namespace="default"):
        """A configured secret that may sign callbacks to this receiver."""
        secret = self.folder / f"{name}.secret"
        secret.touch(mode=0o600)
        secret.write_text(SECRET + "\n")
        with open(self.folder / "longshore.toml", "a", encoding="utf-8") as file:
            file.write(f'[secrets.{name}]\nfile = "{secret}"\nnamespace = "{namespace}"\n'
                       f'urls = ["{receiver.url}"]\n')  # fmt: skip

    def callback_jobs(self, server):
        return server.get("/jobs?jobType=longshore.callback").json["jobs"]

    def finish(self, server, job_type="T", error=None, **fields):
        job = server.enqueue(job_type, **fields)
        (lease,) = server.lease(jobTypes=[job_type])
        outcome = {"error": error, "retryable": False} if error else {"result": {"n": 1}}
        route = "fail" if error else "complete"
        answer = server.post(f"/jobs/{job}/{route}", {"leaseToken": lease["leaseToken"], **outcome})
        self.assertEqual(answer.status, 200, answer)
        return job

    def test_each_outcome_is_delivered_signed(self):
        receiver = self.receiver()
        self.bind(receiver)
        server = self.serve(*ALLOW)
        callback = {"url": f"{receiver.url}/done", "secretName": "billing"}
        done = self.finish(server, callback=callback, jobKey="k-1")
        request = receiver.next()
        self.assertEqual((request.method, request.target), ("POST", "/done"))
        self.assertTrue(request.is_signed)
        self.assertLess(abs(int(request.headers["webhook-timestamp"]) - time.time()), 300)
        body = json.loads(request.body)
        self.assertEqual(body["type"], "job.completed")
        data = body["data"]
        self.assertEqual(
            (data["jobId"], data["jobType"], data["jobKey"], data["status"], data["result"]),
            (done, "T", "k-1", "COMPLETED", {"n": 1}),
        )
        failed = self.finish(server, callback=callback, error={"code": "NO", "message": "never"})
        data = json.loads(receiver.next().body)["data"]
        self.assertEqual((data["jobId"], data["status"]), (failed, "FAILED"))
        self.assertEqual(data["error"], {"code": "NO", "message": "never"})
        canceled = server.enqueue(callback=callback)
        server.post(f"/jobs/{canceled}/cancel")
        data = json.loads(receiver.next().body)["data"]
        self.assertEqual((data["jobId"], data["status"]), (canceled, "CANCELED"))

    def test_a_refused_delivery_is_retried_with_the_same_id(self):
        answers = [(500, {"Retry-After": "0"}, b""), (404, {"Retry-After": "0"}, b"")]
        receiver = self.receiver(lambda r: answers.pop(0) if answers else (204, {}, b""))
        server = self.serve(*ALLOW)
        self.finish(server, callback={"url": receiver.url})
        ids = [receiver.next().headers["webhook-id"] for _ in range(3)]
        self.assertEqual(len(set(ids)), 1)
        self.assertEqual(server.ended(ids[0])["status"], "COMPLETED")
        details = server.get(f"/jobs/{ids[0]}/details").json
        self.assertEqual((details["failures"], details["maxRetries"]), (2, 12))

    def test_the_next_server_delivers_pending_callbacks(self):
        receiver = self.receiver()
        server = self.serve(*ALLOW, "--outgoing-concurrency", 0)
        job = self.finish(server, callback={"url": receiver.url})
        server.stop(signal.SIGKILL)
        self.serve(*ALLOW)
        self.assertEqual(json.loads(receiver.next().body)["data"]["jobId"], job)

    def test_410_private_addresses_and_missing_secrets_are_final(self):
        receiver = self.receiver(lambda r: (410, {}, b""))
        server = self.serve(*ALLOW)
        for url, code in [(receiver.url, "HTTP_410"), ("http://10.0.0.1/", "URL_REFUSED")]:
            self.finish(server, callback={"url": url})
            newest = self.callback_jobs(server)[0]["jobId"]
            self.assertEqual(server.ended(newest)["status"], "FAILED")
            details = server.get(f"/jobs/{newest}/details").json
            self.assertEqual(details["error"]["code"], code)

    def test_the_default_secret_signs_callbacks_without_a_name(self):
        receiver = self.receiver()
        self.bind(receiver, "default")
        server = self.serve(*ALLOW)
        self.finish(server, callback={"url": receiver.url})
        self.assertTrue(receiver.next().is_signed)

    def test_every_namespace_has_its_deliveries(self):
        receiver = self.receiver()
        made = harness.run("token", "create", "--store", self.store, "--role", "operator",
                           "--namespace", "shop", "--name", "n", cwd=self.folder)  # fmt: skip
        token = {"Authorization": f"Bearer {made.stdout.split()[0]}"}
        server = self.serve(*ALLOW)
        body = {"jobType": "T", "callback": {"url": receiver.url}}
        job = server.post("/jobs", body, headers=token).json["jobId"]
        server.post(f"/jobs/{job}/cancel", headers=token)
        self.assertEqual(json.loads(receiver.next().body)["data"]["jobId"], job)


if __name__ == "__main__":
    unittest.main()
