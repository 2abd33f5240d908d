"""Programs as handlers: limits, endings and cleanup."""

import json
import os
import signal
import time
import unittest
from pathlib import Path

import harness

NEVER_AGAIN = {"maxRetries": 0, "backoff": {"kind": "none"}}


def children_of(process):
    """The states of all child processes."""
    states = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == process.pid:
            states.append(fields[0])
    return states


def left_open(process):
    """The files that a worker has open for programs, without its connections."""
    kinds = ("pipe:", "/memfd:", "anon_inode:[pidfd]")
    files = []
    for entry in Path(f"/proc/{process.pid}/fd").iterdir():
        try:
            file = os.readlink(entry)
        except OSError:
            continue  # closed meanwhile
        if int(entry.name) > 2 and file.startswith(kinds):
            files.append(file)
    return files


def assert_tidied(case, process):
    """Polls: a worker cleans up shortly after it reports the outcome."""
    deadline = time.monotonic() + harness.PATIENCE
    while (left := children_of(process) + left_open(process)) and time.monotonic() < deadline:
        pass
    case.assertEqual(left, [])


class Programs(harness.Case):
    def error_of(self, server, job):
        self.assertEqual(server.ended(job)["status"], "FAILED")
        return server.get(f"/jobs/{job}/details").json["error"]

    def test_each_limit_ends_the_program_with_its_own_error(self):
        server = self.serve()
        (self.folder / "longshore.toml").write_text(
            """
            [programs]
            openFiles = 33
            [work.handlers.MEMORY]
            exec = "./memory"
            memoryBytes = 200_000_000
            [work.handlers.CPU]
            exec = "./cpu"
            cpuSeconds = 1
            [work.handlers.OUTPUT]
            exec = "./output"
            outputBytes = 1000
            [work.handlers.FILES]
            exec = "./files"
            concurrency = 1
            """
        )
        self.script("memory", "exec python3 -c 'x = bytearray(400_000_000)'\n")
        self.script("cpu", "while :; do :; done\n")
        self.script("output", "yes\n")
        self.script("files", "ulimit -n\n")
        self.work(server, "--concurrency", 4)
        jobs = {t: server.enqueue(t, **NEVER_AGAIN) for t in ("MEMORY", "CPU", "OUTPUT", "FILES")}
        self.assertIn("MemoryError", self.error_of(server, jobs["MEMORY"])["message"])
        self.assertEqual(self.error_of(server, jobs["CPU"])["code"], "CPU_LIMIT")
        self.assertEqual(self.error_of(server, jobs["OUTPUT"])["code"], "OUTPUT")
        server.ended(jobs["FILES"])
        self.assertEqual(server.get(f"/jobs/{jobs['FILES']}/result").json, 33)

    def test_each_attempt_has_a_temporary_folder(self):
        server = self.serve()
        (self.folder / "scratch").mkdir()
        body = 'pwd; ls -A | wc -l; mkdir deep; echo x > deep/file; chmod 0 deep; echo "$0 $#"\n'
        self.work(server, "--exec", f"T={self.script('p', body)}", "--programs-folder", "scratch")
        seen = set()
        for _ in range(3):
            job = server.enqueue()
            server.ended(job)
            where, files, called = server.get(f"/jobs/{job}/result").json.splitlines()
            self.assertEqual(Path(where).parent, self.folder / "scratch")
            self.assertEqual(files, "0")
            self.assertEqual(called, f"{self.folder}/p 0")
            seen.add(where)
        self.assertEqual(len(seen), 3)
        self.assertEqual(list((self.folder / "scratch").iterdir()), [])

    def test_standard_error_is_the_log_and_its_end_the_message(self):
        server = self.serve()
        body = "seq 1 20000 >&2; echo last words >&2; exit 65\n"
        self.work(server, "--exec", f"T={self.script('p', body)}")
        job = server.enqueue()
        error = self.error_of(server, job)
        self.assertEqual(error["code"], "EXIT_65")
        self.assertTrue(error["message"].endswith("last words"))
        (log,) = server.get(f"/jobs/{job}/logs").json["logs"]
        self.assertTrue(log["text"].endswith("last words\n"))
        self.assertLessEqual(len(log["text"]), 64 * 1024)

    def test_a_crash_is_named(self):
        server = self.serve()
        self.work(server, "--exec", f"T={self.script('p', 'kill -SEGV $$')}")
        error = self.error_of(server, server.enqueue(**NEVER_AGAIN))
        self.assertEqual(error["code"], "SIGSEGV")

    def test_a_program_that_ignores_sigterm_is_killed(self):
        server = self.serve()
        body = "trap '' TERM; [ $LONGSHORE_ATTEMPT = 1 ] || exit 0; while :; do sleep 0.05; done\n"
        worker = self.work(server, "--exec", f"T={self.script('p', body)}", "--concurrency", 1)
        job = server.enqueue(timeoutSeconds=1)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.get(f"/jobs/{job}/details").json["errors"][0]["code"], "TIMEOUT")
        assert_tidied(self, worker.process)

    def test_a_worker_reports_an_expired_lease(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        body = f"[ $LONGSHORE_ATTEMPT = 1 ] || exit 0; echo > {fifo}; cat {fifo}; echo late\n"
        program = self.script("p", body)
        arguments = ["--exec", f"T={program}", "--lease-time", "1s"]
        worker = self.work(server, *arguments)
        job = server.enqueue()
        fifo.read_text()  # it runs
        worker.process.send_signal(signal.SIGSTOP)
        self.work(server, *arguments)
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        fifo.write_text("go on\n")  # the program ends while the worker is paused
        worker.process.send_signal(signal.SIGCONT)
        line = worker.await_line("LEASE_LOST")
        self.assertIn(job, line["error"])
        self.assertIsNone(server.get(f"/jobs/{job}/result").json)
        self.assertEqual(worker.stop(), 0)

    def test_the_next_attempt_starts_from_the_checkpoint(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        # Attempts: fails with one saved; is killed with its worker with another; reads that.
        body = f"""
            case $LONGSHORE_ATTEMPT in
            1) [ ! -e "$LONGSHORE_CHECKPOINT" ] || exit 65
               echo no JSON > "$LONGSHORE_CHECKPOINT"; echo '{{"done": 1}}' > next
               mv next "$LONGSHORE_CHECKPOINT"; exit 75;;
            2) cat "$LONGSHORE_CHECKPOINT" > {fifo}
               echo '{{"done": 2}}' > "$LONGSHORE_CHECKPOINT"; exec sleep 1000;;
            *) cat "$LONGSHORE_CHECKPOINT";;
            esac
            """
        program = self.script("p", body)
        worker = self.work(server, "--exec", f"T={program}", "--lease-time", "3s")
        job = server.enqueue(backoff={"kind": "none"})
        self.assertEqual(json.loads(fifo.read_text()), {"done": 1})
        deadline = time.monotonic() + harness.PATIENCE
        while server.get(f"/jobs/{job}/details").json["checkpoint"] != {"done": 2}:
            self.assertLess(time.monotonic(), deadline)
        worker.stop(signal.SIGKILL)
        self.work(server, "--exec", f"T={program}")
        self.assertEqual(server.ended(job)["status"], "COMPLETED")
        self.assertEqual(server.get(f"/jobs/{job}/result").json, {"done": 2})

    def test_a_second_signal_ends_the_worker_at_once(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        body = f"trap '' TERM; exec 3> {fifo}; echo up >&3; while :; do sleep 0.05; done\n"
        worker = self.work(server, "--exec", f"T={self.script('p', body)}", "--grace", "1h")
        job = server.enqueue()
        with open(fifo, encoding="utf-8") as held:
            self.assertEqual(held.readline(), "up\n")
            worker.process.send_signal(signal.SIGTERM)
            worker.await_line("stopping")
            began = time.monotonic()
            self.assertEqual(worker.stop(signal.SIGTERM), 0)
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(held.read(), "")  # no process of the group is left
        details = server.get(f"/jobs/{job}/details").json
        self.assertEqual((details["state"], details["failures"]), ("QUEUED", 0))

    def test_a_program_does_not_outlive_a_killed_worker(self):
        server = self.serve()
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        program = self.script("p", f"exec 3> {fifo}; echo up >&3; exec sleep 1000\n")
        worker = self.work(server, "--exec", f"T={program}")
        server.enqueue()
        with open(fifo, encoding="utf-8") as held:
            self.assertEqual(held.readline(), "up\n")
            worker.stop(signal.SIGKILL)
            self.assertEqual(held.read(), "")

    def test_queues_are_visited_by_their_weights(self):
        server = self.serve()
        for queue in ("often", "seldom"):
            jobs = [{"jobType": "T", "queue": queue} for _ in range(40)]
            self.assertEqual(server.post("/jobs/batch", {"jobs": jobs}).status, 202)
        order = self.folder / "order"
        program = self.script("p", f"echo $LONGSHORE_QUEUE >> {order}\n")
        self.work(server, "--exec", f"T={program}", "--concurrency", 1,
                  "--queue", "often=3", "--queue", "seldom=1")  # fmt: skip
        server.ended(server.enqueue(queue="seldom"))  # the last of all
        first = order.read_text().split()[:40]
        self.assertIn(first.count("often"), (29, 30, 31))

    def test_concurrency_limits_of_types_and_queues_apply(self):
        server = self.serve()
        lock = self.folder / "lock"
        # Fails if another one of the same kind is running.
        program = self.script("p", f"mkdir {lock}-$LONGSHORE_JOB_TYPE || exit 65; sleep 0.02; "
                              f"rmdir {lock}-$LONGSHORE_JOB_TYPE\n")  # fmt: skip
        self.work(server, "--exec", f"A={program}", "--exec", f"B={program}", "--concurrency", 8,
                  "--type-limit", "A=1", "--queue", "default", "--queue", "one",
                  "--queue-limit", "one=1")  # fmt: skip
        jobs = [server.enqueue("A") for _ in range(8)]
        jobs += [server.enqueue("B", queue="one") for _ in range(8)]
        for job in jobs:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")

    def test_nothing_is_left_open_or_unreaped(self):
        server = self.serve()
        program = self.script("p", "sleep 100 & exit 0\n")
        worker = self.work(server, "--exec", f"T={program}", "--concurrency", 4)
        for job in [server.enqueue() for _ in range(40)]:
            self.assertEqual(server.ended(job)["status"], "COMPLETED")
        assert_tidied(self, worker.process)

    def test_an_error_in_the_file_is_reported_with_its_line(self):
        cases = [
            ('[work.handlers.T]\nexec = "./p"\npush = "http://x"\n', "needs either exec"),
            ('[work.handlers.T]\nexe = "./p"\n', "did you mean exec"),
            ('[work.handlers."longshore.x"]\nexec = "./p"\n', "reserved"),
            ('[work.handlers.T]\nexec = "./p"\nreplay = true\n', "replay needs push"),
            ('[work.handlers.T]\nexec = "p"\n', "not searched for"),
        ]
        for text, expected in cases:
            with self.subTest(text):
                (self.folder / "longshore.toml").write_text(text)
                ended = harness.run("work", cwd=self.folder)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)


if __name__ == "__main__":
    unittest.main()
