"""A server under attack: one namespace has jobs that must not change, the attacker has tokens of
another. Every response is checked, and at the end the server must be alive, sound and small.

    LONGSHORE_ATTACK_SIZE  sample: a part of each table; gate: all of it; full: with many mutations.
                           Default: gate on SQLite, sample on other stores
    LONGSHORE_ATTACK_SEED  seed of random choices; default: 1
"""

import http.client
import json
import os
import random
import re
import socket
from pathlib import Path

import attack
import stores

harness = attack.harness

CORPUS = Path(__file__).resolve().parent / "corpus"
SIZE = os.environ.get("LONGSHORE_ATTACK_SIZE") or ("gate" if stores.KIND == "sqlite" else "sample")
SEED = int(os.environ.get("LONGSHORE_ATTACK_SEED", "1"))
MEMORY_MAX = 512 << 20  # peak resident memory of the server, in bytes
ROLES = ("producer", "worker", "viewer", "operator", "admin")
MARK = "zzvictim"  # in every name of the attacked namespace; must not occur in responses to others
UNKNOWN_JOB = "01900000-0000-7000-8000-000000000000"


def expand(text):
    """Expands a line of a table: ‹64*[› is "[" 64 times and ‹x ff fe› are these bytes."""
    parts = re.split(r"‹(.+?)›", text)
    return b"".join(p.encode() if n % 2 == 0 else _bytes_of(p) for n, p in enumerate(parts))


def _bytes_of(word):
    if word.startswith("x "):
        return bytes.fromhex(word[2:])
    times, _, what = word.partition("*")
    return int(times) * what.encode()


def read_table(name):
    """(section, line) of each line; sections begin with "== ", comments with "# "."""
    section = ""
    for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            section = line[3:]
        elif line and not line.startswith("# "):
            yield section, line


def some(items, least=1):
    """All items, or in a sample every fifth with a random start."""
    items = list(items)
    if SIZE != "sample":
        return items
    start = random.Random(SEED).randrange(5)
    return items[start::5] or items[:least]


def operations(document):
    """(method, path, operation) of each operation of an OpenAPI document."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


class Wire:
    """A client that reconnects when the server closes the connection."""

    def __init__(self, port):
        self._port = port
        self._connection = None

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None

    def call(self, method, path, body=None, headers=None):
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        headers = dict(headers or {})
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        for last in (False, True):
            try:
                return self._once(method, path, body, headers)
            except (ConnectionError, http.client.BadStatusLine):
                # The server closed it after an earlier response.
                self.close()
                if last:
                    raise
        return None

    def _once(self, method, path, body, headers):
        if not self._connection:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        self._connection.putrequest(method, path, skip_accept_encoding=True)
        if body is not None:
            body = body.encode() if isinstance(body, str) else body
            headers["Content-Length"] = str(len(body))
        for name, value in headers.items():
            self._connection.putheader(name, value)
        self._connection.endheaders(body)
        answer = self._connection.getresponse()
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            self.close()
            return harness.Answer(answer.status, answer.headers, "")
        return harness.Answer(answer.status, answer.headers, answer.read().decode())


class AttackedServer(attack.Attack):
    """The server trusts this machine as a proxy, so that each request may come from an address of
    its own: guesses are then not throttled."""

    def setUp(self):
        super().setUp()
        self.admin = self.token("admin")
        self.server = self.serve("--trusted-proxies", "127.0.0.1")
        self.random = random.Random(SEED)
        self.requests = 0
        self.wire = Wire(self.server.port)
        self.addCleanup(self.wire.close)
        self.document = self.server.get("/openapi.json").json
        self.codes = set(self.document["components"]["schemas"]["Code"]["enum"])
        self.tokens = {role: self.create_token(role, "attacker") for role in ROLES}
        self.victim = Victim(self)
        self.before = self.victim.everything()

    def tearDown(self):
        """Checks after every attack."""
        self.assertIsNone(self.server.process.poll(), self.server.log[-2000:])
        self.assertEqual(self.victim.everything(), self.before, "jobs of others were changed")
        checked = self.as_admin("POST", "/check")
        self.assertEqual((checked.status, checked.json.get("sound")), (200, True), checked)
        self.assertLess(memory(self.server.process.pid, "VmHWM"), MEMORY_MAX)
        self.assert_log_is_ours()
        print(f"{self.id()}: {self.requests} requests on {stores.KIND}", flush=True)
        super().tearDown()

    def assert_log_is_ours(self):
        """Requests injected no log lines, and the log contains no secrets."""
        for line in self.server.lines:
            self.assertNotEqual(json.loads(line).get("message"), "FORGED", line)
        for secret in [self.admin, *self.tokens.values(), self.victim.lease]:
            self.assertNotIn(secret, self.server.log)

    def create_token(self, role, namespace):
        body = {"role": role, "namespace": namespace}
        answer = self.as_admin("POST", "/tokens", body)
        self.assertEqual(answer.status, 201, answer)
        return answer.json["token"]

    def as_admin(self, method, path, body=None):
        return self.server.call(method, path, body, self.bearer(self.admin))

    def from_anywhere(self):
        return {"X-Forwarded-For": f"10.{self.random.randrange(1 << 24) >> 16}."
                                   f"{self.random.randrange(256)}.{self.random.randrange(256)}"}

    def attack(self, method, path, body=None, token=None, headers=None):
        """Sends a request of the attacker and checks the response."""
        sent = {**self.from_anywhere(), **(self.bearer(token) if token else {}), **(headers or {})}
        answer = self.wire.call(method, path, body, sent)
        self.check_response(answer, f"{method} {path[:200]} {str(body)[:300]}")
        return answer

    def check_response(self, answer, what):
        self.requests += 1
        self.assertLess(answer.status, 506, what)
        self.assertTrue(answer.status < 500 or answer.status == 505, f"{what}: {answer}")
        if answer.status >= 400:
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json", what)
            self.assertEqual(answer.json["status"], answer.status, what)
            self.assertIn(answer.json["code"], self.codes, what)
            self.assertTrue(answer.json["detail"], what)
        self.assertEqual(answer.headers.get("X-Content-Type-Options"), "nosniff", what)

    def raw(self, data, timeout=10):
        """Sends these bytes and returns everything the server sends until it closes."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout) as plain:
            plain.sendall(data)
            plain.shutdown(socket.SHUT_WR)
            return read_all(plain)


