"""One producer opens as many event streams as a node serves."""

import time
import unittest

import flood

STREAMS = 2000  # the default limit of a node


class Follower(flood.Case):
    def test_leaves_streams_to_other_tenants(self):
        server = self.serve()
        greedy = self.tenant(server, "producer", "greedy")
        other = self.tenant(server, "viewer", "other")
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(greedy)).json["jobId"]
        streams = self.flood(server)
        for _ in range(STREAMS):
            streams.open("GET", f"/jobs/{job}/events", greedy)
        counts = streams.statuses(STREAMS)
        self.assertEqual(sum(counts.values()), STREAMS, counts)
        self.assertEqual(counts.get(200), STREAMS * 9 // 16, "three quarters of three quarters")
        refused = server.get(f"/jobs/{job}/events", headers=self.bearer(greedy))
        self.assertEqual(refused.status, 429, refused)
        self.assertIn("limits.streams", refused.json["detail"])
        followed = self.flood(server)
        followed.open("GET", "/events", other)
        self.assertEqual(followed.statuses(1), {200: 1})
        streams.close()
        self.assertTrue(self.opens_again(server, job, greedy), "closed streams are released")

    def opens_again(self, server, job, token):
        deadline = time.monotonic() + flood.harness.PATIENCE
        while time.monotonic() < deadline:
            again = self.flood(server)
            again.open("GET", f"/jobs/{job}/events", token)
            if again.statuses(1) == {200: 1}:
                return True
        return False


if __name__ == "__main__":
    unittest.main()
