#include "core/ids/uuid.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace longshore {
namespace {

constexpr Instant moment = Instant::millis(0x017F22E279B0);

std::uint64_t millis_of(const JobId& id) { return id.high >> 16; }

void expect_version_7(const JobId& id) {
  EXPECT_EQ(id.high >> 12 & 15, 7U);
  EXPECT_EQ(id.low >> 62, 2U);
}

// Every bit set, always: the worst luck a generator can have.
class AllOnes final : public Random {
 public:
  std::uint64_t next() override { return std::numeric_limits<std::uint64_t>::max(); }
};

class AllZeros final : public Random {
 public:
  std::uint64_t next() override { return 0; }
};

TEST(ParseHex, ReadsThirtyTwoDigitsOfEitherCase) {
  const auto halves = parse_hex("0123456789abcdefFEDCBA9876543210");
  ASSERT_TRUE(halves.has_value());
  EXPECT_EQ(halves->first, 0x0123456789ABCDEFULL);
  EXPECT_EQ(halves->second, 0xFEDCBA9876543210ULL);
}

TEST(ParseHex, RefusesEverythingElse) {
  const std::string good(32, 'a');
  ASSERT_TRUE(parse_hex(good).has_value());
  EXPECT_FALSE(parse_hex("").has_value());
  EXPECT_FALSE(parse_hex(good.substr(1)).has_value());
  EXPECT_FALSE(parse_hex(good + "a").has_value());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char bad : {'g', 'G', '/', ':', '@', '`', ' ', '-', '\0', '\x80'}) {
      std::string text = good;
      text[i] = bad;
      EXPECT_FALSE(parse_hex(text).has_value()) << text;
    }
  }
}

TEST(ParseHex, UndoesToHexForEveryKindOfId) {
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) {
    const auto id = random_id<RequestId>(random);
    EXPECT_EQ(parse_hex_id<RequestId>(to_hex(id)), id);
  }
}

TEST(RandomId, UsesNewRandomBitsForBothHalves) {
  SeededRandom random(5);
  SeededRandom same(5);
  const auto id = random_id<NodeId>(random);
  EXPECT_EQ(id.high, same.next());
  EXPECT_EQ(id.low, same.next());
}

TEST(JobIds, CarryTheTimeTheVersionAndTheVariant) {
  SeededRandom random(1);
  JobIds ids(random);
  const JobId id = ids.next(moment);
  EXPECT_EQ(millis_of(id), 0x017F22E279B0ULL);
  expect_version_7(id);
  EXPECT_EQ(to_text(id).substr(0, 15), "017f22e2-79b0-7");
}

TEST(JobIds, LayTheirBitsAsTheRfcDraws) {
  AllOnes ones;
  EXPECT_EQ(to_text(JobIds(ones).next(moment)), "017f22e2-79b0-7fff-bfff-ffffffffffff");
  AllZeros zeros;
  EXPECT_EQ(to_text(JobIds(zeros).next(moment)), "017f22e2-79b0-7000-8000-000000000000");
}

TEST(JobIds, RiseWithinOneMillisecondAndKeepItsTime) {
  SeededRandom random(2);
  JobIds ids(random);
  JobId last = ids.next(moment);
  for (int i = 0; i < 100'000; ++i) {
    const JobId id = ids.next(moment);
    ASSERT_LT(last, id);
    ASSERT_EQ(millis_of(id), 0x017F22E279B0ULL);
    last = id;
  }
}

TEST(JobIds, RiseWhenTheClockGoesBack) {
  SeededRandom random(3);
  JobIds ids(random);
  JobId last = ids.next(moment);
  for (int i = 1; i < 1000; ++i) {
    const JobId id = ids.next(moment - Duration::millis(i * 37 % 500));
    ASSERT_LT(last, id);
    last = id;
  }
  EXPECT_EQ(millis_of(last), 0x017F22E279B0ULL);
}

TEST(JobIds, IncreaseForAnySequenceOfTimes) {
  SeededRandom random(4);
  JobIds ids(random);
  Instant now = moment;
  JobId last = ids.next(now);
  for (int i = 0; i < 10'000; ++i) {
    now = Instant::millis(now.count() + static_cast<std::int64_t>(random.below(9)) - 4);
    const JobId id = ids.next(now);
    ASSERT_LT(last, id);
    ASSERT_EQ(parse_job_id(to_text(id)), id);
    last = id;
  }
}

