"""Measures whether a store stays fast with many jobs, namespaces, readers or dead servers.

    burden.py [NAME...] [--program PATH] [--size FRACTION] [--seconds N]

On the store of LONGSHORE_TEST_STORE (stores.py), each burden of the folder burdens/ fills a new
store, runs the probes of probes.py and its own measurements, and prints a line of results. Fails
when jobs become due or expired leases are reclaimed later than the bound, or when another result is
out of bounds. `--size 0.1` reduces all counts to a tenth.
"""

import argparse
import importlib
import shutil
import sys
import tempfile
import traceback

import harness
import stores
from burdens.site import Site

NAMES = ("stale_heads", "full_type", "many_namespaces", "scans", "bulk_calls", "dead_primary")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--program", default=harness.PROGRAM, help="the longshore to run")
    parser.add_argument("--size", type=float, default=1, help="of the counts; default: 1")
    parser.add_argument("--seconds", type=float, default=10, help="that a measurement takes")
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"there is no burden {', '.join(sorted(unknown))}; there are: {NAMES}")
    return given


def measure(burden, given):
    """The line of measurements, and what is wrong with them."""
    folder = tempfile.mkdtemp(prefix="longshore-burden-")
    site = Site(folder, given.program, given.size, given.seconds)
    try:
        return burden.run(site), site.complaints
    except Exception:  # measure the other burdens anyway
        return "has no figures", [*site.complaints, traceback.format_exc()]
    finally:
        site.stop()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    given = arguments()
    complaints = []
    for name in given.names or NAMES:
        burden = importlib.import_module(f"burdens.{name}")
        if stores.KIND not in burden.STORES:
            continue
        figures, found = measure(burden, given)
        print(f"{stores.KIND:14}{name:16} {figures}", flush=True)
        complaints += [f"{stores.KIND} {name}: {complaint}" for complaint in found]
    if complaints:
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    main()
