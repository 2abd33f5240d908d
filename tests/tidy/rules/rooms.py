"""A folder of src/ directly contains at most 30 files: a reader can take in that many at once.

Split a larger folder by what the files are about. The folders in OVERFULL were larger when this
rule was written; the list may only shrink.
"""

from collections import Counter

from tree import Finding

FILES_MAX = 30
OVERFULL = ("src/api/wire", "src/store/redis")


def check(tree):
    sizes = Counter(path.rsplit("/", 1)[0] for path in tree.having("", under=["src/"]))
    for folder, files in sorted(sizes.items()):
        if files > FILES_MAX and folder not in OVERFULL:
            yield Finding(folder, 1, f"{files} files; at most {FILES_MAX}: split it by topic")
        elif files <= FILES_MAX and folder in OVERFULL:
            yield Finding(folder, 1, f"{files} files: remove it from OVERFULL in rules/rooms.py")
