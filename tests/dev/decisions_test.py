"""docs/decisions/README.md lists every decision, under its own number and title."""

import pathlib
import re
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "decisions"
UNUSED = {11, 12, 13}


def row_of(path):
    """The row that the list should have for a page."""
    lines = path.read_text().splitlines()
    replaced = re.match(r"Replaced by (?:\[)?(\d{3})", lines[0])
    title = next(line for line in lines if line.startswith("# "))
    number, text = re.match(r"# (\d{3}) (.+)", title).groups()
    status = f"replaced by {replaced[1]}" if replaced else "in force"
    return f"| [{number}]({path.name}) | {text} | {status} |"


class Decisions(unittest.TestCase):
    def setUp(self):
        self.pages = sorted(FOLDER.glob("[0-9]*.md"))
        self.listed = [line for line in (FOLDER / "README.md").read_text().splitlines()
                       if line.startswith("| [")]

    def test_each_page_is_listed_in_order(self):
        self.maxDiff = None
        self.assertEqual(self.listed, [row_of(page) for page in self.pages])

    def test_a_page_has_the_number_of_its_file_and_a_number_has_one_page(self):
        numbers = [page.name[:3] for page in self.pages]
        self.assertEqual(len(numbers), len(set(numbers)))
        for page in self.pages:
            self.assertTrue(row_of(page).startswith(f"| [{page.name[:3]}]"), page.name)

    def test_numbers_without_a_page_stay_unused(self):
        self.assertFalse(UNUSED & {int(page.name[:3]) for page in self.pages})


if __name__ == "__main__":
    unittest.main()
