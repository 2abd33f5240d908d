"""Several servers on one store with workers and producers, while servers are killed. All requests
and responses are recorded; the checker judges the history at the end.

    fleet.py [--jobs N] [--kills N]      a longer run; see harness.py and stores.py
    LONGSHORE_CHECKER                    the folder of longshore_checker and longshore_dump

A request without a response may or may not have happened, and is recorded as such. Workers repeat
their commands to other servers until one responds.
"""

import argparse
import http.client
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime
from pathlib import Path

import harness
import stores

CHECKER = os.environ.get("LONGSHORE_CHECKER", str(harness.ROOT / "build/tests/checker"))
QUEUE = "fleet"
POLICY = {
    "maxRetries": 3,
    "timeoutMs": 1800000,
    "backoff": {"kind": 0, "baseMs": 2000, "maxMs": 3600000, "jitter": 0.1},
}
_WORD = 2**64 - 1


def _rotated(word, by):
    return ((word << by) | (word >> (64 - by))) & _WORD


def _finished(k):
    k = ((k ^ (k >> 33)) * 0xFF51AFD7ED558CCD) & _WORD
    k = ((k ^ (k >> 33)) * 0xC4CEB9FE1A85EC53) & _WORD
    return k ^ (k >> 33)


def hash64(text):
    """The hash of core/text/hash.h, as 16 hexadecimal digits."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    data, h1, h2 = text.encode(), 0, 0
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        k1 = int.from_bytes(data[at : at + 8], "little")
        k2 = int.from_bytes(data[at + 8 : at + 16], "little")
        h1 ^= (_rotated(k1 * c1 & _WORD, 31) * c2) & _WORD
        h1 = ((_rotated(h1, 27) + h2) * 5 + 0x52DCE729) & _WORD
        h2 ^= (_rotated(k2 * c2 & _WORD, 33) * c1) & _WORD
        h2 = ((_rotated(h2, 31) + h1) * 5 + 0x38495AB5) & _WORD
    k1 = int.from_bytes(data[whole : whole + 8], "little")
    k2 = int.from_bytes(data[whole + 8 :], "little")
    h2 ^= (_rotated(k2 * c2 & _WORD, 33) * c1) & _WORD
    h1 ^= (_rotated(k1 * c1 & _WORD, 31) * c2) & _WORD
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & _WORD
    h2 = (h2 + h1) & _WORD
    return f"{(_finished(h1) + _finished(h2)) & _WORD:016x}"


def millis(text):
    return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000 + 0.5)


class History:
    """One record per line, in the order of requests and responses: tests/checker/README.md."""

    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)

    def _write(self, kind, what, op=None, process=None):
        with self._lock:
            number = next(self._numbers)
            record = {"seq": number, "k": kind}
            if op is not None or kind == "invoke":
                record["op"] = op or number
            if process:
                record["p"] = process
            self._file.write(json.dumps({**record, "is": what}, separators=(",", ":")) + "\n")
            return number

    def invoke(self, process, verb, **fields):
        return self._write("invoke", {"f": verb, "ns": "default", **fields}, process=process)

    def answer(self, op, kind, **fields):
        self._write(kind, fields, op=op)

    def note(self, kind, **fields):
        self._write(kind, fields)

    def close(self):
        self._file.close()


class Fleet:
    def __init__(self, store, folder, jobs, servers=4, workers=32, producers=4):
        self.store, self.folder, self.jobs = store, Path(folder), jobs
        self.history = History(self.folder / "history.jsonl")
        self.servers = [self._start(number) for number in range(servers)]
        self.lock = threading.Lock()
        self.in_flight = [0] * servers
        self.acknowledged = 0
        self.accepted = []
        self.ended = set()
        self.done = threading.Event()
        self.moved = threading.Condition(self.lock)
        people = [self._produce] * producers + [self._cancel] + [self._work] * workers
        self.threads = [
            threading.Thread(target=act, args=(number,), daemon=True)
            for number, act in enumerate(people)
        ]

    def _start(self, number):
        return harness.Server(self.store, "--node-name", f"node-{number}", cwd=self.folder)

    # ---- Requests

    def _ask(self, lines, number, path, body, headers=None):
        """The response of a server, or None if the outcome is unknown."""
        with self.lock:
            self.in_flight[number] += 1
            server = self.servers[number]
        try:
            if lines.get(number, (None, None))[0] is not server:
                lines[number] = (server, server.connect(20))
            answer = lines[number][1].call("POST", path, body, headers)
        except (OSError, http.client.HTTPException):
            lines.pop(number, None)
            return None
        finally:
            with self.lock:
                self.in_flight[number] -= 1
        with self.lock:
            self.acknowledged += 1
        return None if answer.status >= 500 else answer

    def _say(self, lines, number, process, verb, call, path, body, headers=None):
        """Sends and records a request; returns the response or None."""
        op = self.history.invoke(process, verb, **call)
        answer = self._ask(lines, number, path, body, headers)
        if answer is None:
            self.history.answer(op, "info", code="unavailable")
        elif answer.status >= 400:
            self.history.answer(op, "fail", code=answer.json["code"])
        return op, answer

    def _produce(self, me):
        lines, chance = {}, random.Random(me)
        while True:
            with self.lock:
                if len(self.accepted) >= self.jobs:
                    return
            number = chance.randrange(len(self.servers))
            payload = f"{me}-{chance.getrandbits(64):x}"
            asked = {"type": "T", "queue": QUEUE, "priority": 5, "policy": POLICY, "onConflict": 0}
            asked |= {"payload": hash64(json.dumps(payload)), "bodyHash": "0" * 16, "delayMs": 0}
            op, answer = self._say(
                lines, number, f"p{me}", "enqueue", {"jobs": [asked]}, "/jobs",
                {"jobType": "T", "queue": QUEUE, "payload": payload},
            )  # fmt: skip
            if answer is not None and answer.status < 400:
                job = answer.json["jobId"]
                told = [{"id": job, "status": answer.json["status"], "fresh": True}]
                self.history.answer(op, "ok", jobs=told)
                with self.lock:
                    self.accepted.append(job)

    def _cancel(self, me):
        """Cancels one job in twenty, before or after it started."""
        lines, chance, seen = {}, random.Random(me), 0
        while not self.done.wait(0.05):
            with self.lock:
                recent, seen = self.accepted[seen:], len(self.accepted)
            for job in recent:
                if chance.random() >= 0.05:
                    continue
                word = f"{chance.getrandbits(64):x}"
                op, answer = self._say(
                    lines, chance.randrange(len(self.servers)), "operator", "cancel",
                    {"job": job, "actor": word}, f"/jobs/{job}/cancel", {},
                    {"X-Request-Id": word},
                )  # fmt: skip
                if answer is not None and answer.status < 400:
                    self.history.answer(op, "ok", job=job, status=answer.json["status"],
                                        asked=answer.status == 202)  # fmt: skip

    def _work(self, me):
        lines, chance, name = {}, random.Random(me), f"w{me}"
        while not self.done.is_set():
            number = chance.randrange(len(self.servers))
            call = {"worker": name, "queues": [QUEUE], "limit": 1, "waitMs": 5000}
            body = {"workerId": name, "queues": [QUEUE], "leaseSeconds": 5, "waitSeconds": 2}
            op, answer = self._say(lines, number, name, "claim", call, "/leases", body)
            if answer is None or answer.status >= 400:
                continue
            leases = answer.json["leases"]
            self.history.answer(op, "ok", grants=[self._grant(lease) for lease in leases])
            for lease in leases:
                self._settle(lines, chance, name, lease)

    @staticmethod
    def _grant(lease):
        return {
            "job": lease["jobId"], "token": lease["leaseToken"], "type": lease["jobType"],
            "queue": lease["queue"], "payload": hash64(json.dumps(lease["payload"])),
            "attempt": lease["attempt"], "leaseExpiresAt": millis(lease["leaseExpiresAt"]),
            "deadlineAt": millis(lease["deadlineAt"]),
        }  # fmt: skip

    def _settle(self, lines, chance, name, lease):
        job, token = lease["jobId"], lease["leaseToken"]
        call = {"job": job, "token": token}
        fate = chance.random()
        if fate < 0.01:
            return  # like a worker that died: the lease expires
        if fate < 0.1:
            verb, body = "fail", {"error": {"code": "E", "message": "m"}, "retryAfterSeconds": 0}
            call |= {"code": "E", "retryable": True, "waitMs": 0}
        else:
            verb, body = "complete", {"result": lease["attempt"]}
            call |= {"hash": hash64(str(lease["attempt"]))}
        for _ in range(20):
            number = chance.randrange(len(self.servers))
            path, said = f"/jobs/{job}/{verb}", {**body, "leaseToken": token}
            op, answer = self._say(lines, number, name, verb, call, path, said)
            if answer is None:
                continue
            if answer.status < 400:
                self.history.answer(op, "ok", job=job, status=answer.json["status"])
            return

    # ---- Faults and the end

    def run(self, kills, say=print):
        """The output of the checker, and whether the history is valid."""
        chance = random.Random(len(self.servers))
        for thread in self.threads:
            thread.start()
        for kill in range(1, kills + 1):
            self._await(lambda: len(self.accepted) >= self.jobs * kill / (kills + 1))
            self._kill(chance.randrange(len(self.servers)), kill, say)
        # A lease that expires during a start is extended. There are no more starts from here.
        self.history.note("mark", word="heal", at=int(time.time() * 1000))
        self._await(lambda: len(self.accepted) >= self.jobs)
        self._await(lambda: self._live() == 0, every=0.5)
        self.done.set()
        for thread in self.threads:
            thread.join(harness.PATIENCE)
        for server in self.servers:
            server.stop()
        self.history.close()
        return self._judge()

    def _kill(self, number, kill, say):
        with self.lock:
            acknowledged, in_flight = self.acknowledged, self.in_flight[number]
        self.history.note("nemesis", word="kill9", target=f"server{number}")
        self.servers[number].stop(signal.SIGKILL)
        say(f"kill {kill}: server {number}, {acknowledged} acknowledged, {in_flight} in flight")
        assert acknowledged > 0 and in_flight > 0, (acknowledged, in_flight)
        again = self._start(number)
        with self.lock:
            self.servers[number] = again

    @staticmethod
    def _await(condition, every=0.02, patience=1800):
        deadline = time.monotonic() + patience
        passed = threading.Event()
        while not condition():
            assert time.monotonic() < deadline, "it takes too long"
            passed.wait(every)

    def _live(self):
        answer = self.servers[0].get("/queues")
        (queue,) = [each for each in answer.json["queues"] if each["queue"] == QUEUE]
        ended = ("SUCCESS", "DEAD", "CANCELED")
        return sum(count for state, count in queue["depth"].items() if state not in ended)

    def _judge(self):
        path = self.folder / "history.jsonl"
        with open(path, "a", encoding="utf-8") as file:
            dump = [f"{CHECKER}/longshore_dump", self.store]
            subprocess.run(dump, stdout=file, check=True)
        wanted = ("acked", "grants", "answers lost", "leases lost", "reclaimed after heal",
                  "nemesis.kill9")  # fmt: skip
        judged = subprocess.run(
            [f"{CHECKER}/longshore_checker", *(f"--require={each}" for each in wanted), path],
            capture_output=True,
            text=True,
            check=False,
        )
        return judged.returncode == 0, judged.stdout + judged.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=50000)
    parser.add_argument("--kills", type=int, default=20)
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="longshore-fleet-") as folder:
        valid, words = Fleet(stores.fresh(folder), folder, wish.jobs).run(wish.kills)
    print(words)
    return 0 if valid else 1


if __name__ == "__main__":
    sys.exit(main())
