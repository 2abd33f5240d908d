"""A minimal C++ scanner for the rules: comments, literals, includes, function lengths."""

import re
from dataclasses import dataclass

_COMMENT_OR_LITERAL = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<mark>[^()\s]{0,16})\(.*?\)(?P=mark)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
_CONTAINER = re.compile(
    r"(?:template\s*<.*>\s*)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b",
    re.DOTALL,
)
_CONTROL = re.compile(r"(?:if|for|while|switch|do|else|try|catch)\b")
_LABEL = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)?")
_MEMBER_IN_LIST = re.compile(r"\)\s*:[^:].*\w$", re.DOTALL)  # A::A() : one_{1}
_TYPED_VALUE = re.compile(r"=\s*[\w:<>]*$")  # const Job job = Job{1}


@dataclass(frozen=True)
class Include:
    line: int
    quoted: bool
    target: str


@dataclass(frozen=True)
class Function:
    name: str
    line: int
    length: int


def code_only(text):
    """The text with comments and literals blanked; lines keep their numbers."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return _COMMENT_OR_LITERAL.sub(blank, text)


def includes(text):
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _INCLUDE.match(line):
            yield Include(number, match.group(1) == '"', match.group(2))


def functions(text):
    """Functions outside other functions, TEST bodies included, from their first line to their
    last. Lambdas belong to the function around them."""
    code = re.sub(r"^\s*#.*(\\\n.*)*", _blank_lines, code_only(text), flags=re.MULTILINE)
    stack, head, start, found = [], 0, 0, []  # a head runs from its first character to its brace
    for position, character in enumerate(code):
        if character == "{":
            kind = _kind_of(code[head:position], inside_function="function" in stack)
            stack.append(kind)
            if kind == "function":
                start = head
        elif character == "}" and stack:
            kind = stack.pop()
            if kind == "function":
                found.append(_function(code, start, position))
        elif character == ";" and "initializer" not in stack:
            kind = "statement"
        else:
            continue
        if kind != "initializer":
            head = position + 1
    return found


def _blank_lines(match):
    return "\n" * match.group().count("\n")


def _kind_of(head, inside_function):
    text = _plain_head(head)
    if inside_function or _CONTROL.match(text):
        return "block"
    if _CONTAINER.match(text):
        return "container"
    if text.endswith(("=", "return", ",", "(", "{")) or _MEMBER_IN_LIST.search(text):
        return "initializer"
    return "function" if "(" in text and not _TYPED_VALUE.search(text) else "initializer"


def _plain_head(head):
    return _LABEL.sub("", head, count=1).strip()


def _function(code, start, last):
    """The function whose head begins after `start` and whose last brace is at `last`."""
    head = _LABEL.match(code, start).end()
    first_line, last_line = (code.count("\n", 0, at) + 1 for at in (head, last))
    return Function(_name_of(code[head:last]), first_line, last_line - first_line + 1)


def _name_of(head):
    """`Type Class::name(...)` gives Class::name, TEST(Noun, Sentence) gives Noun.Sentence."""
    flat = " ".join(head.split())
    if test := re.match(r"(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((\w+), (\w+)\)", flat):
        return f"{test.group(1)}.{test.group(2)}"
    named = re.search(r"([\w:~]*operator[^\w(]{1,3}|[\w:~]+)\s*\(", flat)
    return named.group(1) if named else flat[:40]


def is_standard(target):
    """Whether <target> is a C++ standard header: <vector> and <cstdio>, not <stdio.h>."""
    return re.fullmatch(r"[a-z_0-9]+", target) is not None
