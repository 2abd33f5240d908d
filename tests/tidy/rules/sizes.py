"""Files of at most 500 lines, lines of at most 100 characters, functions of at most 70 lines.

A longer function is listed, with its length, in long_functions.txt. An entry may only shrink, and
is removed when its function is short enough or gone.
"""

import cpp
from tree import Finding

FILE_LINES = 500
LINE_LENGTH = 100
FUNCTION_LINES = 70
RATCHET = "tests/tidy/long_functions.txt"

_SOURCES = (".h", ".cpp", ".py", ".sh", ".cmake", "CMakeLists.txt", ".sql", ".lua")
_SOURCES += (".ts", ".tsx", ".js", ".mjs")


def check(tree):
    for path in tree.having(*_SOURCES) + [p for p in tree.paths if p in ("dev", ".ci/run")]:
        yield from _check_lines(tree, path)
    yield from _check_functions(tree)


def _check_lines(tree, path):
    lines = tree.lines(path)
    count = len(lines) - 1
    if count > FILE_LINES:
        yield Finding(path, count, f"{count} lines: split it")
    for number, line in lines:
        if len(line) > LINE_LENGTH:
            yield Finding(path, number, f"{len(line)} characters; at most {LINE_LENGTH}")


def _check_functions(tree):
    known = dict(_ratchet(tree))
    for path in tree.having(".h", ".cpp"):
        for function in cpp.functions(tree.text(path)):
            if function.length <= FUNCTION_LINES:
                continue
            limit = known.pop((path, function.name), FUNCTION_LINES)
            if function.length > limit:
                message = f"{function.name} has {function.length} lines; {limit} are allowed"
                yield Finding(path, function.line, message)
            elif function.length < limit:
                message = f"{path} {function.name} has shrunk: write {function.length} here"
                yield Finding(RATCHET, 1, message)
    for path, name in known:
        yield Finding(RATCHET, 1, f"{path} {name} is not too long any more: remove its line")


def _ratchet(tree):
    """Lines of `path function lines`; # begins a comment."""
    if not tree.exists(RATCHET):
        return
    for _, line in tree.lines(RATCHET):
        if fields := line.split("#")[0].split():
            path, name, lines = fields
            yield (path, name), int(lines)
