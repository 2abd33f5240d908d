"""Every way in which an attempt can end, for handlers in the library or in the server. These files
cover the other kinds of handlers:

    ending         program               push                  SDKs (tests/sdk)
    success        work_test             push_test             worker_test
    error, fatal   work_test             push_test             worker_test
    timeout        work_test             push_test             worker_test
    cancel         work_test             push_test             worker_test
    crash          programs_test         push_test             trouble_test
    lost lease     programs_test         push_test             trouble_test
    stop           work_test             push_test             trouble_test
    checkpoint     programs_test         has none              trouble_test
"""

import os
import signal
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "contract"))

import harness  # noqa: E402
from contract import clock_passes, later  # noqa: E402
from network_test import NoHandOff  # noqa: E402
from receiver import Receiver  # noqa: E402

HANDLERS = os.environ.get("LONGSHORE_HANDLERS", str(harness.ROOT / "build/tests/e2e/e2e_handlers"))
NONE = {"kind": "none"}
HEARD_WITHIN = 6  # seconds; heartbeats are sent every five
SHORT = 3000  # milliseconds; a short lease, but long enough for a busy machine


class Library:
    """C++ handlers in a worker program."""

    def begin(self, lease=30_000, grace=25_000, profile="native"):
        self.server = self.serve("--profile", profile)
        self.worker = self.another(lease, grace)

    def another(self, lease=30_000, grace=25_000, url=None):
        worker = harness.Process(self.kind, lease, grace, program=HANDLERS, cwd=self.folder,
                                 env={"LONGSHORE_SERVER": url or self.server.url})  # fmt: skip
        self.addCleanup(worker.stop, signal.SIGKILL)
        worker.await_line("working")
        return worker

    def begun(self):
        self.worker.await_line("started")

    def ended_worker(self, number=signal.SIGTERM):
        self.assertEqual(self.worker.stop(number), 0, self.worker.log)

    def test_heartbeats_are_sent_every_five_seconds_with_external(self):
        self.assert_heard("external")  # its lease is a day

    def test_heartbeats_are_sent_every_five_seconds_with_endpoints(self):
        self.assert_heard("endpoints")  # its lease is five minutes

    def assert_heard(self, profile):
        self.begin(lease=0, profile=profile)
        job = self.server.enqueue("WAIT")
        self.begun()
        began = time.monotonic()
        while "progress" not in self.server.get(f"/jobs/{job}?waitSeconds=0.1").json:
            self.assertLess(time.monotonic() - began, HEARD_WITHIN)
        began = time.monotonic()
        self.assertEqual(self.server.post(f"/jobs/{job}/cancel").status, 202)
        self.assertEqual(self.worker.await_line("stopped")["error"], "canceled")
        self.assertLess(time.monotonic() - began, HEARD_WITHIN)
        self.server.ended(job)
        self.assertEqual(self.details(job)["error"]["code"], "CANCELED")

    def test_a_hand_off_that_the_profile_refuses_fails_the_job(self):
        self.begin(profile="orchestrator")
        self.assert_hand_off_refused()

    def test_a_hand_off_that_is_refused_in_transit_fails_the_job(self):
        self.server = self.serve()
        proxy = NoHandOff(self.server.port)
        self.addCleanup(proxy.close)
        self.another(url=proxy.url)
        self.assert_hand_off_refused()

    def assert_hand_off_refused(self):
        job = self.server.enqueue("HANDOFF")
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assert_counters(job, state="DEAD", attempt=1)
        error = self.details(job)["error"]
        self.assertEqual(error["code"], "NOT_IN_PROFILE")
        self.assertIn("orchestrator", error["message"])

    def test_the_next_attempt_starts_from_the_checkpoint(self):
        self.begin(lease=SHORT)
        job = self.server.enqueue("STEPS", backoff=NONE)
        self.worker.await_line("begins at 0")
        if self.survives:
            second = self.worker
        else:
            self.assertEqual(self.worker.process.wait(harness.PATIENCE), -signal.SIGKILL)
            second = self.another()
        second.await_line("begins at 3")
        self.assert_result(job, 5)


class Thread(Library):
    kind = "thread"
    survives = False

    def test_a_crash_ends_the_worker_and_the_next_worker_gets_the_job(self):
        self.begin(lease=SHORT)
        job = self.server.enqueue("CRASH")
        self.assertEqual(self.worker.process.wait(harness.PATIENCE), -signal.SIGSEGV)
        self.another()
        self.assert_result(job, 2)
        self.assert_counters(job, attempt=2, failures=0, crashes=1)


