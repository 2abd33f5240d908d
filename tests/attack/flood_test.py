"""Many requests whose responses are never read: memory stays bounded, other clients are served, and
the memory is returned to the system."""

import select
import socket
import time
import unittest

import attack
import attacked

CONNECTIONS = 40
PIPELINED = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
GROWTH_MAX = 160 << 20  # per connection: 256 KiB, one response and the kernel's buffers
LEFT_MAX = 48 << 20  # of that, after the flood


class Flood(attack.Attack):
    def flood(self, server):
        """Sends as much as the server takes on each connection, and reads nothing."""
        waiting, self.flooding = {}, []
        for _ in range(CONNECTIONS):
            plain = socket.create_connection(("127.0.0.1", server.port))
            self.addCleanup(plain.close)
            self.flooding.append(plain)
            plain.setblocking(False)
            waiting[plain] = PIPELINED
        taken = 0
        while waiting:
            _, ready, _ = select.select([], list(waiting), [], 2)
            if not ready:
                break
            for plain in ready:
                sent = plain.send(waiting[plain])
                taken += sent
                waiting[plain] = waiting[plain][sent:]
                if not waiting[plain]:
                    del waiting[plain]
        return taken

    def test_unread_responses_do_not_accumulate(self):
        self.token("admin")
        server = self.serve()
        pid = server.process.pid
        self.assertEqual(server.get("/openapi.json").status, 200)
        before = attacked.memory(pid)
        taken = self.flood(server)
        self.assertGreater(taken, 100_000)
        self.assertEqual(server.get("/livez").status, 200, "other clients are not served")
        peak = attacked.memory(pid, "VmHWM")
        self.assertLess(peak - before, GROWTH_MAX, f"{taken} bytes sent")
        for plain in self.flooding:
            plain.close()
        left = self.memory_once_below(server, before + LEFT_MAX)
        self.assertLess(left - before, LEFT_MAX, "memory was not released")

    def memory_once_below(self, server, limit):
        """Asks the server now and then until it has become small, or the test's patience ends."""
        deadline = time.monotonic() + attack.harness.PATIENCE
        while time.monotonic() < deadline:
            self.assertEqual(server.get("/livez").status, 200)
            if (now := attacked.memory(server.process.pid)) < limit:
                return now
            select.select([], [], [], 0.2)
        return attacked.memory(server.process.pid)


class Slow(attack.Attack):
    def test_endless_headers_are_disconnected(self):
        self.token("admin")
        server = self.serve("--limits-header-time", "1s")
        with socket.create_connection(("127.0.0.1", server.port), 30) as plain:
            plain.sendall(b"GET /livez HTTP/1.1\r\nHost: local")
            answer = attacked.read_all(plain)
        self.assertIn(b"408", answer[:20], answer[:200])


if __name__ == "__main__":
    unittest.main()
