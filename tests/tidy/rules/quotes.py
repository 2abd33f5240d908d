"""Code shown in a document is the code of a file, word for word.

    <!-- quote examples/first_job.cpp -->          the whole file
    <!-- quote examples/first_job.cpp#enqueue -->  the lines between `// quote: enqueue` and
                                                   `// end quote` (`#` instead of `//` elsewhere)

comes on the line before a fenced block. A C++ block in README.md or docs/ without one is a
finding too, except in docs/decisions, which also show roads not taken.
"""

import re
import textwrap

from tree import Finding

_MARKER = re.compile(r"^\s*<!-- quote (?P<path>[^\s#]+)(?:#(?P<region>[\w-]+))? -->\s*$")
_FENCE = re.compile(r"^\s*```(?P<language>\S*)")
_BEGIN = re.compile(r"^\s*(?://|#|--) quote: (?P<region>[\w-]+)\s*$")
_END = re.compile(r"^\s*(?://|#|--) end quote\s*$")


def check(tree):
    for path in tree.having(".md"):
        yield from _check_document(tree, path)


def _check_document(tree, path):
    must_quote = path == "README.md" or (
        path.startswith("docs/") and not path.startswith("docs/decisions/")
    )
    lines = tree.lines(path)
    at, marker = 0, None
    while at < len(lines):
        number, line = lines[at]
        fence = _FENCE.match(line)
        if fence:
            block = _block(lines, at)
            if marker:
                yield from _compare(tree, path, number, marker, block)
            elif must_quote and fence["language"] in ("cpp", "c++"):
                message = "C++ that no compiler has seen: quote it from a file"
                yield Finding(path, number, message)
            at += len(block) + 1
        elif marker:
            yield Finding(path, number - 1, "a quote marker stands right before a fenced block")
        marker = None if fence else _MARKER.match(line)
        at += 1


def _block(lines, at):
    """The lines inside the fence that opens at `at`."""
    inside = []
    for _, line in lines[at + 1 :]:
        if line.strip().startswith("```"):
            break
        inside.append(line)
    return inside


def _compare(tree, path, number, marker, block):
    if not tree.exists(marker["path"]):
        yield Finding(path, number, f"quotes {marker['path']}, which does not exist")
        return
    source = _region(tree.text(marker["path"]).split("\n"), marker["region"])
    if source is None:
        message = f"{marker['path']} has no region `quote: {marker['region']}`"
        yield Finding(path, number, message)
    elif _plain(block) != _plain(source):
        yield Finding(path, number, f"differs from {marker['path']}: copy it again")


def _region(lines, name):
    if name is None:
        return [line for line in lines if not _BEGIN.match(line) and not _END.match(line)]
    inside = None
    for line in lines:
        begin = _BEGIN.match(line)
        if inside is None and begin and begin["region"] == name:
            inside = []
        elif inside is not None and _END.match(line):
            return inside
        elif inside is not None:
            inside.append(line)
    return None


def _plain(lines):
    return textwrap.dedent("\n".join(lines)).strip()