TEST(JobIds, BorrowTheNextMillisecondWhenTheBitsRunOut) {
  AllOnes ones;
  JobIds ids(ones);
  const JobId first = ids.next(moment);
  const JobId second = ids.next(moment);
  EXPECT_LT(first, second);
  EXPECT_EQ(millis_of(second), millis_of(first) + 1);
  expect_version_7(second);
  // The clock has now reached the borrowed millisecond, which is used up as well.
  EXPECT_LT(second, ids.next(moment + Duration::millis(1)));
}

TEST(JobIds, StepByAtLeastOneWhateverIsDrawn) {
  AllZeros zeros;
  JobIds ids(zeros);
  const JobId first = ids.next(moment);
  EXPECT_EQ(ids.next(moment).low, first.low + 1);
}

TEST(JobIds, CarryFromTheLowHalfIntoTheHigh) {
  // Starts at the top of the low 62 bits and the bottom of the 12 above them.
  class Edge final : public Random {
   public:
    std::uint64_t next() override { return drawn_++ == 0 ? 0 : ~std::uint64_t{0}; }

   private:
    int drawn_ = 0;
  };
  Edge edge;
  JobIds ids(edge);
  const JobId first = ids.next(moment);
  const JobId second = ids.next(moment);
  EXPECT_LT(first, second);
  EXPECT_EQ(second.high, first.high + 1);
  expect_version_7(second);
}

TEST(JobIds, TakeTimesThatDoNotFitForTheNearest) {
  SeededRandom random(5);
  EXPECT_EQ(millis_of(JobIds(random).next(Instant::millis(-1))), 0U);
  EXPECT_EQ(millis_of(JobIds(random).next(Instant::never())), (1ULL << 48) - 1);
  expect_version_7(JobIds(random).next(Instant::never()));
}

TEST(JobIds, FromTwoGeneratorsDoNotMeet) {
  SeededRandom one(6);
  SeededRandom two(7);
  JobIds first(one);
  JobIds second(two);
  std::set<JobId> seen;
  for (int i = 0; i < 10'000; ++i) {
    seen.insert(first.next(moment));
    seen.insert(second.next(moment));
  }
  EXPECT_EQ(seen.size(), 20'000U);
}

TEST(DeriveJobId, GivesTheSameIdForTheSameCause) {
  const JobId parent{.high = 0x017F22E279B07CC3ULL, .low = 0x98C4DC0C0C07398FULL};
  const JobId child = derive_job_id(parent, "callback", moment);
  EXPECT_EQ(child, derive_job_id(parent, "callback", moment));
  // Stored ids depend on this value; it may never change.
  EXPECT_EQ(to_text(child), "017f22e2-79b0-7fe3-aa38-450cba842571");
  EXPECT_EQ(millis_of(child), 0x017F22E279B0ULL);
  expect_version_7(child);
}

TEST(DeriveJobId, DiffersByParentPurposeAndTime) {
  const JobId parent{.high = 0x017F22E279B07CC3ULL, .low = 0x98C4DC0C0C07398FULL};
  const JobId sibling{.high = parent.high, .low = parent.low + 1};
  const std::set<JobId> ids = {
      parent,
      derive_job_id(parent, "callback", moment),
      derive_job_id(parent, "callback:2", moment),
      derive_job_id(parent, "", moment),
      derive_job_id(sibling, "callback", moment),
      derive_job_id(parent, "callback", moment + Duration::millis(1)),
  };
  EXPECT_EQ(ids.size(), 6U);
}

TEST(Uuid, SaysWhenItWasMade) {
  SeededRandom random(1);
  const Instant noon = Instant::millis(1'800'000'000'123);
  EXPECT_EQ(time_of(JobIds(random).next(noon)), noon);
}

TEST(Uuid, MayBeChosenByACallerIfItWasMadeWithinADay) {
  SeededRandom random(1);
  const Instant noon = Instant::millis(1'800'000'000'000);
  const JobId id = JobIds(random).next(noon);
  const Duration day = Duration::hours(24);
  const Duration more = day + Duration::millis(1);
  for (const Instant now : {noon, noon + day, noon - day}) {
    EXPECT_FALSE(chosen_id_fault(id, now));
  }
  for (const Instant now : {noon + more, noon - more}) {
    EXPECT_NE(chosen_id_fault(id, now)->find("24 hours"), std::string::npos);
  }
  EXPECT_NE(chosen_id_fault({.high = id.high & ~0xF000ULL, .low = id.low}, noon)->find("version 7"),
            std::string::npos);
}

}  // namespace
}  // namespace longshore
