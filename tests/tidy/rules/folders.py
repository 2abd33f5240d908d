"""No folder is called utils, common, helpers or misc: a helper is named after its noun and lives
with its first user; the second user moves it to core."""

from tree import Finding

BANNED = {"util", "utils", "common", "helper", "helpers", "misc"}


def check(tree):
    folders = {folder for path in tree.paths for folder in _folders_above(path)}
    for folder in sorted(folders):
        if folder.rsplit("/", 1)[-1].lower() in BANNED:
            yield Finding(folder, 1, "a meaningless name: name it after its content")


def _folders_above(path):
    parts = path.split("/")[:-1]
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
