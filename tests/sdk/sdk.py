"""Starts the workers of both SDKs against a real server.

A test class states what every SDK does; `both` creates one test case of it per language. Importing
this module adds tests/e2e and the Python SDK to the path.
"""

import json
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import harness  # noqa: E402

PYTHON = harness.ROOT / "sdk" / "python"
TYPESCRIPT = harness.ROOT / "sdk" / "typescript"
sys.path.insert(0, str(PYTHON))

COMMANDS = {
    "Python": [sys.executable, "-B", str(HERE / "handlers.py")],
    "TypeScript": ["node", str(HERE / "handlers.mjs")],
}


def environment(**extra):
    return harness.environment(
        PYTHONPATH=str(PYTHON), LONGSHORE_SDK=str(TYPESCRIPT / "src" / "index.js"), **extra
    )


class Program:
    """A background process, and the lines of its stdout and stderr."""

    def __init__(self, command, cwd, env):
        self.lines = []
        self._unread = queue.Queue()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=cwd,
            env=env,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            self._unread.put(line.rstrip("\n"))
        self._unread.put(None)

    def await_line(self, text):
        """Waits for the next line that starts with `text`."""
        deadline = time.monotonic() + harness.PATIENCE
        while True:
            try:
                line = self._unread.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise AssertionError(f"no {text!r} among {self.lines}") from None
            if line is None:
                raise AssertionError(f"ended without {text!r}: {self.lines}")
            if line.startswith(text):
                return line

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """Waits for the exit status."""
        status = self.process.wait(timeout=harness.PATIENCE)
        self._reader.join(timeout=harness.PATIENCE)
        self.process.stdout.close()
        return status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.wait()


class Case(harness.Case):
    language = None

    def start(self, url, options=None, **variables):
        worker = Program(
            COMMANDS[self.language],
            self.folder,
            environment(
                LONGSHORE_SERVER=url, WORKER_OPTIONS=json.dumps(options or {}), **variables
            ),
        )
        self.addCleanup(worker.kill)
        worker.await_line("working")
        return worker

    def serve_again(self, server):
        """Kills a server and starts another on the same store and port."""
        self.end(server)
        return self.serve("--listen", f"127.0.0.1:{server.port}")

    def end(self, server):
        """Kills a server and reserves its port, so that no other process gets it."""
        server.stop(signal.SIGKILL)
        kept = socket.socket()
        self.addCleanup(kept.close)
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", server.port))

    def make_token(self, role):
        made = harness.run(
            "token", "create", "--role", role, "--store", self.store, cwd=self.folder
        )
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def details(self, server, job):
        return server.get(f"/jobs/{job}/details").json

    def touch(self, name="go"):
        (self.folder / name).write_text("")

    def path(self, name="go"):
        return str(self.folder / name)


def both(law, names):
    """Adds a test case of `law` per language to the names of a module."""
    for language in COMMANDS:
        name = f"{law.__name__}In{language}"
        names[name] = type(name, (law, Case), {"language": language, "__module__": "__main__"})


def result_of(server, job):
    answer = server.get(f"/jobs/{job}/result")
    assert answer.status == 200, answer
    return answer.json
