#include "store/notifications/condition_book.h"

#include <gtest/gtest.h>

#include <vector>

namespace longshore {
namespace {

constexpr std::int64_t second = 1'000'000;
const Sighting good{.durability = Durability::a};
const Sighting weak{.durability = Durability::b, .trouble = "appendfsync is everysec"};

TEST(ConditionBook, FallsAtOnceAndRefusesWhatWasNotAccepted) {
  ConditionBook book(Durability::a, Durability::a);
  EXPECT_FALSE(book.refusal());
  book.saw(weak, 0);
  EXPECT_EQ(book.condition().durability, Durability::b);
  const auto refusal = book.refusal();
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Errc::unavailable);
  EXPECT_NE(refusal->message.find("class B, below the accepted class A (appendfsync is everysec)"),
            std::string::npos)
      << refusal->message;
}

TEST(ConditionBook, TellsButDoesNotRefuseWhatWasAccepted) {
  ConditionBook book(Durability::a, Durability::b);
  book.saw(weak, 0);
  EXPECT_EQ(book.condition().durability, Durability::b);
  EXPECT_FALSE(book.refusal());
  book.saw({.durability = Durability::c}, 0);
  EXPECT_TRUE(book.refusal());
}

TEST(ConditionBook, RisesOnceTheStrongerPromiseWasSeenForAWhile) {
  ConditionBook book(Durability::a, Durability::a);
  book.saw(weak, 0);
  for (std::int64_t at = 1; at < 4; ++at) {
    book.saw(good, at * second);
    EXPECT_TRUE(book.refusal()) << at;
    EXPECT_EQ(book.condition().trouble, weak.trouble) << at;
  }
  book.saw(good, 4 * second);
  EXPECT_FALSE(book.refusal());
  EXPECT_EQ(book.condition(), (StoreCondition{.durability = Durability::a}));
}

TEST(ConditionBook, BeginsAgainAfterALookThatSaysOtherwise) {
  const Sighting unsettled{.durability = Durability::a, .settled = false};
  for (const Sighting& otherwise : {weak, unsettled}) {
    ConditionBook book(Durability::a, Durability::a);
    book.saw(weak, 0);
    book.saw(good, second);
    book.saw(otherwise, 2 * second);
    book.saw(good, 3 * second);
    book.saw(good, 5 * second);
    EXPECT_TRUE(book.refusal());
    book.saw(good, 6 * second);
    EXPECT_FALSE(book.refusal());
  }
}

TEST(ConditionBook, KeepsATroubleThatChangesNoPromiseUntilItIsOver) {
  ConditionBook book(Durability::a, Durability::a);
  std::vector<StoreCondition> told;
  book.listen([&](const StoreCondition& condition) { told.push_back(condition); });
  const Sighting rewrite{.durability = Durability::a, .trouble = "the last rewrite failed"};
  book.saw(good, 0);
  book.saw(rewrite, 1);
  book.saw(rewrite, 2);
  EXPECT_FALSE(book.refusal());
  book.saw(good, 3);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].trouble, rewrite.trouble);
  EXPECT_EQ(told[1].trouble, "");
}

}  // namespace
}  // namespace longshore
