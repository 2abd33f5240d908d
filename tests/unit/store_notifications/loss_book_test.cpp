#include "store/notifications/loss_book.h"

#include <gtest/gtest.h>

#include <vector>

namespace longshore {
namespace {

TEST(LossBook, CountsAndKeepsTheLatest) {
  LossBook book;
  EXPECT_EQ(book.losses().count, 0);
  book.add("first");
  book.add("second");
  EXPECT_EQ(book.losses().count, 2);
  EXPECT_EQ(book.losses().latest, "second");
}

TEST(LossBook, TellsWhoListensWhileItMayBeAsked) {
  LossBook book;
  std::vector<std::int64_t> counts;
  book.listen([&](const std::string& how) {
    EXPECT_EQ(how, book.losses().latest);
    counts.push_back(static_cast<std::int64_t>(book.losses().count));
  });
  book.add("first");
  book.add("second");
  EXPECT_EQ(counts, (std::vector<std::int64_t>{1, 2}));
}

}  // namespace
}  // namespace longshore
