"""100,000 jobs of a type that is at its concurrency limit.

On PostgreSQL also the cost of a claim that finds nothing among 50,000 of them: its time, compared
with a claim in an empty queue, and the bytes it adds to the write-ahead log.
"""

import statistics
import time

from burdens import write_ahead_log
from burdens.site import LONG, fill, observe_queue, poll

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")
SETTINGS = """
[types.full]
maxRunning = 1
"""
CLAIMS = 40
SLOWER = 5  # times; more would grow with the backlog
LOG_BYTES = 64 * 1024  # of one claim that finds nothing; what is written meanwhile counts too


def run(site):
    server = site.serve(settings=SETTINGS)
    filling = server.connect(LONG)
    fill(filling, site.count(50_000), "full", jobType="full")
    assert len(poll(filling, "full", leaseSeconds=3600)) == 1
    costs = idle_claims(site, filling) if site.kind == "postgres" else ""
    fill(filling, site.count(50_000), "full", jobType="full")
    return f"{site.count(100_000)} wait  {observe_queue(site, server, 'full')}  {costs}"


def idle_claims(site, connection):
    empty, _ = cost_of_a_claim(site, connection, "empty")
    full, log_bytes = cost_of_a_claim(site, connection, "full")
    times = full / empty
    site.expect(times <= SLOWER, f"a claim is {times:.1f} times as slow beside a full type")
    site.expect(log_bytes <= LOG_BYTES, f"an idle claim writes {log_bytes} bytes of WAL")
    return (
        f"idle claim {full * 1000:.1f} ms, empty queue {empty * 1000:.1f} ms ({times:.1f} x), "
        f"{log_bytes} bytes of WAL"
    )


def cost_of_a_claim(site, connection, queue):
    """Its median time in seconds, and the bytes of the log."""
    seconds = []
    before = write_ahead_log.written(site.store)
    for _ in range(CLAIMS):
        begun = time.monotonic()
        assert not poll(connection, queue)
        seconds.append(time.monotonic() - begun)
    written = write_ahead_log.written(site.store) - before
    return statistics.median(seconds), written // CLAIMS
