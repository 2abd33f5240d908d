"""The kinds of store for the tests in this folder.

    LONGSHORE_TEST_STORE     which kind; default: sqlite
    LONGSHORE_TEST_POSTGRES  the folder of a running PostgreSQL server; without it, a test program
                             starts its own (tests/postgres/server.sh)
    LONGSHORE_TEST_REDIS     the same for Redis (tests/redis/server.py)

A kind is a function that returns the URL of a new, empty store; `folder` is the test's own.
"""

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_SERVER = Path(__file__).resolve().parents[1] / "postgres" / "server.sh"
_REDIS = Path(__file__).resolve().parents[1] / "redis" / "server.py"
_numbers = iter(range(1, 1_000_000))


def sqlite(folder):
    return f"sqlite:{folder}/jobs.db"


def postgres(_folder):
    """A separate schema on the shared server."""
    schema = f"e2e_{os.getpid()}_{next(_numbers)}"
    return f"postgres://postgres@/postgres?host={_postgres_server()}&schema={schema}"


@functools.cache
def _postgres_server():
    if given := os.environ.get("LONGSHORE_TEST_POSTGRES"):
        return given
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    folder = tempfile.mkdtemp(prefix="longshore-pg-", dir=memory)
    subprocess.run(["bash", _SERVER, "start", folder], check=True)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(subprocess.run, ["bash", _SERVER, "stop", folder], check=False)
    return folder


def redis(_folder):
    """Keys with a separate prefix on the shared server."""
    return f"redis://127.0.0.1:{_redis_ports()[0]}?prefix={_redis_prefix()}"


def redis_cluster(_folder):
    """The same on a cluster of three primaries with one replica each."""
    return redis_cluster_url(_redis_ports()[1:])


def redis_cluster_url(ports):
    nodes = ",".join(f"127.0.0.1:{port}" for port in ports)
    return f"redis+cluster://{nodes}?prefix={_redis_prefix()}"


def _redis_prefix():
    return f"e2e_{os.getpid()}_{next(_numbers)}"


def _redis_ports():
    return (Path(_redis_servers()) / "ports").read_text().split()


@functools.cache
def _redis_servers():
    if given := os.environ.get("LONGSHORE_TEST_REDIS"):
        return given
    folder = tempfile.mkdtemp(prefix="longshore-redis-")
    subprocess.run([sys.executable, "-B", _REDIS, "start", folder], check=True)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(subprocess.run, [sys.executable, "-B", _REDIS, "stop", folder], check=False)
    return folder


def memory(_folder):
    return "memory:"


KINDS = {
    "sqlite": sqlite,
    "postgres": postgres,
    "redis": redis,
    "redis_cluster": redis_cluster,
    "memory": memory,
}
KIND = os.environ.get("LONGSHORE_TEST_STORE", "sqlite")


def fresh(folder):
    return KINDS[KIND](folder)


def arguments():
    """Further arguments of `serve`."""
    return ["--accept-durability", "C"] if KIND == "memory" else []
