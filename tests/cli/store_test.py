"""`check`, `doctor` and `bench`, on a live server and on a store that no server uses."""

import json
import sqlite3

from case import Case, harness, main


class Check(Case):
    def fill(self):
        """Creates a store with jobs in several states that no server uses."""
        server = self.serve()
        self.done = server.enqueue("A", queue="q", payload={"n": 1})
        self.complete_job(server, self.done, queue="q")
        self.queued = server.enqueue("B", queue="q", jobKey="k", idempotencyKey="i")
        self.dead = self.fail_job(server, "r")
        server.stop()
        self.path = self.folder / "jobs.db"

    def plant(self, *statements):
        with sqlite3.connect(self.path) as file:
            for statement in statements:
                file.execute(statement)
        file.close()

    def check(self, *arguments, status=0):
        ended = self.ok(harness.run("check", "--store", self.store, "--json", *arguments), status)
        return json.loads(ended.stdout)

    def test_a_live_server_and_an_unused_store_are_consistent(self):
        server = self.serve()
        server.enqueue()
        ended = self.ok(self.run_on(server, "check"))
        self.assertIn("1 job checked, sound", ended.stdout)
        # The server holds the file, so the command falls back to the server.
        asked = harness.run("check", "--store", self.store, env={"LONGSHORE_SERVER": server.url})
        self.assertIn("A server uses the store", self.ok(asked).stderr)
        held = harness.run("check", "--store", self.store, "--repair")
        self.assertIn("is held by", self.ok(held, 1).stderr)
        self.ok(self.run_on(server, "check", "--repair"), 2)
        server.stop()
        self.assertEqual(self.check(), {"sound": True, "jobsChecked": 1, "findings": []})
        self.assertEqual(self.check("--repair")["repaired"], [])

    def test_a_missing_store_is_not_created(self):
        ended = self.ok(harness.run("check", "--store", f"sqlite:{self.folder}/absent.db"), 3)
        self.assertIn("no store at", ended.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        self.ok(harness.run("check", "--store", "memory:"), 1)

    def test_the_profile_is_detected(self):
        server = self.serve("--profile", "basic")
        server.enqueue()
        server.stop()
        self.assertTrue(self.check()["sound"])
        refused = harness.run("check", "--store", self.store, "--profile", "endpoints")
        self.assertIn("was created with other rules", self.ok(refused, 1).stderr)

    def test_derived_data_is_repaired(self):
        unknown = "x'" + "01" * 16 + "'"
        damages = {
            "count-wrong": ["UPDATE lane SET queued = queued + 5 WHERE queue = 'q'"],
            "body-stray": [f"INSERT INTO body(id, payload) VALUES ({unknown}, 'null')"],
            "log-stray": [f"INSERT INTO log(id, attempt, text) VALUES ({unknown}, 1, 't')"],
            "failure-stray": [
                f"INSERT INTO failure VALUES ({unknown}, 1, 1, 1, 'c', 'm', '', NULL)"
            ],
            "checkpoint-missing": ["UPDATE live SET flags = flags | 4"],
            "number-ahead": ["UPDATE store SET number = 0"],
            "key-without-type": ["UPDATE live SET kind = 999 WHERE job_key IS NOT NULL"],
        }
        self.fill()
        for rule, statements in damages.items():
            with self.subTest(rule):
                self.plant(*statements)
                found = self.check(status=1)
                self.assertIn(rule, {finding["rule"] for finding in found["findings"]})
                repaired = self.check("--repair")
                self.assertTrue(repaired["sound"], repaired)
                self.assertEqual(len(repaired["repaired"]), 1, repaired)
                self.assertEqual(self.check("--repair")["repaired"], [])
        server = self.serve()
        self.assertEqual(server.get(f"/jobs/{self.queued}").json["status"], "PENDING")
        self.assertEqual(self.lease_type(server), "B")

    def lease_type(self, server):
        [lease] = server.lease(queues=["q"])
        return lease["jobType"]

    def test_an_inconsistent_index_is_rebuilt(self):
        self.fill()
        # Rows that an index misses are what a torn write leaves behind.
        file = sqlite3.connect(self.path)
        asked = file.execute("SELECT sql FROM sqlite_schema WHERE name = 'live_ready'")
        [(sql,)] = asked.fetchall()
        file.executescript(
            "PRAGMA writable_schema = ON;"
            "UPDATE sqlite_schema SET sql = replace(sql, 'state = 2', 'state = 99')"
            " WHERE name = 'live_ready'; PRAGMA writable_schema = RESET; REINDEX live_ready;"
        )
        file.executescript(
            "PRAGMA writable_schema = ON;"
            f"UPDATE sqlite_schema SET sql = '{sql}' WHERE name = 'live_ready';"
            "PRAGMA writable_schema = RESET;"
        )
        file.close()
        found = self.check(status=1)
        self.assertIn("file-damaged", {finding["rule"] for finding in found["findings"]})
        repaired = self.check("--repair")
        self.assertTrue(repaired["sound"], repaired)
        self.assertIn("the file's indexes were made anew", repaired["repaired"])

    def test_an_inconsistent_job_is_reported_and_not_changed(self):
        self.fill()
        self.plant("UPDATE live SET attempt = 7, epoch = 1")
        ended = self.ok(harness.run("check", "--store", self.store, "--repair"), 1)
        self.assertIn("epoch-below-attempt", ended.stdout)
        self.assertIn(self.queued, ended.stdout)
        self.assertIn("findings", ended.stdout)

    def test_an_unreadable_file_is_a_finding(self):
        self.fill()
        data = bytearray(self.path.read_bytes())
        data[4096 : 4096 * 4] = b"\x5a" * (4096 * 3)
        self.path.write_bytes(data)
        found = self.check(status=1)
        self.assertFalse(found["sound"])
        self.check("--repair", status=1)


class Doctor(Case):
    def findings(self, *arguments, status=0, env=None):
        ended = self.ok(
            harness.run("doctor", "--json", *arguments, cwd=self.folder, env=env), status
        )
        return json.loads(ended.stdout)["findings"]

    def test_it_checks_everything_and_gives_advice(self):
        server = self.serve()
        server.enqueue(queue="lonely")
        server.enqueue(queue="still")
        self.assertEqual(server.post("/queues/still/pause").status, 200)
        found = self.findings("--server", server.url)
        about = {finding["about"] for finding in found}
        self.assertLessEqual({"clock", "disk", "limits", "server", "versions", "queues"}, about)
        said = {finding["what"]: finding.get("advice", "") for finding in found}
        self.assertIn("longshore work --queue lonely", said["lonely has 1 job and no worker"])
        self.assertIn("queues resume still", said["still is paused and contains 1 job"])
        for finding in found:
            self.assertEqual(finding["level"] == "ok", "advice" not in finding, finding)

    def test_the_store_is_opened_if_no_server_uses_it(self):
        away = {"LONGSHORE_SERVER": "http://127.0.0.1:1"}
        server = self.serve()
        held = self.findings("--store", self.store, status=69, env=away)
        self.assertTrue(any("in use by a server" in finding["what"] for finding in held))
        server.stop()
        found = self.findings("--store", self.store, status=69, env=away)
        self.assertTrue(any("class A" in finding["what"] for finding in found))
        (self.folder / "jobs.db").write_text("not a database at all" * 500)
        found = self.findings("--store", self.store, status=69, env=away)
        self.assertIn("problem", {f["level"] for f in found if f["about"] == "store"})

    def test_low_limits_are_reported(self):
        server = self.serve()
        found = self.findings("--server", server.url, "--limits-connections", "900000")
        low = [f for f in found if "900,000 connections" in f["what"]]
        self.assertEqual([f["level"] for f in low], ["warning"])


class Bench(Case):
    def test_a_server_and_a_store_are_measured(self):
        server = self.serve()
        arguments = ["bench", "--jobs", 300, "--at-once", 50, "--connections", 2]
        ended = self.ok(self.run_on(server, *arguments, "--json"))
        phases = json.loads(ended.stdout)["phases"]
        done = [(phase["phase"], phase["jobs"]) for phase in phases]
        self.assertEqual(done, [("enqueue", 300), ("drain", 300)])
        for phase in phases:
            self.assertGreater(phase["jobsPerSecond"], 0)
            self.assertLessEqual(phase["p50Millis"], phase["maxMillis"])
        self.assertIn("enqueue 300 of 300 (100%)", ended.stderr)
        ended = self.ok(harness.run(*arguments, "--store", f"sqlite:{self.folder}/bench.db"))
        self.assertRegex(ended.stdout, r"(?m)^drain +300 ")


if __name__ == "__main__":
    main()
