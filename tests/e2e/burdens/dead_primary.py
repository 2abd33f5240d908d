"""A primary of a Redis Cluster that dies and has no replica.

Its namespaces are unavailable until it is back. Those on other primaries are not affected.
"""

import importlib.util
import threading
import time
from pathlib import Path

import stores
from burdens.tenants import Tenants
from probes import BOUND, Watch

STORES = ("redis_cluster",)
PATIENCE = 60  # seconds until the namespaces of a primary that is back can be used
# Without this a cluster that lacks one primary serves nothing at all.
OPTIONS = {"cluster-require-full-coverage": "no"}
SHARED = "*"  # the hash tag of what belongs to no namespace, tokens among it; see docs/redis.md


def run(site):
    redis = redis_servers()
    folder = str(site.folder / "redis")
    with redis.Servers(folder, cluster=True, options=OPTIONS, replicas=False) as cluster:
        homes = Homes(redis.ask, cluster)
        tenants = Tenants(site.serve(store=stores.redis_cluster_url(cluster.ports())))
        victim = next(number for number in range(3) if number != homes.of(SHARED))
        dead = tenants.connect_to(homes.name(lambda home: home == victim))
        alive = tenants.connect_to(homes.name(lambda home: home != victim))
        return kill_and_measure(site, cluster.nodes[victim], dead, alive)


def kill_and_measure(site, primary, dead, alive):
    assert enqueue(dead()), "a namespace without jobs is in no one's way"
    calm = observe(site, alive)
    watch = Watch(alive)
    lost = Enqueues(dead)
    primary.kill()
    during = observe(site, alive)
    watch.finish()
    lost.finish()
    back = seconds_until_back(primary, dead)
    site.expect_in_time(watch)
    site.expect(during.longest_gap <= BOUND, f"no enqueue for {during.longest_gap:.2f} s")
    site.expect(back <= PATIENCE, "the namespace of the dead primary did not come back")
    elsewhere = f"enqueues elsewhere: {calm} before, {during} while it is dead"
    return f"{elsewhere}  {watch}  its own: {lost}, back after {back:.1f} s"


def redis_servers():
    """The module tests/redis/server.py."""
    path = Path(__file__).resolve().parents[2] / "redis" / "server.py"
    spec = importlib.util.spec_from_file_location("redis_servers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Homes:
    """Finds the primary of a namespace."""

    def __init__(self, ask, cluster):
        self._ask = ask
        self._ports = cluster.ports()

    def of(self, tag):
        slot = self._ask(self._ports[0], "CLUSTER", "KEYSLOT", "{" + tag + "}")
        ranges = self._ask(self._ports[0], "CLUSTER", "SLOTS")
        port = next(home[1] for first, last, home, *_ in ranges if first <= slot <= last)
        return self._ports.index(port)

    def name(self, fits):
        """The first name whose primary matches."""
        return next(name for n in range(1000) if fits(self.of(name := f"tenant-{n}")))


class Enqueues:
    """Enqueues one job after another on one connection until finished."""

    def __init__(self, connect):
        self.accepted = 0
        self.refused = 0
        self.longest_gap = 0
        self._connection = connect()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def _repeat(self):
        last = time.monotonic()
        while not self._over.is_set():
            accepted = enqueue(self._connection)
            now = time.monotonic()
            self.longest_gap = max(self.longest_gap, now - last)
            if accepted:
                self.accepted, last = self.accepted + 1, now
            else:
                self.refused += 1

    def finish(self):
        self._over.set()
        self._thread.join()
        return self

    def __str__(self):
        return f"{self.accepted} of {self.accepted + self.refused} (gap {self.longest_gap:.2f} s)"


def enqueue(connection):
    try:
        return connection.call("POST", "/jobs", {"jobType": "T"}).status == 202
    except OSError:
        connection.close()
        return False


def observe(site, connect):
    enqueues = Enqueues(connect)
    site.observe()
    return enqueues.finish()


def seconds_until_back(primary, connect):
    """The time from the start of the primary to the first job that its namespace accepts."""
    begun = time.monotonic()
    assert primary.start()
    with connect() as connection:
        while time.monotonic() < begun + PATIENCE:
            if enqueue(connection):
                return time.monotonic() - begun
    return float("inf")
