from rules import rooms
from selftests.planted import PlantedTest


def files(folder, count):
    return {f"{folder}/f{i}.cpp": "" for i in range(count)}


class Rooms(PlantedTest):
    rule = "rooms"

    def test_accepts_a_folder_of_30_files(self):
        self.assert_clean(files("src/core", 30))

    def test_finds_a_folder_of_31_files(self):
        self.assert_finds(files("src/core", 31), "src/core:1", "31 files; at most 30")

    def test_counts_headers_sources_and_build_files(self):
        planted = {**files("src/core", 29), "src/core/a.h": "", "src/core/CMakeLists.txt": ""}
        self.assert_finds(planted, "src/core:1", "31 files")

    def test_does_not_count_files_of_subfolders(self):
        self.assert_clean({**files("src/core", 30), **files("src/core/text", 30)})

    def test_counts_only_src(self):
        self.assert_clean(files("tests/unit/core", 31))

    def test_accepts_the_folders_that_are_listed(self):
        self.assert_clean(files("src/store/redis", 31))

    def test_finds_a_listed_folder_that_became_small(self):
        self.assert_finds(files("src/store/redis", 30), "src/store/redis", "remove it")

    def test_the_list_only_shrinks(self):
        known = {"src/api/wire", "src/store/postgres", "src/store/redis", "src/store/sqlite"}
        self.assertLessEqual(set(rooms.OVERFULL), known)
