"""Operator views: lists, details, histories, logs, queues, workers."""

import unittest
from urllib.parse import quote

import contract
from contract import FAILURE, TIME, UNKNOWN_JOB, moment

DETAILS = {
    "jobId", "jobType", "status", "createdAt", "updatedAt", "id", "state", "queue", "priority",
    "jobKey", "idempotencyKey", "tags", "metadata", "request", "payload", "result", "checkpoint",
    "attempt", "failures", "crashes", "retryCount", "epoch", "version", "maxRetries",
    "timeoutSeconds", "backoff", "expiresAt", "firstStartedAt", "executionMillis", "errors",
    "lease", "redriveOf", "successorId",
}  # fmt: skip


class Lists(contract.Contract):
    def listed(self, query, path="/jobs"):
        return self.ok(self.get(f"{path}?{query}"))

    def ids(self, query, path="/jobs"):
        return [job["jobId"] for job in self.listed(query, path)["jobs"]]

    def test_newest_first_in_pages(self):
        jobs = [self.enqueue() for _ in range(7)]
        got, cursor, pages = [], "", 0
        while cursor is not None:
            page = self.listed(f"queue={self.name}&limit=3" + (cursor and f"&cursor={cursor}"))
            self.assertEqual(set(page), {"jobs", "nextCursor"})
            got += [job["jobId"] for job in page["jobs"]]
            cursor = page["nextCursor"] and quote(page["nextCursor"])
            pages += 1
        self.assertEqual(got, jobs[::-1])
        self.assertEqual(pages, 3)

    def test_the_last_page_is_marked(self):
        for _ in range(3):
            self.enqueue()
        self.assertIsNone(self.listed(f"queue={self.name}&limit=3")["nextCursor"])

    def test_new_jobs_do_not_affect_a_cursor(self):
        jobs = [self.enqueue() for _ in range(4)]
        page = self.listed(f"queue={self.name}&limit=2")
        self.enqueue()
        rest = self.ids(f"queue={self.name}&limit=10&cursor={quote(page['nextCursor'])}")
        self.assertEqual(rest, jobs[1::-1])

    def test_limits(self):
        for _ in range(51):
            self.enqueue()
        self.assertEqual(len(self.ids(f"queue={self.name}")), 50)
        self.assertEqual(len(self.ids(f"queue={self.name}&limit=1")), 1)
        self.assertEqual(len(self.ids(f"queue={self.name}&limit=500")), 51)
        for query in (
            "limit=0", "limit=501", "limit=-1", "limit=x", "limit=1.5", "limit=", "cursor=nonsense",
            "state=NONE", "createdAfter=yesterday", "createdBefore=5", "colour=red",
        ):  # fmt: skip
            for path in ("/jobs", "/dead"):
                with self.subTest(f"{path}?{query}"):
                    answer = self.get(f"{path}?{query}")
                    self.assertEqual(answer.status, 422, answer)
                    self.assertEqual(answer.json["errors"][0]["field"], query.split("=")[0])

    def test_items_are_details_without_large_fields(self):
        job, token = self.held(payload={"p": 1})
        self.ok(self.settle("heartbeat", job, token, checkpoint=1))
        self.ok(self.settle("complete", job, token, result=1))
        (item,) = self.listed(f"queue={self.name}")["jobs"]
        self.assertFalse({"payload", "result", "checkpoint", "errors"} & set(item))
        needed = {"jobId", "jobType", "status", "state", "queue", "priority", "createdAt"}
        self.assertLessEqual(needed, set(item))

    def test_filters(self):
        plain = self.enqueue()
        other_type = self.enqueue(jobType="filters-other")
        tagged = self.enqueue(tags=["red", "big"])
        keyed = self.enqueue(jobKey="key one")
        once = self.enqueue(idempotencyKey="filters once")
        here = f"queue={self.name}"
        everything = [once, keyed, tagged, other_type, plain]
        self.assertEqual(self.ids(here), everything)
        self.assertEqual(self.ids(f"{here}&jobType=filters-other"), [other_type])
        self.assertEqual(self.ids(f"{here}&tag=red"), [tagged])
        self.assertEqual(self.ids(f"{here}&tag=big"), [tagged])
        self.assertEqual(self.ids(f"{here}&tag=blue"), [])
        self.assertEqual(self.ids(f"{here}&jobKey=key%20one"), [keyed])
        self.assertEqual(self.ids(f"{here}&jobKey=key+one"), [keyed])
        self.assertEqual(self.ids(f"{here}&idempotencyKey=filters%20once"), [once])
        self.assertEqual(self.ids(f"{here}&tag=red&jobType=filters-other"), [])
        self.assertEqual(self.ids(f"{here}&state=QUEUED"), everything)
        self.assertEqual(self.ids(f"{here}&state=RUNNING"), [])

    def test_each_state_can_be_asked_for(self):
        states = [
            "SCHEDULED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD", "CANCELED"
        ]  # fmt: skip
        jobs, here = {}, "queue=" + self.name
        for state in states[2:] + states[:2]:
            jobs[state], _ = self.job_in(state)
        for state in states:
            with self.subTest(state):
                self.assertEqual(self.ids(f"{here}&state={state}"), [jobs[state]])
        self.assertEqual(self.ids(f"{here}&state=CREATED"), [])

    def test_errors_are_found_by_code(self):
        job, token = self.held()
        error = {"code": "SPECIAL_" + "X", "message": "m"}
        self.ok(self.settle("fail", job, token, error=error, retryable=False))
        self.job_in("DEAD")
        self.assertEqual(self.ids(f"queue={self.name}&error=SPECIAL_X"), [job])
        self.assertEqual(self.ids(f"queue={self.name}&error=NONE_SUCH"), [])

    def test_creation_times_bound_a_list(self):
        first = self.enqueue()
        at = self.details(first)["createdAt"]
        contract.clock_passes(contract.moment(at), 0.006)
        second = self.enqueue()
        between = self.details(second)["createdAt"]
        here = f"queue={self.name}"
        self.assertIn(second, self.ids(f"{here}&createdAfter={at}"))
        self.assertEqual(self.ids(f"{here}&createdBefore={between}")[-1], first)
        self.assertEqual(self.ids(f"{here}&createdAfter=2100-01-01T00:00:00Z"), [])
        self.assertEqual(self.ids(f"{here}&createdBefore=2000-01-01T00:00:00Z"), [])
        offset = quote("2000-01-01T00:00:00+02:00")
        self.assertEqual(len(self.ids(f"{here}&createdAfter={offset}")), 2)

    def test_dead_lists_redriven_jobs_only_on_request(self):
        one, _ = self.job_in("DEAD")
        two, _ = self.job_in("DEAD")
        self.job_in("CANCELED")
        self.job_in("SUCCESS")
        here = f"queue={self.name}"
        self.assertEqual(self.ids(here, "/dead"), [two, one])
        self.ok(self.post(f"/jobs/{one}/redrive"), 202)
        self.assertEqual(self.ids(here, "/dead"), [two])
        self.assertIn(one, self.ids(f"{here}&redriven=true", "/dead"))
        self.assertEqual(self.ids(f"{here}&redriven=false", "/dead"), [two])


