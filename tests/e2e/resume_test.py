"""Repeatedly kills examples/resume.cpp with SIGKILL during its work, and expects the next run to
continue from the last checkpoint: resume_test.py PROGRAM FOLDER"""

import shutil
import subprocess
import sys
from pathlib import Path

ROWS = 1000
KILLS = 5


def run(program, store, kill_after=None):
    """Returns the printed lines; kills the program after `kill_after` rows."""
    process = subprocess.Popen([program, store], stdout=subprocess.PIPE, text=True)
    lines, rows = [], 0
    for line in process.stdout:
        lines.append(line.strip())
        rows += line.startswith("row ")
        if kill_after is not None and rows >= kill_after:
            process.kill()
            break
    rest = process.stdout.read().splitlines()  # output before it died
    process.wait(timeout=60)
    return lines + rest, process.returncode


def rows_of(lines):
    return [int(line.split()[1]) for line in lines if line.startswith("row ")]


def begin_of(lines):
    return next(int(line.split()[-1]) for line in lines if line.startswith("attempt "))


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    Path(folder).mkdir(parents=True)
    store = f"sqlite:{folder}/resume.db"
    seen, last = set(), -1
    for kill in range(KILLS):
        lines, status = run(program, store, kill_after=60)
        assert status == -9, f"run {kill} ended by itself with {status}: {lines[-3:]}"
        begins = begin_of(lines)
        # The last row may have been processed but not saved before the kill.
        assert last <= begins <= last + 1, f"run {kill} began at {begins} after row {last}"
        seen.update(rows_of(lines))
        last = max(seen)
    lines, status = run(program, store)
    assert status == 0, f"the last run ended with {status}: {lines[-3:]}"
    assert lines[-1] == f"imported {ROWS} rows", lines[-1]
    assert last <= begin_of(lines) <= last + 1, f"began at {begin_of(lines)} after row {last}"
    seen.update(rows_of(lines))
    missing = set(range(ROWS)) - seen
    assert not missing, f"never done: {sorted(missing)[:10]}"
    print(f"{KILLS} kills, {ROWS} rows, none lost, each begun where the last was written down")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
