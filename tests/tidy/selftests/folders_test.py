from selftests.planted import PlantedTest


class Folders(PlantedTest):
    rule = "folders"

    def test_accepts_names_that_say_something(self):
        self.assert_clean({"src/core/a.cpp": "", "src/http/common.cpp": ""})

    def test_finds_each_name_that_says_nothing(self):
        for name in ["utils", "util", "common", "helpers", "misc", "Utils"]:
            with self.subTest(name):
                self.assert_finds({f"src/http/{name}/a.cpp": ""}, f"src/http/{name}")
