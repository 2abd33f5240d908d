"""`doctor` finds every unsafe setting and says what it is, why it matters and what to do."""

import json
import os
import subprocess

import case
from case import harness

AWAY = "http://127.0.0.1:1"  # no server listens there


class Unsafe(case.Case):
    def security(self, *arguments, env=None, config=None, mode=0o600):
        """level, what and advice of each finding about security."""
        path = self.folder / "longshore.toml"
        if config is not None:
            path.write_text(config, encoding="utf-8")
            path.chmod(mode)
        ended = harness.run("doctor", "--json", *arguments, cwd=self.folder,
                            env={"LONGSHORE_SERVER": AWAY, **(env or {})})
        self.assertIn(ended.returncode, (1, 69), ended.stderr)
        findings = json.loads(ended.stdout)["findings"]
        return [(f["level"], f["what"], f.get("advice", "")) for f in findings
                if f["about"] == "security"]

    def assert_finds(self, found, level, what, advice):
        """Exactly one finding, with a reason after a colon, and advice."""
        matching = [one for one in found if what in one[1]]
        self.assertEqual(len(matching), 1, found)
        self.assertEqual(matching[0][0], level)
        self.assertRegex(matching[0][1], r": .{15,}|, which .{10,}")
        self.assertIn(advice, matching[0][2])

    def test_safe_settings_are_reported_as_safe(self):
        self.serve().stop()
        found = self.security("--store", self.store)
        self.assertEqual([one[:2] for one in found], [("ok", "no unsafe settings found")])

    def test_a_shared_store_without_a_key(self):
        store = {"LONGSHORE_STORE": "postgres://127.0.0.1:1/x?connect_timeout=1"}
        found = self.security(env=store)
        self.assert_finds(found, "warning", "no token-key", "the same value on every node")
        keyed = self.security(env={**store, "LONGSHORE_TOKEN_KEY": "k"})
        self.assertFalse([one for one in keyed if "token-key" in one[1]], keyed)

    def test_files_that_others_can_read(self):
        self.serve().stop()
        cases = [("jobs.db", "all payloads"), ("jobs.db.key", "key of the dashboard")]
        for name, holds in cases:
            path = self.folder / name
            path.chmod(0o640)
            found = self.security("--store", self.store)
            self.assert_finds(found, "problem", holds, f"chmod 600 {path}")
            path.chmod(0o600)

    def test_a_configuration_with_secrets_that_others_can_read(self):
        config = f'store = "{self.store}"\ntoken-key = "k"\n'
        found = self.security(config=config, mode=0o644)
        self.assert_finds(found, "problem", "secrets or a password", "chmod 600 longshore.toml")
        self.assertEqual(self.security(config=config, mode=0o600)[0][0], "ok")
        plain = f'store = "{self.store}"\n'
        self.assertEqual(self.security(config=plain, mode=0o644)[0][0], "ok")

    def test_a_password_of_the_store_in_a_file_that_others_can_read(self):
        config = 'store = "postgres://u:zzpassword@127.0.0.1:1/x?connect_timeout=1"\n'
        found = self.security(config=config, mode=0o644)
        self.assert_finds(found, "problem", "secrets or a password", "chmod 600")
        self.assertNotIn("zzpassword", str(found))

    def test_tokens_that_are_not_required_on_a_reachable_server(self):
        tls = self.tls()
        outside = {"LONGSHORE_LISTEN": "0.0.0.0:7788", **tls}
        self.assert_finds(self.security(env=outside), "warning", "listens beyond loopback",
                          "require-tokens = true")
        for proxy in ({"LONGSHORE_BASE_URL": "https://jobs.example.org"},
                      {"LONGSHORE_TRUSTED_PROXIES": "10.0.0.1"}):
            self.assert_finds(self.security(env=proxy), "warning", "is behind a proxy",
                              "require-tokens = true")
        required = self.security(env={**outside, "LONGSHORE_REQUIRE_TOKENS": "true"})
        self.assertEqual(required[0][0], "ok", required)

    def test_a_server_without_tokens_behind_a_proxy(self):
        server = self.serve()
        ended = harness.run("doctor", "--json", "--server", server.url, cwd=self.folder,
                            env={"LONGSHORE_TRUSTED_PROXIES": "127.0.0.1"})
        self.assertEqual(ended.returncode, 1, ended.stdout)
        self.assertIn("the server has no tokens", ended.stdout)

    def test_trusted_proxies_that_cover_all_addresses(self):
        for network in ("0.0.0.0/0", "::/0"):
            found = self.security(env={"LONGSHORE_TRUSTED_PROXIES": network,
                                       "LONGSHORE_REQUIRE_TOKENS": "true"})
            self.assert_finds(found, "problem", f"trusted-proxies has {network}",
                              "addresses of the proxies")

    def tls(self):
        return self.certificate("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "90")

    def certificate(self, kind, *options, mode=0o600):
        """Settings with a new certificate whose key has this mode."""
        certificate, key = self.folder / "c.pem", self.folder / "k.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", kind, *options, "-nodes", "-keyout", key]
            + ["-out", certificate, "-subj", "/CN=x"], check=True, capture_output=True,
        )  # fmt: skip
        key.chmod(mode)
        return {"LONGSHORE_TLS_CERT": str(certificate), "LONGSHORE_TLS_KEY": str(key)}

    def test_no_tls_on_a_reachable_address(self):
        env = {"LONGSHORE_LISTEN": "0.0.0.0:7788", "LONGSHORE_REQUIRE_TOKENS": "true"}
        self.assert_finds(self.security(env=env), "problem", "without TLS", "set tls-cert")
        plaintext = {**env, "LONGSHORE_ALLOW_PLAINTEXT": "true"}
        self.assert_finds(self.security(env=plaintext), "warning", "without TLS", "encrypts")

    def test_a_weak_expiring_certificate_with_a_readable_key(self):
        found = self.security(env=self.certificate("rsa:1024", "-days", "2", mode=0o644))
        self.assert_finds(found, "problem", "private key", "chmod 600")
        self.assert_finds(found, "problem", "fewer than 2048 bits", "P-256")
        self.assert_finds(found, "warning", "within 14 days", "renew")

    def test_secrets_without_a_namespace(self):
        found = self.security(env={"LONGSHORE_SECRETS": "billing=whsec_c2VjcmV0c2VjcmV0"})
        self.assert_finds(found, "warning", "the secret billing", "[secrets.billing]")
        self.assertNotIn("whsec_", str(found))

    def test_programs_that_run_as_root(self):
        if os.geteuid() != 0:
            self.assertNotIn("as root", str(self.security(env={"LONGSHORE_EXEC": "T=/bin/cat"})))
            return
        found = self.security(env={"LONGSHORE_EXEC": "T=/bin/cat"})
        self.assert_finds(found, "warning", "run as root", "programs.user")

    def test_a_password_on_the_command_line(self):
        store = "postgres://u:zzpassword@127.0.0.1:1/x?connect_timeout=1"
        found = self.security("--store", store)
        self.assert_finds(found, "warning", "--store has a secret", "LONGSHORE_STORE")
        found = self.security("--token", "ls_x")
        self.assert_finds(found, "warning", "--token has a secret", "LONGSHORE_TOKEN")


if __name__ == "__main__":
    case.main()
