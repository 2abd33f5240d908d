#include "store/postgres/write/rows.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longshore::postgres {
namespace {

TEST(PostgresRows, ReadListsBackAsTheyWereWritten) {
  for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
           {}, {"a"}, {"a", "b c", "-"}, {""}, {"", ""}, {std::string("\0%", 2), "ü"}}) {
    EXPECT_EQ(parse_list(list_text(names)), names);
  }
}

TEST(PostgresRows, SurroundEachNameOfAListForSearching) {
  EXPECT_EQ(list_text({"red", "blue"}), " red blue ");
  EXPECT_EQ(list_text({}), "");
}

// The number that stands at a place in the wire format.
std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  }
  return number;
}

TEST(PostgresRows, SendAValueForEachColumn) {
  const Policy usual;
  HeadRows rows(HeadRows::Extent::whole, usual);
  const Head head{.job = {.id = {1, 2}, .ns = "n", .type = "t", .queue = "q"}};
  rows.add(head);
  rows.add(head);
  EXPECT_FALSE(rows.empty());
  const Parameters parameters = rows.take();
  EXPECT_TRUE(rows.empty());
  const std::string& array = *parameters.values.at(0);
  constexpr std::size_t header = 20;
  EXPECT_EQ(number_at(array, 12), 2u) << "rows";
  const std::uint32_t length = number_at(array, header);
  EXPECT_EQ(array.size(), header + 2 * (4 + length)) << "rows of the length they tell";
  EXPECT_EQ(number_at(array, header + 4), std::ranges::count(head_columns(), ',') + 1);
}

}  // namespace
}  // namespace longshore::postgres
