"""TLS and browsers: weak ciphers, cookies without TLS, and responses that a cache or a browser
could misinterpret."""

import hashlib
import hmac
import json
import sqlite3
import ssl
import subprocess
import time
import unittest
from http.client import HTTPSConnection

import attack
import security_test

PATIENCE = attack.harness.PATIENCE
AEAD = "ECDHE-ECDSA-AES128-GCM-SHA256"
WEAK = ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA256",
        "ECDHE-ECDSA-NULL-SHA", "AES128-SHA", "AES128-GCM-SHA256", "NULL", "aNULL",
        "ECDHE-ECDSA-AES128-CCM8"]  # fmt: skip


class Wire(attack.Attack):
    def setUp(self):
        super().setUp()
        self.admin = self.token("admin")
        self.certificate, key = security_test.make_certificate(self.folder, "server", 1)
        self.server = self.serve("--tls-cert", self.certificate, "--tls-key", key)

    def offer(self, cipher):
        return subprocess.run(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{self.server.port}", "-tls1_2"]
            + ["-cipher", f"{cipher}:@SECLEVEL=0"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip

    def test_tls_1_2_accepts_only_aead_with_forward_secrecy(self):
        self.assertIn(f"Cipher is {AEAD}", self.offer(AEAD).stdout)
        for cipher in WEAK:
            with self.subTest(cipher):
                ended = self.offer(cipher)
                self.assertNotEqual(ended.returncode, 0)
                # The server's alert, or a client that does not support the cipher.
                self.assertRegex(ended.stderr, "alert handshake failure|no cipher|cipher_list")

    def ask(self, method, path, body=None, headers=None):
        context = ssl.create_default_context(cafile=str(self.certificate))
        connection = HTTPSConnection("127.0.0.1", self.server.port, timeout=PATIENCE,
                                     context=context)
        self.addCleanup(connection.close)
        headers = {"Content-Type": "application/json", **(headers or {})}
        connection.request(method, path, body and json.dumps(body), headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        return answer

    def test_a_session_cookie_over_tls_is_bound_to_its_host(self):
        answer = self.ask("POST", "/ui/session", {"token": self.admin})
        cookie = answer.headers["Set-Cookie"]
        self.assertTrue(cookie.startswith("__Host-longshore_session="), cookie)
        words = {word.strip().lower() for word in cookie.split(";")}
        self.assertLessEqual({"secure", "httponly", "samesite=strict", "path=/"}, words)
        self.assertFalse([word for word in words if word.startswith("domain")])
        value = cookie.split(";")[0].split("=", 1)[1]
        for name, status in [("__Host-longshore_session", 200), ("longshore_session", 401)]:
            got = self.ask("GET", "/jobs", headers={"Cookie": f"{name}={value}"})
            self.assertEqual(got.status, status, name)


class Browser(attack.Attack):
    def test_no_response_is_cached_or_sniffed(self):
        admin = self.token("admin")
        server = self.serve()
        job = server.post("/jobs", {"jobType": "T", "payload": "<script>"},
                          headers=self.bearer(admin)).json["jobId"]
        paths = ["/jobs", f"/jobs/{job}", f"/jobs/{job}/details", f"/jobs/{job}/result", "/tokens",
                 "/metrics", "/audit", "/readyz", "/livez", "/openapi.json", "/nosuch"]  # fmt: skip
        for path in paths:
            for headers in ({}, self.bearer(admin)):
                with self.subTest(path):
                    answer = server.get(path, headers=headers)
                    self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
                    self.assertIn("no-store", answer.headers["Cache-Control"])
                    self.assertNotIn("html", answer.headers["Content-Type"])

    def test_a_page_of_another_origin_changes_nothing_with_the_operators_cookie(self):
        admin = self.token("admin")
        server = self.serve()
        started = server.post("/ui/session", {"token": admin})
        cookie = {"Cookie": started.headers["Set-Cookie"].split(";")[0]}
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}",
                       f"http://127.0.0.1.evil.example:{server.port}", ""):
            with self.subTest(origin):
                headers = {**cookie, "Origin": origin}
                answer = server.post("/tokens", {"role": "admin"}, headers=headers)
                self.assertEqual(answer.status, 403, answer)
                self.assertNotIn("Access-Control-Allow-Origin", answer.headers)

    def test_a_page_of_another_origin_cannot_use_an_open_server(self):
        server = self.serve()
        for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"},
                        {"Host": f"localhost.evil.example:{server.port}"}, {"Origin": "null"}):
            with self.subTest(str(headers)):
                answer = server.post("/jobs", {"jobType": "T"}, headers=headers)
                self.assertEqual(answer.status, 403, answer)

    def test_readiness_reveals_nothing_about_the_machine(self):
        self.token("admin")
        server = self.serve()
        told = server.get("/readyz").body
        for word in (str(self.folder), "jobs.db", "/tmp", "host"):
            self.assertNotIn(word, told)


class Prolonged(attack.Attack):
    """With the session key sessions can be forged, but none that lasts longer than twelve hours."""

    KEY = "the key of all nodes"

    def test_an_endless_session_is_refused(self):
        made = attack.harness.run("token", "create", "--role", "admin", "--store", self.store,
                                  cwd=self.folder, env={"LONGSHORE_TOKEN_KEY": self.KEY})
        self.assertEqual(made.returncode, 0, made.stderr)
        server = self.serve(env={"LONGSHORE_TOKEN_KEY": self.KEY})
        with sqlite3.connect(f"file:{self.folder}/jobs.db?mode=ro", uri=True) as database:
            ((token_id, token_hash),) = database.execute("SELECT id, hash FROM token")

        def sign(key, text):
            return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()

        key = sign(self.KEY, "session key")
        for hours, status in [(11, 200), (13, 401), (24 * 365, 401), (-1, 401)]:
            ends = str(int((time.time() + hours * 3600) * 1000))
            seal = sign(key, f"session\n{token_id}\n{token_hash}\n{ends}")
            cookie = {"Cookie": f"longshore_session={token_id}.{ends}.{seal}"}
            self.assertEqual(server.get("/jobs", headers=cookie).status, status, hours)


if __name__ == "__main__":
    unittest.main()
