"""Throughput of a worker with empty handlers: bench.py [JOBS] [CONCURRENCY].

Needs a server at LONGSHORE_SERVER without other jobs. Prints one line for outcomes settled one by
one and one for outcomes settled in batches.
"""

import sys
import threading
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from longshore import Client, NewJob, Worker  # noqa: E402


def measure(jobs, concurrency, batch):
    """Jobs per second, from the worker's start to its stop."""
    job_type = f"NOOP-{uuid.uuid4()}"
    with Client() as client:
        for first in range(0, jobs, 1000):
            client.enqueue_batch([NewJob(job_type)] * min(1000, jobs - first))
    left, lock, done = jobs, threading.Lock(), threading.Event()

    def nothing(_):
        nonlocal left
        with lock:
            left -= 1
            if left == 0:
                done.set()

    worker = Worker(concurrency=concurrency, batch_settle=batch)
    worker.add(job_type, nothing)
    begin = time.perf_counter()
    worker.start()
    done.wait()
    worker.stop()
    return jobs / (time.perf_counter() - begin)


def main(jobs=5000, concurrency=32):
    for batch, words in ((False, "one by one"), (True, "in batches")):
        rate = measure(int(jobs), int(concurrency), batch)
        print(f"Python SDK, {concurrency} slots, outcomes settled {words}: {rate:,.0f} jobs/s")


if __name__ == "__main__":
    main(*sys.argv[1:])
