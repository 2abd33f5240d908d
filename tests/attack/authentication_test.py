"""Authentication: guessed tokens, clients at the address of a guesser, and revoked tokens."""

import threading
import unittest
from pathlib import Path

import attack
import stores

GUESSES = 200


class Guesser(attack.Attack):
    def test_does_not_block_workers_at_the_same_address(self):
        admin, worker = self.token("admin"), self.token("worker")
        server = self.serve()
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(admin)).json["jobId"]
        leased = server.post("/leases", {"workerId": "w"}, headers=self.bearer(worker))
        (lease,) = leased.json["leases"]
        statuses = set()
        with server.connect() as connection:
            for number in range(GUESSES):
                guess = self.bearer(f"ls_{number:016x}_{number:064x}")
                statuses.add(connection.call("GET", "/queues", None, guess).status)
        self.assertEqual(statuses, {401, 429}, "guessing is slowed down")
        beat = server.post(f"/jobs/{job}/heartbeat", {"leaseToken": lease["leaseToken"]},
                           headers=self.bearer(worker))
        self.assertEqual(beat.status, 200, beat)

    def test_cannot_spoof_the_address_of_another_client(self):
        self.token("admin")
        server = self.serve()
        statuses = set()
        for number in range(GUESSES):
            headers = {**self.bearer("guess"), "X-Forwarded-For": f"192.0.2.{number}"}
            statuses.add(server.get("/queues", headers=headers).status)
        self.assertIn(429, statuses, "the header of an untrusted client was accepted")


class Revoked(attack.Attack):
    """A token is revoked while its owner has open requests."""

    def ended(self, server, method, path, body, token):
        """Starts a call; returns an event that is set when the call ends."""
        over = threading.Event()
        connection = server.connect()
        self.addCleanup(connection.close)

        def listen():
            connection.call(method, path, body, self.bearer(token))
            over.set()

        threading.Thread(target=listen, daemon=True).start()
        return over

    def token_by_http(self, server, admin, role):
        made = server.post("/tokens", {"role": role}, headers=self.bearer(admin))
        self.assertEqual(made.status, 201, made)
        return made.json["token"]


class Listener(Revoked):
    def test_is_disconnected_when_the_token_is_revoked(self):
        admin = self.token("admin")
        server = self.serve()
        # On a shared store, another node revokes the token.
        other = self.serve() if stores.KIND != "sqlite" else server
        token = self.token_by_http(server, admin, "operator")
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(admin)).json["jobId"]
        nothing = {"workerId": "w", "queues": ["none"], "waitSeconds": 60}
        overs = {
            "stream": self.ended(server, "GET", "/events", None, token),
            "stream of a job": self.ended(server, "GET", f"/jobs/{job}/events", None, token),
            "poll": self.ended(server, "POST", "/leases", nothing, token),
            "wait": self.ended(server, "GET", f"/jobs/{job}?waitSeconds=60", None, token),
        }
        revoked = other.call("DELETE", f"/tokens/{self.id_of(token)}", None, self.bearer(admin))
        self.assertEqual(revoked.status, 200, revoked)
        for name, over in overs.items():
            self.assertTrue(over.wait(5), f"the {name} went on")


class EmptiedStore(attack.Attack):
    def test_does_not_disable_authentication(self):
        admin = self.token("admin")
        server = self.serve()
        gone = server.call("DELETE", f"/tokens/{self.id_of(admin)}", None, self.bearer(admin))
        self.assertEqual(gone.status, 200, gone)
        for _ in range(3):
            refused = server.post("/tokens", {"role": "admin"})
            self.assertEqual(refused.status, 401, refused)
        self.assertIn("longshore token create", refused.json["detail"])

    def test_does_not_disable_authentication_of_a_new_node(self):
        server = self.serve("--require-tokens", "true")
        self.assertEqual(server.post("/tokens", {"role": "admin"}).status, 401)

    def test_does_not_disable_authentication_behind_a_proxy(self):
        server = self.serve()
        forwarded = server.get("/queues", headers={"X-Forwarded-For": "192.0.2.1"})
        self.assertEqual(forwarded.status, 403, forwarded)


class ProcessList(attack.Attack):
    def test_contains_no_secret(self):
        server = self.serve("--token-key", "s3cret-key")
        arguments = Path(f"/proc/{server.process.pid}/cmdline").read_bytes()
        self.assertNotIn(b"s3cret-key", arguments)


if __name__ == "__main__":
    unittest.main()
