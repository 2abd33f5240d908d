#include "store/postgres/rows.h"

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

TEST(PostgresRows, SendAColumnForEachColumn) {
  const Policy usual;
  HeadRows whole(HeadRows::Extent::whole, usual);
  HeadRows living(HeadRows::Extent::living, usual);
  const Head head{.job = {.id = {1, 2}, .ns = "n", .type = "t", .queue = "q"}};
  whole.add(head);
  living.add(head);
  const auto columns = static_cast<std::size_t>(std::ranges::count(head_columns(), ',') + 1);
  EXPECT_EQ(whole.take().values.size(), columns);
  EXPECT_LT(living.take().values.size(), columns);
  EXPECT_TRUE(whole.empty());
}

}  // namespace
}  // namespace longshore::postgres