class Details(contract.Contract):
    def test_everything_stored_is_there(self):
        job, token = self.held(
            payload=[1], jobKey="k", idempotencyKey="details", tags=["t"], metadata={"m": "v"},
            request={"method": "GET", "path": "/x"}, priority=2, maxRetries=9, timeoutSeconds=60.5,
            expiresAt="2100-01-01T00:00:00Z", backoff={"kind": "fixed", "baseSeconds": 1.5},
        )  # fmt: skip
        got = self.details(job)
        self.assertLessEqual(DETAILS, set(got))
        self.assertIsInstance(got["id"], int)
        self.assertEqual(got["lease"]["workerId"], "w")
        self.assertRegex(got["lease"]["expiresAt"], TIME)
        self.assertEqual((got["timeoutSeconds"], got["maxRetries"]), (60.5, 9))
        self.assertEqual(got["backoff"]["kind"], "fixed")
        self.assertEqual(got["backoff"]["baseSeconds"], 1.5)
        self.assertEqual(got["expiresAt"], "2100-01-01T00:00:00.000Z")
        self.assertEqual(got["request"], {"method": "GET", "path": "/x"})
        self.assertEqual((got["attempt"], got["epoch"], got["priority"]), (1, 1, 2))
        self.ok(self.settle("complete", job, token, result={"r": 1}))
        got = self.details(job)
        self.assertEqual((got["result"], got["lease"]), ({"r": 1}, None))
        self.assertNotIn("error", got)

    def test_ids_are_increasing(self):
        one, two = self.enqueue(), self.enqueue()
        self.assertGreater(self.details(two)["id"], self.details(one)["id"])

    def test_execution_time_sums_running_and_waiting(self):
        job, token = self.held()
        self.ok(self.settle("handoff", job, token))
        self.ok(self.settle("complete", job, token))
        moves = {move["to"]: moment(move["at"]) for move in self.history(job)}
        spent = (moves["SUCCESS"] - moves["RUNNING"]).total_seconds() * 1000
        self.assertEqual(self.details(job)["executionMillis"], round(spent))

    def test_first_start_stays_and_start_moves(self):
        job, token = self.held()
        first = self.details(job)
        self.ok(self.settle("release", job, token))
        at = first["startedAt"]
        contract.clock_passes(contract.moment(at), 0.006)
        self.lease()
        second = self.details(job)
        self.assertEqual(second["firstStartedAt"], first["firstStartedAt"])
        self.assertGreater(second["startedAt"], first["startedAt"])

    def test_the_version_is_its_etag_and_that_of_the_key_route(self):
        job = self.enqueue(jobKey="k")
        for path in (f"/jobs/{job}", f"/jobs/{job}/details", f"/types/{self.name}/keys/k"):
            with self.subTest(path):
                tag = self.get(path).headers["ETag"]
                self.assertEqual(tag, f'"{self.details(job)["version"]}"')
                self.assertEqual(self.get(path, {"If-None-Match": tag}).status, 304)

    def test_a_requested_cancel_and_a_successor_raise_the_version(self):
        job, _ = self.held()
        before = self.details(job)["version"]
        self.assertEqual(self.post(f"/jobs/{job}/cancel").status, 202)
        asked = self.details(job)["version"]
        self.assertGreater(asked, before)
        self.ok(self.post(f"/jobs/{job}/cancel", {"force": True}))
        ended = self.details(job)["version"]
        self.ok(self.post(f"/jobs/{job}/redrive"), 202)
        self.assertGreater(self.details(job)["version"], ended)

    def test_an_unknown_view_is_refused(self):
        job = self.enqueue()
        self.assertEqual(self.get(f"/jobs/{job}/details?view=nonsense").status, 422)


