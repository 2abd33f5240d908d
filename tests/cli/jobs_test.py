"""Commands about jobs, piped: lists and filters, many jobs at once, waiting and following."""

import json
import signal
import subprocess
import threading

from case import UNKNOWN_JOB, Case, harness, main


class Lists(Case):
    def test_filters_are_the_apis(self):
        server = self.serve()
        a = server.enqueue("A", queue="q1", tags=["x"], jobKey="k")
        b = server.enqueue("B", queue="q2", delaySeconds=3600, idempotencyKey="once")
        dead = self.fail_job(server, "q3", "disk on fire")
        cases = [
            ([], [dead, b, a]),
            (["--type", "A"], [a]),
            (["--queue", "q2"], [b]),
            (["--tag", "x"], [a]),
            (["--job-key", "k"], [a]),
            (["--idempotency-key", "once"], [b]),
            (["--state", "scheduled"], [b]),
            (["--state", "DEAD", "--error", "on fire"], [dead]),
            (["--created-after", "1h"], [dead, b, a]),
            (["--created-before", "1h"], []),
            (["--created-before", "2020-01-01T00:00:00Z"], []),
            (["--limit", 2], [dead, b]),
        ]
        for flags, expected in cases:
            with self.subTest(flags):
                ended = self.ok(self.run_on(server, "list", *flags, "--output", "jsonl"))
                self.assertEqual([job["jobId"] for job in self.lines(ended)], expected)
        table = self.ok(self.run_on(server, "list")).stdout.splitlines()
        self.assertEqual(table[0].split(), "JOB TYPE QUEUE STATE TRIES AGE KEY TAGS".split())
        self.assertEqual(len(table), 4)
        self.assertNotIn("\x1b", "".join(table))

    def test_pages_are_one_list_and_a_cursor_goes_on(self):
        server = self.serve()
        jobs = [{"jobType": "T", "payload": i} for i in range(700)]
        self.assertEqual(server.post("/jobs/batch", {"jobs": jobs}).status, 202)
        everything = json.loads(self.ok(self.run_on(server, "list", "--all", "--json")).stdout)
        self.assertEqual(len(everything["jobs"]), 700)
        self.assertIsNone(everything["nextCursor"])
        first = self.ok(self.run_on(server, "list", "--limit", 600, "--json"))
        first = json.loads(first.stdout)
        cursor = first["nextCursor"]
        rest = self.ok(self.run_on(server, "list", "--cursor", cursor, "--all", "--json"))
        rest = json.loads(rest.stdout)
        self.assertEqual(first["jobs"] + rest["jobs"], everything["jobs"])
        self.assertIn(cursor, self.run_on(server, "list", "--limit", 600).stderr)

    def test_dead_shows_dead_letters_and_their_errors(self):
        server = self.serve()
        server.enqueue()
        dead = self.fail_job(server, "q", "no such host")
        ended = self.ok(self.run_on(server, "dead", "--json"))
        self.assertEqual([job["jobId"] for job in json.loads(ended.stdout)["jobs"]], [dead])
        groups = self.lines(self.ok(self.run_on(server, "dead", "--groups", "--output", "jsonl")))
        self.assertEqual([(g["count"], g["message"]) for g in groups], [(1, "no such host")])
        self.assertIn("no such host", self.run_on(server, "dead", "--groups").stdout)

    def test_get_shows_fields_and_history(self):
        server = self.serve()
        job = server.enqueue("MAIL", payload={"to": "ada"}, tags=["x"])
        waiting = self.ok(self.run_on(server, "get", job)).stdout
        self.assertIn("no worker for type MAIL", waiting)
        self.complete_job(server, job, {"sent": True})
        shown = self.ok(self.run_on(server, "get", job)).stdout
        for part in ["COMPLETED (SUCCESS)", '{"to": "ada"}', '{"sent": true}', "CREATED",
                     "QUEUED", "RUNNING", "claim", "complete"]:  # fmt: skip
            self.assertIn(part, shown)
        details = self.ok(self.run_on(server, "get", "--json", "--details", job))
        self.assertEqual(json.loads(details.stdout)["payload"], {"to": "ada"})
        result = self.ok(self.run_on(server, "get", "--wait", job, "--result"))
        self.assertEqual(json.loads(result.stdout), {"sent": True})

    def test_a_view_shows_states_in_the_terms_of_a_profile(self):
        server = self.serve()
        queued, later = server.enqueue(queue="q"), server.enqueue(delaySeconds=3600)
        dead = self.fail_job(server, "broken")
        again = server.enqueue(queue="again", backoff={"kind": "none"})
        [lease] = server.lease(queues=["again"])
        released = server.post(f"/jobs/{again}/release", {"leaseToken": lease["leaseToken"]})
        self.assertEqual(released.status, 200, released)
        running = server.enqueue(queue="runs")
        server.lease(queues=["runs"])
        jobs = [running, again, dead, later, queued]
        for view, name, expected in [
            ("native", "state", ["RUNNING", "QUEUED", "DEAD", "SCHEDULED", "QUEUED"]),
            ("basic", "status", ["running", "pending", "dead", "pending", "pending"]),
            ("endpoints", "Status", ["InProgress 300", "Queued 100", "Failed 500", "Scheduled 200",
                                     "Queued 100"]),
            ("scheduler", "state", ["Running", "Queued", "Failed", "Scheduled", "Queued"]),
            ("external", "state", ["running", "error", "final", "initial", "initial"]),
            ("orchestrator", "state", ["RUNNING", "QUEUED", "DEAD", "CREATED", "QUEUED"]),
        ]:  # fmt: skip
            table = self.ok(self.run_on(server, "list", "--view", view)).stdout.splitlines()
            lines = self.lines(
                self.ok(self.run_on(server, "list", "--view", view, "--output", "jsonl"))
            )
            if view != "native":
                self.assertEqual(table[0].split(), list(lines[0]))
            for job, words, row, line in zip(jobs, expected, table[1:], lines, strict=True):
                with self.subTest((view, words)):
                    shown = self.ok(self.run_on(server, "get", job, "--view", view)).stdout
                    self.assertRegex(shown, rf"(?m)^{view} +{words}$")
                    self.assertIn(words.split()[0], row)
                    asked = server.get(f"/jobs/{job}/details?view={view}").json
                    details = self.ok(self.run_on(server, "get", job, "--view", view, "--json"))
                    self.assertEqual(json.loads(details.stdout), asked)
                    self.assertEqual(line[name], words.split()[0])
                    self.assertEqual(asked[name], words.split()[0])

    def test_states_can_be_filtered_by_any_of_their_names(self):
        server = self.serve()
        queued = server.enqueue(queue="q")
        dead = self.fail_job(server, "broken")
        gone = server.enqueue(queue="gone")
        server.post(f"/jobs/{gone}/cancel")
        for flags, expected in [
            (["--state", "FAILED"], [dead]),
            (["--state", "failed,queued"], [dead, queued]),
            (["--state", "CANCELED,PENDING"], [gone, queued]),
            (["--state", "final", "--view", "external"], [gone, dead]),
            (["--state", "initial,DEAD", "--view", "external"], [dead, queued]),
        ]:
            with self.subTest(flags):
                ended = self.ok(self.run_on(server, "list", *flags, "--output", "jsonl"))
                numbers = [server.get(f"/jobs/{job}/details").json["id"] for job in expected]
                self.assertEqual([job["id"] for job in self.lines(ended)], numbers)
        for flags in (["--state", "final"], ["--state", "DEAD,,QUEUED"]):
            self.assertIn("must be one of", self.ok(self.run_on(server, "list", *flags), 2).stderr)
        letters = self.ok(self.run_on(server, "dead", "--view", "basic", "--output", "jsonl"))
        self.assertEqual([job["id"] for job in self.lines(letters)], [dead])

    def test_a_view_that_is_not_permitted_is_an_error(self):
        made = self.ok(harness.run("token", "create", "--role", "producer", "--store", self.store))
        server = self.serve()
        producer = ["--token", made.stdout.strip()]
        job = self.ok(self.run_on(server, "enqueue", "T", *producer)).stdout.strip()
        self.assertIn("PENDING", self.ok(self.run_on(server, "get", job, *producer)).stdout)
        ended = self.run_on(server, "get", job, "--view", "basic", *producer)
        self.assertEqual(self.ok(ended, 5).stdout, "")
        ended = self.run_on(server, "get", job, "--view", "basic", "--result")
        self.assertIn("--result", self.ok(ended, 2).stderr)


