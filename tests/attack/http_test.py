"""The cases of tests/unit/http/hostile.txt against the real server, and requests that are late,
truncated or split."""

import re
import socket
import unittest

import attacked

TABLE = attacked.harness.ROOT / "tests" / "unit" / "http" / "hostile.txt"
ESCAPES = {"r": b"\r", "n": b"\n", "t": b"\t", "0": b"\0", "\\": b"\\"}


def expand(line):
    """The bytes of a line of hostile.txt, which explains its own form."""
    got, rest = b"", line
    while rest:
        if times := re.match(r"\\\((\d+),(.*?)\)", rest):
            got += int(times[1]) * expand(times[2])
        elif times := re.match(r"\\x([0-9a-f]{2})", rest):
            got += bytes.fromhex(times[1])
        elif times := re.match(r"\\([rnt0\\])", rest):
            got += ESCAPES[times[1]]
        else:
            times = re.match(r"[^\\]+|\\", rest)
            got += times[0].encode()
        rest = rest[times.end() :]
    return got


def read_cases():
    """(title, expected answers, bytes to send) of each case."""
    head, sent, ended = None, b"", False
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            if head:
                yield *head, sent
            expected, _, title = line[3:].partition(": ")
            head, sent, ended = (title, expected.split()), b"", False
        elif not head or ended or line.startswith((">", "#")):
            continue
        elif line == "\\end":
            ended = True
        else:
            sent += expand(line[:-1]) if line.endswith("\\") else expand(line) + b"\r\n"
    if head:
        yield *head, sent


def statuses(answer):
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


class Http(attacked.AttackedServer):
    def test_every_case_of_the_table_gets_its_listed_response(self):
        cases = list(read_cases())
        self.assertGreater(len(cases), 200)
        for title, expected, sent in attacked.some(cases):
            with self.subTest(title):
                answer = self.raw(sent)
                self.requests += 1
                got = statuses(answer)
                for status in got:
                    self.assertTrue(status < 500 or status == 505, answer[:300])
                self.assert_as_expected(expected, got, answer)

    def assert_as_expected(self, expected, got, answer):
        """The application is another one than the table's, and allows larger requests; what breaks
        HTTP is refused as it says."""
        last = expected[-2] if len(expected) > 1 else ""
        if last in ("400/BAD_REQUEST", "505/HTTP_VERSION"):
            self.assertEqual(got[-1:], [int(last[:3])], answer[:300])
            self.assertIn(b"application/problem+json", answer)
            self.assertIn(last[4:].encode(), answer)

    def test_a_smuggled_request_is_not_processed(self):
        hidden = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
        heads = [b"Content-Length: 4\r\nTransfer-Encoding: chunked", b"Content-Length: 0, 50",
                 b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                 b"Transfer-Encoding: xchunked", b"Transfer-Encoding : chunked",
                 b"Content-Length: +5", b"Content-Length: 5\r\nContent-Length: 6"]  # fmt: skip
        for head in heads:
            with self.subTest(head.decode()):
                start = b"POST /livez HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n0\r\n\r\n"
                answer = self.raw(start + hidden)
                self.requests += 1
                self.assertEqual(statuses(answer), [400], answer[:300])

    def test_clients_that_disconnect_midway_leak_nothing(self):
        whole = b"POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n\r\n" + b"x" * 17
        for length in attacked.some(range(len(whole))):
            with socket.create_connection(("127.0.0.1", self.server.port), 10) as plain:
                plain.sendall(whole[:length])
            self.requests += 1
        self.assertEqual(self.attack("GET", "/livez").status, 200)

    def test_responses_without_a_token_are_small(self):
        """What needs no token costs little: an attacker gains nothing by asking for much."""
        for path in ("/livez", "/readyz", "/jobs", "/metrics", "/tokens"):
            self.assertLess(len(self.attack("GET", path).body), 2048, path)


if __name__ == "__main__":
    unittest.main()
