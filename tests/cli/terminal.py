"""Runs a program on a pseudo-terminal of a given size."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import harness

_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def plain(text):
    """The text without escape sequences."""
    return _SEQUENCE.sub("", text)


class Terminal:
    def __init__(self, *arguments, columns=80, rows=24, cwd=None, env=None):
        self.keys, far = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.keys)
        self.text = ""
        self.process = subprocess.Popen(
            [harness.PROGRAM, *map(str, arguments)],
            stdin=far,
            stdout=far,
            stderr=far,
            cwd=cwd,
            env=self._environment(env or {}),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(far)

    @staticmethod
    def _environment(extra):
        ours = harness.environment(**{"TERM": "xterm-256color", **extra})
        return ours if "NO_COLOR" in extra else {k: v for k, v in ours.items() if k != "NO_COLOR"}

    def resize(self, columns, rows):
        fcntl.ioctl(self.keys, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text):
        os.write(self.keys, text.encode())

    def read_until(self, wanted):
        """Everything since the last call, up to and with `wanted`."""
        deadline = time.monotonic() + harness.PATIENCE
        seen = ""
        while wanted not in plain(seen):
            if not self._read(deadline):
                raise AssertionError(f"no {wanted!r} in {plain(seen)!r}")
            seen, self.text = seen + self.text, ""
        return seen

    def read_all(self):
        """Everything to the end of the program."""
        deadline = time.monotonic() + harness.PATIENCE
        while self._read(deadline):
            pass
        self.process.wait(timeout=harness.PATIENCE)
        return self.text.replace("\r\n", "\n")

    def _read(self, deadline):
        ready, _, _ = select.select([self.keys], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return False
        try:
            piece = os.read(self.keys, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)

    def settings(self):
        return termios.tcgetattr(self.keys)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait(timeout=harness.PATIENCE)
        os.close(self.keys)
