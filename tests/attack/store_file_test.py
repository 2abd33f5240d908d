"""The file of a running server's store is linked, replaced, removed or truncated."""

import os
import shutil
import unittest

import attack


class StoreFile(attack.Attack):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "jobs.db"

    def refused(self, store, status=1):
        """A second server that does not start."""
        ended = attack.harness.run("serve", "--store", store, "--listen", "127.0.0.1:0")
        self.assertEqual(ended.returncode, status, ended.stderr)
        return ended.stderr

    def ends(self, server, words):
        """The server stops by itself with 70 and says why."""
        self.assertEqual(server.process.wait(timeout=attack.harness.PATIENCE), 70)
        server.stop()
        self.assertIn(words, server.log)

    def fill(self, server, count=200):
        for _ in range(count // 100):
            many = [{"jobType": "T", "payload": "x" * 500} for _ in range(100)]
            answer = server.post("/jobs/batch", {"jobs": many})
            self.assertEqual(answer.status, 202, answer)


class SecondName(StoreFile):
    def test_a_symbolic_link_does_not_allow_a_second_server(self):
        self.serve()
        (self.folder / "link.db").symlink_to(self.file)
        self.assertIn("is held by", self.refused(f"sqlite:{self.folder}/link.db"))

    def test_a_hard_link_does_not_allow_a_second_server(self):
        self.serve()
        os.link(self.file, self.folder / "other.db")
        self.assertIn("hard links", self.refused(f"sqlite:{self.folder}/other.db"))

    def test_a_removed_lock_file_does_not_allow_a_second_server(self):
        self.serve()
        (self.folder / "jobs.db.lock").unlink()
        self.assertIn("is held by", self.refused(self.store))

    def test_a_symbolic_link_opens_its_store(self):
        self.serve().stop()
        (self.folder / "link.db").symlink_to(self.file)
        self.store = f"sqlite:{self.folder}/link.db"
        self.assertTrue(self.serve().enqueue())


class GoneFile(StoreFile):
    def test_stops_the_server_when_removed(self):
        server = self.serve()
        server.enqueue()
        self.file.unlink()
        self.ends(server, "jobs.db was removed")

    def test_stops_the_server_when_replaced(self):
        server = self.serve()
        server.enqueue()
        shutil.copy(self.file, self.folder / "copy.db")
        os.replace(self.folder / "copy.db", self.file)
        self.ends(server, "replaced by another file")

    def test_stops_the_server_when_truncated(self):
        server = self.serve()
        self.fill(server)
        os.truncate(self.file, 0)
        self.ends(server, "was cut short")

    def test_stops_the_server_when_its_log_is_removed(self):
        server = self.serve()
        server.enqueue()
        (self.folder / "jobs.db-wal").unlink()
        self.ends(server, "jobs.db-wal was removed")

    def test_acknowledges_nothing_once_removed(self):
        server = self.serve()
        self.file.unlink()
        try:
            answer = server.post("/jobs", {"jobType": "T"})
        except OSError:
            return  # the server has exited
        self.assertGreaterEqual(answer.status, 500, answer)


class Restart(StoreFile):
    def test_does_not_replace_a_removed_store_with_an_empty_one(self):
        self.serve().stop()
        self.file.unlink()
        words = self.refused(self.store, status=70)
        self.assertIn("is missing", words)
        self.assertFalse(self.file.exists())

    def test_refuses_an_empty_file(self):
        self.serve().stop()
        os.truncate(self.file, 0)
        self.assertIn("is empty", self.refused(self.store, status=70))

    def test_refuses_a_truncated_file(self):
        server = self.serve()
        self.fill(server, 1000)
        server.stop()
        os.truncate(self.file, self.file.stat().st_size // 2)
        self.assertIn("was cut short", self.refused(self.store, status=70))

    def test_creates_a_new_store_once_all_files_are_removed(self):
        self.serve().stop()
        for path in self.folder.glob("jobs.db*"):
            path.unlink()
        self.assertTrue(self.serve().enqueue())


if __name__ == "__main__":
    unittest.main()