class Histories(contract.Contract):
    def test_the_first_transition_has_no_previous_state(self):
        job, token = self.held()
        self.ok(self.settle("complete", job, token))
        history = self.history(job)
        self.assertEqual([move["seq"] for move in history], list(range(1, 5)))
        self.assertIsNone(history[0]["from"])
        for move in history:
            needed = {"seq", "from", "to", "cause", "at", "epoch", "workerId", "detail"}
            self.assertLessEqual(needed, set(move))
            self.assertRegex(move["at"], TIME)
        for one, two in zip(history, history[1:]):
            self.assertEqual(one["to"], two["from"])
        self.assertEqual(self.moves(job), [
            ("CREATED", "enqueue"), ("QUEUED", "accept"), ("RUNNING", "claim"),
            ("SUCCESS", "complete"),
        ])  # fmt: skip
        self.assertEqual([move["workerId"] for move in history][2], "w")
        self.assertEqual([move["epoch"] for move in history], [0, 0, 1, 1])

    def test_the_first_16_and_the_newest_240_are_kept(self):
        job = self.enqueue()
        for _ in range(95):
            (lease,) = self.lease()
            self.ok(self.settle("release", job, lease["leaseToken"]))
        body = self.ok(self.get(f"/jobs/{job}/history"))
        seqs = [move["seq"] for move in body["history"]]
        total = 2 + 95 * 3
        self.assertEqual(seqs, list(range(1, 17)) + list(range(total - 239, total + 1)))
        self.assertEqual(body["dropped"], total - 256)

    def test_logs_are_kept_by_attempt_newest_64_kib(self):
        job, token = self.held()
        self.ok(self.settle("heartbeat", job, token, log="one\n"))
        self.ok(self.settle("heartbeat", job, token, log="two\n"))
        self.ok(self.settle("release", job, token, log="three\n"))
        token = self.lease()[0]["leaseToken"]
        self.ok(self.settle("heartbeat", job, token, log="a" * 60_000))
        self.ok(self.settle("complete", job, token, log="b" * 10_000))
        one, two = self.ok(self.get(f"/jobs/{job}/logs"))["logs"]
        self.assertEqual(one, {"attempt": 1, "text": "one\ntwo\nthree\n"})
        self.assertEqual(two["attempt"], 2)
        self.assertLessEqual(len(two["text"]), 64 * 1024)
        self.assertTrue(two["text"].endswith("b" * 10_000))
        self.assertGreater(len(two["text"]), 60 * 1024)

    def test_logs_of_fail_are_kept_too(self):
        job, token = self.held()
        self.ok(self.settle("fail", job, token, error=FAILURE, log="why"))
        self.assertEqual(self.ok(self.get(f"/jobs/{job}/logs"))["logs"][0]["text"], "why")


