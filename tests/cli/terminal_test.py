"""Output on a terminal: tables that fit, colours, prompts, progress, and `top`."""

import re
import signal

from case import Case, main
from terminal import plain

LONG = "注文処理-" + "z" * 60


class Tables(Case):
    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.server.enqueue("reports.monthly.regional.summary", queue="reports-of-the-north",
                            jobKey=LONG, tags=["nightly", "emea"])  # fmt: skip
        self.dead = self.fail_job(self.server, "q", "bad \x1b[2Jthing\u202e happened " * 5)

    def lines_of(self, *arguments, **options):
        shown = self.terminal(*arguments, "--server", self.server.url, **options)
        text = shown.read_all()
        self.assertEqual(shown.process.returncode, 0, text)
        return text.splitlines()

    def width(self, line):
        """Computed here: the wide characters of this test are all from one block."""
        return sum(2 if 0x4E00 <= ord(c) <= 0x9FFF else 1 for c in plain(line))

    def test_they_fit_and_show_more_on_a_wide_terminal(self):
        narrow = self.lines_of("list", columns=80)
        wide = self.lines_of("list", columns=200)
        for line in narrow:
            self.assertLessEqual(self.width(line), 80, line)
        for line in wide:
            self.assertLessEqual(self.width(line), 200, line)
        self.assertIn("…", "".join(narrow))
        self.assertNotIn("TAGS", narrow[0])
        self.assertIn("TAGS", wide[0])
        self.assertIn("reports.monthly.regional.summary", "".join(wide))
        at_120 = self.lines_of("list", columns=120)
        self.assertTrue(all(self.width(line) <= 120 for line in at_120), at_120)
        piped = self.ok(self.run_on(self.server, "list")).stdout
        self.assertIn(LONG, piped)
        self.assertNotIn("…", piped)

    def test_ids_are_never_truncated(self):
        for line in self.lines_of("list", columns=60)[1:]:
            self.assertRegex(plain(line), r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} ")

    def test_colours_are_used_on_terminals_unless_disabled(self):
        self.assertIn("\x1b[31mDEAD", "\n".join(self.lines_of("list")))
        for env in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            self.assertNotIn("\x1b[", "\n".join(self.lines_of("list", env=env)), env)
        self.assertIn("\x1b[31mDEAD", "\n".join(self.lines_of("list", env={"NO_COLOR": ""})))

    def test_text_of_jobs_cannot_control_the_terminal(self):
        for arguments in (["get", self.dead], ["dead", "--groups"]):
            text = "\n".join(self.lines_of(*arguments, columns=200))
            self.assertIn("bad", text)
            self.assertNotIn("\x1b[2J", text)
            self.assertNotIn("\u202e", text)

    def test_queues_and_doctor_fit_too(self):
        for line in self.lines_of("queues", columns=60):
            self.assertLessEqual(self.width(line), 60)
        doctor = self.terminal("doctor", "--server", self.server.url)
        self.assertIn("warnings", doctor.read_all())


class Questions(Case):
    def test_only_yes_confirms(self):
        server = self.serve()
        for i in range(3):
            server.enqueue(queue="q")
        for answer, status, left in [("n", 1, 3), ("", 1, 3), ("y", 0, 0)]:
            with self.subTest(answer):
                asked = self.terminal("cancel", "--queue", "q", "--server", server.url)
                self.assertIn("This will cancel 3 jobs.", asked.read_until("[y/N]"))
                asked.type(answer + "\n")
                asked.read_all()
                self.assertEqual(asked.process.returncode, status)
                jobs = server.get("/jobs?state=QUEUED").json["jobs"]
                self.assertEqual(len(jobs), left)

    def test_progress_overwrites_one_line(self):
        server = self.serve()
        path = self.folder / "jobs.jsonl"
        path.write_text('{"jobType": "T"}\n' * 3000)
        shown = self.terminal("enqueue", "--batch", path, "--json", "--server", server.url)
        text = shown.read_all()
        self.assertEqual(shown.process.returncode, 0)
        self.assertRegex(text, r"\r\x1b\[Kenqueued 3,000 of 3,000 \(100%\), [\d,.]+/s, \w+\n")


class Top(Case):
    def open(self, server, *arguments, **options):
        return self.terminal("top", "--interval", "200ms", "--server", server.url, *arguments,
                             **options)  # fmt: skip

    def test_it_updates_and_reacts_to_keys(self):
        server = self.serve()
        for queue in ["beta", "alpha", "alpha"]:
            server.enqueue(queue=queue)
        top = self.open(server)
        first = top.read_until("q quit")
        self.assertIn("3 queued", plain(first))
        self.assertRegex(plain(first), r"(?s)> alpha .*beta")  # deepest first, and selected
        server.enqueue(queue="gamma")
        top.read_until("gamma")
        top.type("s")
        top.read_until("sorted by running")
        top.type("/bet\r")
        self.assertNotIn("gamma", plain(top.read_until("filter: bet").split("\x1b[H")[-1]))
        top.read_until("> beta")
        top.type("p")
        top.read_until("paused")
        self.assertTrue(self.queue(server, "beta")["paused"])
        top.type("p")
        self.until_resumed(server, "beta")
        top.type("/\x1b")
        top.read_until("gamma")
        top.type("\x1b[B")
        top.read_until("> ")
        top.resize(100, 30)
        top.type("q")
        top.read_all()
        self.assertEqual(top.process.returncode, 0)
        self.assertEqual(top.settings(), top.before)

    def queue(self, server, name):
        return {q["queue"]: q for q in server.get("/queues").json["queues"]}[name]

    def until_resumed(self, server, name):
        while self.queue(server, name)["paused"]:
            pass

    def test_the_terminal_is_restored_however_it_ends(self):
        server = self.serve()
        server.enqueue()
        ways = {
            "q": lambda top: top.type("q"),
            "control-c": lambda top: top.type("\x03"),
            "TERM": lambda top: top.process.send_signal(signal.SIGTERM),
            "HUP": lambda top: top.process.send_signal(signal.SIGHUP),
            "crash": lambda top: top.process.send_signal(signal.SIGSEGV),
        }
        for name, leave in ways.items():
            with self.subTest(name):
                top = self.open(server)
                top.read_until("q quit")
                self.assertNotEqual(top.settings(), top.before)
                leave(top)
                text = top.read_all()
                self.assertIn("\x1b[?25h\x1b[?1049l", text)
                self.assertEqual(top.settings(), top.before)
                expected = -signal.SIGSEGV if name == "crash" else 0
                self.assertEqual(top.process.returncode, expected)

    def test_without_a_terminal_it_prints_once(self):
        server = self.serve()
        server.enqueue(queue="alpha")
        ended = self.ok(self.run_on(server, "top"))
        self.assertIn("alpha", ended.stdout)
        self.assertIsNone(re.search(r"\x1b", ended.stdout))
        self.assertIn("workers", self.ok(self.run_on(server, "top", "--json")).stdout)

    def test_an_unreachable_server_is_reported(self):
        server = self.serve()
        server.enqueue(queue="alpha")
        top = self.open(server)
        top.read_until("q quit")
        server.stop(signal.SIGKILL)
        top.read_until("no answer from")
        top.type("q")
        top.read_all()
        self.assertEqual(top.process.returncode, 0)


if __name__ == "__main__":
    main()
