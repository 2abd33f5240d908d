#include "core/ids/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace longshore {
namespace {

// Answers from a list, and knows how much of it was used.
class ListedRandom final : public Random {
 public:
  explicit ListedRandom(std::vector<std::uint64_t> answers) : answers_(std::move(answers)) {}
  std::uint64_t next() override { return answers_.at(used_++); }
  std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> answers_;
  std::size_t used_ = 0;
};

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

TEST(SeededRandom, GivesThePublishedNumbersForSeedZero) {
  SeededRandom random(0);
  EXPECT_EQ(random.next(), 0x99EC5F36CB75F2B4ULL);
  EXPECT_EQ(random.next(), 0xBF6E1F784956452AULL);
  EXPECT_EQ(random.next(), 0x1A5F849D4933E6E0ULL);
}

TEST(SeededRandom, RepeatsItselfFromTheSameSeedAndNotFromAnother) {
  SeededRandom first(7431);
  SeededRandom second(7431);
  SeededRandom other(7432);
  int equal_to_other = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t drawn = first.next();
    ASSERT_EQ(drawn, second.next());
    if (drawn == other.next()) ++equal_to_other;
  }
  EXPECT_EQ(equal_to_other, 0);
}

TEST(RandomBelow, StaysBelowItsBoundAndReachesEveryNumber) {
  SeededRandom random(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70'000; ++i) ++seen.at(random.below(7));
  for (const int count : seen) {
    EXPECT_GT(count, 9'500);
    EXPECT_LT(count, 10'500);
  }
}

TEST(RandomBelow, DrawsAgainRatherThanFavourLowNumbers) {
  // 2^64 mod 3 is 1, so exactly one value, 0, must be thrown away.
  ListedRandom random({0, 1, 0, 0, 5});
  EXPECT_EQ(random.below(3), 1U);
  EXPECT_EQ(random.used(), 2U);
  EXPECT_EQ(random.below(3), 2U);
  EXPECT_EQ(random.used(), 5U);
}

TEST(RandomBelow, IsFairWhereTheBoundIsALargePartOfTheRange) {
  // Without the second draw, results below 2^62 would come twice as often as the others.
  constexpr std::uint64_t bound = 3ULL << 62;
  SeededRandom random(2);
  int low = 0;
  for (int i = 0; i < 30'000; ++i) {
    if (random.below(bound) < bound / 3) ++low;
  }
  EXPECT_GT(low, 9'500);
  EXPECT_LT(low, 10'500);
}

TEST(RandomBelow, OfOneOrNothingIsZero) {
  SeededRandom random(3);
  EXPECT_EQ(random.below(1), 0U);
  EXPECT_EQ(random.below(0), 0U);
}

TEST(RandomFraction, ReachesZeroButNeverOne) {
  ListedRandom random({0, all_ones});
  EXPECT_EQ(random.fraction(), 0.0);
  const double most = random.fraction();
  EXPECT_LT(most, 1.0);
  EXPECT_GT(most, 0.9999999999999998);
}

TEST(RandomChance, IsCertainAtTheEndsWhateverIsDrawn) {
  ListedRandom random({0, 0, all_ones, all_ones, all_ones});
  EXPECT_FALSE(random.chance(0));
  EXPECT_FALSE(random.chance(-1));
  EXPECT_TRUE(random.chance(1));
  EXPECT_TRUE(random.chance(2));
  EXPECT_FALSE(random.chance(0.999));
}

TEST(RandomChance, ComesTrueAsOftenAsItSays) {
  SeededRandom random(4);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) {
    if (random.chance(0.1)) ++hits;
  }
  EXPECT_GT(hits, 9'500);
  EXPECT_LT(hits, 10'500);
}

}  // namespace
}  // namespace longshore
