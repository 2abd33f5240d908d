from selftests.planted import PlantedTest

EXAMPLE = """#include <x>

int main() {
  // quote: enqueue
  auto id = client.enqueue(job);
  use(id);
  // end quote
}
"""
REGION = "auto id = client.enqueue(job);\nuse(id);\n"
WHOLE = "#include <x>\n\nint main() {\n  auto id = client.enqueue(job);\n  use(id);\n}\n"


def document(marker, code, language="cpp"):
    return f"# Title\n\n{marker}\n```{language}\n{code}```\n"


class Quotes(PlantedTest):
    rule = "quotes"
    always = {"examples/first_job.cpp": EXAMPLE}

    def test_accepts_true_quotes(self):
        region = document("<!-- quote examples/first_job.cpp#enqueue -->", REGION)
        whole = document("<!-- quote examples/first_job.cpp -->", WHOLE)
        self.assert_clean({"README.md": region + whole})

    def test_finds_a_quote_that_has_drifted(self):
        drifted = document(
            "<!-- quote examples/first_job.cpp#enqueue -->", REGION.replace("use", "drop")
        )
        self.assert_finds({"README.md": drifted}, "README.md:4", "differs from")

    def test_finds_a_whole_file_that_has_drifted(self):
        drifted = document("<!-- quote examples/first_job.cpp -->", WHOLE + "// more\n")
        self.assert_finds({"docs/a.md": drifted}, "differs from examples/first_job.cpp")

    def test_finds_a_file_or_region_that_is_gone(self):
        gone = document("<!-- quote examples/gone.cpp -->", REGION)
        self.assert_finds({"README.md": gone}, "does not exist")
        gone = document("<!-- quote examples/first_job.cpp#claim -->", REGION)
        self.assert_finds({"README.md": gone}, "no region")

    def test_finds_a_marker_without_a_block(self):
        text = "<!-- quote examples/first_job.cpp -->\n\nSome text.\n"
        self.assert_finds({"README.md": text}, "README.md:1", "right before a fenced block")

    def test_finds_cpp_that_no_compiler_has_seen(self):
        self.assert_finds({"docs/a.md": document("", "int a;\n")}, "docs/a.md:4", "quote it")

    def test_leaves_other_blocks_and_decisions_alone(self):
        self.assert_clean(
            {
                "README.md": document("", "./dev up\n", "sh"),
                "docs/decisions/001-a.md": document("", "int a;\n"),
            }
        )
