#!/usr/bin/env python3
"""Real Redis servers for tests: one, or a cluster of three primaries and three replicas.

    server.py run FOLDER [--cluster] [--fsync always|everysec|no] [--no-log] [--option NAME=VALUE]
        Starts them on free ports of the loopback and prints "ready PORT...". Then executes commands
        from standard input, each answered with a line: "kill N", "start N", "stop N", "continue N".
        Stops all servers when the input ends: they never outlive the process that started them.
    server.py start FOLDER
        One server and one cluster, for many tests; the ports are in FOLDER/ports. They end with
        `server.py stop FOLDER`, or with the process that called this script.
    server.py stop FOLDER

Other Python tests import this file: `with Servers(folder, cluster=True) as servers: ...`.
"""

import argparse
import ctypes
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PRIMARIES = 3
SLOTS = 16384
PATIENCE = 60.0


class Refused(Exception):
    """Redis answered with an error."""


def ask(port, *words):
    """Runs one command on a separate connection; returns text, number, None or a list."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        parts = [str(word).encode() for word in words]
        head = b"*%d\r\n" % len(parts)
        connection.sendall(head + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
        with connection.makefile("rb") as stream:
            return _read(stream)


def _read(stream):
    line = stream.readline()
    if not line.endswith(b"\r\n"):
        raise ConnectionError("Redis hung up")
    kind, rest = line[:1], line[1:-2].decode()
    if kind == b"-":
        raise Refused(rest)
    if kind == b"+":
        return rest
    if kind == b":":
        return int(rest)
    if int(rest) < 0:
        return None
    if kind == b"$":
        return stream.read(int(rest) + 2)[:-2].decode(errors="replace")
    return [_read(stream) for _ in range(int(rest))]


def wait_for(what, holds, process):
    """Polls, since Redis sends no events about this; notices if the process ends."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if holds():
                return
        except (OSError, Refused):
            pass
        if await_end(process.pid, 0.02):
            raise ChildProcessError(f"redis-server ended before there was {what}")
    raise TimeoutError(what)


