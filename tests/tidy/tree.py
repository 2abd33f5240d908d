"""The files of a checkout, without generated ones."""

import os
from dataclasses import dataclass
from pathlib import Path

SKIPPED = {".git", ".cache", "__pycache__", "node_modules", "dist"}


@dataclass(frozen=True)
class Finding:
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


class Tree:
    """Paths are relative to the root, with forward slashes: "src/core/error.cpp"."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = sorted(self._walk())

    def _walk(self):
        for folder, folders, files in os.walk(self.root):
            top = Path(folder) == self.root
            folders[:] = [
                f for f in folders if f not in SKIPPED and not (top and f.startswith("build"))
            ]
            for file in files:
                yield (Path(folder) / file).relative_to(self.root).as_posix()

    def having(self, *suffixes, under=("",)):
        """Paths with one of the suffixes, below one of the folders."""
        return [p for p in self.paths if p.endswith(suffixes) and p.startswith(tuple(under))]

    def exists(self, path):
        return (self.root / path).exists()

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def lines(self, path):
        """Numbered from 1, without line ends."""
        return list(enumerate(self.text(path).split("\n"), start=1))
