"""The clock of a running store is changed: nothing stalls or is pruned, and operators are notified.

On SQLite it is the server's own clock; on PostgreSQL and Redis it is that of a database server
which the test starts for itself.
"""

import json
import os
import subprocess
import sys
import unittest
from datetime import datetime
from pathlib import Path

import attack
import clock
import stores

HOUR = 3600
DAY = 24 * HOUR
TESTS = Path(__file__).resolve().parents[1]


class ClockCase(attack.Attack):
    """A server on a store whose clock the test controls."""

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        self.clock = clock.FakeClock(self.folder)
        self.faked = {}  # environment of the server
        getattr(self, f"_use_{stores.KIND}")()

    def _use_sqlite(self):
        self.faked = self.clock.environment

    def _use_postgres(self):
        folder = self.folder / "pg"
        script = ["bash", str(TESTS / "postgres" / "server.sh")]
        subprocess.run([*script, "start", folder], check=True,
                       env={**os.environ, **self.clock.shim()})
        self.addCleanup(subprocess.run, [*script, "stop", folder], check=False)
        self.store = f"postgres://postgres@/postgres?host={folder}"

    def _use_redis(self):
        guard = subprocess.Popen(
            [sys.executable, "-B", str(TESTS / "redis" / "server.py"), "run",
             str(self.folder / "redis")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **self.clock.shim()},
        )
        self.addCleanup(guard.wait)
        self.addCleanup(guard.stdin.close)
        self.addCleanup(guard.stdout.close)
        word, port = guard.stdout.readline().split()
        self.assertEqual(word, "ready")
        self.store = f"redis://127.0.0.1:{port}"

    def start(self, *arguments):
        return self.serve(*arguments, env=self.faked)

    def finish(self, server, **fields):
        """Runs a job to success and returns it."""
        job = server.enqueue(**fields)
        (lease,) = server.lease()
        done = server.post(f"/jobs/{job}/complete", {"leaseToken": lease["leaseToken"]})
        self.assertEqual(done.status, 200, done)
        return job

    def wait_for_state(self, server, job, states):
        return clock.wait_for(
            f"{job} {states}",
            lambda: server.get(f"/jobs/{job}/details").json["state"] in states,
        )

    def metric(self, server, name):
        for line in server.get("/metrics").body.splitlines():
            if line.startswith(name + " "):
                return float(line.split()[-1])
        raise AssertionError(f"no {name}")

    def step(self, server, seconds, direction):
        """Sets the clock and waits until the server has noticed."""
        name = f'longshore_clock_steps_total{{direction="{direction}"}}'
        before = self.metric(server, name)
        self.clock.set(seconds)
        clock.wait_for("the step is counted", lambda: self.metric(server, name) > before)

    def alive(self, server):
        """Asserts that jobs become due and expired leases are reclaimed."""
        due = server.enqueue(delaySeconds=2)
        queue = f"lost-{due}"
        lost = server.enqueue(queue=queue)
        server.lease(queues=[queue], leaseSeconds=2)
        self.wait_for_state(server, due, ("QUEUED",))
        self.wait_for_state(server, lost, ("QUEUED",))
        self.assertEqual(server.get(f"/jobs/{lost}/details").json["crashes"], 1)


class StepBack(ClockCase):
    def test_stops_nothing_and_is_reported(self):
        server = self.start()
        due = server.enqueue(queue="due", delaySeconds=3)
        running = server.enqueue(queue="lost")
        server.lease(queues=["lost"], leaseSeconds=3)
        self.step(server, -HOUR, "back")
        self.wait_for_state(server, due, ("QUEUED",))
        self.wait_for_state(server, running, ("QUEUED",))
        output = server.await_line("the clock was set")
        self.assertIn("stepped back by", output["detail"])
        ready = server.get("/readyz")
        self.assertEqual(ready.status, 200, ready)
        self.assertIn("ahead of its clock", ready.json["alarm"])
        self.assertGreater(server.get("/about").json["clock"]["aheadSeconds"], HOUR - 60)
        self.assertIn("ahead of its clock", server.post("/check").json["warnings"][0])
        self.assertGreater(self.metric(server, "longshore_store_clock_ahead_seconds"), HOUR - 60)
        doctor = attack.harness.run("doctor", "--server", server.url, "--json")
        found = json.loads(doctor.stdout)["findings"]
        self.assertIn("ahead of its clock", " ".join(one["what"] for one in found))


