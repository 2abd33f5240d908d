from selftests.planted import PlantedTest

GOOD = "// A Job is work.\n// Plain.\n#pragma once\n\n#include <string>\n"


class Headers(PlantedTest):
    rule = "headers"

    def test_accepts_a_good_header(self):
        more = GOOD + '#include "longshore/id.h"\n#include <longshore/time.h>\n'
        self.assert_clean({"include/longshore/job.h": more, "include/CMakeLists.txt": ""})

    def test_finds_a_header_that_does_not_say_what_it_is(self):
        self.assert_finds({"include/longshore/job.h": "#pragma once\n"}, "open with a comment")

    def test_finds_a_missing_pragma(self):
        self.assert_finds({"include/longshore/job.h": "// A Job.\nint a;\n"}, "#pragma once")

    def test_finds_third_party_and_private_includes(self):
        for include in ["<fmt/core.h>", "<sqlite3.h>", '"core/assert.h"', "<stdint.h>"]:
            with self.subTest(include):
                text = GOOD + f"#include {include}\n"
                self.assert_finds({"include/longshore/job.h": text}, "job.h:6", "are public")

    def test_finds_what_is_not_a_public_header(self):
        self.assert_finds({"include/other/job.h": GOOD}, "only include/longshore")
        self.assert_finds({"include/longshore/job.cpp": GOOD}, "only include/longshore")
