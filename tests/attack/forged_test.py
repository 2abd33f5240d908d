"""Altered, truncated, swapped and invented tokens, lease tokens, cursors and cookies."""

import unittest
from urllib.parse import quote_from_bytes

import attacked


class Forged(attacked.AttackedServer):
    def altered(self, text, count=20):
        """The same with a bit, a character, a length or a part of it changed; never the same."""
        count *= {"sample": 1, "gate": 2, "full": 100}[attacked.SIZE]
        whole = ["", text[:-1], text + "0", text * 2, text.upper(), text[::-1], f" {text} ",
                    text + "\u0000", text.replace("_", "-"), "null", "0", "-1", "a" * 5000]
        yield from (one for one in whole if one != text)
        for _ in range(count):
            at = self.random.randrange(len(text))
            other = self.random.choice("0123456789abcdefxyz._-/+=%ABC")
            changed = text[:at] + other + text[at + self.random.randrange(2) :]
            if changed != text:
                yield changed

    def test_an_altered_token_is_refused(self):
        victim, mine = self.victim.token, self.tokens["viewer"]
        swapped = ["_".join(["ls", self.id_of(victim), mine.split("_")[2]]),
                   "_".join(["ls", self.id_of(mine), victim.split("_")[2]])]
        for token in [*swapped, *self.altered(self.admin), *self.altered(victim)]:
            if token.strip() in (self.admin, victim):
                continue  # HTTP trims spaces
            with self.subTest(token[:100]):
                header = f"Bearer {token}".encode()
                answer = self.attack("GET", "/jobs", headers={"Authorization": header})
                self.assertIn(answer.status, (400, 401), answer)

    def test_other_schemes_and_repeated_headers_are_refused(self):
        token = self.tokens["admin"]
        for value in (f"Basic {token}", token, f"Bearer{token}", "Bearer", "Bearer ", "bearer x",
                      f"Token {token}", f"Bearer {token}, Bearer {token}"):
            with self.subTest(value[:20]):
                answer = self.attack("GET", "/jobs", headers={"Authorization": value})
                self.assert_problem(answer, 401, "UNAUTHENTICATED")

    def test_a_token_in_the_query_or_a_cookie_is_ignored(self):
        token = self.tokens["admin"]
        for path, headers in [(f"/jobs?token={token}", {}), (f"/jobs?access_token={token}", {}),
                              ("/jobs", {"Cookie": f"longshore_session={token}"}),
                              ("/jobs", {"Cookie": f"__Host-longshore_session={token}"}),
                              ("/jobs", {"X-Api-Key": token})]:
            with self.subTest(path[:16]):
                self.assertEqual(self.attack("GET", path, headers=headers).status, 401)

    def test_an_altered_lease_token_settles_nothing(self):
        operator = self.victim.token  # of the same namespace; only the lease is another's
        job = self.victim.running
        for token in self.altered(self.victim.lease):
            for verb, more in [("heartbeat", {}), ("complete", {"result": 1}), ("handoff", {}),
                               ("release", {}), ("fail", {"error": {"message": "m"}})]:
                with self.subTest(f"{verb} {token[:60]}"):
                    answer = self.attack("POST", f"/jobs/{job}/{verb}",
                                         {"leaseToken": token, **more}, operator)
                    self.assertIn(answer.status, (409, 422), answer)

    def test_an_altered_cursor_shows_nothing_of_others(self):
        for cursor in self.altered(self.victim.cursor):
            for path in ("/jobs", "/dead", "/errors", "/audit"):
                with self.subTest(f"{path} {cursor[:60]}"):
                    value = quote_from_bytes(cursor.encode(), safe="")
                    answer = self.attack("GET", f"{path}?cursor={value}",
                                         token=self.tokens["operator"])
                    self.assertIn(answer.status, (200, 414, 422), answer)
                    for job in self.victim.jobs:
                        self.assertNotIn(job, answer.body)

    def test_an_altered_session_is_refused(self):
        started = self.attack("POST", "/ui/session", {"token": self.tokens["viewer"]})
        self.assertEqual(started.status, 200, started)
        name, _, value = started.headers["Set-Cookie"].split(";")[0].partition("=")
        good = self.attack("GET", "/jobs", headers={"Cookie": f"{name}={value}"})
        self.assertEqual(good.status, 200, good)
        for cookie in [*self.altered(value), self.prolonged(value)]:
            if cookie.strip(" \u0000") == value:
                continue
            with self.subTest(cookie[:100]):
                sent = f"{name}={cookie}".encode()
                answer = self.attack("GET", "/jobs", headers={"Cookie": sent})
                self.assertIn(answer.status, (400, 401), answer)

    @staticmethod
    def prolonged(value):
        token, ends, seal = value.split(".")
        return f"{token}.{int(ends) + 3_600_000}.{seal}"


if __name__ == "__main__":
    unittest.main()
