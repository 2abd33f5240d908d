"""PostgreSQL is reconfigured while connections are open."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import attack

SERVER = Path(__file__).resolve().parents[1] / "postgres" / "server.sh"
LESS = "the durability of the store is below accept-durability; writes are rejected"


class Reconfigured(attack.Attack):
    def setUp(self):
        super().setUp()
        self.database = tempfile.mkdtemp(prefix="longshore-pg-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.database, ignore_errors=True)
        subprocess.run(["bash", SERVER, "start", self.database], check=True)
        self.addCleanup(subprocess.run, ["bash", SERVER, "stop", self.database], check=False)
        self.store = f"postgres://postgres@/postgres?host={self.database}"

    def set(self, name, value):
        psql = ["psql", "-h", self.database, "-U", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1"]
        for text in (f"ALTER SYSTEM SET {name} = {value}", "SELECT pg_reload_conf()"):
            subprocess.run([*psql, "-c", text], check=True, capture_output=True)

    def attack(self, name, durability):
        server = self.serve()
        server.enqueue()
        self.set(name, "off")
        output = server.await_line(LESS)
        self.assertEqual((output["level"], output["durability"]), ("error", durability))
        self.assertIn(f"{name} is off", output["detail"])
        refused = server.post("/jobs", {"jobType": "T"})
        self.assert_problem(refused, 503, "STORE_UNAVAILABLE")
        self.assertIn(f"{name} is off", refused.json["detail"])
        ready = server.get("/readyz")
        self.assert_problem(ready, 503, "STORE_UNAVAILABLE")
        self.assertEqual(ready.json["durability"], durability)
        self.set(name, "on")
        server.await_line("the store has recovered")
        server.enqueue()
        ready = server.get("/readyz")
        self.assertEqual((ready.status, ready.json["durability"]), (200, "A"), ready)
        self.assertNotIn("alarm", ready.json)

    def test_not_to_sync(self):
        self.attack("fsync", "C")

    def test_not_to_write_full_pages(self):
        self.attack("full_page_writes", "C")

    def test_not_to_wait_for_the_write_ahead_log(self):
        self.attack("synchronous_commit", "B")


if __name__ == "__main__":
    unittest.main()
