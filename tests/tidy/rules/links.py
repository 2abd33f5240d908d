"""Every relative link in a Markdown file points at something in the tree."""

import posixpath
import re
from urllib.parse import unquote

from tree import Finding

_LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s+(\S+)")
_ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def check(tree):
    for path in tree.having(".md"):
        fenced = False
        for number, line in tree.lines(path):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            elif not fenced:
                yield from _check_line(tree, path, number, line)


def _check_line(tree, path, number, line):
    for match in _LINK.finditer(re.sub(r"`[^`]*`", "", line)):
        link = match.group(1) or match.group(2)
        if _ELSEWHERE.match(link) or link.startswith("#"):
            continue
        target = unquote(link.split("#")[0])
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if target.startswith("/") or place.startswith("..") or not tree.exists(place):
            yield Finding(path, number, f"{link} does not exist in this tree")
