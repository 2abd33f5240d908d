"""Changes of a store's rules: by `longshore apply`, by POST /apply, and at a start with a higher
revision."""

import json
import unittest

import harness


class Rules(harness.Case):
    def file(self, text, name="rules.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def apply(self, server, text, *flags):
        path = self.file(text)
        ended = harness.run("apply", path, "--server", server.url, "--json", *flags)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return json.loads(ended.stdout)

    def timeout_of_new(self, server):
        job = server.enqueue()
        return server.get(f"/jobs/{job}/details").json["timeoutSeconds"]

    def conflicts(self, server):
        line = next(
            line
            for line in server.get("/metrics").body.splitlines()
            if line.startswith("longshore_rules_conflict ")
        )
        return float(line.split()[1])

    def test_apply_changes_the_rules_in_the_file(self):
        server = self.serve()
        before = server.enqueue()
        dry = self.apply(server, "[rules]\nrevision = 3\ntimeoutSeconds = 60\n", "--dry-run")
        change = {
            "kind": "rule",
            "name": "timeoutSeconds",
            "change": "changed",
            "from": 1800,
            "to": 60,
        }
        self.assertEqual(dry, {"revision": 3, "changes": [change], "conflicts": []})
        self.assertEqual(self.timeout_of_new(server), 1800)
        self.assertEqual(self.apply(server, "[rules]\nrevision = 3\ntimeoutSeconds = 60\n"), dry)
        self.assertEqual(self.timeout_of_new(server), 60)
        self.assertEqual(server.get(f"/jobs/{before}/details").json["timeoutSeconds"], 1800)
        again = self.apply(server, "[rules]\ntimeoutSeconds = 60\n", "--prune")
        self.assertEqual(again, {"revision": 3, "changes": [], "conflicts": []})
        self.assertEqual(self.conflicts(server), 1)

    def test_a_refused_apply_names_the_rule(self):
        server = self.serve()
        self.apply(server, "[rules]\nrevision = 3\n")
        for body, status, code, field in [
            ({"revision": 2}, 409, "OLD_REVISION", None),
            ({"rules": {"terminal": "reopen"}}, 422, "INVALID_FIELD", "rules.terminal"),
            ({"rules": {"profile": "basic"}}, 422, "INVALID_FIELD", "rules.profile"),
            ({"rules": {"noSuchRule": 1}}, 422, "UNKNOWN_FIELD", "rules.noSuchRule"),
            ({"rules": {"leaseSeconds": 0}}, 422, "INVALID_FIELD", "rules.leaseSeconds"),
            ({"rules": {"leaseSeconds": "7"}}, 422, "INVALID_FIELD", "rules.leaseSeconds"),
            ({"rules": 7}, 422, "INVALID_FIELD", "rules"),
            ({"source": "a b"}, 422, "INVALID_FIELD", "source"),
        ]:
            with self.subTest(body):
                answer = server.post("/apply", body)
                self.assert_problem(answer, status, code)
                if field:
                    self.assertEqual([e["field"] for e in answer.json["errors"]], [field])
        path = self.file("[rules]\nrevision = 1\n")
        ended = harness.run("apply", path, "--server", server.url)
        self.assertEqual(ended.returncode, 4, ended.stderr)
        self.assertIn("revision 3", ended.stderr)

    def test_a_start_with_a_higher_revision_applies_its_rules(self):
        self.serve("--rules-lease-seconds", 40).stop()
        config = self.file("[rules]\nrevision = 1\nleaseSeconds = 50\n", "longshore.toml")
        server = self.serve()
        self.assertEqual(self.conflicts(server), 0)
        server.stop()
        # The same revision with other values is not newer.
        config.write_text("[rules]\nrevision = 1\nleaseSeconds = 60\nmaxRetries = 7\n")
        server = self.serve()
        said = [json.loads(line) for line in server.lines]
        self.assertEqual(
            [line["message"] for line in said if "in the store" in line["message"]],
            [
                "maxRetries is 3 in the store and 7 here; the store's is used",
                "leaseSeconds is 50 in the store and 60 here; the store's is used",
            ],
        )
        self.assertEqual(self.conflicts(server), 2)
        doctor = harness.run("doctor", "--server", server.url, "--json", cwd=self.folder)
        found = [one["what"] for one in json.loads(doctor.stdout)["findings"]]
        self.assertIn("maxRetries is 3 in the store and 7 here; the store's is used", found)

    def test_another_profile_is_refused_with_a_message(self):
        self.serve().stop()
        ended = harness.run("serve", "--store", self.store, "--profile", "basic")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("profile is native in the store and basic here", ended.stderr)


if __name__ == "__main__":
    unittest.main()
