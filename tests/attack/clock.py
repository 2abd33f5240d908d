"""Sets the clock of one process while it runs: libfaketime reads an offset from a file."""

import subprocess
import threading
import time
from pathlib import Path

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))


class FakeClock:
    """The variables that a process is to be started with, and its clock."""

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
            # Looked at each time, and only the wall clock is set.
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def shim(self):
        """The same for the databases, which libfaketime cannot serve: see set_clock.c."""
        library = self._file.with_name("set_clock.so")
        source = Path(__file__).resolve().parent / "set_clock.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
        return {"LD_PRELOAD": str(library), "SET_CLOCK_FILE": str(self._file)}

    def set(self, seconds):
        """The clock is ahead of the machine's by so much from now on."""
        new = self._file.with_name("clock.new")
        new.write_text(f"{seconds:+d}s\n")
        new.chmod(0o644)
        new.rename(self._file)


def wait_for(what, holds, longest=60):
    """The first answer of `holds` that is true."""
    end = time.monotonic() + longest
    while time.monotonic() < end:
        if answer := holds():
            return answer
        threading.Event().wait(0.05)
    raise AssertionError(f"not within {longest} s: {what}")
