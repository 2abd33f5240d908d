"""A tenant tries to get its callbacks signed with the secret of another tenant."""

import queue
import time
import unittest

import attack
import harness
from receiver import SECRET, Receiver

ALLOW = ["--outgoing-allow", "127.0.0.1"]


class WebhookSecret(attack.Attack):
    """The receiver of namespace shop trusts its secret. The attacker is namespace mallory."""

    def setUp(self):
        super().setUp()
        self.victim = self.receiver()
        self.own = self.receiver()
        self.secret = self.folder / "billing.secret"
        self.secret.touch(mode=0o600)
        self.secret.write_text(SECRET)

    def receiver(self):
        receiver = Receiver()
        self.addCleanup(receiver.stop)
        return receiver

    def configure(self, namespace, *urls):
        listed = ", ".join(f'"{url}"' for url in urls)
        (self.folder / "longshore.toml").write_text(
            f'[secrets.billing]\nfile = "{self.secret}"\nnamespace = "{namespace}"\n'
            f"urls = [{listed}]\n"
        )

    def guarded(self, *arguments):
        """A server, and the headers of the two namespaces."""
        shop, mallory = (
            self.bearer(self.token("operator", "--namespace", ns, "--name", ns))
            for ns in ("shop", "mallory")
        )
        return self.serve(*ALLOW, *arguments), shop, mallory

    def ask(self, server, headers, url, batch=False):
        job = {"jobType": "T", "callback": {"url": url, "secretName": "billing"}}
        if batch:
            return server.post("/jobs/batch", {"jobs": [{"jobType": "T"}, job]}, headers=headers)
        return server.post("/jobs", job, headers=headers)

    def end(self, server, headers, accepted):
        """Cancels the job, which triggers its callback."""
        self.assertEqual(accepted.status, 202, accepted)
        answer = server.post(f"/jobs/{accepted.json['jobId']}/cancel", headers=headers)
        self.assertEqual(answer.status, 200, answer)

    def refused(self, answer, field):
        self.assert_problem(answer, 422, "INVALID_FIELD")
        self.assertEqual([error["field"] for error in answer.json["errors"]], [field])

    def assert_nothing_signed(self, receiver):
        try:
            self.assertFalse(receiver.next(timeout=0.5).is_signed, "a forged signature")
        except queue.Empty:
            pass

    def test_without_a_namespace_signs_no_callback(self):
        server, _, mallory = self.guarded("--secrets", f"billing={SECRET}")
        answer = self.ask(server, mallory, self.victim.url)
        if answer.status == 202:  # the former behaviour
            self.end(server, mallory, answer)
            self.assertFalse(self.victim.next().is_signed, "a forged signature")
        self.refused(answer, "callback.secretName")

    def test_of_one_namespace_does_not_sign_for_another(self):
        self.configure("shop", self.victim.url)
        server, shop, mallory = self.guarded()
        others = self.ask(server, mallory, self.victim.url)
        self.refused(others, "callback.secretName")
        self.refused(self.ask(server, mallory, self.victim.url, batch=True),
                     "jobs[1].callback.secretName")
        unknown = server.post("/jobs", {"jobType": "T", "callback": {
            "url": self.victim.url, "secretName": "absent"}}, headers=mallory)
        self.assertEqual(unknown.json["errors"], others.json["errors"], "names can be guessed")
        self.assert_nothing_signed(self.victim)
        self.end(server, shop, self.ask(server, shop, self.victim.url))
        self.assertTrue(self.victim.next().is_signed, "the callback of shop was not signed")

    def test_does_not_sign_for_another_url(self):
        self.configure("shop", f"{self.victim.url}/hooks")
        server, shop, _ = self.guarded()
        port = self.victim.url.rsplit(":", 1)[1]
        for url in [
            f"{self.own.url}/hooks",
            self.victim.url,
            f"{self.victim.url}/hooksandmore",
            f"{self.victim.url}/hooks/../admin",
            f"{self.victim.url}/hooks/%2e%2e/admin",
            f"{self.victim.url}/hooks/%252e%252e/admin",
            f"{self.victim.url}/hooks/..%2fadmin",
            f"{self.victim.url}/hooks/..;/admin",
            f"http://127.0.0.1.evil.example:{port}/hooks",
            f"http://127.0.0.1:{port}@evil.example/hooks",
            f"https://127.0.0.1:{port}/hooks",
            f"http://127.0.0.1:{int(port) + 1}/hooks",
            f"http://2130706433:{port}/hooks",
        ]:
            with self.subTest(url):
                self.refused(self.ask(server, shop, url), "callback.url")
                self.refused(self.ask(server, shop, url, batch=True), "jobs[1].callback.url")
        self.end(server, shop, self.ask(server, shop, f"{self.victim.url}/hooks/1?x=/../y"))
        self.assertEqual(self.victim.next().target, "/hooks/1?x=/../y")

    def test_is_checked_again_at_delivery(self):
        for namespace, url in [("mallory", self.victim.url), ("shop", self.own.url)]:
            with self.subTest(namespace=namespace):
                self.configure("shop", self.victim.url)
                before, shop, _ = self.guarded("--outgoing-concurrency", 0)
                self.end(before, shop, self.ask(before, shop, self.victim.url))
                before.stop()
                self.configure(namespace, url)
                server = self.serve(*ALLOW)
                self.assertEqual(self.first_failure(server, shop)["code"], "NO_SECRET")
                self.assert_nothing_signed(self.victim)
                server.stop()

    def first_failure(self, server, headers):
        deadline = time.monotonic() + harness.PATIENCE
        while time.monotonic() < deadline:
            newest = server.get("/jobs?jobType=longshore.callback", headers=headers).json["jobs"][0]
            details = server.get(f"/jobs/{newest['jobId']}/details", headers=headers).json
            if details["failures"] > 0:
                return details["error"]
        raise AssertionError("the delivery was not attempted")

    def test_in_a_file_readable_by_others_is_refused(self):
        self.configure("shop", self.victim.url)
        self.secret.chmod(0o644)
        refused = harness.run("serve", "--store", self.store, "--listen", "127.0.0.1:0",
                              cwd=self.folder)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn("chmod 600", refused.stderr)
        self.assertNotIn(SECRET, refused.stderr)


if __name__ == "__main__":
    unittest.main()
