"""Floods of long polls: for work in many queues, and for one job."""

import os
import time
import unittest

import flood

# At full size: 1500 polls, 15000 waits.
SCALE = float(os.environ.get("LONGSHORE_ATTACK_SCALE", "0.2"))
POLLS = int(1500 * SCALE)
WAITS = int(15_000 * SCALE)


def poll(worker, queues=100, types=10):
    """As many queues and types as one poll may name; no two polls take the same types."""
    return {"workerId": f"w{worker}", "waitSeconds": 60,
            "queues": [f"queue-{number}" for number in range(queues)],
            "jobTypes": [f"type-{worker}-{number}" for number in range(types)]}


class Poller(flood.Case):
    def test_cannot_poll_a_hundred_queues_times_a_hundred_types(self):
        server = self.serve()
        asked = server.post("/leases", poll(1, 100, 100), headers=self.bearer(self.admin))
        self.assertEqual(asked.status, 422, asked)
        self.assertEqual(asked.json["errors"][0]["field"], "jobTypes")

    def test_costs_little_memory_and_does_not_delay_others(self):
        server = self.serve()
        worker = self.tenant(server, "worker", "greedy")
        producer = self.tenant(server, "producer", "other")
        before = flood.resident_bytes(server)
        polls = self.flood(server)

        def open_all():
            for number in range(POLLS):
                polls.open("POST", "/leases", worker, poll(number))

        with server.connect(token=producer) as connection:
            def enqueue():
                answer = connection.call("POST", "/jobs", {"jobType": "T"})
                self.assertEqual(answer.status, 202, answer)

            slowest = self.slowest(enqueue, self.beside(open_all))
            for _ in range(50):
                began = time.monotonic()
                enqueue()
                slowest = max(slowest, time.monotonic() - began)
        grown = flood.resident_bytes(server) - before
        print(f"{POLLS} polls: slowest enqueue {slowest:.3f} s, {grown / 2**20:.0f} MiB more")
        self.assertLess(slowest, 5, "others waited")
        self.assertLess(grown, POLLS * 400_000)

    def test_gets_only_its_share_of_the_polls(self):
        server = self.serve("--limits-polls", "100")
        greedy = self.tenant(server, "worker", "greedy")
        other = self.tenant(server, "worker", "other")
        polls = self.flood(server)
        for number in range(100):
            polls.open("POST", "/leases", greedy, {"workerId": "w", "waitSeconds": 60})
        refused = polls.statuses(44)
        self.assertEqual(refused, {429: 44}, "the limit is 9/16 of all polls")
        answer = server.post("/leases", {"workerId": "w", "waitSeconds": 60},
                             headers=self.bearer(greedy))
        self.assertEqual(answer.status, 429, answer)
        self.assertIn("limits.polls", answer.json["detail"])
        self.assertIn("Retry-After", answer.headers)
        waiting = self.flood(server)
        waiting.open("POST", "/leases", other, {"workerId": "w", "waitSeconds": 1})
        self.assertEqual(waiting.statuses(1), {200: 1}, "another tenant has capacity")

    def test_gets_only_its_share_of_the_queues(self):
        server = self.serve("--limits-queues", "1000")
        greedy = self.tenant(server, "worker", "greedy")
        polls = self.flood(server)
        for number in range(10):
            polls.open("POST", "/leases", greedy, poll(number))
        self.assertEqual(polls.statuses(5), {429: 5})


class Waiter(flood.Case):
    """Thousands wait for one job."""

    def test_does_not_delay_the_commits_of_others(self):
        server = self.serve("--limits-polls", "100000", "--limits-requests", "100000")
        greedy = self.tenant(server, "operator", "greedy")
        other = self.tenant(server, "producer", "other")
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(greedy)).json["jobId"]
        waits = self.flood(server)
        for _ in range(WAITS):
            waits.open("GET", f"/jobs/{job}?waitSeconds=60", greedy)
        with server.connect(token=other) as connection:
            def enqueue():
                answer = connection.call("POST", "/jobs", {"jobType": "T"})
                self.assertEqual(answer.status, 202, answer)

            enqueue()
            canceled = server.post(f"/jobs/{job}/cancel", headers=self.bearer(greedy))
            self.assertIn(canceled.status, (200, 202), canceled)
            counts = {}
            over = self.beside(lambda: counts.update(waits.statuses(WAITS)))
            slowest = self.slowest(enqueue, over)
        print(f"{WAITS} waits: slowest enqueue {slowest:.3f} s")
        self.assertEqual(counts, {200: WAITS})
        self.assertLess(slowest, 5, "others waited")


if __name__ == "__main__":
    unittest.main()
