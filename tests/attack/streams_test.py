"""Streams of a token that was revoked on the same node end within a second, including those of its
sessions."""

import time
import unittest

import attack
import attacked

SECONDS_MAX = 1


class Revoked(attack.Attack):
    def open_stream(self, server, path, headers):
        connection = attacked.harness.http.client.HTTPConnection("127.0.0.1", server.port,
                                                              timeout=attack.harness.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        return answer

    def test_streams_end_within_a_second_on_the_node_that_revoked_it(self):
        admin = self.token("admin")
        server = self.serve()
        made = server.post("/tokens", {"role": "operator"}, headers=self.bearer(admin))
        token = made.json["token"]
        job = server.post("/jobs", {"jobType": "T"}, headers=self.bearer(admin)).json["jobId"]
        session = server.post("/ui/session", {"token": token}).headers["Set-Cookie"].split(";")[0]
        streams = [self.open_stream(server, path, headers)
                   for path in ("/events", f"/jobs/{job}/events")
                   for headers in (self.bearer(token), {"Cookie": session})]
        revoked = server.call("DELETE", f"/tokens/{self.id_of(token)}", None, self.bearer(admin))
        self.assertEqual(revoked.status, 200, revoked)
        began = time.monotonic()
        for stream in streams:
            stream.read()
        self.assertLess(time.monotonic() - began, SECONDS_MAX)


if __name__ == "__main__":
    unittest.main()
