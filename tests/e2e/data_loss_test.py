"""Data loss of a database is reported to the operator in three places."""

import subprocess
import unittest
from urllib.parse import parse_qs, urlsplit

import harness


class Losses(harness.Case):
    def sql(self, text):
        where = {name: value[0] for name, value in parse_qs(urlsplit(self.store).query).items()}
        text = text.replace("@", where["schema"] + ".")
        command = ["psql", "-h", where["host"], "-U", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1"]
        subprocess.run([*command, "-c", text], check=True, capture_output=True)

    def test_are_reported_to_the_operator(self):
        self.store += f"&application_name={self.folder.name}"
        server = self.serve()
        server.enqueue()
        self.assertNotIn("alarm", server.get("/readyz").json)
        self.assertIn("longshore_store_losses_total 0\n", server.get("/metrics").body)
        # Simulates a failover to a replica that never received the last commits.
        self.sql("UPDATE @witness SET commits = 0")
        self.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE application_name = '{self.folder.name}'"
        )
        said = server.await_line("store lost acknowledged commits")
        self.assertEqual(said["level"], "error")
        self.assertIn("went back in time", said["detail"])
        ready = server.get("/readyz")
        self.assertEqual(ready.status, 200, ready)
        self.assertIn("lost acknowledged commits", ready.json["alarm"])
        self.assertNotIn("longshore_store_losses_total 0\n", server.get("/metrics").body)
        self.assertTrue(server.enqueue(), "work goes on with what there is")


if __name__ == "__main__":
    unittest.main()
