"""Audits and long lists of one tenant must not delay the lists of another."""

import threading
import unittest

import flood
import stores

JOBS = 20_000


class Auditor(flood.Case):
    """Repeatedly requests a check of the whole store."""

    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.operator = self.tenant(self.server, "operator", "default")
        self.enqueue_many(self.server, self.admin, JOBS)

    def check(self, wait):
        return self.server.post(f"/check?waitSeconds={wait}", headers=self.bearer(self.operator))

    def test_does_not_keep_another_tenant_from_its_lists(self):
        viewer = self.tenant(self.server, "viewer", "other")
        answers, done = [], [threading.Event() for _ in range(8)]

        def check(over):
            answers.append(self.check(60))
            over.set()

        for over in done:
            threading.Thread(target=check, args=(over,), daemon=True).start()
        while self.server.get("/check", headers=self.bearer(viewer)).json["progress"] is None:
            self.assertFalse(any(over.is_set() for over in done), "the checks ended too early")
        listed = self.server.get("/jobs", headers=self.bearer(viewer))
        self.assertEqual(listed.status, 200, listed)
        self.assertFalse(any(over.is_set() for over in done), "the list waited for a check")
        for over in done:
            self.assertTrue(over.wait(flood.harness.PATIENCE), "a check did not end")
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertTrue(all(answer.json["sound"] for answer in answers), answers[0])
        self.assertEqual(len({answer.json["startedAt"] for answer in answers}), 1,
                         "all of them joined one check")

    def test_sees_the_progress_of_a_check(self):
        begun = self.check(0)
        self.assertEqual(begun.status, 202, begun)
        self.assertIn("jobsChecked", begun.json["progress"])
        report = self.check(60)
        self.assertEqual(report.status, 200, report)
        self.assertEqual(report.json["jobsChecked"], JOBS)
        kept = self.server.get("/check", headers=self.bearer(self.operator)).json
        self.assertEqual(kept["report"]["startedAt"], report.json["startedAt"])

    def test_does_not_keep_the_server_from_stopping(self):
        self.assertEqual(self.check(0).status, 202)
        self.assertEqual(self.server.stop(), 0)


class Searcher(flood.Case):
    """Searches a long history for a value that does not occur."""

    JOBS = 60_000 if stores.KIND == "sqlite" else 20_000

    def test_is_stopped_after_the_scan_time(self):
        server = self.serve("--limits-scan-time", "1ms")
        self.enqueue_many(server, self.admin, self.JOBS)
        found = server.get("/jobs?error=nowhere&tag=none", headers=self.bearer(self.admin))
        if found.status == 200:  # the search was fast enough
            self.assertEqual(found.json["jobs"], [])
            return
        self.assertEqual(found.status, 429, found)
        self.assertIn("limits.scan-time", found.json["detail"])
        self.assertIn("Retry-After", found.headers)

    def test_does_not_use_every_thread(self):
        server = self.serve()
        viewer = self.tenant(server, "viewer", "other")
        self.enqueue_many(server, self.admin, self.JOBS)
        searches = self.flood(server)
        for number in range(100):
            searches.open("GET", f"/jobs?error=nowhere{number}", self.admin)
        listed = server.get("/jobs", headers=self.bearer(viewer))
        self.assertEqual(listed.status, 200, listed)
        self.assertLess(sum(searches.statuses(100, 0).values()), 100,
                        "the list waited for the searches of another tenant")


if __name__ == "__main__":
    unittest.main()
