"""A node on a shared store: after a kill and a restart, it reclaims the jobs of its own workers at
once; no other node does."""

import signal
import time
import unittest

import harness

WITHOUT_FILE = {"LONGSHORE_NODE_FILE": "none"}


class NodeIdentity(harness.Case):
    def setUp(self):
        super().setUp()
        # The first run never ends; the next one finds the mark.
        mark = self.folder / "ran"
        text = f"[ -e {mark} ] && exit 0\ntouch {mark}\nsleep 600\n"
        self.program = self.script("once", text)

    def node(self, *arguments, **options):
        handler = ("--exec", f"T={self.program}", "--lease-time", "60s")
        return self.serve(*handler, *arguments, **options)

    def await_running(self, server, job):
        deadline = time.monotonic() + harness.PATIENCE
        while not (self.folder / "ran").exists():
            self.assertLess(time.monotonic(), deadline, "the job did not start")
        self.assertEqual(self.details(server, job)["state"], "RUNNING")

    def details(self, server, job):
        return server.get(f"/jobs/{job}/details").json

    def assert_taken_back(self, *arguments, **options):
        server = self.node(*arguments, **options)
        job = server.enqueue()
        self.await_running(server, job)
        server.stop(signal.SIGKILL)
        killed = time.monotonic()
        again = self.node(*arguments, **options)
        self.assertEqual(again.ended(job)["status"], "COMPLETED")
        self.assertLess(time.monotonic() - killed, 50, "the lease of 60 s did not have to end")
        details = self.details(again, job)
        self.assertEqual((details["retryCount"], details["crashes"]), (0, 0), details)
        self.assertNotIn("new node identity", again.log)

    def test_a_restarted_node_reclaims_its_jobs(self):
        self.assert_taken_back()

    def test_a_named_node_reclaims_its_jobs(self):
        self.assert_taken_back("--node-name", "pier-1")

    def test_a_named_node_without_a_file_reclaims_its_jobs(self):
        self.assert_taken_back("--node-name", "pier-1", env=WITHOUT_FILE)

    def test_a_second_node_with_the_name_of_a_live_one_reclaims_nothing(self):
        first = self.node("--node-name", "pier-1")
        job = first.enqueue()
        self.await_running(first, job)
        for env in [{}, WITHOUT_FILE]:
            second = self.node("--node-name", "pier-1", env=env)
            self.assertIn("another live node has the name pier-1", second.log)
            details = self.details(second, job)
            self.assertEqual((details["state"], details["attempt"]), ("RUNNING", 1), details)
            second.stop()


if __name__ == "__main__":
    unittest.main()
