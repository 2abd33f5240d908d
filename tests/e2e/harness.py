"""Starts and stops real programs for the tests in this folder.

    LONGSHORE_PROGRAM     the program; default: build/longshore
    LONGSHORE_TEST_STORE  the kind of store; see stores.py

Nothing here sleeps: a server is ready when it says so in its log, and a job has ended when a wait
for it is answered.
"""

import atexit
import functools
import http.client
import json
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

import stores

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LONGSHORE_PROGRAM", str(ROOT / "build" / "longshore"))
PATIENCE = 60  # seconds; usually a fraction of one suffices


def environment(**extra):
    """The environment of this process without variables that configure the program."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LONGSHORE_")}
    kept.pop("STATE_DIRECTORY", None)
    return {**kept, "XDG_STATE_HOME": _state_folder(), **extra}


@functools.cache
def _state_folder():
    """The folder for identity files of nodes, instead of the user's own."""
    folder = tempfile.mkdtemp(prefix="longshore-state-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run(*arguments, stdin=None, cwd=None, env=None, timeout=PATIENCE):
    """Runs a command to its end."""
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(**(env or {})),
        timeout=timeout,
        check=False,
    )


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:300]!r}>"


class Process:
    """A background process and the lines of its log."""

    def __init__(self, *arguments, program=PROGRAM, cwd=None, env=None, **options):
        self.lines = []
        self._news = queue.Queue()
        self.process = subprocess.Popen(
            [program, *map(str, arguments), "--log-format", "json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            cwd=cwd,
            env=environment(**(env or {})),
            **options,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line)
            self._news.put(line)
        self._news.put(None)

    def await_line(self, message):
        """The fields of the next log line with this message."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._news.get(timeout=max(deadline - time.monotonic(), 0.001))
            if line is None:
                raise AssertionError(f"ended without {message!r}: {''.join(self.lines)}")
            try:
                fields = json.loads(line)
            except ValueError:
                continue  # for example the output of a sanitizer
            if fields["message"] == message:
                return fields

    def stop(self, number=signal.SIGTERM, timeout=PATIENCE):
        """The exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(timeout=timeout)
        self._reader.join(timeout=PATIENCE)
        self.process.stderr.close()
        return self.process.returncode

    @property
    def log(self):
        return "".join(self.lines)


class Server(Process):
    def __init__(self, store, *arguments, **options):
        super().__init__(
            "serve", "--store", store, "--listen", "127.0.0.1:0", *arguments, **options
        )
        self.url = self.await_line("serving")["url"]
        self.port = urlsplit(self.url).port

    def call(self, method, path, body=None, headers=None, timeout=PATIENCE):
        """Sends one request on a new connection."""
        with self.connect(timeout) as connection:
            return connection.call(method, path, body, headers)

    def connect(self, timeout=PATIENCE, token=None):
        return Connection(self.port, timeout, token)

    def get(self, path, **options):
        return self.call("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.call("POST", path, body, **options)

    def enqueue(self, job_type="T", **fields):
        answer = self.post("/jobs", {"jobType": job_type, **fields})
        assert answer.status == 202, answer
        return answer.json["jobId"]

    def lease(self, worker="w", **fields):
        answer = self.post("/leases", {"workerId": worker, **fields})
        assert answer.status == 200, answer
        return answer.json["leases"]

    def ended(self, job_id):
        """Waits until the job has ended, and returns it."""
        answer = self.get(f"/jobs/{job_id}?waitSeconds=60", timeout=PATIENCE + 10)
        assert answer.status == 200, answer
        return answer.json


class Connection:
    """A keep-alive connection."""

    def __init__(self, port, timeout=PATIENCE, token=None):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._connection.close()

    def call(self, method, path, body=None, headers=None):
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
        headers = {**self._headers, **(headers or {})}
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        self._connection.request(method, path, body=body, headers=headers)
        answer = self._connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read().decode())


class Case(unittest.TestCase):
    """Each test has its own folder and store; processes it starts end with it."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="longshore-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.store = stores.fresh(self.folder)

    def serve(self, *arguments, **options):
        server = Server(self.store, *arguments, cwd=self.folder, **options)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def work(self, server, *arguments, **options):
        worker = Process("work", "--server", server.url, *arguments, cwd=self.folder, **options)
        self.addCleanup(worker.stop, signal.SIGKILL)
        worker.await_line("working")
        return worker

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return f"./{name}"

    def assert_problem(self, answer, status, code):
        self.assertEqual(answer.status, status, answer)
        self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
        self.assertEqual(answer.json["code"], code, answer)
        self.assertEqual(answer.json["status"], status)
