"""500 namespaces with jobs in each."""

import datetime
import random
import time
import uuid

from burdens.site import checked
from burdens.tenants import Tenants
from load import Load, enqueue, jobs, post_one
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
    alone = Enqueues(site, first)
    others = [tenants.connect_to(f"tenant-{n}") for n in range(1, site.count(500))]
    for other in others:
        call(other, "POST", "/jobs/batch", jobs(JOBS_EACH))
    scheduled = schedule(others)
    among = Enqueues(site, first)
    latest = max(map(delay, scheduled), default=0)
    site.expect_in_time(*among.watches)
    site.expect(latest <= BOUND, f"of jobs in all namespaces, one was due {latest:.2f} s late")
    for kind, rate in among.rates.items():
        before = alone.rates[kind]
        site.expect(rate >= LEAST * before, f"enqueues {kind} fell from {before:.0f} to {rate:.0f}")
    return (
        f"enqueues a second: 1 namespace {alone}; {len(others) + 1} {among}  "
        f"one due in each: {latest:.2f} s late  {'  '.join(map(str, among.watches))}"
    )


class Enqueues:
    """Jobs per second, with ids of the server and with ids of the caller."""

    def __init__(self, site, connect):
        self.watches = []
        steps = {"plain": post_one, "with jobId": post_with_id}
        self.rates = {kind: self._measure(site, connect, step) for kind, step in steps.items()}

    def _measure(self, site, connect, step):
        watch = Watch(connect)
        load = Load(connect, [step] * CLIENTS)
        begun = time.monotonic()
        site.observe()
        rate = load.calls / (time.monotonic() - begun)
        self.watches.append(watch.finish())
        load.stop()
        return rate

    def __str__(self):
        return ", ".join(f"{rate:.0f} {kind}" for kind, rate in self.rates.items())


def post_with_id(connection):
    return enqueue(connection, jobType="T", queue="load", jobId=new_id())


def new_id():
    """A UUID of version 7."""
    head = time.time_ns() // 1_000_000 << 80 | 7 << 76 | 2 << 62
    return str(uuid.UUID(int=head | random.getrandbits(12) << 64 | random.getrandbits(62)))


def call(connect, *request):
    """On a new connection: the server closes an idle one before it would be used again."""
    with connect() as connection:
        return checked(connection.call(*request))


def schedule(others):
    """A job in each namespace, all for the same time."""
    run_at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=SOON)
    wanted = {"jobType": "T", "queue": "later", "runAt": run_at.isoformat()}
    return [(other, call(other, "POST", "/jobs", wanted)["jobId"]) for other in others]


def delay(scheduled):
    """The delay from the job's time until it can be leased."""
    connect, job = scheduled
    wanted = {"workerId": "w", "queues": ["later"], "waitSeconds": 30}
    leases = call(connect, "POST", "/leases", wanted)["leases"]
    if [lease["jobId"] for lease in leases] != [job]:
        return float("inf")
    run_at = instant(call(connect, "GET", f"/jobs/{job}")["runAt"])
    history = call(connect, "GET", f"/jobs/{job}/history")["history"]
    # None if its time had come before it was enqueued.
    return max((instant(one["at"]) - run_at for one in history if one["cause"] == "due"), default=0)
