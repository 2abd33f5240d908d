"""The tables of a store: told, made, and left alone when they are as they should be."""

import unittest

import harness
import stores


class Tables(harness.Case):
    def migrate(self, *arguments):
        return harness.run("migrate", "--store", self.store, *arguments, cwd=self.folder)

    def test_are_planned_without_being_made(self):
        for _ in range(2):
            planned = self.migrate("--plan")
            self.assertEqual(planned.returncode, 0, planned.stderr)
            self.assertIn("CREATE TABLE", planned.stdout)
        self.assertEqual(self.migrate("--plan", "--json").stdout[:18], '{"upToDate":false,')

    def test_are_made_once(self):
        made = self.migrate()
        self.assertEqual((made.returncode, made.stdout), (0, ""), made.stderr)
        self.assertIn("was migrated", made.stderr)
        for arguments in ([], ["--plan"]):
            again = self.migrate(*arguments)
            self.assertEqual((again.returncode, again.stdout), (0, ""), again.stderr)
            self.assertIn("is up to date", again.stderr)
        self.assertEqual(self.serve().get("/readyz").status, 200)

    def test_of_a_store_nobody_knows_are_a_matter_of_usage(self):
        ended = harness.run("migrate", "--store", "ftp://somewhere", cwd=self.folder)
        self.assertEqual(ended.returncode, 2, ended.stderr)

    def test_that_are_out_of_reach_say_so(self):
        where = {
            "sqlite": ("sqlite:" + str(self.folder / "no" / "such" / "folder.db"), 1),
            "postgres": ("postgres://nobody@127.0.0.1:1/nowhere", 69),
        }
        store, code = where[stores.KIND]
        ended = harness.run("migrate", "--store", store, cwd=self.folder)
        self.assertEqual(ended.returncode, code, ended.stderr)


if __name__ == "__main__":
    unittest.main()
