"""Rules of a shared store: rules applied on one node reach the others."""

import time
import unittest

import harness


class RulesShared(harness.Case):
    def timeout_of_new(self, server):
        job = server.enqueue()
        return server.get(f"/jobs/{job}/details").json["timeoutSeconds"]

    def await_timeout(self, server, seconds):
        """Waits until new jobs of this server have this timeout."""
        deadline = time.monotonic() + harness.PATIENCE
        while self.timeout_of_new(server) != seconds:
            self.assertLess(time.monotonic(), deadline, "the server did not follow")

    def test_rules_applied_on_one_node_reach_every_node(self):
        first, second = self.serve(), self.serve()
        self.assertEqual(self.timeout_of_new(second), 1800)
        path = self.folder / "rules.toml"
        path.write_text("[rules]\nrevision = 1\ntimeoutSeconds = 60\n")
        ended = harness.run("apply", path, "--server", first.url)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout, "timeoutSeconds: 1800 → 60\nRevision 1: 1 change applied\n")
        self.assertEqual(self.timeout_of_new(first), 60)
        self.await_timeout(second, 60)

    def test_a_node_that_starts_later_uses_the_applied_rules(self):
        first = self.serve()
        answer = first.post("/apply", {"rules": {"timeoutSeconds": 60}})
        self.assertEqual(answer.status, 200, answer)
        second = self.serve("--rules-timeout-seconds", 90)
        said = "timeoutSeconds is 60 in the store and 90 here; the store's is used"
        self.assertIn(said, second.log)
        self.assertEqual(self.timeout_of_new(second), 60)


if __name__ == "__main__":
    unittest.main()
