"""Schemathesis over the server's own /openapi.json, for each store that is named.

    python3 -B tests/attack/openapi_soak.py SCHEMATHESIS [--examples N] [--seed N] [STORE...]

`./dev soak attack` installs SCHEMATHESIS and runs this. Streams are left out: they do not end, and
streams_test.py reads them.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))

import harness  # noqa: E402
import stores  # noqa: E402

# The checks that the document allows. The other checks of Schemathesis require more than
# OpenAPI can express: a valid body may still name a job that does not exist, and a
# header that it considers invalid may be one that HTTP allows a server to ignore.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
]
STREAMS = "^/events$|/events$"


def soak(schemathesis, store, examples, seed):
    folder = Path(tempfile.mkdtemp(prefix="longshore-openapi-"))
    server = None
    try:
        url = stores.KINDS[store](folder)
        made = harness.run("token", "create", "--role", "admin", "--store", url, cwd=folder)
        if made.returncode != 0 and store != "memory":
            raise SystemExit(made.stderr)
        options = ["--accept-durability", "C"] if store == "memory" else []
        server = harness.Server(url, *options, cwd=folder)
        token = ["-H", f"Authorization: Bearer {made.stdout.strip()}"]
        headers = [] if store == "memory" else token
        checks = [check for check in CHECKS if store != "memory" or check != "ignored_auth"]
        return subprocess.run(
            [schemathesis, "run", f"{server.url}/openapi.json", "--url", server.url, *headers]
            + ["--checks", ",".join(checks), "--exclude-path-regex", STREAMS, "--workers", "2"]
            + ["--phases", "examples,coverage,fuzzing", "--max-examples", str(examples)]
            + ["--seed", str(seed), "--request-timeout", "90", "--continue-on-failure"]
            + ["--suppress-health-check", "all", "--warnings", "off", "--no-color"],
            cwd=folder, check=False,
            env={**os.environ, "PYTHONWARNINGS": "ignore"},
        ).returncode  # fmt: skip
    finally:
        if server:
            server.stop(signal.SIGTERM)
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("schemathesis")
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("stores", nargs="*", default=[])
    given = parser.parse_intermixed_args()
    bad = []
    for store in given.stores or ["sqlite"]:
        print(f"• Schemathesis over /openapi.json on {store}, seed {given.seed}", flush=True)
        if soak(given.schemathesis, store, given.examples, given.seed) != 0:
            bad.append(store)
    if bad:
        sys.exit(f"✗ the server and its document disagree on {', '.join(bad)}")


if __name__ == "__main__":
    main()
