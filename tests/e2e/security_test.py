"""Tokens, roles and TLS for operators and clients."""

import json
import signal
import socket
import ssl
import subprocess
import unittest

import harness


def make_certificate(folder, name, serial):
    """A self-signed certificate for 127.0.0.1: its file and its key file."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
        + ["-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=127.0.0.1"]
        + ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-set_serial", str(serial)],
        check=True,
        capture_output=True,
    )
    return certificate, key


class Tokens(harness.Case):
    def make(self, role, *arguments):
        ended = harness.run(
            "token", "create", "--role", role, "--store", self.store, *arguments, cwd=self.folder
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.strip()

    @staticmethod
    def bearer(token):
        return {"Authorization": f"Bearer {token}"}

    def test_a_token_allows_what_its_role_may(self):
        tokens = {role: self.make(role) for role in ("producer", "worker", "viewer", "admin")}
        server = self.serve()
        self.assert_problem(server.post("/jobs", {"jobType": "T"}), 401, "UNAUTHENTICATED")
        last = tokens["admin"][-1]
        wrong = self.bearer(tokens["admin"][:-1] + ("1" if last == "0" else "0"))
        self.assertEqual(server.get("/queues", headers=wrong).status, 401)
        cases = [
            ("POST", "/jobs", {"jobType": "T"}, {"producer", "admin"}),
            ("POST", "/leases", {"workerId": "w"}, {"worker", "admin"}),
            ("GET", "/queues", None, {"viewer", "admin"}),
            ("GET", "/tokens", None, {"admin"}),
        ]
        for method, path, body, may in cases:
            for role, token in tokens.items():
                with self.subTest(f"{role} {method} {path}"):
                    answer = server.call(method, path, body, self.bearer(token))
                    if role in may:
                        self.assertLess(answer.status, 300, answer)
                    else:
                        self.assert_problem(answer, 403, "FORBIDDEN")

    def test_commands_send_their_token_and_report_a_refusal(self):
        producer, worker = self.make("producer"), self.make("worker")
        server = self.serve()
        enqueue = ["enqueue", "T", "--payload", "1", "--server", server.url]
        self.assertEqual(harness.run(*enqueue).returncode, 5)
        self.assertEqual(harness.run(*enqueue, env={"LONGSHORE_TOKEN": worker}).returncode, 5)
        enqueued = harness.run(*enqueue, env={"LONGSHORE_TOKEN": producer})
        self.assertEqual(enqueued.returncode, 0, enqueued.stderr)
        program = self.script("p", "cat")
        refused = harness.run("work", "--exec", f"T={program}", "--server", server.url,
                              cwd=self.folder)  # fmt: skip
        self.assertEqual(refused.returncode, 5, refused.stderr)
        self.work(server, "--exec", f"T={program}", env={"LONGSHORE_TOKEN": worker})
        shown = harness.run("get", enqueued.stdout.strip(), "--wait", "60", "--result", "--server",
                            server.url, env={"LONGSHORE_TOKEN": producer})  # fmt: skip
        self.assertEqual((shown.returncode, shown.stdout), (0, "1\n"), shown.stderr)
        self.assertNotIn(producer, server.log)

    def test_tokens_are_created_and_revoked_through_the_server(self):
        admin = self.make("admin", "--name", "root", "--expires", "90d")
        server = self.serve()
        env = {"LONGSHORE_TOKEN": admin, "LONGSHORE_SERVER": server.url}
        made = harness.run("token", "create", "--role", "producer", "--json", env=env)
        self.assertEqual(made.returncode, 0, made.stderr)
        token = json.loads(made.stdout)
        headers = self.bearer(token["token"])
        self.assertEqual(server.post("/jobs", {"jobType": "T"}, headers=headers).status, 202)
        listed = harness.run("token", "list", env=env)
        self.assertIn(token["id"], listed.stdout)
        self.assertIn("root", listed.stdout)
        self.assertNotIn(token["token"], listed.stdout)
        self.assertEqual(harness.run("token", "revoke", token["id"], env=env).returncode, 0)
        self.assertEqual(server.post("/jobs", {"jobType": "T"}, headers=headers).status, 401)
        self.assertEqual(harness.run("token", "revoke", token["id"], env=env).returncode, 3)

    def test_a_namespace_hides_its_jobs_from_others(self):
        here, there = self.make("operator"), self.make("operator", "--namespace", "other")
        server = self.serve()
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(here)).json["jobId"]
        self.assertEqual(server.get(f"/jobs/{job}", headers=self.bearer(here)).status, 200)
        self.assertEqual(server.get(f"/jobs/{job}", headers=self.bearer(there)).status, 404)
        leased = server.post("/leases", {"workerId": "w"}, headers=self.bearer(there))
        self.assertEqual(leased.json, {"leases": []})

    def test_a_public_address_requires_tokens_and_tls(self):
        self.make("admin")
        ended = harness.run("serve", "--store", self.store, "--listen", "0.0.0.0:0")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("--allow-plaintext", ended.stderr)
        server = self.serve("--listen", "0.0.0.0:0", "--allow-plaintext")
        self.assertEqual(server.get("/livez").status, 200)
        self.assertEqual(server.get("/queues").status, 401)


class Tls(harness.Case):
    def setUp(self):
        super().setUp()
        self.certificate, self.key = make_certificate(self.folder, "server", 1001)

    def serve_secure(self):
        return self.serve("--tls-cert", self.certificate, "--tls-key", self.key)

    def connect(self, server):
        context = ssl.create_default_context(cafile=str(self.certificate))
        plain = socket.create_connection(("127.0.0.1", server.port), harness.PATIENCE)
        return context.wrap_socket(plain, server_hostname="127.0.0.1")

    @staticmethod
    def livez(connection):
        connection.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return connection.recv(4096).split(b"\r\n")[0]

    def test_commands_use_tls_and_trust_only_configured_certificates(self):
        server = self.serve_secure()
        self.assertTrue(server.url.startswith("https://"))
        arguments = ["enqueue", "T", "--payload", "7", "--server", server.url]
        trusting = ["--ca-cert", self.certificate]
        self.work(server, "--exec", f"T={self.script('p', 'cat')}", *trusting)
        done = harness.run(*arguments, *trusting, "--wait", "60")
        self.assertEqual((done.returncode, done.stdout), (0, "7\n"), done.stderr)
        stranger, _ = make_certificate(self.folder, "stranger", 1)
        for distrusting in ([], ["--ca-cert", stranger]):
            ended = harness.run(*arguments, *distrusting)
            self.assertEqual(ended.returncode, 69, ended.stderr)

    def test_old_versions_of_tls_are_refused(self):
        server = self.serve_secure()
        with self.connect(server) as connection:
            self.assertIn(connection.version(), ("TLSv1.2", "TLSv1.3"))
        client = ["openssl", "s_client", "-connect", f"127.0.0.1:{server.port}"]
        for version in ("-tls1", "-tls1_1"):
            ended = subprocess.run(
                [*client, version, "-cipher", "ALL:@SECLEVEL=0"],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=harness.PATIENCE,
                check=False,
            )
            # An alert of the server, not a check of the client.
            self.assertIn("alert protocol version", ended.stderr)

    def test_sighup_loads_a_new_certificate_and_keeps_connections(self):
        server = self.serve_secure()
        old = self.connect(server)
        self.assertEqual(self.livez(old), b"HTTP/1.1 200 OK")
        self.assertEqual(old.getpeercert()["serialNumber"], f"{1001:04X}")
        make_certificate(self.folder, "server", 2002)
        server.process.send_signal(signal.SIGHUP)
        server.await_line("TLS reloaded")
        self.assertEqual(self.livez(old), b"HTTP/1.1 200 OK")
        with self.connect(server) as fresh:
            self.assertEqual(fresh.getpeercert()["serialNumber"], f"{2002:04X}")
        old.close()
        self.key.write_text("no key at all")
        server.process.send_signal(signal.SIGHUP)
        server.await_line("TLS reload failed, keeping the old certificate")
        self.assertEqual(server.stop(), 0)

    def test_invalid_certificate_files_prevent_the_start(self):
        self.key.write_text("no key at all")
        ended = harness.run("serve", "--store", self.store, "--tls-cert", self.certificate,
                            "--tls-key", self.key, "--listen", "127.0.0.1:0")  # fmt: skip
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertIn(str(self.key), ended.stderr)


if __name__ == "__main__":
    unittest.main()