class Isolated(Library):
    kind = "isolated"
    survives = True

    def test_a_crash_ends_only_the_attempt(self):
        self.begin()
        job = self.server.enqueue("CRASH", backoff=NONE)
        self.assert_result(job, 2)
        self.assert_counters(job, attempt=2, failures=1, crashes=0)
        self.assertEqual(self.details(job)["errors"][0]["code"], "SIGSEGV")


class Pool:
    """Programs run by the server itself."""

    PROGRAMS = {
        "ECHO": "cat\n",
        "ERROR": "[ $LONGSHORE_ATTEMPT = 1 ] || exec echo 2; echo boom >&2; exit 75\n",
        "FATAL": "exit 65\n",
        "CRASH": "[ $LONGSHORE_ATTEMPT = 1 ] || exec echo 2; kill -SEGV $$\n",
        "WAIT": "echo > {up}; exec sleep 1000\n",
        "DEAF": "trap '' TERM; echo > {up}; while :; do sleep 0.05; done\n",
        "UNTIL": "[ $LONGSHORE_ATTEMPT = 1 ] || exec echo 2; exec 3<> {go}; echo > {up}; "
        "read x <&3; echo '\"late\"'\n",
    }

    def begin(self, lease=30_000, grace=25_000):
        self.up = self.fifo("up")
        self.server = self.worker = self.serve(*self.programs(lease), "--grace", f"{grace}ms")

    def programs(self, lease=30_000):
        arguments = ["--lease-time", f"{lease}ms", "--concurrency", 1]
        for name, text in self.PROGRAMS.items():
            program = self.script(name, text.format(up=self.up, go=self.folder / "go"))
            arguments += ["--exec", f"{name}={program}"]
        return arguments

    def begun(self):
        self.up.read_text()

    def ended_worker(self, number=signal.SIGTERM):
        """Stops the server, and starts one without handlers for queries."""
        began = time.monotonic()
        self.assertEqual(self.server.stop(number), 0, self.server.log)
        self.assertLess(time.monotonic() - began, 10)
        self.server = self.serve()

    def test_a_crash_ends_only_the_attempt(self):
        self.begin()
        job = self.server.enqueue("CRASH", backoff=NONE)
        self.assert_result(job, 2)
        self.assertEqual(self.details(job)["errors"][0]["code"], "SIGSEGV")

    def test_a_handler_that_does_not_stop_does_not_block_the_server(self):
        self.begin(grace=100)
        job = self.server.enqueue("DEAF")
        self.begun()
        self.ended_worker()
        self.assert_counters(job, state="QUEUED", attempt=1, failures=0, crashes=0)

    def test_jobs_of_a_killed_server_run_again_uncounted(self):
        # The node keeps its identity after a restart, on a shared store too.
        self.begin(lease=600_000)
        job = self.server.enqueue("UNTIL", payload=self.pipe())
        self.begun()
        self.server.stop(signal.SIGKILL)
        self.server = self.serve(*self.programs())
        self.assert_result(job, 2)
        self.assert_counters(job, attempt=2, failures=0, crashes=0)

    def test_it_is_a_worker_like_any_other(self):
        self.begin()
        job = self.server.enqueue("WAIT")
        self.begun()
        holder = self.details(job)["lease"]["workerId"]
        self.assertRegex(holder, "^pool:[0-9a-f]{32}$")
        deadline = time.monotonic() + harness.PATIENCE
        while not (seen := self.pool_in_view()) and time.monotonic() < deadline:
            pass
        self.assertEqual((seen[0]["workerId"], len(seen[0]["jobTypes"])), (holder, 7))

    def pool_in_view(self):
        workers = self.server.get("/workers").json["workers"]
        return [worker for worker in workers if worker["workerId"].startswith("pool:")]


