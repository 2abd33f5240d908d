// Hints that another node enqueued jobs.
#include "engine/dispatcher.h"
#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class HintedClaims : public SteppedEngine {
 protected:
  static constexpr Duration minute = Duration::seconds(60);
};

TEST_F(HintedClaims, LooksAtOnceAfterAHint) {
  const auto box = claim(new_claim(), minute);
  commit_all();
  const std::vector<Command> foreign = {Enqueue{.ns = "ns", .jobs = {new_job()}}};
  ASSERT_TRUE(backend->store().commit(foreign).ok());
  engine->hint();
  commit_all();
  EXPECT_EQ(box->leases(), 1U);
}

TEST_F(HintedClaims, SendsNoYoungerOneAheadOfTheOldestAtAHint) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  engine->hint();
  store->afterwards = [&] {
    enqueue(new_job());
    engine->commit_once();
    engine->hint();
    engine->commit_once();
  };
  commit_all();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(younger->came());
}

TEST_F(HintedClaims, LooksAgainWhenAHintCameWhileItWasLooking) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  engine->hint();
  store->afterwards = [&] {
    const Command elsewhere = Enqueue{.ns = "ns", .jobs = {new_job()}};
    ASSERT_TRUE(backend->store().commit({&elsewhere, 1}).ok());
    engine->hint();
  };
  commit_all();
  EXPECT_TRUE(oldest->came()) << "what another node brought";
  EXPECT_FALSE(younger->came());
}

TEST_F(HintedClaims, RetriesAfterAHintThoughNoOtherClaimWaits) {
  store->afterwards = [&] {
    const Command elsewhere = Enqueue{.ns = "ns", .jobs = {new_job()}};
    ASSERT_TRUE(backend->store().commit({&elsewhere, 1}).ok());
    engine->hint();
  };
  const auto box = claim(new_claim(), minute);
  commit_all();
  EXPECT_TRUE(box->came()) << "without a tick";
}

TEST_F(HintedClaims, LooksAgainAfterAHintThatCameWhileItHadJoined) {
  const NewJob known = new_job();
  enqueue(known);
  commit_all();
  ASSERT_EQ(
      [&] {
        const auto box = claim(new_claim(), minute);
        commit_all();
        return box->leases();
      }(),
      1U);
  const auto box = claim(new_claim(), minute);
  commit_all();
  enqueue(known);  // a repeat: creates no job, but the claim joins
  store->afterwards = [&] {
    const Command elsewhere = Enqueue{.ns = "ns", .jobs = {new_job()}};
    ASSERT_TRUE(backend->store().commit({&elsewhere, 1}).ok());
    engine->hint();
  };
  commit_all();
  EXPECT_TRUE(box->came()) << "without a tick";
}

TEST_F(HintedClaims, LooksOnceForEachHintAndNoMore) {
  const auto box = claim(new_claim(), minute);
  store->afterwards = [&] { engine->hint(); };
  const int before = store->commits;
  commit_all();
  EXPECT_EQ(store->commits, before + 2);
  EXPECT_FALSE(box->came());
}

}  // namespace
}  // namespace longshore
