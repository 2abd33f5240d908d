"""The size of, or the total bytes written to, a store's write-ahead log."""

import subprocess
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


def written(store):
    """The bytes that a PostgreSQL server has written to its log."""
    folder = parse_qs(urlsplit(store).query)["host"][0]
    query = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
    words = ["psql", "-h", folder, "-U", "postgres", "-d", "postgres", "-Atc", query]
    return int(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


class LargestFile:
    """The maximum size of the log of a SQLite file, until finished."""

    def __init__(self, store):
        self._path = Path(store.removeprefix("sqlite:") + "-wal")
        self._over = threading.Event()
        self.bytes = 0
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self):
        while not self._over.wait(0.05):
            try:
                self.bytes = max(self.bytes, self._path.stat().st_size)
            except FileNotFoundError:
                pass

    def finish(self):
        self._over.set()
        self._thread.join()
        return self.bytes
