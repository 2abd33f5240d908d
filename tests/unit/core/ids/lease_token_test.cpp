#include "core/ids/lease_token.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/ids/random.h"
#include "core/ids/uuid.h"

namespace longshore {
namespace {

const LeaseToken token{.epoch = 42,
                       .claim = {.high = 0x0123456789ABCDEFULL, .low = 0xFEDCBA9876543210ULL}};

TEST(LeaseToken, IsWrittenAsEpochAndClaim) {
  EXPECT_EQ(to_text(token), "42-0123456789abcdeffedcba9876543210");
  EXPECT_EQ(to_text(LeaseToken{}), "0-00000000000000000000000000000000");
}

TEST(LeaseToken, StaysShortAtTheHighestEpoch) {
  const LeaseToken last{.epoch = std::numeric_limits<std::int64_t>::max(),
                        .claim = {.high = ~0ULL, .low = ~0ULL}};
  EXPECT_EQ(to_text(last), "9223372036854775807-ffffffffffffffffffffffffffffffff");
  EXPECT_EQ(to_text(last).size(), 52U);
  EXPECT_TRUE(parse_lease_token(to_text(last)) == last);
}

TEST(LeaseToken, ReadsBackWhatItWrote) {
  SeededRandom random(1);
  for (int i = 0; i < 1000; ++i) {
    const LeaseToken any{.epoch = static_cast<std::int64_t>(random.next() >> random.below(60) >> 1),
                         .claim = random_id<RequestId>(random)};
    EXPECT_TRUE(parse_lease_token(to_text(any)) == any) << to_text(any);
  }
}

TEST(LeaseToken, RefusesEveryOtherText) {
  const std::string_view cases[] = {
      "",
      "-",
      "42",
      "42-",
      "-0123456789abcdeffedcba9876543210",
      "420123456789abcdeffedcba9876543210",
      "42-0123456789abcdeffedcba987654321",
      "42-0123456789abcdeffedcba98765432100",
      "42-0123456789ABCDEFFEDCBA9876543210",
      "42-0123456789abcdeffedcba987654321g",
      "42--123456789abcdeffedcba9876543210",
      "42_0123456789abcdeffedcba9876543210",
      "042-0123456789abcdeffedcba9876543210",
      "00-0123456789abcdeffedcba9876543210",
      "-42-0123456789abcdeffedcba9876543210",
      "+42-0123456789abcdeffedcba9876543210",
      " 42-0123456789abcdeffedcba9876543210",
      "42 -0123456789abcdeffedcba9876543210",
      "42-0123456789abcdeffedcba9876543210 ",
      "42-0123456789abcdeffedcba9876543210\n",
      "4x2-0123456789abcdeffedcba9876543210",
      "0x42-0123456789abcdeffedcba9876543210",
      "9223372036854775808-0123456789abcdeffedcba9876543210",
      "99999999999999999999-0123456789abcdeffedcba9876543210",
  };
  for (const std::string_view text : cases) {
    EXPECT_FALSE(parse_lease_token(text).has_value()) << text;
  }
}

TEST(LeaseToken, EqualsOnlyATokenWithEveryBitTheSame) {
  EXPECT_TRUE(token == LeaseToken(token));
  for (int bit = 0; bit < 63; ++bit) {
    LeaseToken other = token;
    other.epoch ^= std::int64_t{1} << bit;
    EXPECT_FALSE(token == other);
  }
  for (int bit = 0; bit < 64; ++bit) {
    LeaseToken high = token;
    high.claim.high ^= std::uint64_t{1} << bit;
    EXPECT_FALSE(token == high);
    LeaseToken low = token;
    low.claim.low ^= std::uint64_t{1} << bit;
    EXPECT_FALSE(token == low);
  }
}

}  // namespace
}  // namespace longshore
