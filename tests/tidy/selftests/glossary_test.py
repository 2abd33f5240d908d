from rules.glossary import GLOSSARY, TERMS
from selftests.planted import PlantedTest

LIST = "# words\nJob Writer\nby id\nstill to rename  # why\nGong\n"


def used(declaration, name, files):
    """A header with the declaration, and so many files in all that use the name."""
    users = {f"src/core/u{i}.cpp": f"{name} a;\n" for i in range(files - 1)}
    return {"src/core/a.h": declaration + "\n", **users}


class Glossary(PlantedTest):
    rule = "glossary"
    always = {
        TERMS: LIST,
        GLOSSARY: "- **fence**: a token.\n- **hand-off**: an outcome.\n- **dead letter**: a job.\n",
        "include/longshore/gong.h": "class Gong {};\n",
        **{f"src/gong{i}.cpp": "Gong a;\n" for i in range(3)},
    }

    def test_accepts_names_of_plain_words(self):
        for name in ["Job", "JobWriter", "Jobs", "JobById", "JOBWriter", "Job2"]:
            with self.subTest(name):
                self.assert_clean(used(f"class {name} {{", name, 4))

    def test_accepts_names_that_the_glossary_defines(self):
        for name in ["Fence", "JobFence", "HandOff", "DeadLetter"]:
            with self.subTest(name):
                self.assert_clean(used(f"struct {name} {{", name, 4))

    def test_finds_a_name_that_is_neither(self):
        planted = used("\nclass JobShelf {", "JobShelf", 4)
        self.assert_finds(planted, "src/core/a.h:2", "JobShelf is used in 4 files, and Shelf is")

    def test_finds_every_kind_of_type(self):
        for declaration in [
            "class Shelf {",
            "class [[nodiscard]] Shelf {",
            "class Shelf final : public Job {",
            'class LONGSHORE_CAPABILITY("mutex") Shelf {',
            "struct Shelf {",
            "enum class Shelf : std::uint8_t {",
            "enum Shelf {",
            "template <class T>\nclass Shelf {",
        ]:
            with self.subTest(declaration):
                self.assert_finds(used(declaration, "Shelf", 4), "Shelf is used in 4 files")

    def test_accepts_any_name_in_three_files(self):
        self.assert_clean(used("class Shelf {", "Shelf", 3))

    def test_comments_texts_tests_and_nested_types_do_not_count(self):
        planted = used("class Shelf {", "Shelf", 3)
        planted["src/core/c.cpp"] = '// Shelf\nconst char* text = "Shelf";\n'
        planted["tests/unit/a_test.cpp"] = "Shelf a;\n"
        self.assert_clean(planted)
        self.assert_clean(used("class Job {\n  struct Shelf {\n", "Shelf", 4))

    def test_accepts_the_types_still_to_rename(self):
        self.assert_clean({})

    def test_finds_a_type_that_was_renamed(self):
        self.assert_finds(
            {"src/gong0.cpp": "Event a;\n"}, f"{TERMS}:5", "Gong is not a common type any more"
        )
