from selftests.planted import PlantedTest


class Listed(PlantedTest):
    rule = "listed"
    always = {
        "src/core/CMakeLists.txt": "longshore_module(core SOURCES a.cpp a.h)  # dead.cpp\n",
        "include/CMakeLists.txt": "FILES longshore/job.h\n",
        "examples/CMakeLists.txt": "longshore_example(first_job LINKS longshore_core)\n",
    }

    def test_accepts_files_that_are_named(self):
        self.assert_clean(
            {
                "src/core/a.cpp": "",
                "src/core/a.h": "",
                "include/longshore/job.h": "",
                "examples/first_job.cpp": "",
            }
        )

    def test_finds_a_dead_source(self):
        self.assert_finds({"src/core/dead.cpp": ""}, "src/core/dead.cpp", "does not name it")

    def test_finds_a_dead_header(self):
        self.assert_finds({"src/core/dead.h": ""}, "src/core/dead.h", "does not name it")

    def test_finds_a_public_header_that_is_never_checked(self):
        self.assert_finds({"include/longshore/dead.h": ""}, "include/CMakeLists.txt")

    def test_finds_a_test_that_never_runs(self):
        self.assert_finds({"tests/unit/core/a_test.cpp": ""}, "nothing builds it")

    def test_half_a_name_is_not_the_name(self):
        self.assert_finds({"src/core/extra/a.cpp": ""}, "src/core/extra/a.cpp")
