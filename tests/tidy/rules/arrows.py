"""A folder of src/ includes only what docs/ARCHITECTURE.md lets it use.

The fenced block marked `arrows` in that file is the table this rule reads, and every folder needs
a charter there: a table row that begins with its path. Includes are written from src/ or from
include/, so that each shows the layer it depends on.
"""

import re
from fnmatch import fnmatch

import cpp
from tree import Finding

DOCUMENT = "docs/ARCHITECTURE.md"
_BLOCK = re.compile(r"^```arrows\n(.*?)^```", re.MULTILINE | re.DOTALL)
_ARROW = re.compile(r"^(\S+)\s+→\s+([^\s,]+(?:, [^\s,]+)*)")
# These use only the standard library; others may use third-party libraries.
STANDARD_LIBRARY_ONLY = ("core",)


def check(tree):
    sources = tree.having(".h", ".cpp", under=["src/"])
    if not sources:
        return
    document = tree.text(DOCUMENT) if tree.exists(DOCUMENT) else ""
    arrows = dict(_arrows(document))
    if not arrows:
        yield Finding(DOCUMENT, 1, "has no block of arrows")
        return
    charters = set(re.findall(r"^\| `src/([^`]+?)/?` \|", document, re.MULTILINE))
    yield from _folders_without_charter(sources, arrows, charters)
    for path in sources:
        yield from _check_file(tree, path, arrows)


def _arrows(document):
    for block in _BLOCK.findall(document):
        for line in block.splitlines():
            if match := _ARROW.match(line):
                yield match.group(1), match.group(2).split(", ")


def _folders_without_charter(sources, arrows, charters):
    for folder in sorted({folder_of(path) for path in sources}):
        if _allowed(folder, arrows) is None or folder not in charters:
            yield Finding(
                f"src/{folder}",
                1,
                f"is a folder without a charter: describe it in one sentence in {DOCUMENT} (a row "
                f"`src/{folder}`) and add its arrows, or merge it",
            )


def folder_of(path):
    """core of src/core/error.cpp, store/memory of src/store/memory/store.h."""
    parts = path.split("/")[1:-1]
    return "/".join(parts[: 2 if parts[:1] == ["store"] else 1])


def _allowed(folder, arrows):
    return next((arrows[name] for name in arrows if fnmatch(folder, name)), None)


def _check_file(tree, path, arrows):
    folder = folder_of(path)
    allowed = _allowed(folder, arrows) or []
    for include in cpp.includes(tree.text(path)):
        if include.target.startswith("longshore/"):
            continue
        problem = (
            _wrong_arrow(folder, include.target, allowed)
            if include.quoted
            else _wrong_library(folder, include.target)
        )
        if problem:
            yield Finding(path, include.line, problem)


def _wrong_arrow(folder, target, allowed):
    used = folder_of(f"src/{target}")
    if not used:
        return f'write the include from src/: "{folder}/{target}"'
    if used == folder or any(fnmatch(used, name) for name in allowed):
        return None
    uses = ", ".join(allowed)
    return f"{folder} may use {uses} and not {used}: no such arrow in {DOCUMENT}"


def _wrong_library(folder, target):
    if folder not in STANDARD_LIBRARY_ONLY or cpp.is_standard(target):
        return None
    return f"{folder} may use only the standard library, which <{target}> is not part of"
