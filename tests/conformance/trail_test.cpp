// The audit trail: changes by operators are recorded in the same commit.
#include <algorithm>
#include <functional>

#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreTrail : public StoreTest {
 protected:
  using Lines = std::vector<std::string>;
};
INSTANTIATE_TEST_SUITE_P(, StoreTrail, every_store(), store_name);

TEST_P(StoreTrail, NamesEveryActionOfAnOperator) {
  cancel(enqueue());
  cancel(running().job, true);
  promote(enqueue({.delay = days(1)}));
  claim_one();
  resolve(enqueue(), {.result = "1"});
  redrive(dead());
  pause("q");
  pause("q", false);
  send(PutToken{.token = {.id = "t", .ns = "default"}, .actor = ops_});
  send(RevokeToken{.ns = "default", .id = "t", .actor = ops_});
  EXPECT_EQ(trail(), (Lines{"cancel by ops", "forceCancel by ops", "promote by ops",
                            "resolve by ops", "redrive by ops", "pause by ops", "resume by ops",
                            "createToken by ops", "revokeToken by ops"}));
}

TEST_P(StoreTrail, RecordsTimeActorAndTarget) {
  const JobId id = enqueue();
  advance(seconds(7));
  cancel(id);
  const auto entries = catalog().audit_trail("default", 10);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->at(0).actor, ops_);
  EXPECT_EQ(entries->at(0).target, to_text(id));
  EXPECT_EQ(entries->at(0).at, job(id).updated_at);
  EXPECT_EQ(entries->at(0).ns, "default");
}

TEST_P(StoreTrail, HoldsNothingThatWasRefused) {
  cancel(new_id());
  cancel(succeeded());
  promote(running().job);
  redrive(enqueue());
  EXPECT_EQ(trail(), Lines{});
}

TEST_P(StoreTrail, HoldsNothingThatChangedNothing) {
  const JobId id = canceled();
  cancel(id);
  promote(enqueue());
  const JobId old = dead({.queue = "q"});
  redrive(old);
  redrive(old);
  pause("x");
  pause("x");
  EXPECT_EQ(trail(), (Lines{"cancel by ops", "redrive by ops", "pause by ops"}));
}

TEST_P(StoreTrail, HoldsNoCancelOfAProducer) {
  send(Cancel{.ns = "default", .job = enqueue()});
  EXPECT_EQ(trail(), Lines{});
}

TEST_P(StoreTrail, BelongsToOneNamespace) {
  const JobId there = enqueue_in("other");
  send(Cancel{.ns = "other", .job = there, .actor = ops_});
  EXPECT_EQ(trail(), Lines{});
  EXPECT_EQ(catalog().audit_trail("other", 10)->size(), 1u);
}

TEST_P(StoreTrail, AnswersTheNewestWhenAskedForFew) {
  for (int i = 0; i < 5; ++i) pause("q" + std::to_string(i));
  const auto entries = catalog().audit_trail("default", 2);
  ASSERT_EQ(entries->size(), 2u);
  for (const AuditEntry& entry : *entries) {
    EXPECT_TRUE(entry.target == "q3" || entry.target == "q4") << entry.target;
  }
}

TEST_P(StoreTrail, IsReadPageByPage) {
  for (int i = 0; i < 3; ++i) {
    pause("q" + std::to_string(i));
    send(PutToken{.token = {.id = "t" + std::to_string(i), .ns = "default"}, .actor = ops_});
  }
  const auto whole = catalog().audit_trail("default", 100);
  ASSERT_EQ(whole->size(), 6u);
  std::vector<AuditEntry> pages;
  std::optional<std::int64_t> before;
  for (int page = 0; page < 4; ++page) {
    const auto entries = catalog().audit_trail("default", 2, before);
    EXPECT_EQ(entries->size(), page < 3 ? 2u : 0u);
    pages.insert(pages.end(), entries->begin(), entries->end());
    if (!entries->empty()) before = entries->back().number;
  }
  EXPECT_TRUE(pages == *whole);
  EXPECT_TRUE(std::ranges::is_sorted(pages, std::greater(), &AuditEntry::number));
}

TEST_P(StoreTrail, HasOneEntryForManyJobs) {
  const JobId redriven = dead();
  const JobId canceled = enqueue();
  const std::vector<Command> commands = {
      RecordAudit{.ns = "default", .actor = ops_, .action = "cancel", .target = "2 jobs: {}"},
      Cancel{.ns = "default", .job = canceled, .actor = {}},
      Redrive{.ns = "default", .job = redriven, .successor = new_id()}};
  ASSERT_TRUE(store().commit(commands).ok());
  EXPECT_EQ(trail(), Lines{"cancel by ops"});
  EXPECT_EQ(catalog().audit_trail("default", 1)->at(0).target, "2 jobs: {}");
  expect_state(canceled, State::canceled);
  EXPECT_TRUE(job(redriven).successor_id);
}

TEST_P(StoreTrail, TakesTheSameEntryOnceAMinute) {
  const RecordAudit record{.ns = "default", .actor = ops_, .action = "cancel", .target = "x"};
  RecordAudit other = record;
  other.actor.request_id = "r-2";
  const std::vector<Command> commands = {record, record, other};
  ASSERT_TRUE(store().commit(commands).ok());
  advance(seconds(50));
  send(record);
  EXPECT_EQ(trail().size(), 2u);
  advance(seconds(20));
  send(record);
  EXPECT_EQ(trail().size(), 3u);
}

TEST_P(StoreTrail, IsKeptForNinetyDays) {
  pause("old");
  send(PutToken{.token = {.id = "t", .ns = "default"}, .actor = ops_});
  const JobId there = enqueue_in("other");
  send(Cancel{.ns = "other", .job = there, .actor = ops_});
  advance(days(89));
  pause("new");
  prune();
  EXPECT_EQ(trail(), (Lines{"pause by ops", "createToken by ops", "pause by ops"}));
  advance(days(1) + seconds(1));
  EXPECT_FALSE(prune().more);
  EXPECT_EQ(trail(), Lines{"pause by ops"});
  EXPECT_EQ(catalog().audit_trail("default", 1)->at(0).target, "new");
  EXPECT_TRUE(catalog().audit_trail("other", 10)->empty());
}

TEST_P(StoreTrail, IsForgottenAThousandEntriesAtATime) {
  std::vector<Command> commands;
  for (int i = 0; i < 1001; ++i) {
    commands.push_back(RecordAudit{
        .ns = "default", .actor = ops_, .action = "cancel", .target = std::to_string(i)});
  }
  ASSERT_TRUE(store().commit(commands).ok());
  advance(days(91));
  EXPECT_TRUE(prune().more);
  EXPECT_EQ(trail(), Lines{"cancel by ops"});
  EXPECT_FALSE(prune().more);
  EXPECT_EQ(trail(), Lines{});
}

}  // namespace
}  // namespace longshore::conformance
