"""A type that is used in more than three files has a name that every backend engineer knows, or
one that docs/words.md defines.

The rule checks classes, structs and enums that a header of src/ or include/ declares at namespace
scope. Each word of such a name is in plain_terms.txt or is a bold term of docs/words.md; or the
whole name is a bold term ("lease token" defines LeaseToken). Types listed in plain_terms.txt below
the line `still to rename` are exempt; that list may only shrink.
"""

import re

import cpp
from tree import Finding

TERMS = "tests/tidy/plain_terms.txt"
GLOSSARY = "docs/words.md"
TO_RENAME = "still to rename"
FILES_MAX = 3  # a type used in more files than this needs a known name

# Namespace scope is not indented; what is indented is nested in a class.
_TYPE = re.compile(
    r"^(?:template <[^;{]*>\s+)?(?:class|struct|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?"
    r"(?:LONGSHORE_\w+(?:\([^)]*\))?\s+)?([A-Z]\w*)(?:\s+final)?\s*[:{]",
    re.MULTILINE,
)
_NAME = re.compile(r"\b[A-Z]\w*\b")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*")  # digits do not matter
_BOLD = re.compile(r"\*\*([^*]+)\*\*")


def check(tree):
    declared, used = _types(tree)
    plain, to_rename = _terms(tree)
    defined = _defined(tree)
    common = {name for name, files in used.items() if files > FILES_MAX}
    for name in sorted(common - to_rename.keys()):
        if name.lower() in defined:
            continue
        unknown = [word for word in _WORD.findall(name) if not _is_known(word, plain | defined)]
        if unknown:
            path, line = declared[name]
            yield Finding(path, line, _advice(name, unknown, used[name]))
    for name, line in to_rename.items():
        if name not in common:
            yield Finding(TERMS, line, f"{name} is not a common type any more: remove its line")


def _advice(name, unknown, files):
    return (
        f"{name} is used in {files} files, and {', '.join(unknown)} is not a standard term: use "
        f"one, or define {name} in {GLOSSARY}"
    )


def _types(tree):
    """Where each type is declared, and in how many files it is used."""
    sources = {
        path: cpp.code_only(tree.text(path))
        for path in tree.having(".h", ".cpp", under=["src/", "include/"])
    }
    declared = {}
    for path, code in sources.items():
        if path.endswith(".h"):
            for match in _TYPE.finditer(code):
                line = code.count("\n", 0, match.start(1)) + 1
                declared.setdefault(match.group(1), (path, line))
    used = dict.fromkeys(declared, 0)
    for code in sources.values():
        for name in set(_NAME.findall(code)) & declared.keys():
            used[name] += 1
    return declared, used


def _terms(tree):
    """The plain words in lower case, and the types still to rename with their lines."""
    plain, to_rename, words = set(), {}, True
    for number, line in tree.lines(TERMS) if tree.exists(TERMS) else []:
        text = line.split("#")[0].strip()
        if text == TO_RENAME:
            words = False
        elif words:
            plain.update(text.lower().split())
        elif text:
            to_rename[text] = number
    return plain, to_rename


def _defined(tree):
    """The bold terms of the glossary, without spaces and hyphens, in lower case."""
    text = tree.text(GLOSSARY) if tree.exists(GLOSSARY) else ""
    return {re.sub(r"[\s-]", "", term).lower() for term in _BOLD.findall(text)}


def _is_known(word, known):
    """In the singular or in the plural."""
    word = word.lower()
    forms = {word, word.removesuffix("s"), word.removesuffix("es")}
    if word.endswith("ies"):
        forms.add(word.removesuffix("ies") + "y")
    return not forms.isdisjoint(known)