class StepForward(ClockCase):
    def test_prunes_nothing_within_a_day(self):
        server = self.start()
        jobs = [self.finish(server, idempotencyKey=f"k{i}") for i in range(5)]
        self.step(server, 40 * DAY, "forward")
        self.assertEqual(self.metric(server, "longshore_store_pruning_waits"), 1)
        server.stop()
        # A node prunes when it starts; a job that becomes due later shows that it has started.
        server = self.start()
        self.alive(server)
        for job in jobs:
            self.assertEqual(server.get(f"/jobs/{job}").status, 200, job)
        again = server.post("/jobs", {"jobType": "T", "idempotencyKey": "k0"})
        self.assertEqual(again.json["jobId"], jobs[0])
        self.assertIn("nothing is pruned before", server.get("/readyz").json["alarm"])

    def test_and_back_stalls_nothing_even_after_a_restart(self):
        server = self.start()
        job = self.finish(server)
        self.step(server, 30 * DAY, "forward")
        self.step(server, 0, "back")
        self.alive(server)
        server.stop()
        server = self.start()
        output = next(line for line in map(json.loads, server.lines)
                    if line["message"] == "the store's clock")
        self.assertIn("ahead of its clock", output["detail"])
        self.assertEqual(server.get(f"/jobs/{job}").status, 200)
        self.alive(server)


def seconds_of(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class OwnClock(ClockCase):
    """Promises of stores that use the server's own clock."""

    def test_leases_outlive_a_step_forward(self):
        if stores.KIND != "sqlite":
            self.assertNotEqual(stores.KIND, "sqlite")
            return
        server = self.start()
        job = server.enqueue()
        (lease,) = server.lease(leaseSeconds=30)
        self.step(server, 40 * DAY, "forward")
        beat = server.post(f"/jobs/{job}/heartbeat", {"leaseToken": lease["leaseToken"]})
        self.assertEqual(beat.status, 200, beat)
        done = server.post(f"/jobs/{job}/complete", {"leaseToken": lease["leaseToken"]})
        self.assertEqual(done.status, 200, done)

    def test_can_be_set_back_by_an_operator(self):
        if stores.KIND != "sqlite":
            refused = attack.harness.run("check", "--store", self.store, "--repair-clock")
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("clock of its database", refused.stderr)
            return
        server = self.start()
        self.step(server, 30 * DAY, "forward")
        done = self.finish(server)
        retried = server.enqueue(queue="retry")
        (lease,) = server.lease(queues=["retry"])
        server.post(f"/jobs/{retried}/fail", {"leaseToken": lease["leaseToken"],
                                             "error": {"code": "E", "message": "m"}})
        server.enqueue(queue="held")
        server.lease(queues=["held"], leaseSeconds=600)
        self.step(server, 0, "back")
        server.stop()
        repaired = attack.harness.run("check", "--store", self.store, "--repair-clock", "--json")
        self.assertEqual(repaired.returncode, 0, repaired.stderr + repaired.stdout)
        report = json.loads(repaired.stdout)
        self.assertIn("set back from", report["repaired"][0])
        self.assertNotIn("warnings", report)
        server = self.start()
        self.assertNotIn("alarm", server.get("/readyz").json)
        self.assertEqual(server.get("/about").json["clock"]["aheadSeconds"], 0)
        now = seconds_of(server.get("/about").json["nodes"][0]["lastSeenAt"])
        ended = server.get(f"/jobs/{done}").json
        self.assertLess(seconds_of(ended["completedAt"]), now + 60)
        self.wait_for_state(server, retried, ("QUEUED",))
        self.assertEqual(server.post("/check").json["findings"], [])


if __name__ == "__main__":
    unittest.main()
