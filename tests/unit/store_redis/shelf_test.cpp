#include "store/redis/shelf.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

JobId job(std::uint64_t number) { return {.high = 1, .low = number}; }

Answer::Shelf answer(std::uint64_t from, std::uint64_t to) {
  Answer::Row row{.list = {.queue = "default", .priority = 5, .type = "work"}, .elements = {}};
  for (std::uint64_t i = from; i < to; ++i) {
    row.elements.push_back(element_of({5, static_cast<std::int64_t>(i), job(i)}));
  }
  return {.complete = true, .rows = {row}};
}

// Another node takes jobs 1 to 4 between two looks at the list.
TEST(RedisShelf, GivesTheFirstOfAListThatHasMovedOn) {
  std::uint64_t taken = 0;
  Shelf* asked = nullptr;
  Shelf shelf([&](const ReadyPlace& place) { return place.job.low > taken; },
              [&](const Question::Wish& wish) { asked->put(wish, answer(5, 13)); });
  asked = &shelf;
  Answer::Shelf first = answer(1, 5);
  first.rows[0].more = true;
  shelf.put({.queue = "default", .limit = 4}, first);
  taken = 4;
  const auto next = shelf.next(Claim{}, "default", {}, [](const auto&) { return true; });
  ASSERT_TRUE(next);
  EXPECT_EQ(next->job, job(5));
}

}  // namespace
}  // namespace longshore::redis