class Many(Case):
    def test_jobs_given_by_id_need_no_confirmation(self):
        server = self.serve()
        a, b = server.enqueue(), server.enqueue()
        dry = self.ok(self.run_on(server, "cancel", a, "--dry-run"))
        self.assertIn("would be canceled", dry.stderr)
        self.assertEqual(dry.stdout, f"{a}  PENDING\n")
        self.assertEqual(server.get(f"/jobs/{a}").json["status"], "PENDING")
        ended = self.run_on(server, "cancel", a, UNKNOWN_JOB, b, "--output", "jsonl")
        self.assertEqual(ended.returncode, 3)
        self.assertEqual([job["status"] for job in self.lines(ended)], ["CANCELED"] * 2)
        dead = self.fail_job(server)
        self.ok(self.run_on(server, "cancel", dead), 4)
        ended = self.ok(self.run_on(server, "redrive", dead, "--to-queue", "q2", "--json"))
        successor = json.loads(ended.stdout)["jobId"]
        self.assertEqual(server.get(f"/jobs/{successor}/details").json["queue"], "q2")
        self.assertEqual(server.get(f"/jobs/{successor}/details").json["redriveOf"], dead)

    def test_redrive_with_a_delay(self):
        server = self.serve()
        for flags in (["--delay", "10m"], ["--run-at", "2999-01-02T03:04:05Z"]):
            dead = self.fail_job(server)
            ended = self.ok(self.run_on(server, "redrive", dead, *flags, "--json"))
            successor = json.loads(ended.stdout)["jobId"]
            details = server.get(f"/jobs/{successor}/details").json
            self.assertEqual(details["state"], "SCHEDULED", flags)
            self.assertGreater(details["runAt"], details["createdAt"])
        self.assertEqual(details["runAt"], "2999-01-02T03:04:05.000Z")
        dead = self.fail_job(server)
        both = self.run_on(server, "redrive", dead, "--delay", "1s", *flags)
        self.assertEqual(both.returncode, 1, both.stderr)
        self.assertIn("delaySeconds", both.stderr)
        self.ok(self.run_on(server, "redrive", dead, "--delay", "soon"), 2)
        self.ok(self.run_on(server, "redrive", "--all", "--yes", "--delay", "1s"), 2)

    def test_json_can_precede_the_arguments(self):
        server = self.serve()
        made = self.ok(self.run_on(server, "enqueue", "--json", "T", "--queue", "q"))
        job = json.loads(made.stdout)["jobId"]
        for arguments, status in [
            (["get", "--json", job], "PENDING"),
            (["get", "--json", "true", job], "PENDING"),
            (["cancel", "--json", job, "--dry-run"], "PENDING"),
            (["cancel", "--json", job], "CANCELED"),
            (["redrive", "--json", job], "PENDING"),
        ]:
            with self.subTest(arguments):
                ended = self.ok(self.run_on(server, *arguments))
                self.assertEqual(json.loads(ended.stdout)["status"], status)
        two = self.lines(self.ok(self.run_on(server, "cancel", "--json", job, job)))
        self.assertEqual([one["jobId"] for one in two], [job, job])

    def test_a_filter_needs_confirmation(self):
        server = self.serve()
        jobs = [{"jobType": "T", "queue": "q", "payload": i} for i in range(1200)]
        self.assertEqual(server.post("/jobs/batch", {"jobs": jobs}).status, 202)
        other = server.enqueue(queue="other")
        for flags, status, expected in [
            ([], 2, "choose the jobs to cancel"),
            ([other, "--queue", "q"], 2, "not both"),
            (["--queue", "q", "--force"], 2, "--force"),
            (["--queue", "q"], 1, "1,200 jobs"),
            (["--queue", "q", "--dry-run"], 0, "1,200 jobs would be canceled"),
        ]:
            with self.subTest(flags):
                ended = self.ok(self.run_on(server, "cancel", *flags), status)
                self.assertIn(expected, ended.stderr)
        canceled = self.ok(self.run_on(server, "list", "--state", "CANCELED"))
        self.assertEqual(len(canceled.stdout.splitlines()), 1)  # the titles
        ended = self.ok(self.run_on(server, "cancel", "--queue", "q", "--yes"))
        self.assertEqual(len(ended.stdout.split()), 1200)
        self.assertIn("canceled 1,200 of 1,200 (100%)", ended.stderr)
        self.assertEqual(server.get(f"/jobs/{other}").json["status"], "PENDING")
        nothing = self.ok(self.run_on(server, "cancel", "--queue", "q", "--yes"))
        self.assertIn("No matching jobs", nothing.stderr)

    def test_redrive_by_filter(self):
        server = self.serve()
        dead = {self.fail_job(server, "q") for _ in range(3)}
        kept = self.fail_job(server, "other")
        ended = self.run_on(server, "redrive", "--queue", "q", "--yes", "--output", "jsonl")
        self.assertEqual(len(self.lines(self.ok(ended))), 3)
        for job in dead:
            self.assertIn("successorId", server.get(f"/jobs/{job}").json)
        self.assertNotIn("successorId", server.get(f"/jobs/{kept}").json)

    def test_a_batch_shows_progress_and_reports_errors_by_line(self):
        server = self.serve()
        path = self.folder / "jobs.jsonl"
        path.write_text("".join(f'{{"payload": {i}}}\n' for i in range(2500)) + "\n")
        ended = self.ok(self.run_on(server, "enqueue", "T", "--batch", path))
        self.assertEqual(len(set(ended.stdout.split())), 2500)
        self.assertIn("enqueued 2,500 of 2,500 (100%)", ended.stderr)
        self.assertRegex(ended.stderr, r"/s, \d+")
        piped = self.run_on(server, "enqueue", "--batch", "-", "--json",
                            stdin='{"jobType": "A"}\n{"jobType": "B"}\n')  # fmt: skip
        self.assertEqual(len(json.loads(self.ok(piped).stdout)["jobs"]), 2)
        path.write_text('{"jobType": "A"}\n\n{"jobType": "B", "priority": 11}\n')
        ended = self.ok(self.run_on(server, "enqueue", "--batch", path), 1)
        self.assertIn("line 3: priority", ended.stderr)
        self.assertIn("No jobs were stored", ended.stderr)
        path.write_text('{"jobType": "A"}\n{"jobType"\n')
        ended = self.ok(self.run_on(server, "enqueue", "--batch", path), 2)
        self.assertIn("line 2 is not a JSON object", ended.stderr)
        self.ok(self.run_on(server, "enqueue", "--batch", "absent.jsonl"), 2)
        self.ok(self.run_on(server, "enqueue", "--batch", path, "--queue", "q"), 2)


