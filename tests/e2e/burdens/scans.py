"""Four readers scan all jobs while other clients write."""

from burdens import write_ahead_log
from burdens.site import LONG, fill
from load import Load, post_batches, work
from probes import Watch

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")
READERS = 4
LOG_BYTES = 128 * 1024 * 1024


def run(site):
    server = site.serve()
    fill(server.connect(LONG), site.count(200_000), "old")
    log = write_ahead_log.LargestFile(site.store) if site.kind == "sqlite" else None
    readers = Load(server.connect, [scan] * READERS)
    writers = Load(server.connect, [post_batches(1000)] * 2 + [work] * 2)
    watch = Watch(server.connect)
    site.observe()
    watch.finish()
    for load in (readers, writers):
        load.stop()
    site.expect_in_time(watch)
    figures = f"{readers.calls} scans answered  {writers.calls} writes  {watch}"
    if log is None:
        return figures
    largest = log.finish()
    site.expect(largest <= LOG_BYTES, f"the WAL grew to {largest} bytes")
    return f"{figures}  largest WAL {largest / 2**20:.0f} MiB"


def scan(connection):
    """No job has this tag, so all of them are scanned."""
    return connection.call("GET", "/jobs?tag=none&limit=500").status == 200
