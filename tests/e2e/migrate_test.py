"""The tables of a store are planned, created, and unchanged when they are up to date."""

import unittest

import harness
import stores


class Tables(harness.Case):
    def migrate(self, *arguments):
        return harness.run("migrate", "--store", self.store, *arguments, cwd=self.folder)

    def test_are_planned_without_being_created(self):
        for _ in range(2):
            planned = self.migrate("--plan")
            self.assertEqual(planned.returncode, 0, planned.stderr)
            self.assertIn("CREATE TABLE", planned.stdout)
        self.assertEqual(self.migrate("--plan", "--json").stdout[:18], '{"upToDate":false,')

    def test_are_created_once(self):
        made = self.migrate()
        self.assertEqual((made.returncode, made.stdout), (0, ""), made.stderr)
        self.assertIn("schema was migrated", made.stderr)
        for arguments in ([], ["--plan"]):
            again = self.migrate(*arguments)
            self.assertEqual((again.returncode, again.stdout), (0, ""), again.stderr)
            self.assertIn("is up to date", again.stderr)
        self.assertEqual(self.serve().get("/readyz").status, 200)

    def test_of_an_unknown_store_are_a_usage_error(self):
        ended = harness.run("migrate", "--store", "ftp://somewhere", cwd=self.folder)
        self.assertEqual(ended.returncode, 2, ended.stderr)

    def test_that_are_unreachable_are_reported(self):
        where = {
            "sqlite": ("sqlite:" + str(self.folder / "no" / "such" / "folder.db"), 1),
            "postgres": ("postgres://nobody@127.0.0.1:1/nowhere", 69),
        }
        store, code = where[stores.KIND]
        ended = harness.run("migrate", "--store", store, cwd=self.folder)
        self.assertEqual(ended.returncode, code, ended.stderr)


if __name__ == "__main__":
    unittest.main()