def await_end(pid, longest=None):
    """Whether the process ended in time."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with open(process, "rb", buffering=0) as ended:
        return bool(select.select([ended], [], [], longest)[0])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Server:
    """One redis-server. Its files are kept when it is killed, and used when it restarts."""

    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        self.process = None
        self.port = 0
        os.makedirs(folder)
        # Another process may take the port after it was found free.
        for _ in range(10):
            self.port, self.bus = free_port(), free_port()
            if self.start():
                return
        raise RuntimeError(f"redis-server does not start; see {folder}/log")

    def start(self):
        settings = {
            "port": self.port,
            "bind": "127.0.0.1",
            "dir": self.folder,
            "logfile": os.path.join(self.folder, "log"),
            "save": "",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
            **self.options,
        }
        if settings.get("cluster-enabled") == "yes":
            settings["cluster-port"] = self.bus
        words = [os.environ.get("LONGSHORE_TEST_REDIS_SERVER", "redis-server")]
        for name, value in settings.items():
            words += [f"--{name}", *(str(value).split() or [""])]
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, preexec_fn=_die_with_parent
        )
        try:
            wait_for("a server", self._answers, self.process)
        except ChildProcessError:
            return False
        return True

    def _answers(self):
        if self.process.poll() is not None:
            raise ChildProcessError
        # Another server may answer while ours finds the port taken and exits.
        return f"process_id:{self.process.pid}\r" in ask(self.port, "INFO", "server")

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Servers:
    """A server, or a cluster whose first nodes are the primaries; each has a replica or none."""

    def __init__(
        self, folder, cluster=False, fsync="always", log=True, options=None, replicas=True
    ):
        settings = {
            "appendonly": "yes" if log else "no",
            "appendfsync": fsync,
            **(options or {}),
        }
        self.nodes = []
        try:
            if not cluster:
                self.nodes.append(Server(os.path.join(folder, "0"), settings))
                return
            settings = {
                "cluster-enabled": "yes",
                "cluster-node-timeout": "5000",
                "repl-diskless-sync-delay": "0",
                **settings,
            }
            for number in range(2 * PRIMARIES if replicas else PRIMARIES):
                self.nodes.append(Server(os.path.join(folder, str(number)), settings))
            self._create_cluster()
        except BaseException:
            self.end()
            raise

    def _create_cluster(self):
        ports = self.ports()
        first = self.nodes[0]
        for number, port in enumerate(ports):
            ask(port, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            if number < PRIMARIES:
                begin, end = number * SLOTS // PRIMARIES, (number + 1) * SLOTS // PRIMARIES
                ask(port, "CLUSTER", "ADDSLOTSRANGE", begin, end - 1)
            if number > 0:
                ask(port, "CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
        wait_for(
            "nodes that know each other",
            lambda: all(self._knows_all(p) for p in ports),
            first.process,
        )
        replicas = ports[PRIMARIES:]
        for primary, replica in zip(ports, replicas):
            ask(replica, "CLUSTER", "REPLICATE", ask(primary, "CLUSTER", "MYID"))
        wait_for(
            "a whole cluster", lambda: all(self._is_complete(p) for p in ports), first.process
        )
        wait_for(
            "replicas",
            lambda: all(self._has_replica(p) for p in ports[: len(replicas)]),
            first.process,
        )

    def _knows_all(self, port):
        nodes = ask(port, "CLUSTER", "NODES")
        return nodes.count("connected") >= len(self.nodes) and "handshake" not in nodes

    @staticmethod
    def _is_complete(port):
        info = ask(port, "CLUSTER", "INFO")
        return "cluster_state:ok" in info and f"cluster_size:{PRIMARIES}" in info

    @staticmethod
    def _has_replica(port):
        return "state=online" in ask(port, "INFO", "replication")

    def ports(self):
        return [node.port for node in self.nodes]

    def end(self):
        for node in self.nodes:
            node.signal(signal.SIGCONT) if node.process.poll() is None else None
            node.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


def run_commands(servers):
    verbs = {"stop": signal.SIGSTOP, "continue": signal.SIGCONT}
    print("ready", *servers.ports(), flush=True)
    for line in sys.stdin:
        verb, number = line.split()
        node = servers.nodes[int(number)]
        if verb == "kill":
            node.kill()
        elif verb == "start":
            if not node.start():
                raise RuntimeError(f"{node.folder}: does not start again")
        else:
            node.signal(verbs[verb])
        print("ok", flush=True)


def command_run(arguments):
    options = dict(option.split("=", 1) for option in arguments.option)
    with Servers(
        arguments.folder, arguments.cluster, arguments.fsync, not arguments.no_log, options
    ) as servers:
        run_commands(servers)


def command_start(arguments):
    """Returns when the servers answer; a child process guards them."""
    shutil.rmtree(arguments.folder, ignore_errors=True)
    os.makedirs(arguments.folder)
    owner = os.getppid()
    reader, writer = os.pipe()
    if os.fork() != 0:
        os.close(writer)
        ready, _, _ = select.select([reader], [], [], 2 * PATIENCE)
        return 0 if ready and os.read(reader, 1) == b"+" else 1
    os.setsid()
    os.close(reader)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    guard(arguments.folder, owner, writer)
    os._exit(0)


def guard(folder, owner, writer):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Servers(os.path.join(folder, "single")) as single:
        options = {"cluster-node-timeout": "30000"}
        with Servers(os.path.join(folder, "cluster"), cluster=True, options=options) as cluster:
            with open(os.path.join(folder, "ports"), "w", encoding="utf-8") as ports:
                print(*single.ports(), *cluster.ports(), file=ports)
            with open(os.path.join(folder, "pid"), "w", encoding="utf-8") as pid:
                print(os.getpid(), file=pid)
            os.write(writer, b"+")
            await_end(owner)


def command_stop(arguments):
    try:
        with open(os.path.join(arguments.folder, "pid"), encoding="utf-8") as file:
            pid = int(file.read())
        os.kill(pid, signal.SIGTERM)
        if not await_end(pid, PATIENCE):
            raise TimeoutError("the servers' end")
    except (FileNotFoundError, ProcessLookupError):
        pass
    shutil.rmtree(arguments.folder, ignore_errors=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=["run", "start", "stop"])
    parser.add_argument("folder")
    parser.add_argument("--cluster", action="store_true")
    parser.add_argument("--fsync", default="always")
    parser.add_argument("--no-log", action="store_true")
    parser.add_argument("--option", action="append", default=[])
    arguments = parser.parse_args()
    # redis-server writes to its working directory on errors.
    os.chdir(tempfile.gettempdir())
    return {"run": command_run, "start": command_start, "stop": command_stop}[arguments.verb](
        arguments
    )


if __name__ == "__main__":
    sys.exit(main())
