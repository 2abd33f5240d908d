"""Every C++ file is named in the CMakeLists.txt of its folder or of the nearest one above.

A file that is not built breaks unnoticed. Headers are listed too, so that unused ones are noticed.
"""

import re
from pathlib import PurePosixPath

from tree import Finding


def check(tree):
    for path in tree.having(".h", ".cpp", under=["include/", "src/", "tests/", "examples/"]):
        listing = _nearest_listing(tree, path)
        if listing is None:
            yield Finding(path, 1, "no CMakeLists.txt above it: nothing builds it")
        elif _name_in(listing, path) not in _words(tree.text(listing)):
            yield Finding(path, 1, f"{listing} does not name it: nothing builds it")


def _nearest_listing(tree, path):
    for folder in list(PurePosixPath(path).parents)[:-1]:
        listing = f"{folder}/CMakeLists.txt"
        if tree.exists(listing):
            return listing
    return None


def _name_in(listing, path):
    return PurePosixPath(path).relative_to(PurePosixPath(listing).parent).as_posix()


def _words(text):
    code = re.sub(r"#.*", "", text)
    words = set(re.findall(r'[^\s()"]+', code))
    # longshore_example(first_job) is built from first_job.cpp.
    return words | {f"{name}.cpp" for name in re.findall(r"longshore_example\(\s*(\w+)", code)}
