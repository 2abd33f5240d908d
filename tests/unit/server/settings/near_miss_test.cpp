#include "server/settings/near_miss.h"

#include <gtest/gtest.h>

#include <array>

namespace longshore {
namespace {

TEST(NearMiss, CountsEdits) {
  EXPECT_EQ(edit_distance("serve", "serve"), 0u);
  EXPECT_EQ(edit_distance("serve", "srve"), 1u);
  EXPECT_EQ(edit_distance("serve", "sevre"), 1u);
  EXPECT_EQ(edit_distance("serve", "servee"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
}

TEST(NearMiss, SuggestsTheNearestWord) {
  const std::array<std::string_view, 3> known = {"serve", "work", "enqueue"};
  EXPECT_EQ(nearest("enqeue", known), "enqueue");
  EXPECT_EQ(nearest("sevre", known), "serve");
  EXPECT_EQ(nearest("banana", known), std::nullopt);
  EXPECT_EQ(did_you_mean("wrok", known), "; did you mean work?");
  EXPECT_EQ(did_you_mean("banana", known), "");
}

}  // namespace
}  // namespace longshore
