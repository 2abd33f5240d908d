#!/usr/bin/env python3
"""Shows the progress of a long command: reads its output, prints progress and messages.

    NINJA_STATUS='progress %f/%t ' ninja ... | tools/progress.py ninja 'builds, release'
    ctest ... | tools/progress.py ctest 'end to end' --expect 420
    ... | tools/progress.py lines 'sanitizers' --total 14
    apt-get -o APT::Status-Fd=1 ... | tools/progress.py apt 'packages'

On a terminal this is one line, which is rewritten, and erased at the end. In a file or a pipe it is
a line every 20 seconds, or every 5 % when those are at least 5 seconds apart.
"""

import argparse
import os
import re
import select
import shutil
import sys
import time

EVERY_SECONDS = 20.0
EVERY_PERCENT = 5
AT_LEAST_SECONDS = 5.0
REWRITE_SECONDS = 0.2

# How each kind of output reports "12 of 345 done". Other lines are messages.
STATUS = {
    "ninja": re.compile(r"progress (?P<done>\d+)/(?P<total>\d+) |ninja: no work to do"),
    "ctest": re.compile(r" *(?P<done>\d+)/(?P<total>\d+) Test +#\d+: "),
    "apt": re.compile(r"(?:dl|pm)status:[^:]*:(?P<percent>[\d.]+):"),
    "lines": re.compile(r""),
}
# Only messages of builds are shown at once; those of other commands are in a log.
SHOWS_MESSAGES = ("ninja",)


class Progress:
    """The number done, the total and the start time."""

    def __init__(self, kind, total, expected_seconds, now):
        self.kind = kind
        self.done, self.total = 0, total
        self.expected_seconds = expected_seconds
        self.started = now

    def take(self, line):
        """Whether the line reports progress."""
        found = STATUS[self.kind].match(line)
        if not found:
            return False
        if self.kind == "lines":
            self.done += 1
        elif self.kind == "ninja" and found["done"] is None:
            pass  # everything is up to date
        elif self.kind == "apt":
            self.done, self.total = int(float(found["percent"])), 100
        else:
            self.done, self.total = int(found["done"]), int(found["total"])
        return True

    def share(self):
        return min(self.done / self.total, 1.0) if self.total else 0.0

    def percent(self):
        return 100 * self.done // self.total if self.total else 0

    def seconds_left(self, now):
        """None if it cannot be estimated. Long tests come first, so the pace of the first ones
        misleads: the expected time is given the weight of what is still to be done."""
        share, elapsed = self.share(), now - self.started
        if self.expected_seconds is not None:
            return (1 - share) * ((1 - share) * self.expected_seconds + elapsed)
        return elapsed / share - elapsed if share > 0 else None

    def text(self, now):
        parts = [f"{self.done}/{self.total} ({self.percent()} %)"] if self.total else []
        parts.append(f"{as_time(now - self.started)} so far")
        left = self.seconds_left(now)
        if left is not None:
            parts.append(f"about {as_time(left)} left")
        return ", ".join(parts)


def as_time(seconds):
    seconds = int(seconds + 0.5)
    return f"{seconds // 60}:{seconds % 60:02}"


class Screen:
    """The output: one overwritten line on a terminal, else occasional lines."""

    def __init__(self, label, out, is_terminal, now):
        self.label, self.out, self.is_terminal = label, out, is_terminal
        self.shown_at, self.shown_percent = now, 0

    def show(self, progress, now):
        if not self.is_due(progress, now):
            return
        self.shown_at, self.shown_percent = now, progress.percent()
        text = f"  {self.label}: {progress.text(now)}"
        if self.is_terminal:
            width = shutil.get_terminal_size().columns
            self.out.write("\r\033[K" + text[: width - 1])
        else:
            self.out.write(text + "\n")
        self.out.flush()

    def is_due(self, progress, now):
        since = now - self.shown_at
        if self.is_terminal:
            return since >= REWRITE_SECONDS
        moved = progress.percent() - self.shown_percent
        return since >= EVERY_SECONDS or (since >= AT_LEAST_SECONDS and moved >= EVERY_PERCENT)

    def message(self, line):
        self.erase()
        self.out.write(line + "\n")
        self.out.flush()

    def erase(self):
        if self.is_terminal:
            self.out.write("\r\033[K")
            self.out.flush()


def lines_or_none(descriptor, wait_seconds):
    """Yields lines as they arrive, and None after a pause."""
    rest = b""
    while True:
        if not select.select([descriptor], [], [], wait_seconds)[0]:
            yield None
            continue
        read = os.read(descriptor, 65536)
        if not read:
            break
        *whole, rest = (rest + read).split(b"\n")
        for line in whole:
            yield line.decode(errors="replace")
    if rest:
        yield rest.decode(errors="replace")


def run(options, descriptor, out):
    is_terminal = out.isatty()
    now = time.monotonic()
    progress = Progress(options.kind, options.total, options.expect, now)
    screen = Screen(options.label, out, is_terminal, now)
    for line in lines_or_none(descriptor, 1.0):
        if line is not None and not progress.take(line) and options.kind in SHOWS_MESSAGES:
            screen.message(line)
        screen.show(progress, time.monotonic())
    screen.erase()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=sorted(STATUS))
    parser.add_argument("label")
    parser.add_argument("--total", type=int, default=0, help="of `lines`")
    parser.add_argument("--expect", type=float, help="seconds that it should take in all")
    try:
        run(parser.parse_args(), sys.stdin.fileno(), sys.stdout)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
