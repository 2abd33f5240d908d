from selftests.planted import PlantedTest


class Links(PlantedTest):
    rule = "links"
    always = {"docs/there.md": "# There\n", "src/core/a.h": ""}

    def test_accepts_links_that_lead_somewhere(self):
        self.assert_clean(
            {
                "README.md": "[a](docs/there.md) [b](src/core/) [c](docs/there.md#there)\n"
                "[d](#here) [e](https://example.org/x) [f](mailto:a@example.org)\n",
                "docs/b.md": '[a](there.md) [b](../src/core/a.h "title")\n\n[ref]: there.md\n',
            }
        )

    def test_finds_a_link_to_nothing(self):
        self.assert_finds({"README.md": "\n[a](docs/gone.md)\n"}, "README.md:2", "docs/gone.md")

    def test_reads_a_link_from_the_folder_of_its_file(self):
        self.assert_finds({"docs/b.md": "[a](docs/there.md)\n"}, "docs/there.md")

    def test_finds_each_of_several_on_a_line(self):
        self.assertEqual(len(self.find({"README.md": "[a](x.md) and [b](y.md)\n"})), 2)

    def test_finds_a_reference_and_a_link_out_of_the_tree(self):
        self.assert_finds({"README.md": "[ref]: gone.md\n"}, "gone.md")
        self.assert_finds({"README.md": "[a](../README.md)\n"}, "../README.md")
        self.assert_finds({"README.md": "[a](/docs/there.md)\n"}, "/docs/there.md")

    def test_ignores_code(self):
        self.assert_clean({"README.md": "`[a](gone.md)`\n```\n[b](gone.md)\n```\n"})
