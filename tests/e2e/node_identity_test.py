"""A node on a store that nodes share: what its own workers held when it was killed is taken back
at once by the same node after a restart, and by no other."""

import signal
import time
import unittest

import harness


class NodeIdentity(harness.Case):
    def setUp(self):
        super().setUp()
        # The first run never ends by itself; the next one finds the mark.
        self.program = self.script("once", "[ -e ran ] && exit 0\ntouch ran\nsleep 600\n")

    def node(self, *arguments):
        return self.serve("--exec", f"T={self.program}", "--lease-time", "60s", *arguments)

    def await_running(self, server, job):
        deadline = time.monotonic() + harness.PATIENCE
        while not (self.folder / "ran").exists():
            self.assertLess(time.monotonic(), deadline, "the job did not start")
        self.assertEqual(self.details(server, job)["state"], "RUNNING")

    def details(self, server, job):
        return server.get(f"/jobs/{job}/details").json

    def assert_taken_back(self, *arguments):
        server = self.node(*arguments)
        job = server.enqueue()
        self.await_running(server, job)
        server.stop(signal.SIGKILL)
        killed = time.monotonic()
        again = self.node(*arguments)
        self.assertEqual(again.ended(job)["status"], "SUCCESS")
        self.assertLess(time.monotonic() - killed, 50, "the lease of 60 s did not have to end")
        details = self.details(again, job)
        self.assertEqual((details["attempts"], details["crashes"]), (1, 0), details)
        self.assertNotIn("this node is a new one", again.log)

    def test_a_restarted_node_takes_back_its_jobs(self):
        self.assert_taken_back()

    def test_a_named_node_takes_back_its_jobs(self):
        self.assert_taken_back("--node-name", "pier-1")

    def test_a_named_node_without_a_file_takes_back_its_jobs(self):
        self.assert_taken_back("--node-name", "pier-1", "--node-file", "none")

    def test_a_second_node_with_the_name_of_a_live_one_takes_nothing(self):
        first = self.node("--node-name", "pier-1")
        job = first.enqueue()
        self.await_running(first, job)
        for arguments in [(), ("--node-file", "none")]:
            second = self.node("--node-name", "pier-1", *arguments)
            self.assertIn("another node is alive with the name pier-1", second.log)
            details = self.details(second, job)
            self.assertEqual((details["state"], details["attempts"]), ("RUNNING", 1), details)
            second.stop()


if __name__ == "__main__":
    unittest.main()
