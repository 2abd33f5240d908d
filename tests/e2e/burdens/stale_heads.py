"""500,000 canceled jobs at the head of a queue."""

from burdens.site import BULK, LONG, cancel_all, fill, observe_queue

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")


def run(site):
    server = site.serve()
    canceled = cancel_many(server.connect(LONG), site.count(500_000))
    return f"{canceled} canceled  {observe_queue(site, server, 'stale')}"


def cancel_many(connection, count):
    """Cancels each batch right after it was enqueued, when its jobs are found quickly."""
    canceled = 0
    while canceled < count:
        fill(connection, min(BULK, count - canceled), "stale")
        canceled += cancel_all(connection, "stale")
    return canceled
