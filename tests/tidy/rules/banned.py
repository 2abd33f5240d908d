"""Calls and words that have a better replacement, which the finding names.

Time and randomness are passed in, so that tests control both; tests never sleep; asio is used only
for HTTP; g++ 12 destroys temporaries of a co_await expression twice; unfinished work is not kept in
comments.
"""

import re
from dataclasses import dataclass, field

import cpp
from tree import Finding

CODE = ("include/", "src/", "tests/", "examples/")
# Code with threads, sockets and processes.
RIM = ("src/runtime/", "src/server/", "src/worker/", "src/client/", "src/http/", "src/cli/")
REAL_PROCESSES = ("tests/e2e/", "tests/chaos/")


@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern
    instead: str
    allowed: tuple = field(default=())


BANS = [
    Ban(
        re.compile(
            r"\b(?:system|steady|high_resolution)_clock\s*::\s*now\b"
            r"|\b(?:gettimeofday|clock_gettime)\s*\(|\bstd::time\s*\("
        ),
        "take `now` as a parameter, or a clock from core/time/clock.h",
        ("src/core/time/clock.", "tests/deadline.h") + RIM + REAL_PROCESSES,
    ),
    Ban(
        re.compile(r"\brandom_device\b|\bs?rand\s*\("),
        "take a Random& from core/ids/random.h, so that a seed repeats the run",
        ("src/core/ids/random.",) + RIM,
    ),
    Ban(
        re.compile(r"\bsleep_(?:for|until)\b|\b(?:u|nano)?sleep\s*\("),
        "wait for the event with a deadline; a test moves its own clock",
        ("src/core/time/clock.",) + RIM,
    ),
    Ban(
        re.compile(r"\bco_await\b[^;]*?[{\[]"),
        "bind the argument to a named local first: g++ 12 destroys a temporary twice",
    ),
]
_ASIO = re.compile(r"(^|/)asio(/|\.|$)|(^|/)beast(/|\.|$)")
ASIO_FOLDERS = (
    ("src/http/", "src/client/", "tests/unit/http/", "tests/unit/client/", "tests/fuzz/")
    + REAL_PROCESSES
)

# Spelled in two halves, or this file would break its own rule.
_UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"]) + r")\b")
_TEXT = (".h", ".cpp", ".py", ".sh", ".md", ".cmake", ".txt", ".sql", ".lua", "dev")
_TEXT += (".ts", ".tsx", ".js", ".mjs")


def check(tree):
    for path in tree.having(".h", ".cpp", under=CODE):
        yield from _banned_calls(path, tree.text(path))
        yield from _asio(path, tree.text(path))
    for path in tree.having(*_TEXT):
        for number, line in tree.lines(path):
            if match := _UNFINISHED.search(line):
                yield Finding(path, number, f"{match.group()}: finish it, or open an issue")


def _banned_calls(path, text):
    code = cpp.code_only(text)
    for ban in BANS:
        if path.startswith(ban.allowed):
            continue
        for match in ban.pattern.finditer(code):
            line = code.count("\n", 0, match.start()) + 1
            call = " ".join(match.group().split())
            yield Finding(path, line, f"{call} is banned here: {ban.instead}")


def _asio(path, text):
    for include in cpp.includes(text):
        if _ASIO.search(include.target) and not path.startswith(ASIO_FOLDERS):
            message = "asio and beast are only for src/http and src/client; use their interfaces"
            yield Finding(path, include.line, message)
