"""The file of a store is taken, replaced, removed or cut short under its server."""

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
    def test_a_symbolic_link_lets_no_second_server_in(self):
        self.serve()
        (self.folder / "link.db").symlink_to(self.file)
        self.assertIn("is held by", self.refused(f"sqlite:{self.folder}/link.db"))

    def test_a_hard_link_lets_no_second_server_in(self):
        self.serve()
        os.link(self.file, self.folder / "other.db")
        self.assertIn("hard links", self.refused(f"sqlite:{self.folder}/other.db"))

    def test_a_removed_lock_file_lets_no_second_server_in(self):
        self.serve()
        (self.folder / "jobs.db.lock").unlink()
        self.assertIn("is held by", self.refused(self.store))

    def test_a_symbolic_link_still_finds_its_store(self):
        self.serve().stop()
        (self.folder / "link.db").symlink_to(self.file)
        self.store = f"sqlite:{self.folder}/link.db"
        self.assertTrue(self.serve().enqueue())


class GoneFile(StoreFile):
    def test_is_not_served_on_once_removed(self):
        server = self.serve()
        server.enqueue()
        self.file.unlink()
        self.ends(server, "jobs.db was removed")

    def test_is_not_served_on_once_replaced(self):
        server = self.serve()
        server.enqueue()
        shutil.copy(self.file, self.folder / "copy.db")
        os.replace(self.folder / "copy.db", self.file)
        self.ends(server, "replaced by another file")

    def test_is_not_served_on_once_cut_short(self):
        server = self.serve()
        self.fill(server)
        os.truncate(self.file, 0)
        self.ends(server, "was cut short")

    def test_is_not_served_on_once_its_log_is_removed(self):
        server = self.serve()
        server.enqueue()
        (self.folder / "jobs.db-wal").unlink()
        self.ends(server, "jobs.db-wal was removed")

    def test_acknowledges_nothing_that_a_removed_file_would_lose(self):
        server = self.serve()
        self.file.unlink()
        try:
            answer = server.post("/jobs", {"jobType": "T"})
        except OSError:
            return  # it has ended already
        self.assertGreaterEqual(answer.status, 500, answer)


class Restart(StoreFile):
    def test_opens_no_empty_store_in_the_place_of_a_removed_one(self):
        self.serve().stop()
        self.file.unlink()
        words = self.refused(self.store, status=70)
        self.assertIn("is missing", words)
        self.assertFalse(self.file.exists())

    def test_opens_no_empty_file(self):
        self.serve().stop()
        os.truncate(self.file, 0)
        self.assertIn("is empty", self.refused(self.store, status=70))

    def test_opens_no_file_that_was_cut_short(self):
        server = self.serve()
        self.fill(server, 1000)
        server.stop()
        os.truncate(self.file, self.file.stat().st_size // 2)
        self.assertIn("was cut short", self.refused(self.store, status=70))

    def test_begins_anew_once_everything_is_removed(self):
        self.serve().stop()
        for path in self.folder.glob("jobs.db*"):
            path.unlink()
        self.assertTrue(self.serve().enqueue())


if __name__ == "__main__":
    unittest.main()
