#include "worker/queue_order.h"

#include <gtest/gtest.h>

#include <map>

namespace longshore {
namespace {

using Names = std::vector<std::string>;

TEST(QueueOrder, IsAsGivenWithoutWeights) {
  QueueOrder order({{.name = "b"}, {.name = "a"}});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(order.arrange({"b", "a"}), Names({"b", "a"}));
}

TEST(QueueOrder, PutsEachQueueFirstInProportionToItsWeight) {
  QueueOrder order({{.name = "a", .weight = 5}, {.name = "b", .weight = 2}, {.name = "c"}});
  std::map<std::string, int> first;
  for (int i = 0; i < 80; ++i) {
    const Names names = order.arrange({"a", "b", "c"});
    ASSERT_EQ(names.size(), 3u);
    first[names.front()] += 1;
  }
  EXPECT_EQ(first["a"], 50);
  EXPECT_EQ(first["b"], 20);
  EXPECT_EQ(first["c"], 10);
}

TEST(QueueOrder, OmitsQueuesThatCannotBeClaimed) {
  QueueOrder order({{.name = "a", .weight = 3}, {.name = "b", .weight = 1}});
  EXPECT_EQ(order.arrange({"b"}), Names({"b"}));
  EXPECT_EQ(order.arrange({"a", "b"}).front(), "a");
}

}  // namespace
}  // namespace longshore
