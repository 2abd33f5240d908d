#include "engine/type_set.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

using Names = std::vector<std::string>;

TEST(TypeSet, TakesWhatItNamesAndAnyTypeIfItNamesNone) {
  const TypeSet some(Names{"b", "a", "b"});
  EXPECT_EQ(some.names(), (Names{"a", "b"}));
  EXPECT_TRUE(some.takes("a"));
  EXPECT_FALSE(some.takes("c"));
  EXPECT_TRUE(TypeSet(std::nullopt).takes("c"));
  EXPECT_FALSE(TypeSet(Names{}).takes("c"));
}

TEST(TypeSet, MeetsAnotherThatTakesAType) {
  const TypeSet some(Names{"a", "b"});
  EXPECT_TRUE(some.meets(TypeSet(Names{"b", "c", "d"})));
  EXPECT_FALSE(some.meets(TypeSet(Names{"c"})));
  EXPECT_TRUE(some.meets(TypeSet(std::nullopt)));
}

TEST(TypeSets, ShareEqualSetsWhileTheyAreInUse) {
  TypeSets sets;
  const auto make = [](const Names& names) { return std::make_shared<const TypeSet>(names); };
  const TypeSetRef first = sets.shared(make({"a", "b"}));
  EXPECT_EQ(sets.shared(make({"b", "a"})), first);
  EXPECT_NE(sets.shared(make({"a"})), first);
  for (int i = 0; i < 1000; ++i) sets.shared(make({std::to_string(i)}));
  EXPECT_EQ(sets.shared(make({"a", "b"})), first) << "it was kept while others came and went";
}

}  // namespace
}  // namespace longshore
