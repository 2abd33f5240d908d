"""Valid requests with randomly changed bytes. At full size there are many thousands; a failure is
repeated with LONGSHORE_ATTACK_SEED."""

import json
import unittest

import attacked

COUNT = {"sample": 100, "gate": 300, "full": 10_000}[attacked.SIZE]
PIECES = [b"\x00", b"\xff", b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\r\n", b"%", b"%00",
          b"-1", b"1e999", b"null", b"../", b"\xed\xa0\x80", b"\\ud800", b"Content-Length: 5\r\n",
          b"Transfer-Encoding: chunked\r\n", b"'", b";", b"*", b"$", b"{0}"]  # fmt: skip


class Mutations(attacked.AttackedServer):
    def mutated(self, data):
        for _ in range(1 + self.random.randrange(4)):
            at = self.random.randrange(len(data) + 1)
            kind = self.random.randrange(4)
            if kind == 0:
                data = data[:at] + self.random.choice(PIECES) + data[at:]
            elif kind == 1:
                data = data[:at] + data[at + 1 + self.random.randrange(8) :]
            elif kind == 2:
                data = data[:at] + bytes([self.random.randrange(256)]) + data[at + 1 :]
            else:
                data = data[:at] + data[at // 2 : at] + data[at:]
        return data

    def requests_table(self):
        table = json.loads((attacked.CORPUS / "requests.json").read_text(encoding="utf-8"))
        for line, body in table.items():
            method, path = line.split(" ")
            path = (path.replace("{jobId}", attacked.UNKNOWN_JOB).replace("{jobType}", "T")
                    .replace("{jobKey}", "k").replace("{queue}", "q"))  # fmt: skip
            yield method, path, json.dumps(body)

    def test_bodies(self):
        table = list(self.requests_table())
        for _ in range(COUNT):
            method, path, body = self.random.choice(table)
            body = self.mutated(body.encode())
            if b"waitSeconds" not in body:
                self.attack(method, path, body, self.tokens["admin"])

    def test_whole_requests(self):
        table = list(self.requests_table())
        token = self.tokens["admin"]
        for _ in range(COUNT):
            method, path, body = self.random.choice(table)
            lines = [f"{method} {path} HTTP/1.1", "Host: localhost",
                     f"Authorization: Bearer {token}", "Content-Type: application/json",
                     f"Content-Length: {len(body)}", "", body]
            sent = self.mutated("\r\n".join(lines).encode())
            answer = self.raw(sent)
            self.requests += 1
            if answer:
                status = int(answer.split(b" ", 2)[1])
                self.assertTrue(status < 500 or status == 505, (sent, answer[:300]))


if __name__ == "__main__":
    unittest.main()
