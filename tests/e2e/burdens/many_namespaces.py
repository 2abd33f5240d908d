"""500 namespaces with jobs in each."""

import datetime
import time

from burdens.site import checked
from burdens.tenants import Tenants
from load import Load, jobs, post_one
from probes import BOUND, Watch, instant

STORES = ("memory", "sqlite", "postgres", "redis", "redis_cluster")
CLIENTS = 4
JOBS_EACH = 20
LEAST = 0.5  # of the rate with one namespace
SOON = 3  # seconds until the job that each namespace has for a later time


def run(site):
    server = site.serve()
    tenants = Tenants(server)
    first = tenants.connect_to("tenant-0")
    alone, _ = enqueues_a_second(site, first)
    others = [tenants.connect_to(f"tenant-{n}")() for n in range(1, site.count(500))]
    for other in others:
        checked(other.call("POST", "/jobs/batch", jobs(JOBS_EACH)))
    scheduled = schedule(others)
    among, watch = enqueues_a_second(site, first)
    latest = max(map(delay, scheduled), default=0)
    site.expect_in_time(watch)
    site.expect(latest <= BOUND, f"of jobs in all namespaces, one was due {latest:.2f} s late")
    site.expect(among >= LEAST * alone, f"enqueues fell from {alone:.0f} to {among:.0f} a second")
    rates = f"enqueues a second: 1 namespace {alone:.0f}, {len(others) + 1} {among:.0f}"
    return f"{rates} ({among / alone:.2f} x)  one due in each: {latest:.2f} s late  {watch}"


def enqueues_a_second(site, connect):
    watch = Watch(connect)
    load = Load(connect, [post_one] * CLIENTS)
    begun = time.monotonic()
    site.observe()
    rate = load.calls / (time.monotonic() - begun)
    watch.finish()
    load.stop()
    return rate, watch


def schedule(connections):
    """A job in each namespace, all for the same time."""
    run_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=SOON)
    wanted = {"jobType": "T", "queue": "later", "runAt": run_at.isoformat()}
    return [
        (connection, checked(connection.call("POST", "/jobs", wanted))["jobId"])
        for connection in connections
    ]


def delay(scheduled):
    """From the time of such a job to its becoming due. A lease says that it has."""
    connection, job = scheduled
    wanted = {"workerId": "w", "queues": ["later"], "waitSeconds": 30}
    leases = checked(connection.call("POST", "/leases", wanted))["leases"]
    if [lease["jobId"] for lease in leases] != [job]:
        return float("inf")
    run_at = instant(checked(connection.call("GET", f"/jobs/{job}"))["runAt"])
    history = checked(connection.call("GET", f"/jobs/{job}/history"))["history"]
    # None if its time had come before it was enqueued.
    return max((instant(one["at"]) - run_at for one in history if one["cause"] == "due"), default=0)
