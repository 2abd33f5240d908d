"""An attacker can read the database: a backup, a copy, or as another user."""

import hashlib
import hmac
import os
import sqlite3
import stat
import time
import unittest

import attack


class StoreReader(attack.Attack):
    def records(self):
        """Maps the id of every token to its hash, read from the file."""
        with sqlite3.connect(f"file:{self.folder}/jobs.db?mode=ro", uri=True) as database:
            return dict(database.execute("SELECT id, hash FROM token"))

    def forge(self, key, token_id, token_hash, seconds):
        """A session cookie signed with this key."""
        ends = str(int((time.time() + seconds) * 1000))
        text = f"session\n{token_id}\n{token_hash}\n{ends}"
        seal = hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()
        return {"Cookie": f"longshore_session={token_id}.{ends}.{seal}"}

    def test_does_not_become_admin_with_a_forged_session(self):
        self.token("admin")
        server = self.serve()
        ((token_id, token_hash),) = self.records().items()
        for key in ("", token_hash, token_id, "session key"):
            cookie = self.forge(key, token_id, token_hash, 3600)
            self.assertEqual(server.get("/tokens", headers=cookie).status, 401, key)

    def test_finds_no_file_readable_by_others(self):
        before = os.umask(0o022)
        self.addCleanup(os.umask, before)
        admin = self.token("admin")
        server = self.serve()
        for _ in range(20):
            server.post("/jobs", {"jobType": "T"}, headers=self.bearer(admin))
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        self.assertGreaterEqual(len(files), 4, files)
        for path in files:
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600, path)

    def test_cannot_use_a_key_file_readable_by_others(self):
        self.token("admin")
        self.serve().stop()
        key = self.folder / "jobs.db.key"
        key.chmod(0o644)
        refused = attack.harness.run("serve", "--store", self.store, "--listen", "127.0.0.1:0")
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("chmod 600", refused.stderr)

    def test_a_session_survives_a_restart(self):
        admin = self.token("admin")
        server = self.serve()
        session = server.post("/ui/session", {"token": admin}).headers["Set-Cookie"].split(";")[0]
        server.stop()
        again = self.serve()
        self.assertEqual(again.get("/queues", headers={"Cookie": session}).status, 200)


if __name__ == "__main__":
    unittest.main()
