"""A poll that is repeated at another node of the same store. Both nodes get the same leases;
neither releases a lease that the other one has delivered to the worker."""

import json
import os
import socket
import time
import unittest
from pathlib import Path

import harness

COUNT = 12
POLL = {"workerId": "w", "requestId": "r", "maxJobs": COUNT, "leaseSeconds": 300}


def opened(path):
    try:
        return os.readlink(path)
    except OSError:
        return None  # closed meanwhile


class TwoNodes(harness.Case):
    def setUp(self):
        super().setUp()
        self.first, self.second = self.serve(), self.serve()
        # More than the socket buffers hold: the response cannot be written unless it is read.
        payload = "x" * 1_000_000
        self.jobs = [self.first.enqueue(payload=payload) for _ in range(COUNT)]

    def unread_poll(self, server):
        """Sends a call without reading the response, like a worker whose connection is dead."""
        line = socket.socket()
        self.addCleanup(line.close)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", server.port))
        line.settimeout(harness.PATIENCE)
        body = json.dumps(POLL).encode()
        head = f"POST /leases HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        line.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
        line.recv(1, socket.MSG_PEEK)  # it has claimed and begun to respond
        return line

    def lease(self, server):
        answer = server.post("/leases", POLL)
        self.assertEqual(answer.status, 200, answer)
        return answer.json["leases"]

    def hang_up(self, server, line):
        """Waits until the server has closed its end and committed."""
        link = self.link(server, line.getsockname()[1])
        line.close()
        folder = Path(f"/proc/{server.process.pid}/fd")
        deadline = time.monotonic() + harness.PATIENCE
        while link in {opened(each) for each in folder.iterdir()}:
            self.assertLess(time.monotonic(), deadline, "the server did not notice")
        for _ in range(5):
            server.enqueue("fence", queue="fence")

    def link(self, server, port):
        """The server's socket among its open files."""
        ends = (f"0100007F:{server.port:04X}", f"0100007F:{port:04X}")
        for row in Path("/proc/net/tcp").read_text().splitlines():
            if tuple(row.split()[1:3]) == ends:
                return f"socket:[{row.split()[9]}]"
        self.fail("the line is not there")

    def assert_held(self, leases):
        self.assertEqual(sorted(lease["jobId"] for lease in leases), sorted(self.jobs))
        for lease in leases:
            beat = {"leaseToken": lease["leaseToken"]}
            answer = self.second.post(f"/jobs/{lease['jobId']}/heartbeat", beat)
            self.assertEqual(answer.status, 200, answer)

    def test_the_first_node_does_not_release_leases_that_the_second_delivered(self):
        line = self.unread_poll(self.first)
        leases = self.lease(self.second)
        self.hang_up(self.first, line)
        self.assert_held(leases)

    def test_the_second_node_does_not_release_leases_that_the_first_delivered(self):
        leases = self.lease(self.first)
        self.hang_up(self.second, self.unread_poll(self.second))
        self.assert_held(leases)

    def test_a_node_releases_undelivered_leases(self):
        self.hang_up(self.first, self.unread_poll(self.first))
        answer = self.second.post("/leases", {**POLL, "workerId": "v", "waitSeconds": 30})
        self.assertTrue(answer.json["leases"], "the jobs are still held by a worker that has gone")
        self.assertEqual({lease["failures"] for lease in answer.json["leases"]}, {0})


if __name__ == "__main__":
    unittest.main()