class Explaining(contract.Contract):
    def explain(self, job):
        return self.get(f"/jobs/{job}/explain").body

    def test_each_reason_is_explained(self):
        self.ok(self.post(f"/queues/{self.name}/pause"))
        paused = self.enqueue()
        self.assertIn("paused", self.explain(paused))
        self.ok(self.post(f"/queues/{self.name}/resume"))
        self.lease()
        run_at = "2100-01-01T00:00:00.000Z"
        self.assertIn(run_at, self.explain(self.enqueue(runAt=run_at)))
        self.name = "explain-retry"
        job, _ = self.job_in("RETRY")
        self.assertIn('"E"', self.explain(job).replace("\\", "").replace(" E", ' "E"'))
        self.name = "explain-waiting"
        job, _ = self.job_in("WAITING")
        self.assertIn("reply", self.explain(job))
        self.name = "explain-nobody"
        self.assertIn("worker", self.explain(self.enqueue()))

    def test_a_long_error_is_cut_between_characters(self):
        job, token = self.held()
        error = {"code": "E", "message": "a" + "é" * 300}
        self.ok(self.settle("fail", job, token, error=error, retryAfterSeconds=3600))
        summary = self.ok(self.get(f"/jobs/{job}/explain"))["summary"]
        self.assertRegex(summary, "aé{199}[.;]")

    def test_behind_n_is_exact_to_a_thousand(self):
        jobs = [{"jobType": "T", "queue": self.name}] * 1002
        made = self.ok(self.post("/jobs/batch", {"jobs": jobs}), 202)["jobs"]
        self.assertIn("behind 999 ", self.explain(made[999]["jobId"]) + " ")
        self.assertIn("behind 1000 ", self.explain(made[1000]["jobId"]))
        self.assertIn("1000+", self.explain(made[1001]["jobId"]))


