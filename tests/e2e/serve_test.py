"""The life cycle of a server: start, refusals, load, SIGTERM and SIGKILL."""

import http.client
import json
import resource
import signal
import socket
import threading
import time
import unittest

import harness
import stores


class Refusals(harness.Case):
    def test_a_public_address_is_refused_without_a_token(self):
        ended = harness.run("serve", "--listen", "0.0.0.0:0", cwd=self.folder)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("no token exists", ended.stderr)

    def test_a_volatile_store_is_refused_unless_accepted(self):
        ended = harness.run("serve", "--store", "memory:", "--listen", "127.0.0.1:0")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("--accept-durability=C", ended.stderr)
        server = harness.Server("memory:", "--accept-durability=C")
        self.addCleanup(server.stop, signal.SIGKILL)
        self.assertEqual(server.stop(), 0)

    def test_invalid_settings_are_usage_errors(self):
        cases = [
            (["--tls-cert", "a.pem"], "tls-cert and tls-key must both be set"),
            (["--listen", "nowhere"], "listen must be ADDRESS:PORT"),
            (["--profile", "odd"], "--profile must be one of"),
            (["--io-threads", "x"], "--io-threads must be a whole number"),
            (["--lisen", "x"], "did you mean --listen?"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments):
                ended = harness.run("serve", *arguments, cwd=self.folder)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(expected, ended.stderr)

    def test_one_file_has_one_server_and_a_shared_store_any_number(self):
        first = self.serve()
        if stores.KIND != "sqlite":
            job = first.enqueue()
            self.assertEqual(self.serve().get(f"/jobs/{job}").status, 200)
            return
        second = harness.run("serve", "--store", self.store, "--listen", "127.0.0.1:0")
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"process {first.process.pid}", second.stderr)

    def test_another_profile_than_the_stores_is_refused(self):
        self.assertEqual(self.serve("--profile", "basic").stop(), 0)
        ended = harness.run("serve", "--store", self.store, "--listen", "127.0.0.1:0")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("basic", ended.stderr)


class StartAndEnd(harness.Case):
    def test_logs_its_address_store_and_durability(self):
        server = self.serve("--node-name", "pier-1")
        line = next(line for line in server.lines if '"serving"' in line)
        for words in (f'"url":"{server.url}"', '"durability":"A"', '"node":"pier-1"'):
            self.assertIn(words, line)

    def test_stops_at_once_without_requests_in_flight(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.assertEqual(self.serve().stop(number, timeout=10), 0)

    def test_answers_waiting_requests_before_it_stops(self):
        server = self.serve()
        job = server.enqueue()
        poll = json.dumps({"workerId": "w", "queues": ["none"], "waitSeconds": 60})
        waiting = [
            Pipeline(server, job, f"GET /jobs/{job}?waitSeconds=60 HTTP/1.1"),
            Pipeline(server, job, "POST /leases HTTP/1.1", poll),
        ]
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)
        answers = [pipeline.answer() for pipeline in waiting]
        self.assertEqual([status for status, _ in answers], [200, 200], answers)
        self.assertEqual(json.loads(answers[0][1])["status"], "PENDING")
        self.assertEqual(json.loads(answers[1][1]), {"leases": []})


    def test_ends_open_streams_when_it_stops(self):
        server = self.serve()
        job = server.enqueue()
        streams = []
        for path in (f"/jobs/{job}/events", "/events"):
            stream = socket.create_connection(("127.0.0.1", server.port), harness.PATIENCE)
            self.addCleanup(stream.close)
            stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertIn(b"200 OK", stream.recv(4096))
            streams.append(stream)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 5)
        for stream in streams:
            self.assertIsNotNone(b"".join(iter(lambda s=stream: s.recv(4096), b"")))


class Pipeline:
    """Sends two requests at once. When the first is answered, the server has the second one too."""

    def __init__(self, server, job, line, body=""):
        self._socket = socket.create_connection(("127.0.0.1", server.port), harness.PATIENCE)
        self._file = self._socket.makefile("rb")
        host = "Host: localhost\r\n"
        first = f"GET /jobs/{job} HTTP/1.1\r\n{host}\r\n"
        second = f"{line}\r\n{host}Content-Length: {len(body)}\r\n\r\n{body}"
        self._socket.sendall((first + second).encode())
        status, text = self._read()
        assert status == 200, text

    def answer(self):
        with self._socket, self._file:
            return self._read()

    def _read(self):
        status = int(self._file.readline().split()[1])
        headers = http.client.parse_headers(self._file)
        return status, self._file.read(int(headers["Content-Length"])).decode()


