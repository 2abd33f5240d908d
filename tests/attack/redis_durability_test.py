"""Redis is reconfigured, restarted or replaced under a running server: later commits would not
survive a power cut, so the server must report it and refuse them."""

import sys
import time
import unittest
from pathlib import Path

import attack
import stores

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "redis"))
import server as redis_server  # noqa: E402

LESS = "the durability of the store is below accept-durability; writes are rejected"
ATTENTION = "the store needs attention"
AGAIN = "the store has recovered"
PATIENCE = attack.harness.PATIENCE


class Durability(attack.Attack):
    """A Redis of the test's own, and a server on it."""

    cluster = False

    def setUp(self):
        super().setUp()
        self.redis = redis_server.Servers(str(self.folder / "redis"), cluster=self.cluster)
        self.addCleanup(self.redis.end)
        ports = self.redis.ports()
        single = f"redis://127.0.0.1:{ports[0]}?timeout=2"
        self.store = stores.redis_cluster_url(ports) if self.cluster else single

    def set(self, name, value, node=0):
        redis_server.ask(self.redis.ports()[node], "CONFIG", "SET", name, value)

    def answers(self, server, status):
        """The first answer to an enqueue with this status, whatever came before."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = server.post("/jobs", {"jobType": "T"})
            if answer.status == status:
                return answer
        raise AssertionError(f"no {status} in {PATIENCE} s, but {answer}")

    def assert_refuses(self, server, durability, words):
        output = server.await_line(LESS)
        self.assertEqual((output["level"], output["durability"]), ("error", durability))
        self.assertIn(words, output["detail"])
        self.assertIn("127.0.0.1:", output["server"])
        refused = server.post("/jobs", {"jobType": "T"})
        self.assert_problem(refused, 503, "STORE_UNAVAILABLE")
        self.assertIn(f"class {durability}, below the accepted class", refused.json["detail"])
        ready = server.get("/readyz")
        self.assert_problem(ready, 503, "STORE_UNAVAILABLE")
        self.assertEqual(ready.json["durability"], durability)
        self.assertIn(words, ready.json["detail"])
        self.assertNotIn("127.0.0.1", ready.body)
        metrics = server.get("/metrics").body
        self.assertIn(f'longshore_store_durability{{class="{durability}"}} 1\n', metrics)
        self.assertIn('longshore_store_durability{class="A"} 0\n', metrics)
        self.assertIn("longshore_store_refuses_commits 1\n", metrics)
        self.assertIn(f'durability="{durability}"', metrics, "of longshore_build_info")

    def assert_in_order(self, server):
        self.assertEqual(server.await_line(AGAIN)["durability"], "A")
        ready = server.get("/readyz")
        self.assertEqual((ready.status, ready.json["durability"]), (200, "A"), ready)
        self.assertNotIn("alarm", ready.json)
        self.answers(server, 202)
        metrics = server.get("/metrics").body
        self.assertIn('longshore_store_durability{class="A"} 1\n', metrics)
        self.assertIn("longshore_store_refuses_commits 0\n", metrics)
        self.assertIn("longshore_store_trouble 0\n", metrics)
        self.assertIn("longshore_store_losses_total 0\n", metrics, "nothing was lost")


class Reconfigured(Durability):
    def attack(self, name, bad, good, durability):
        server = self.serve()
        server.enqueue()
        self.set(name, bad)
        self.assert_refuses(server, durability, name)
        self.assertEqual(server.log.count(LESS), 1, server.log)
        doctor = attack.harness.run("doctor", "--server", server.url, cwd=self.folder)
        self.assertIn(f"it is {durability} (", doctor.stdout)
        self.set(name, good)
        self.assert_in_order(server)

    def test_not_to_sync_every_write(self):
        self.attack("appendfsync", "everysec", "always", "B")

    def test_not_to_sync_while_it_rewrites_its_log(self):
        self.attack("no-appendfsync-on-rewrite", "yes", "no", "B")

    def test_to_keep_no_log(self):
        self.attack("appendonly", "no", "yes", "C")

    def test_to_evict_jobs(self):
        self.attack("maxmemory-policy", "allkeys-lru", "noeviction", "C")


class Accepted(Durability):
    def test_is_reported_anyway_and_applies_down_to_the_accepted_class(self):
        server = self.serve("--accept-durability", "B")
        server.enqueue()
        self.set("appendfsync", "everysec")
        self.assertEqual(server.await_line(ATTENTION)["durability"], "B")
        server.enqueue()
        ready = server.get("/readyz")
        self.assertEqual((ready.status, ready.json["durability"]), (200, "B"), ready)
        self.assertIn("appendfsync is everysec", ready.json["alarm"])
        self.assertIn("longshore_store_trouble 1\n", server.get("/metrics").body)
        doctor = attack.harness.run("doctor", "--server", server.url, cwd=self.folder)
        self.assertIn("appendfsync is everysec", doctor.stdout)
        self.set("appendfsync", "no")
        self.assert_refuses(server, "C", "appendfsync is no")
        self.set("appendfsync", "always")
        self.assert_in_order(server)

    def test_is_checked_at_the_start(self):
        self.set("appendfsync", "everysec")
        server = self.serve("--accept-durability", "B")
        self.assertIn('"durability":"B"', server.log)
        self.assertIn("appendfsync is everysec", server.log)


class Restarted(Durability):
    def test_raises_no_alarm_that_cannot_be_cleared(self):
        (node,) = self.redis.nodes
        server = self.serve()
        server.enqueue()
        script = "for i = 1, 6000 do redis.call('SET', KEYS[1] .. i, i) end"
        redis_server.ask(node.port, "EVAL", script, 1, "k")
        node.kill()
        # Loading takes some seconds; a check meanwhile sees that it has no log.
        node.options["key-load-delay"] = 500
        node.start()
        self.assertIn("loading:1", redis_server.ask(node.port, "INFO", "persistence"))
        self.answers(server, 202)
        self.assertNotIn(LESS, server.log)
        self.assertNotIn("lost acknowledged commits", server.log)
        ready = server.get("/readyz")
        self.assertEqual((ready.status, ready.json["durability"]), (200, "A"), ready)
        self.assertNotIn("alarm", ready.json)


class Promoted(Durability):
    cluster = True

    def test_replica_with_other_settings(self):
        server = self.serve()
        server.enqueue()
        replica = 3
        self.set("appendfsync", "everysec", node=replica)
        redis_server.ask(self.redis.ports()[replica], "CLUSTER", "FAILOVER", "TAKEOVER")
        self.assert_refuses(server, "B", "appendfsync is everysec")
        self.set("appendfsync", "always", node=replica)
        self.assert_in_order(server)


if __name__ == "__main__":
    unittest.main()
