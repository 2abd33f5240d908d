"""Workers of both SDKs that are killed, stopped, paused or disconnected."""

import json
import signal
import unittest

import sdk
import network_test
import security_test
from longshore import Client, Unreachable


class Trouble:
    def test_the_next_worker_gets_the_checkpoint_of_a_killed_worker(self):
        server = self.serve()
        first = self.start(server.url, {"leaseSeconds": 3})
        job = server.enqueue("STEPS", payload={"steps": 5, "dieAt": 2})
        self.assertEqual(first.wait(), -signal.SIGKILL)
        second = self.start(server.url, {"leaseSeconds": 3})
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(sdk.result_of(server, job), 5)
        steps = [line for line in first.lines + second.lines if line.startswith("step")]
        expected = [f"step {n} attempt {1 if n < 3 else 2}" for n in range(5)]
        self.assertEqual(steps, expected)
        details = self.details(server, job)
        self.assertEqual((details["crashes"], details["failures"]), (1, 0))

    def test_the_late_outcome_of_a_paused_worker_is_discarded(self):
        server = self.serve()
        worker = self.start(server.url, {"leaseSeconds": 1, "concurrency": 1})
        job = server.enqueue("UNTIL", payload=self.path())
        worker.await_line("started 1")
        worker.signal(signal.SIGSTOP)
        (lease,) = server.lease("other", waitSeconds=30)  # after the first lease has expired
        self.assertEqual((lease["jobId"], lease["attempt"]), (job, 2))
        self.touch()
        worker.signal(signal.SIGCONT)
        line = worker.await_line("LEASE_LOST")
        self.assertIn(job, line)
        body = {"leaseToken": lease["leaseToken"], "result": "the other's"}
        self.assertEqual(server.post(f"/jobs/{job}/complete", body).status, 200)
        self.assertEqual(sdk.result_of(server, job), "the other's")

    def test_a_handler_learns_of_a_lost_lease(self):
        server = self.serve()
        worker = self.start(server.url, {"leaseSeconds": 1.5})
        job = server.enqueue("WAIT")
        worker.await_line("started 1")
        self.assertEqual(server.post(f"/jobs/{job}/cancel", {"force": True}).status, 200)
        worker.await_line("stopped lease lost")
        self.assertIn(job, worker.await_line("LEASE_LOST"))

    def test_a_worker_continues_after_a_server_restart(self):
        server = self.serve()
        worker = self.start(server.url, {"leaseSeconds": 6})
        job = server.enqueue("UNTIL", payload=self.path())
        worker.await_line("started 1")
        server = self.serve_again(server)
        self.touch()
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(sdk.result_of(server, job), 1)
        next_job = server.enqueue("DOUBLE", payload=4)
        self.assertEqual(server.ended(next_job)["status"], "COMPLETED")
        self.assertEqual(self.details(server, job)["crashes"], 0)

    def test_lost_responses_lose_no_job(self):
        server = self.serve()
        seen = []

        def every_other(path, body):
            leased = path == "/leases" and body and json.loads(body).get("leases")
            if not leased and not path.endswith("/complete"):
                return False
            seen.append(path)
            return len(seen) % 2 == 1

        proxy = network_test.Proxy(server.port, every_other)
        self.addCleanup(proxy.close)
        self.start(proxy.url, {"concurrency": 1})
        jobs = [server.enqueue("DOUBLE", payload=n) for n in range(5)]
        for job in jobs:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
            details = self.details(server, job)
            self.assertEqual((details["attempt"], details["crashes"]), (1, 0))
        self.assertGreaterEqual(len(proxy.lost), 5)

    def test_a_worker_that_the_server_rejects_ends(self):
        token = self.make_token("producer")
        worker = self.start(self.serve().url, LONGSHORE_TOKEN=token)
        self.assertEqual(worker.wait(), 1)
        self.assertIn("FORBIDDEN", "\n".join(worker.lines))

    def test_tls_a_token_and_a_base_path(self):
        certificate, key = security_test.make_certificate(self.folder, "server", 7)
        token = self.make_token("operator")
        server = self.serve("--tls-cert", certificate, "--tls-key", key)
        url = f"https://127.0.0.1:{server.port}/v1/"
        worker = self.start(url, LONGSHORE_TOKEN=token, LONGSHORE_CA_CERT=str(certificate))
        client = Client(url, token=token, ca_cert=str(certificate))
        job = client.enqueue("DOUBLE", 21)
        self.assertEqual(client.result(job.job_id, timeout=60), {"doubled": 42})
        client.close()
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)
        with self.assertRaises(Unreachable):  # at once: a retry cannot help
            Client(url, token=token, patience=600).get(job.job_id)


class Stopping:
    def test_an_idle_worker_stops_at_once_and_holds_no_job(self):
        server = self.serve()
        worker = self.start(server.url)
        server.ended(server.enqueue("DOUBLE", payload=1))
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)
        self.assertIn("ended", worker.lines)
        job = server.enqueue("DOUBLE", payload=1)
        self.assertEqual(self.details(server, job)["attempt"], 0)

    def test_handlers_finish_within_the_grace_period(self):
        server = self.serve()
        worker = self.start(server.url, {"concurrency": 1})
        job = server.enqueue("UNTIL", payload=self.path())
        later = server.enqueue("DOUBLE", payload=1)
        worker.await_line("started 1")
        worker.signal(signal.SIGTERM)
        worker.await_line("stopping")
        self.touch()
        self.assertEqual(worker.wait(), 0)
        self.assertEqual(sdk.result_of(server, job), 1)
        self.assertEqual(self.details(server, later)["attempt"], 0)

    def test_after_the_grace_period_handlers_stop_and_release_their_jobs_with_checkpoints(self):
        server = self.serve()
        worker = self.start(server.url, {"grace": 0.1})
        job = server.enqueue("WAIT", maxRetries=0)
        worker.await_line("started 1")
        worker.signal(signal.SIGINT)
        worker.await_line("stopped worker stopped")
        self.assertEqual(worker.wait(), 0)
        self.assert_given_back(server, job)
        self.assertEqual(self.details(server, job)["checkpoint"], {"seen": 1})

    def test_jobs_of_handlers_that_do_not_stop_are_released(self):
        server = self.serve()
        worker = self.start(server.url, {"grace": 0.1, "patience": 0.1})
        job = server.enqueue("UNTIL", payload=self.path(), maxRetries=0)
        worker.await_line("started 1")
        worker.signal(signal.SIGTERM)
        self.assertEqual(worker.wait(), 0)
        self.assert_given_back(server, job)

    def test_a_second_signal_skips_the_grace_period(self):
        server = self.serve()
        worker = self.start(server.url, {"grace": 3600, "patience": 3600})
        job = server.enqueue("UNTIL", payload=self.path(), maxRetries=0)
        worker.await_line("started 1")
        worker.signal(signal.SIGTERM)
        worker.signal(signal.SIGINT)
        self.assertEqual(worker.wait(), 0)
        self.assert_given_back(server, job)

    def assert_given_back(self, server, job):
        details = self.details(server, job)
        counters = details["failures"], details["crashes"]
        self.assertEqual((details["state"], details["attempt"], *counters), ("QUEUED", 1, 0, 0))


sdk.both(Trouble, globals())
sdk.both(Stopping, globals())

if __name__ == "__main__":
    unittest.main()
