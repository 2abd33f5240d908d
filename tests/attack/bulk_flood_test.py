"""Bulk calls for very many jobs or queues must not delay a producer of single jobs."""

import json
import os
import time
import unittest

import flood

SCALE = float(os.environ.get("LONGSHORE_ATTACK_SCALE", "0.2"))
CANCELED = int(100_000 * SCALE)
OUTCOMES = 10_000
QUEUES = 1_200


class Settler(flood.Case):
    def test_cannot_cause_many_commits_by_repeating_a_job(self):
        server = self.serve()
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(self.admin)).json["jobId"]
        (lease,) = server.post("/leases", {"workerId": "w"},
                               headers=self.bearer(self.admin)).json["leases"]
        outcome = {"jobId": job, "leaseToken": lease["leaseToken"]}
        outcomes = [{**outcome, "result": number} for number in range(OUTCOMES)]
        began = time.monotonic()
        settled = server.post("/leases/settle", {"outcomes": outcomes},
                              headers=self.bearer(self.admin))
        took = time.monotonic() - began
        self.assertEqual(settled.status, 200, settled)
        verdicts = settled.json["verdicts"]
        self.assertEqual(verdicts[0].get("status"), "COMPLETED", "the first outcome counts")
        self.assertEqual({verdict.get("code") for verdict in verdicts[1:]}, {"ALREADY_SETTLED"})
        print(f"{OUTCOMES} outcomes of one job: {took:.2f} s")
        self.assertLess(took, 5)


class Canceler(flood.Case):
    def test_does_not_block_producers(self):
        server = self.serve()
        operator = self.tenant(server, "operator", "greedy")
        producer = self.tenant(server, "producer", "other")
        self.enqueue_many(server, operator, CANCELED)
        canceled = []

        def cancel():
            more = True
            while more:
                answer = server.post("/jobs/cancel",
                                     {"filter": {"state": "QUEUED"}, "limit": 10_000},
                                     headers=self.bearer(operator))
                self.assertEqual(answer.status, 200, answer)
                canceled.append(answer.json["count"])
                more = answer.json["more"]

        over = self.beside(cancel)
        with server.connect(token=producer) as connection:
            def enqueue():
                answer = connection.call("POST", "/jobs", {"jobType": "T"})
                self.assertEqual(answer.status, 202, answer)

            slowest = self.slowest(enqueue, over)
        print(f"{CANCELED} canceled: slowest enqueue {slowest:.3f} s")
        self.assertEqual(sum(canceled), CANCELED)
        self.assertLess(slowest, 5, "others waited")


class Namer(flood.Case):
    """Each job has its own queue."""

    def test_lists_many_queues_in_pages(self):
        server = self.serve()
        names = {f"queue-{number:05}" for number in range(QUEUES)}
        with server.connect(token=self.admin) as connection:
            jobs = [{"jobType": "T", "queue": name} for name in sorted(names)]
            for begin in range(0, QUEUES, 1000):
                answer = connection.call("POST", "/jobs/batch", {"jobs": jobs[begin:begin + 1000]})
                self.assertEqual(answer.status, 202, answer)
        pages, path = [], "/queues"
        while path:
            page = server.get(path, headers=self.bearer(self.admin)).json
            pages.append([queue["queue"] for queue in page["queues"]])
            path = page["nextCursor"] and f"/queues?cursor={page['nextCursor']}"
        self.assertEqual([len(page) for page in pages], [500, 500, 200])
        self.assertEqual(sum(pages, []), sorted(names), "sorted, without gaps")
        few = server.get("/queues?limit=2", headers=self.bearer(self.admin)).json
        self.assertEqual([queue["queue"] for queue in few["queues"]], sorted(names)[:2])
        for wrong in ("limit=0", "limit=501", "cursor=queue-00001", "cursor=q6"):
            answer = server.get(f"/queues?{wrong}", headers=self.bearer(self.admin))
            self.assertEqual(answer.status, 422, answer)
        shown = flood.harness.run("queues", "--server", server.url, "--token", self.admin,
                                  "--json")
        self.assertEqual({queue["queue"] for queue in json.loads(shown.stdout)["queues"]}, names)


if __name__ == "__main__":
    unittest.main()
