"""A token of one namespace against everything of another: each response equals that for a name that
does not exist, and no response reveals data of the other namespace."""

import json
import re
import threading
import unittest
from urllib.parse import quote

import attacked

MARK = attacked.MARK


class Neighbour(attacked.AttackedServer):
    def setUp(self):
        super().setUp()
        victim = self.victim
        self.theirs = {
            "jobId": victim.running, "jobType": victim.names["jobType"],
            "jobKey": victim.names["jobKey"], "queue": victim.names["queue"],
            "workerId": victim.names["workerId"], "tokenId": self.id_of(victim.token),
            "id": self.id_of(victim.token), "fingerprint": victim.fingerprint,
            "cursor": victim.cursor, "tag": victim.names["tag"], "error": victim.names["error"],
            "idempotencyKey": victim.names["idempotencyKey"], "batchId": victim.running,
            "leaseToken": victim.lease, "file": MARK,
        }  # fmt: skip

    def unknown(self, name):
        """A name of the same form that belongs to no one."""
        theirs = self.theirs[name]
        if name in ("jobId", "batchId"):
            return attacked.UNKNOWN_JOB
        return "0123456789abcdef" if name in ("tokenId", "id") else theirs.replace(MARK, "noone")

    def fill(self, path, value):
        return re.sub(r"\{(\w+)\}", lambda found: quote(value(found[1]), safe=""), path)

    def body(self, method, path, value):
        """The least that the route takes, with a lease token where it wants one."""
        if method != "POST":
            return None
        if re.search(r"/(heartbeat|complete|release|handoff)$", path) and "/keys/" not in path:
            return {"leaseToken": value("leaseToken")}
        if path.endswith("/fail"):
            held = {} if "/keys/" in path else {"leaseToken": value("leaseToken")}
            return {**held, "error": {"message": "m"}}
        return {"result": 1} if path.endswith("/resolve") else {}

    def test_an_id_of_another_namespace_is_treated_as_unknown(self):
        for method, path, _ in attacked.operations(self.document):
            if "{" not in path or path.startswith("/ui"):
                continue
            # A queue of the same name in the attacker's namespace is another queue.
            if path.startswith("/queues/"):
                continue
            theirs = lambda name: self.theirs[name]  # noqa: E731
            with self.subTest(f"{method} {path}"):
                seen = self.attack(method, self.fill(path, theirs), self.body(method, path, theirs),
                                   self.tokens["admin"])
                none = self.attack(method, self.fill(path, self.unknown),
                                   self.body(method, path, theirs), self.tokens["admin"])
                self.assertEqual(seen.status, none.status, (seen, none))
                self.assertEqual(self.without_names(seen), self.without_names(none))

    def without_names(self, answer):
        text = answer.body
        for name in self.theirs:
            text = text.replace(self.theirs[name], "NAME").replace(self.unknown(name), "NAME")
        return text

    def test_pausing_a_queue_of_the_same_name_pauses_only_the_own_queue(self):
        for verb in ("pause", "resume", "pause"):
            path = f"/queues/{self.victim.names['queue']}/{verb}"
            self.assertEqual(self.attack("POST", path, {}, self.tokens["operator"]).status, 200)

    def test_lists_statistics_and_metrics_do_not_show_it(self):
        for method, path, operation in attacked.operations(self.document):
            if method != "GET" or "{" in path or path in ("/events", "/openapi.json"):
                continue
            for query in ["", *self.queries(operation)]:
                with self.subTest(f"{path}{query}"):
                    answer = self.attack("GET", path + query, token=self.tokens["admin"])
                    self.assert_no_word(answer)

    def queries(self, operation):
        for parameter in operation["parameters"]:
            if "$ref" in parameter:
                name = parameter["$ref"].rsplit("/", 1)[1]
                parameter = self.document["components"]["parameters"][name]
            if parameter["in"] == "query" and parameter["name"] in self.theirs:
                yield f"?{parameter['name']}={quote(self.theirs[parameter['name']], safe='')}"

    def assert_no_word(self, answer):
        # The response may repeat the filter, but nothing else of the other namespace.
        for word in (*self.victim.jobs, self.victim.lease, f'"{MARK}', f"{MARK}.type\""):
            self.assertNotIn(word, answer.body)

    def test_bodies_that_name_its_jobs_find_nothing(self):
        victim, operator = self.victim, self.tokens["operator"]
        settled = self.attack("POST", "/leases/settle", {"outcomes": [
            {"jobId": victim.running, "leaseToken": victim.lease, "result": 1},
            {"jobId": victim.running, "leaseToken": victim.lease, "release": True},
            {"jobId": attacked.UNKNOWN_JOB, "leaseToken": victim.lease, "result": 1}]}, operator)
        verdicts = [verdict["code"] for verdict in settled.json["verdicts"]]
        self.assertEqual(verdicts, ["NOT_FOUND"] * 3)
        leased = self.attack("POST", "/leases", {
            "workerId": victim.names["workerId"], "requestId": victim.names["requestId"],
            "queues": [victim.names["queue"], f"{MARK}-paused"]}, operator)
        self.assertEqual(leased.json["leases"], [])
        for path in ("/dead/redrive", "/jobs/cancel"):
            for name in ("jobType", "queue", "tag", "error", "fingerprint", "jobKey",
                         "idempotencyKey"):
                many = {"filter": {name: self.theirs[name]}, "limit": 10000}
                found = self.attack("POST", path, many, operator)
                self.assertEqual((found.status, found.json["count"]), (200, 0), found)
            everything = self.attack("POST", path, {"filter": {}, "limit": 10000}, operator)
            self.assert_no_word(everything)

    def test_keys_are_separate_and_ids_are_refused(self):
        names, producer = self.victim.names, self.tokens["producer"]
        mine = self.attack("POST", "/jobs", {
            "jobType": names["jobType"], "jobKey": names["jobKey"], "onConflict": "reject",
            "idempotencyKey": names["idempotencyKey"]}, producer)
        self.assertEqual(mine.status, 202, mine)
        self.assertNotIn(mine.json["jobId"], self.victim.jobs)
        taken = self.attack("POST", "/jobs", {"jobType": "T", "jobId": self.victim.done}, producer)
        self.assertIn(taken.json["code"], ("ID_IN_USE", "INVALID_FIELD"), taken)
        self.assertNotIn(MARK, taken.body)

    def test_an_admin_of_a_namespace_manages_only_its_tokens(self):
        admin = self.tokens["admin"]
        other = self.attack("POST", "/tokens", {"role": "admin", "namespace": MARK}, admin)
        self.assert_problem(other, 403, "FORBIDDEN")
        rules = {"source": "s", "revision": 9, "rules": {"maxRetries": 0}}
        self.assertEqual(self.attack("POST", "/apply", rules, admin).status, 403)
        for path in (f"/tokens/{self.theirs['tokenId']}", f"/tokens?id={self.theirs['tokenId']}"):
            self.assert_problem(self.attack("DELETE", path, None, admin), 404, "NOT_FOUND")

    def test_its_events_are_not_received(self):
        heard, mine = [], threading.Event()
        stream = attacked.harness.http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=60)
        self.addCleanup(stream.close)
        stream.request("GET", "/events", headers=self.bearer(self.tokens["viewer"]))
        answer = stream.getresponse()

        def listen():
            for line in answer:
                heard.append(line.decode())
                if "MINE" in heard[-1]:
                    mine.set()
                    return

        threading.Thread(target=listen, daemon=True).start()
        theirs = {"jobType": f"{MARK}.heard", "queue": f"{MARK}-heard"}
        made = self.server.post("/jobs", theirs, headers=self.bearer(self.victim.token))
        canceled = self.server.post(f"/jobs/{made.json['jobId']}/cancel", {},
                                    headers=self.bearer(self.victim.token))
        self.assertEqual(canceled.status, 200, canceled)
        self.attack("POST", "/jobs", {"jobType": "MINE"}, self.tokens["producer"])
        self.assertTrue(mine.wait(attacked.harness.PATIENCE), "no event of the own namespace")
        self.assertNotIn(MARK, "".join(heard))
        self.before = self.victim.everything()

    def test_statistics_do_not_count_its_jobs(self):
        stats = self.attack("GET", "/stats", token=self.tokens["viewer"]).json
        self.assertEqual(stats["totals"]["enqueued"], 0, json.dumps(stats["totals"]))
        workers = self.attack("GET", "/workers", token=self.tokens["viewer"]).json["workers"]
        self.assertEqual(workers, [])


if __name__ == "__main__":
    unittest.main()
