"""Shared by the attacks in this folder: a server with tokens, and helpers for an attacker."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import harness  # noqa: E402


class Attack(harness.Case):
    """A server with tokens, and an attacker with no token or the wrong one."""

    def token(self, role, *arguments):
        made = harness.run("token", "create", "--role", role, "--store", self.store, *arguments,
                           cwd=self.folder)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    @staticmethod
    def bearer(token):
        return {"Authorization": f"Bearer {token}"}

    @staticmethod
    def id_of(token):
        return token.split("_")[1]
