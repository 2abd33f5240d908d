// The audit trail: what people changed is written down in the commit that changes it.
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

TEST_P(StoreTrail, SaysWhenWhoAndWhat) {
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

}  // namespace
}  // namespace longshore::conformance