class Rooms(contract.Contract):
    """Queues, workers, statistics, checks, health."""

    def queue(self):
        queues = self.ok(self.get("/queues"))["queues"]
        return next(one for one in queues if self.name in one.values())

    def test_queues_have_depth_age_rates_and_pause(self):
        self.enqueue()
        self.enqueue(delaySeconds=100)
        shown = self.queue()
        self.assertEqual((shown["depth"]["QUEUED"], shown["depth"]["SCHEDULED"]), (1, 1))
        self.assertIs(shown["paused"], False)
        self.assertGreaterEqual(shown["oldestAgeSeconds"], 0)
        self.assertTrue(shown["rates"])
        self.ok(self.post(f"/queues/{self.name}/pause"))
        self.ok(self.post(f"/queues/{self.name}/pause"))
        self.assertIs(self.queue()["paused"], True)
        self.ok(self.post(f"/queues/{self.name}/resume"))
        self.assertIs(self.queue()["paused"], False)

    def test_bad_queue_names_are_refused(self):
        answer = self.post("/queues/a%20b/pause")
        self.assertIn(answer.status, (404, 422), answer)

    def test_workers_have_slots_jobs_and_when_they_were_seen(self):
        self.enqueue()
        worker = {"slots": 4, "host": "h1", "version": "1.2"}
        (lease,) = self.lease(workerId=self.name, worker=worker)
        workers = self.ok(self.get("/workers"))["workers"]
        shown = next(one for one in workers if one["workerId"] == self.name)
        self.assertEqual((shown["slots"], shown["host"], shown["version"]), (4, "h1", "1.2"))
        self.assertIn(lease["jobId"], str(shown["jobs"]))
        self.assertTrue(any(TIME.fullmatch(str(value)) for value in shown.values()))

    def test_stats_have_windows(self):
        for window, minutes in (("1h", 60), ("6h", 360), ("24h", 1440)):
            with self.subTest(window):
                body = self.ok(self.get(f"/stats?window={window}"))
                self.assertEqual(body["window"], window)
                self.assertAlmostEqual(len(body["minutes"]), minutes, delta=1)
        self.ok(self.get("/stats"))
        self.assertEqual(self.get("/stats?window=2h").status, 422)

    def test_stats_count_what_happens(self):
        before = self.enqueued()
        self.enqueue()
        self.until(lambda: self.enqueued() > before, True)

    def enqueued(self):
        return sum(minute["enqueued"] for minute in self.ok(self.get("/stats"))["minutes"])

    def test_a_sound_store_is_found_sound(self):
        self.enqueue()
        self.assertEqual(self.ok(self.post("/check"))["findings"], [])

    def test_health(self):
        self.ok(self.get("/livez"))
        self.assertIn("A", self.ok(self.get("/readyz")).values())
        metrics = self.get("/metrics")
        self.assertEqual(metrics.status, 200)
        for line in metrics.body.splitlines():
            if not line.startswith("#"):
                self.assertTrue(line.startswith("longshore_"), line)

    def test_the_dashboard_allows_no_inline_script(self):
        page = self.get("/ui/")
        self.assertEqual(page.status, 200)
        policy = page.headers["Content-Security-Policy"]
        self.assertNotIn("unsafe-inline", policy.split("script-src")[1].split(";")[0])

    def test_errors_are_grouped_by_type_and_fingerprint(self):
        for number in (1, 2):
            job, token = self.held()
            error = {"code": "GROUP", "message": f"order {number} failed"}
            self.ok(self.settle("fail", job, token, error=error, retryable=False))
        groups = self.ok(self.get("/errors"))["errors"]
        mine = [group for group in groups if group["jobType"] == self.name]
        self.assertEqual(len(mine), 1, mine)
        self.assertEqual(mine[0]["count"], 2)
        self.assertIn(job, str(mine[0]) + UNKNOWN_JOB)

    def failed(self, code, retryable=False):
        job, token = self.held()
        error = {"code": code, "message": "order 17 failed"}
        answer = self.settle("fail", job, token, error=error, retryable=retryable,
                             **({"retryAfterSeconds": 0} if retryable else {}))
        self.ok(answer)
        return job

    def group(self, code):
        groups = self.pages("/errors", "errors", 500)
        (group,) = [one for one in groups if (one["jobType"], one["code"]) == (self.name, code)]
        return group

    def pages(self, path, name, limit):
        found, cursor = [], ""
        while cursor is not None:
            page = self.ok(self.get(f"{path}?limit={limit}" + (cursor and f"&cursor={cursor}")))
            self.assertLessEqual(len(page[name]), limit)
            found += page[name]
            cursor = page["nextCursor"] and quote(page["nextCursor"])
        return found

    def test_a_group_says_what_became_of_its_jobs(self):
        self.failed("FATE")
        self.failed("FATE")
        self.failed("FATE", retryable=True)
        group = self.group("FATE")
        fates = group["dead"], group["retrying"], group["recovered"]
        self.assertEqual(fates, (2, 1, 0), group)
        (lease,) = self.lease()
        self.ok(self.settle("complete", lease["jobId"], lease["leaseToken"]))
        group = self.group("FATE")
        fates = group["dead"], group["retrying"], group["recovered"]
        self.assertEqual(fates, (2, 0, 1), group)

    def test_errors_are_listed_in_pages_the_latest_first(self):
        for code in ("PAGE1", "PAGE2", "PAGE3"):
            self.failed(code)
        groups = self.pages("/errors", "errors", 1)
        mine = [one["code"] for one in groups if one["jobType"] == self.name]
        self.assertEqual(sorted(mine), ["PAGE1", "PAGE2", "PAGE3"])
        lasts = [one["last"] for one in groups]
        self.assertEqual(lasts, sorted(lasts, reverse=True))
        for bad in ("limit=0", "limit=501", "cursor=x", "limit=x"):
            self.assertEqual(self.get(f"/errors?{bad}").status, 422, bad)

    def test_jobs_are_listed_by_the_fingerprint_of_their_error(self):
        jobs = [self.failed("PRINT"), self.failed("PRINT")]
        self.failed("OTHER")
        fingerprint = self.group("PRINT")["fingerprint"]
        for path in ("/jobs", "/dead"):
            page = self.ok(self.get(f"{path}?fingerprint={fingerprint}"))
            self.assertEqual([job["jobId"] for job in page["jobs"]], jobs[::-1])
            page = self.ok(self.get(f"{path}?fingerprint={fingerprint}&limit=1"))
            self.assertEqual([job["jobId"] for job in page["jobs"]], jobs[1:])
            self.assertIsNotNone(page["nextCursor"])
        self.assertEqual(self.get("/jobs?fingerprint=17").status, 422)
        body = {"filter": {"fingerprint": fingerprint}, "limit": 10}
        self.assertEqual(self.ok(self.post("/dead/redrive", body))["count"], 2)

    def test_the_audit_trail_has_one_entry_for_a_bulk_call(self):
        for _ in range(3):
            self.enqueue()
        body = {"filter": {"queue": self.name}, "limit": 10}
        answer = self.post("/jobs/cancel", body, {"X-Request-Id": f"bulk-{self.name}"})
        self.assertEqual(self.ok(answer)["count"], 3)
        self.ok(self.post(f"/queues/{self.name}/pause"))
        mine = [one for one in self.pages("/audit", "audit", 2) if self.name in one["target"]]
        self.assertEqual([one["action"] for one in mine], ["pause", "cancel"])
        self.assertEqual(mine[1]["requestId"], f"bulk-{self.name}")
        self.assertTrue(mine[1]["target"].startswith("3 jobs: "), mine)
        self.assertRegex(mine[1]["at"], TIME)
        for bad in ("limit=0", "limit=501", "cursor=x", "x=1"):
            self.assertEqual(self.get(f"/audit?{bad}").status, 422, bad)


if __name__ == "__main__":
    unittest.main()