class Waiting(Case):
    def test_follow_prints_each_event_and_the_outcome(self):
        server = self.serve()
        good, bad = self.script("good", "cat"), self.script("bad", "echo no >&2; exit 65")
        self.work(server, "--exec", f"GOOD={good}", "--exec", f"BAD={bad}")
        ended = self.ok(self.run_on(server, "enqueue", "GOOD", "--payload", "[7]", "--follow"))
        self.assertEqual(ended.stdout, "[7]\n")
        for word in ["QUEUED", "RUNNING", "SUCCESS"]:
            self.assertIn(word, ended.stderr)
        ended = self.ok(self.run_on(server, "enqueue", "BAD", "--follow"), 6)
        self.assertIn("DEAD", ended.stderr)
        job = server.enqueue("BAD")
        self.ok(self.run_on(server, "get", job, "--follow"), 6)
        self.ok(self.run_on(server, "get", "--wait", job), 6)
        error = server.get(f"/jobs/{job}/result").json["error"]
        ended = self.ok(self.run_on(server, "get", "--wait", "--result", job), 6)
        self.assertIn(f"{error['code']}: {error['message']}", ended.stderr)

    def test_a_wait_that_times_out_is_reported(self):
        server = self.serve()
        ended = self.ok(self.run_on(server, "enqueue", "T", "--wait", "10ms"), 1)
        self.assertIn("has not ended yet", ended.stderr)
        ended = self.ok(self.run_on(server, "enqueue", "T", "--follow", "--wait", "500ms"), 1)
        self.assertIn("has not ended yet", ended.stderr)
        job = server.enqueue("T", queue="q")
        canceled = threading.Thread(target=server.post, args=(f"/jobs/{job}/cancel",))
        canceled.start()
        self.ok(self.run_on(server, "get", job, "--wait"), 6)
        canceled.join()

    def test_a_wait_prints_the_job_id_before_the_server_dies(self):
        server = self.serve()
        waiting = subprocess.Popen(
            [harness.PROGRAM, "enqueue", "T", "--wait", "--server", server.url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.folder,
            env=harness.environment(),
        )
        self.addCleanup(waiting.kill)
        overdue = threading.Timer(harness.PATIENCE, waiting.kill)
        self.addCleanup(overdue.cancel)
        overdue.start()
        said = waiting.stderr.readline().split()
        self.assertEqual(said[:-1], ["Job"])
        self.assertEqual(server.get(f"/jobs/{said[-1]}").status, 200)
        server.stop(signal.SIGKILL)
        out, _ = waiting.communicate(timeout=harness.PATIENCE)
        self.assertEqual((waiting.returncode, out), (69, ""))

    def test_follow_continues_after_a_server_restart(self):
        server = self.serve()
        job = server.enqueue("T")
        follower = self.terminal("get", job, "--follow", "--server", server.url)
        follower.read_until("QUEUED")
        port = server.port
        server.stop()
        again = harness.Process("serve", "--store", self.store, "--listen", f"127.0.0.1:{port}",
                                cwd=self.folder)  # fmt: skip
        self.addCleanup(again.stop)
        again.await_line("serving")
        self.assertEqual(server.post(f"/jobs/{job}/cancel").status, 200)
        self.assertIn("CANCELED", follower.read_all())
        self.assertEqual(follower.process.returncode, 6)


if __name__ == "__main__":
    main()
