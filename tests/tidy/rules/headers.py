"""A public header opens with a comment that says what it is, then `#pragma once`, and includes
only the standard library and other public headers: users need nothing else to compile it."""

import cpp
from tree import Finding


def check(tree):
    for path in tree.having("", under=["include/"]):
        if path.endswith("CMakeLists.txt"):
            continue
        if not path.startswith("include/longshore/") or not path.endswith(".h"):
            yield Finding(path, 1, "only include/longshore/*.h is public")
            continue
        yield from _check_header(tree, path)


def _check_header(tree, path):
    text = tree.text(path)
    lines = text.split("\n")
    if not lines[0].startswith("// "):
        yield Finding(path, 1, "open with a comment that says what a reader finds here")
    after_comment = [line for line in lines if line.strip() and not line.startswith("//")]
    if after_comment[:1] != ["#pragma once"]:
        yield Finding(path, 1, "`#pragma once` comes right after the opening comment")
    for include in cpp.includes(text):
        public = include.target.startswith("longshore/")
        if not public and (include.quoted or not cpp.is_standard(include.target)):
            message = f"{include.target}: only the standard library and longshore/ are public"
            yield Finding(path, include.line, message)
