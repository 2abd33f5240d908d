"""Sets the clock of one process while it runs: libfaketime reads an offset from a file."""

import subprocess
import threading
import time
from pathlib import Path

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


class FakeClock:
    """The environment of a process with a fake clock."""

    def __init__(self, folder):
        if not LIBRARIES:
            raise RuntimeError("libfaketime is not installed: apt-get install faketime")
        self._file = Path(folder) / "clock"
        self.set(0)

    @property
    def environment(self):
        return {
            "LD_PRELOAD": str(LIBRARIES[0]),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            # Read on each call; only the wall clock is changed.
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def shim(self):
        """The same for databases, which do not work with libfaketime: see set_clock.c."""
        library = self._file.with_name("set_clock.so")
        source = Path(__file__).resolve().parent / "set_clock.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        return {"LD_PRELOAD": str(library), "SET_CLOCK_FILE": str(self._file)}

    def set(self, seconds):
        """Sets the clock ahead of the machine's by `seconds`."""
        new = self._file.with_name("clock.new")
        new.write_text(f"{seconds:+d}s\n")
        new.chmod(0o644)
        new.rename(self._file)


def wait_for(what, holds, longest=60):
    """Polls until `holds` returns a true value, and returns it."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        if answer := holds():
            return answer
        threading.Event().wait(0.05)
    raise AssertionError(f"not within {longest} s: {what}")