class Load:
    """Producers that record acknowledged jobs."""

    def __init__(self, server, producers=8):
        self.server = server
        self.accepted = []
        self.enough = threading.Event()
        self._threads = [
            threading.Thread(target=self._produce, args=(n,)) for n in range(producers)
        ]
        for thread in self._threads:
            thread.start()

    def _produce(self, number):
        connection = self.server.connect()
        try:
            for i in range(1_000_000):
                body = {"jobType": "T", "payload": {"producer": number, "i": i}}
                answer = connection.call("POST", "/jobs", body)
                if answer.status != 202:
                    return
                self.accepted.append(answer.json["jobId"])
                if len(self.accepted) >= 200:
                    self.enough.set()
        except OSError:
            pass  # not acknowledged
        except http.client.HTTPException:
            pass
        finally:
            connection.close()

    def join(self):
        for thread in self._threads:
            thread.join()
        return self.accepted


class Restart(harness.Case):
    def check_all_there(self, accepted):
        again = self.serve()
        with again.connect() as connection:
            for job in accepted:
                answer = connection.call("GET", f"/jobs/{job}")
                self.assertEqual(answer.status, 200, f"{job} was accepted and is gone: {answer}")
                self.assertEqual(answer.json["status"], "PENDING")
        self.assertEqual(again.stop(), 0)

    def test_accepted_jobs_survive_sigterm_under_load(self):
        server = self.serve()
        load = Load(server)
        self.assertTrue(load.enough.wait(harness.PATIENCE))
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 10)
        accepted = load.join()
        self.assertGreaterEqual(len(accepted), 200)
        self.check_all_there(accepted)

    def test_accepted_jobs_survive_sigkill_under_load(self):
        for _ in range(3):
            server = self.serve()
            load = Load(server)
            self.assertTrue(load.enough.wait(harness.PATIENCE))
            self.assertEqual(server.stop(signal.SIGKILL), -9)
            self.check_all_there(load.join())

    def test_a_lease_survives_a_server_restart(self):
        server = self.serve()
        job = server.enqueue()
        lease = server.lease()[0]
        self.assertEqual(server.stop(signal.SIGKILL), -9)
        again = self.serve()
        answer = again.post(f"/jobs/{job}/complete", {"leaseToken": lease["leaseToken"]})
        self.assertEqual((answer.status, answer.json["status"]), (200, "COMPLETED"), answer)


class FileFailures(harness.Case):
    def test_a_store_that_cannot_write_ends_the_server(self):
        # Python ignores SIGXFSZ, and its child inherits that.
        server = self.serve(restore_signals=False)
        kept = server.enqueue()
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, 0))
        answer = server.post("/jobs", {"jobType": "T"})
        self.assertGreaterEqual(answer.status, 500, answer)
        self.assertEqual(server.process.wait(timeout=harness.PATIENCE), 70)
        server.stop()
        self.assertIn("store failed", server.log)
        self.assertEqual(self.serve().get(f"/jobs/{kept}").status, 200)


if stores.KIND != "sqlite":
    del FileFailures  # database servers fail differently: see their own tests


class ServiceManager(harness.Case):
    def test_is_notified_when_the_server_is_ready_and_when_it_stops(self):
        path = str(self.folder / "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(harness.PATIENCE)
            server = self.serve(env={"NOTIFY_SOCKET": path})
            self.assertEqual(manager.recv(100), b"READY=1")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(manager.recv(100), b"STOPPING=1")


class Policies(harness.Case):
    def test_the_file_decides_for_queues_and_types(self):
        (self.folder / "longshore.toml").write_text(
            """
            [queues.narrow]
            maxRunning = 1
            [types.fragile]
            maxRetries = 0
            """
        )
        server = self.serve()
        job = server.enqueue("fragile")
        lease = server.lease()[0]
        self.assertEqual(lease["maxRetries"], 0)
        error = {"leaseToken": lease["leaseToken"], "error": {"message": "no"}}
        self.assertEqual(server.post(f"/jobs/{job}/fail", error).json["status"], "FAILED")
        for _ in range(2):
            server.enqueue(queue="narrow")
        self.assertEqual(len(server.lease(queues=["narrow"], maxJobs=10)), 1)


class Secrets(harness.Case):
    def test_the_log_contains_no_secrets(self):
        secret = "hunter2-and-more"
        server = self.serve("--log-level", "debug", env={"LONGSHORE_TOKEN_KEY": secret})
        server.enqueue(payload={"card": secret}, metadata={"m": secret}, idempotencyKey=secret)
        server.get("/jobs", headers={"Authorization": f"Bearer {secret}", "Cookie": secret})
        server.get(f"/jobs/1?token={secret}")
        self.assertEqual(server.stop(), 0)
        self.assertIn('"message":"request"', server.log)
        self.assertIn('"requestId":"', server.log)
        self.assertNotIn(secret, server.log)


if __name__ == "__main__":
    unittest.main()
