"""500,000 canceled jobs at the head of a queue."""

from burdens.site import LONG, cancel_all, fill, observe_queue

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")


def run(site):
    server = site.serve()
    filling = server.connect(LONG)
    fill(filling, site.count(500_000), "stale")
    canceled = cancel_all(filling, "stale")
    return f"{canceled} canceled  {observe_queue(site, server, 'stale')}"
