"""Measures scheduling delays while a server is under load.

    fairness.py [--seconds N]     on the store of LONGSHORE_TEST_STORE; see harness.py and stores.py

Under each kind of load, one job after another becomes due and one lease after another ends
(probes.py). Fails when one takes longer than the bound. burden.py does the same with large
backlogs.
"""

import argparse
import signal
import sys
import tempfile
import threading

import harness
import stores
from load import Load, post_batches, post_one, work
from probes import Watch

LOADS = {
    "two clients, 5,000 jobs a batch": [post_batches(5000)] * 2,
    "16 clients, one job a call": [post_one] * 16,
    "workers that settle 1,000 a call": [work] * 4 + [post_batches(1000)] * 2,
}


def watch_under(load, seconds):
    """The measurements of the probes, and the number of calls of the load."""
    with tempfile.TemporaryDirectory() as folder:
        server = harness.Server(stores.fresh(folder), *stores.arguments(), cwd=folder)
        try:
            running = Load(server.connect, load)
            watch = Watch(server.connect)
            threading.Event().wait(seconds)
            watch.finish()
            running.stop()
        finally:
            server.stop(signal.SIGKILL)
    return watch, running.calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    complaints = []
    for name, load in LOADS.items():
        watch, calls = watch_under(load, seconds)
        print(f"{stores.KIND:14}{name:34} {watch}   {calls} calls", flush=True)
        complaints += [f"{name}: {complaint}" for complaint in watch.complaints()]
    if complaints:
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    main()
