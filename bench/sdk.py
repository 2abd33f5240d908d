"""Runs the benchmark of each SDK against a server of its own: sdk.py FOLDER [JOBS] [CONCURRENCY].

The store is a SQLite file in the folder, on the disk that is to be measured.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "e2e"))
import harness  # noqa: E402

COMMANDS = (
    [sys.executable, "-B", ROOT / "sdk" / "python" / "bench.py"],
    ["node", ROOT / "sdk" / "typescript" / "bench.mjs"],
)


def main(folder, *arguments):
    place = Path(folder).resolve() / "sdk"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    server = harness.Server(f"sqlite:{place}/jobs.db", cwd=place)
    try:
        env = {**os.environ, "LONGSHORE_SERVER": server.url}
        for command in COMMANDS:
            subprocess.run([*map(str, command), *arguments], env=env, check=True)
    finally:
        server.stop()
        shutil.rmtree(place)


if __name__ == "__main__":
    main(*sys.argv[1:])
