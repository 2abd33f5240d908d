"""Every role, no token and a wrong one against every route. docs/security.md, /openapi.json and the
server must agree on who may use it."""

import re
import unittest
from pathlib import Path

import attack
import attacked

WRONG = f"ls_{0:016x}_{0:064x}"


def documented():
    """(method, path) -> roles of the table in docs/security.md; None: open to all."""
    text = (attack.harness.ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    head = re.search(r"^\| method \| route \| (.+) \|$", text, re.M).group(1).split(" | ")
    rows = re.findall(r"^\| ([A-Z]+) \| `([^`]+)` \|(.+)\|$", text, re.M)
    table = {}
    for method, route, cells in rows:
        marks = [cell.strip() for cell in cells.split("|")]
        allowed = {role for role, mark in zip(head, marks) if mark == "x"}
        table[method, route.replace("...", "")] = None if set(marks) == {"open"} else allowed
    return table


class Document(unittest.TestCase):
    def test_names_exactly_the_attacks_in_this_folder(self):
        text = (attack.harness.ROOT / "docs" / "security.md").read_text(encoding="utf-8")
        named = set(re.findall(r"`Attack\.(\w+)`", text))
        here = {path.name[: -len("_test.py")] for path in Path(__file__).parent.glob("*_test.py")}
        self.assertEqual(named, here)


class Roles(attacked.AttackedServer):
    def path(self, path):
        return re.sub(r"\{[^}]+\}", attacked.UNKNOWN_JOB, path)

    def test_the_documents_agree(self):
        described = {}
        for method, path, operation in attacked.operations(self.document):
            roles = set(operation["x-roles"])
            described[method, path] = None if roles == {"anyone"} else roles | {"admin"}
        self.assertEqual(described, documented())

    def test_each_route_allows_the_roles_in_the_table(self):
        for (method, path), allowed in attacked.some(documented().items()):
            body = {} if method == "POST" else None
            for role in (None, WRONG, *attacked.ROLES):
                token = self.tokens.get(role, role)
                with self.subTest(f"{role} {method} {path}"):
                    answer = self.attack(method, self.path(path), body, token)
                    if allowed is None or role in allowed:
                        self.assertNotIn(answer.status, (401, 403), answer)
                    elif role in attacked.ROLES:
                        self.assert_problem(answer, 403, "FORBIDDEN")
                    else:
                        self.assert_problem(answer, 401, "UNAUTHENTICATED")

    def test_unknown_paths_and_methods_reveal_nothing_without_a_token(self):
        for method, path in [("GET", "/nosuch"), ("BREW", "/jobs"), ("PUT", "/tokens"),
                             ("DELETE", "/jobs"), ("PATCH", f"/jobs/{attacked.UNKNOWN_JOB}")]:
            with self.subTest(f"{method} {path}"):
                self.assertIn(self.attack(method, path).status, (401, 404, 405))


if __name__ == "__main__":
    unittest.main()