class Endings:
    def test_success_error_and_fatal(self):
        self.begin()
        good = self.server.enqueue("ECHO", payload={"a": [1]})
        again = self.server.enqueue("ERROR", backoff=NONE)
        bad = self.server.enqueue("FATAL")
        self.assert_result(good, {"a": [1]})
        self.assert_result(again, 2)
        self.assert_counters(again, attempt=2, failures=1)
        self.assertIn("boom", self.details(again)["errors"][0]["message"])
        self.assertEqual(self.server.ended(bad)["status"], "FAILED")
        self.assert_counters(bad, state="DEAD", attempt=1)

    def test_timeout(self):
        self.begin()
        job = self.server.enqueue("WAIT", timeoutSeconds=1.5, maxRetries=0)
        self.assertEqual(self.server.ended(job)["status"], "FAILED")
        self.assertEqual(self.details(job)["error"]["code"], "TIMEOUT")

    def test_cancel(self):
        self.begin(lease=1000)
        job = self.server.enqueue("WAIT")
        self.begun()
        self.assertEqual(self.server.post(f"/jobs/{job}/cancel").status, 202)
        self.assertEqual(self.server.ended(job)["status"], "CANCELED")

    def test_the_outcome_after_an_expired_lease_is_discarded(self):
        self.begin(lease=SHORT)
        job = self.server.enqueue("UNTIL", payload=self.pipe())
        self.begun()
        self.worker.process.send_signal(signal.SIGSTOP)
        clock_passes(later(SHORT / 1000), 0.1)
        with open(self.folder / "go", "w", encoding="utf-8") as go:
            go.write("on\n")
        self.worker.process.send_signal(signal.SIGCONT)
        self.assertIn(job, self.worker.await_line("LEASE_LOST")["error"])
        self.assert_result(job, 2)
        self.assert_counters(job, attempt=2, failures=0, crashes=1)

    def test_a_stop_lets_handlers_finish(self):
        self.begin()
        job = self.server.enqueue("UNTIL", payload=self.pipe())
        self.begun()
        self.worker.process.send_signal(signal.SIGTERM)
        with open(self.folder / "go", "w", encoding="utf-8") as go:
            go.write("on\n")
        self.ended_worker(signal.SIGCONT)
        self.assert_result(job, "late")

    def test_a_stop_releases_unfinished_jobs(self):
        self.begin(grace=100)
        job = self.server.enqueue("WAIT")
        self.begun()
        self.ended_worker()
        self.assert_counters(job, state="QUEUED", attempt=1, failures=0, crashes=0)

    # ---- Shared

    def fifo(self, name):
        os.mkfifo(self.folder / name)
        return self.folder / name

    def pipe(self):
        return str(self.fifo("go"))

    def details(self, job):
        return self.server.get(f"/jobs/{job}/details").json

    def assert_result(self, job, expected):
        self.assertEqual(self.server.ended(job)["status"], "COMPLETED")
        self.assertEqual(self.server.get(f"/jobs/{job}/result").json, expected)

    def assert_counters(self, job, **expected):
        details = self.details(job)
        self.assertEqual({name: details[name] for name in expected}, expected)


class PoolSettings(harness.Case):
    def test_handlers_of_a_shared_file_run_in_the_server_only_if_configured(self):
        self.script("echo", "cat")
        text = '[work.handlers.ECHO]\nexec = "./echo"\n'
        (self.folder / "longshore.toml").write_text(text)
        server = self.serve()
        job = server.enqueue("ECHO", payload=1)
        (lease,) = server.lease(waitSeconds=30)
        self.assertEqual((lease["jobId"], lease["attempt"]), (job, 1))
        server.stop()
        (self.folder / "longshore.toml").write_text("pool = true\n" + text)
        server = self.serve()
        job = server.enqueue("ECHO", payload=2)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_a_push_is_sent_by_the_server(self):
        service = Receiver(lambda request: (200, {}, request.body))
        self.addCleanup(service.stop)
        server = self.serve("--push", f"SEND={service.url}", "--outgoing-allow", "127.0.0.1")
        job = server.enqueue("SEND", payload={"n": 3})
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.get(f"/jobs/{job}/result").json, {"n": 3})

    def test_invalid_handlers_are_reported_at_once(self):
        cases = [
            (["--pool"], "no handlers"),
            (["--exec", "T=./absent"], "No such file"),
            (["--exec", "T=/bin/cat", "--queue", "no queue"], "queue"),
            (["--push", "T=http://127.0.0.1:8080/"], "127.0.0.1"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                arguments = ["serve", "--store", self.store, "--listen", "127.0.0.1:0", *arguments]
                ended = harness.run(*arguments, cwd=self.folder)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)


for kind in (Thread, Isolated, Pool):
    globals()[f"{kind.__name__}Endings"] = type(
        f"{kind.__name__}Endings", (kind, Endings, harness.Case), {"__module__": "__main__"}
    )

if __name__ == "__main__":
    unittest.main()