def read_all(plain):
    got = b""
    while True:
        try:
            part = plain.recv(1 << 16)
        except ConnectionResetError:
            return got
        if not part:
            return got
        got += part


def memory(pid, field="VmRSS"):
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(re.search(rf"{field}:\s+(\d+) kB", status).group(1)) * 1024


class Victim:
    """Jobs of the namespace `zzvictim`, one of each kind, and their names."""

    def __init__(self, attacked):
        self._server = attacked.server
        self.token = attacked.create_token("operator", MARK)
        self._headers = attacked.bearer(self.token)
        self.names = {
            "jobType": f"{MARK}.type", "jobKey": f"{MARK}-key", "queue": f"{MARK}-queue",
            "workerId": f"{MARK}-worker", "tag": f"{MARK}-tag", "requestId": f"{MARK}-request",
            "idempotencyKey": f"{MARK}-once", "error": f"{MARK} broke",
        }  # fmt: skip
        self.running = self._enqueue(idempotencyKey=self.names["idempotencyKey"],
                                     jobKey=self.names["jobKey"], tags=[self.names["tag"]])
        self.lease = self._lease()["leaseToken"]
        self.dead = self._enqueue(maxRetries=0)
        error = {"leaseToken": self._lease()["leaseToken"],
                 "error": {"code": "BROKE", "message": self.names["error"]}}
        self._ask("POST", f"/jobs/{self.dead}/fail", error)
        self.done = self._enqueue()
        self._ask("POST", f"/jobs/{self.done}/complete",
                  {"leaseToken": self._lease()["leaseToken"], "result": MARK})
        self.waiting = self._enqueue(queue=f"{MARK}-paused")
        self._ask("POST", f"/queues/{MARK}-paused/pause")
        self.jobs = [self.running, self.dead, self.done, self.waiting]
        self.cursor = self._ask("GET", "/jobs?limit=1").json["nextCursor"]
        self.fingerprint = self._ask("GET", "/errors").json["errors"][0]["fingerprint"]

    def _enqueue(self, **fields):
        body = {"jobType": self.names["jobType"], "queue": self.names["queue"],
                "payload": {"secret": MARK}, "timeoutSeconds": 86400, **fields}
        return self._ask("POST", "/jobs", body).json["jobId"]

    def _lease(self):
        body = {"workerId": self.names["workerId"], "queues": [self.names["queue"]],
                "leaseSeconds": 86400}
        if not hasattr(self, "lease"):
            body["requestId"] = self.names["requestId"]
        (lease,) = self._ask("POST", "/leases", body).json["leases"]
        return lease

    def _ask(self, method, path, body=None):
        answer = self._server.call(method, path, body, self._headers)
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer}")
        return answer

    def everything(self):
        """All stored data of these jobs, and which queues are paused."""
        jobs = [self._ask("GET", f"/jobs/{job}/{part}").json
                for job in self.jobs for part in ("details", "history")]
        count = len(self._ask("GET", "/jobs?limit=500").json["jobs"])
        paused = {q["queue"]: q["paused"] for q in self._ask("GET", "/queues").json["queues"]}
        return jobs, count, paused
