import unittest

import cpp
from selftests.planted import PlantedTest

RATCHET = "tests/tidy/long_functions.txt"


def function(lines, head="void grow() {"):
    """A function of so many lines."""
    return head + "\n" + "  work();\n" * (lines - 2) + "}\n"


class Sizes(PlantedTest):
    rule = "sizes"

    def test_finds_a_file_of_501_lines(self):
        self.assert_clean({"src/core/a.cpp": "\n" * 500})
        self.assert_finds({"src/core/a.cpp": "\n" * 501}, "501 lines")

    def test_finds_a_line_of_101_characters(self):
        for path in ["src/core/a.cpp", "include/longshore/a.h", "dev", "tests/tidy/x.py"]:
            with self.subTest(path):
                self.assert_clean({path: "é" * 100 + "\n"})
                self.assert_finds({path: "\n" + "x" * 101 + "\n"}, f"{path}:2", "101 characters")

    def test_finds_a_function_of_71_lines(self):
        self.assert_clean({"src/core/a.cpp": function(70)})
        self.assert_finds({"src/core/a.cpp": "\n" + function(71)}, "a.cpp:2", "grow has 71 lines")

    def test_finds_a_long_test(self):
        text = "namespace a {\n" + function(71, "TEST(Retry, WaitsLonger) {") + "}\n"
        self.assert_finds({"tests/unit/a_test.cpp": text}, "Retry.WaitsLonger has 71 lines")

    def test_a_known_long_function_may_stay_but_not_grow(self):
        ratchet = {RATCHET: "# why\nsrc/core/a.cpp grow 80  # a table\n"}
        self.assert_clean({**ratchet, "src/core/a.cpp": function(80)})
        self.assert_finds({**ratchet, "src/core/a.cpp": function(81)}, "81 lines; 80 are allowed")

    def test_the_ratchet_follows_what_shrinks(self):
        ratchet = {RATCHET: "src/core/a.cpp grow 80\n"}
        self.assert_finds({**ratchet, "src/core/a.cpp": function(75)}, RATCHET, "write 75")
        self.assert_finds({**ratchet, "src/core/a.cpp": function(60)}, RATCHET, "remove its line")


class FunctionLengths(unittest.TestCase):
    def lengths(self, text):
        return [(f.name, f.line, f.length) for f in cpp.functions(text)]

    def test_measures_from_the_first_line_of_the_head_to_the_brace(self):
        text = "int a;\n\nResult<int>\nStore::commit(int n,\n  int m) const {\n  go();\n}\n"
        self.assertEqual(self.lengths(text), [("Store::commit", 3, 5)])

    def test_sees_methods_and_constructors_with_lists(self):
        text = (
            "class A {\n public:\n"
            "  A() : one_{1}, two_(2) {\n    go();\n  }\n"
            "  int f() { return 1; }\n"
            "  int g() const override {\n    if (x) {\n    }\n  }\n};\n"
        )
        self.assertEqual(self.lengths(text), [("A", 3, 3), ("f", 6, 1), ("g", 7, 4)])

    def test_counts_a_lambda_with_the_function_around_it(self):
        text = "void f() {\n  g([](int) {\n  });\n}\n"
        self.assertEqual(self.lengths(text), [("f", 1, 4)])

    def test_tables_types_and_macros_are_no_functions(self):
        text = (
            "#define M(x) \\\n  do { f(x); } while (0)\n"
            "const Row rows[] = {\n  {1, f(2)},\n};\n"
            "enum class E { a, b };\nstruct S {\n  int a = 0;\n};\n"
            "class GUARDED(yes) C {\n  int c() const;\n};\n"
            "const auto t = std::vector<int>{f(1)};\nint n{f(2)};\n"
            "// a brace { in a comment\nconst char* s = \"}\";\nvoid h() {}\n"
        )
        self.assertEqual([name for name, _, _ in self.lengths(text)], ["h"])
