"""Incidents are reported: one log line when they begin, one with a count, one when they are over,
and a metric."""

import json
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import attack

TESTS = Path(__file__).resolve().parents[1]
POSTGRES = TESTS / "postgres" / "server.sh"
sys.path.insert(0, str(TESTS / "redis"))
import server as redis_server  # noqa: E402

DOWN = "store unavailable"
UP = "store available again"
REPEAT = ("--log-repeat", "2s")  # default: a minute


class IncidentCase(attack.Attack):
    def lines(self, server, message):
        found = [json.loads(line) for line in server.lines if line.startswith("{")]
        return [fields for fields in found if fields["message"] == message]

    def metric(self, answer, name):
        (value,) = re.findall(rf"^{name} (\S+)$", answer.body, re.MULTILINE)
        return float(value)

    def assert_alerted(self, name):
        rules = (TESTS.parent / "packaging" / "prometheus" / "alerts.yml").read_text()
        self.assertIn(name, rules)


class Outage(IncidentCase):
    def redis(self):
        servers = redis_server.Servers(str(self.folder / "redis"))
        self.addCleanup(servers.end)
        (node,) = servers.nodes
        self.store = f"redis://127.0.0.1:{node.port}?timeout=2"
        return node.kill, node.start

    def postgres(self):
        folder = tempfile.mkdtemp(prefix="longshore-pg-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.addCleanup(subprocess.run, ["bash", POSTGRES, "stop", folder], check=False)
        subprocess.run(["bash", POSTGRES, "start", folder], check=True)
        self.store = f"postgres://postgres@/postgres?host={folder}"
        pid = int((Path(folder) / "data" / "postmaster.pid").read_text().split()[0])

        def kill():
            subprocess.run(["kill", "-QUIT", str(pid)], check=True)
            redis_server.await_end(pid, attack.harness.PATIENCE)

        return kill, lambda: subprocess.run(["bash", POSTGRES, "start", folder], check=True)

    def attack(self, kill, start):
        server = self.serve(*REPEAT)
        server.enqueue()
        self.assertEqual(self.metric(server.get("/metrics"), "longshore_store_up"), 1)
        kill()
        first = server.await_line(DOWN)
        self.assertEqual((first["level"], first["count"]), ("error", 1))
        self.assertTrue(first["detail"], "the reason is missing")
        for _ in range(3):
            self.assertEqual(server.post("/jobs", {"jobType": "T"}).status, 503)
        again = server.await_line(DOWN)
        self.assertGreaterEqual(again["count"], 3, "unlogged incidents are counted")
        metrics = server.get("/metrics")
        self.assertEqual(self.metric(metrics, "longshore_store_up"), 0)
        self.assertGreaterEqual(self.metric(metrics, "longshore_store_failures_total"), 4)
        start()
        over = server.await_line(UP)
        self.assertGreaterEqual(over["count"], 4)
        told = len(self.lines(server, DOWN))
        self.assertLessEqual(told, 3 + over["seconds"] / 2, "there must not be a line for each")
        server.enqueue()
        self.assertEqual(self.metric(server.get("/metrics"), "longshore_store_up"), 1)
        self.assert_alerted("longshore_store_up")

    def test_of_redis(self):
        self.attack(*self.redis())

    def test_of_postgres(self):
        self.attack(*self.postgres())

    def test_of_a_database_that_hangs(self):
        _, _ = self.redis()
        server = self.serve(*REPEAT)
        server.enqueue()
        port = int(re.search(r":(\d+)\?", self.store)[1])
        pid = int(re.search(r"process_id:(\d+)", redis_server.ask(port, "INFO", "server"))[1])
        subprocess.run(["kill", "-STOP", str(pid)], check=True)
        self.assertEqual(server.await_line(DOWN)["count"], 1)
        subprocess.run(["kill", "-CONT", str(pid)], check=True)
        server.await_line(UP)


class Refusals(IncidentCase):
    def test_of_tokens_are_counted(self):
        admin = self.token("admin")
        server = self.serve(*REPEAT)
        with server.connect() as connection:
            for number in range(50):
                guess = self.bearer(f"ls_{number:016x}_{number:064x}")
                self.assertEqual(connection.call("GET", "/queues", None, guess).status, 401)
        message = "rejected requests without a valid token"
        first = server.await_line(message)
        self.assertEqual((first["level"], first["count"]), ("warn", 1))
        self.assertIn("GET /queues from 127.0.0.1: ", first["detail"])
        self.assertNotIn("ls_", first["detail"], "a mistyped token must not be logged")
        over = server.await_line("no more requests without a valid token")
        self.assertEqual(over["count"], 50)
        self.assertLessEqual(len(self.lines(server, message)), 2)
        metrics = server.get("/metrics", headers=self.bearer(admin))
        self.assertEqual(self.metric(metrics, "longshore_tokens_refused_total"), 50)
        self.assert_alerted("longshore_tokens_refused_total")

    def test_by_a_limit_are_counted(self):
        server = self.serve("--limits-connections", "4", *REPEAT)
        with server.connect() as kept:
            self.assertEqual(kept.call("GET", "/livez").status, 200)
            others = [server.connect() for _ in range(3)]
            for other in others:
                self.assertEqual(other.call("GET", "/livez").status, 200)
            statuses = [server.get("/livez").status for _ in range(20)]
            self.assertEqual(statuses, [429] * 20)
            message = "throttled requests"
            first = server.await_line(message)
            self.assertEqual((first["level"], first["count"]), ("warn", 1))
            self.assertIn("too many connections", first["detail"])
            self.assertEqual(server.await_line("no more throttled requests")["count"], 20)
            self.assertLessEqual(len(self.lines(server, message)), 2)
            metrics = kept.call("GET", "/metrics")
            self.assertEqual(self.metric(metrics, "longshore_requests_throttled_total"), 20)
            for other in others:
                other.close()
        self.assert_alerted("longshore_requests_throttled_total")


class Descriptors(IncidentCase):
    def test_exhaustion_is_reported(self):
        server = self.serve(*REPEAT)
        pid = server.process.pid
        with server.connect() as kept:
            server.enqueue()
            self.assertEqual(kept.call("GET", "/metrics").status, 200)
            used = len(list(Path(f"/proc/{pid}/fd").iterdir()))
            before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 2, before[1]))
            crowd = [self.try_to_connect(server.port) for _ in range(20)]
            first = server.await_line("cannot accept connections")
            self.assertEqual(first["level"], "error")
            self.assertIn("Too many open files", first["detail"])
            metrics = kept.call("GET", "/metrics")
            self.assertGreater(self.metric(metrics, "longshore_accept_failures_total"), 0)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
            over = server.await_line("accepting connections again")
            self.assertGreater(over["count"], 1)
            self.assertEqual(server.get("/livez").status, 200)
            for one in crowd:
                one.close()
        self.assert_alerted("longshore_accept_failures_total")

    @staticmethod
    def try_to_connect(port):
        return socket.create_connection(("127.0.0.1", port), timeout=attack.harness.PATIENCE)


if __name__ == "__main__":
    unittest.main()
