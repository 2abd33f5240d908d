// Capabilities: the reported ones match the behavior, both ways.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreCapabilities : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreCapabilities, every_store(), store_name);

TEST_P(StoreCapabilities, AreThoseThatWerePromisedAlsoAfterAReopen) {
  expect_promised_capabilities();
  ASSERT_TRUE(harness().reopen().ok());
  expect_promised_capabilities();
}

TEST_P(StoreCapabilities, AllowAtLeastOneConcurrentCommit) {
  EXPECT_GE(store().capabilities().max_concurrent_commits, 1);
}

TEST_P(StoreCapabilities, SayWhetherDataOutlivesTheObject) {
  const JobId id = enqueue({.job_key = "k", .idempotency_key = "once"});
  pause("later");
  const auto before = dump();
  ASSERT_TRUE(harness().reopen().ok());
  if (store().capabilities().survives_reopen) {
    EXPECT_TRUE(dump() == before);
    EXPECT_EQ(enqueue({.idempotency_key = "once"}), id);
    EXPECT_EQ(claim_one().job, id);
  } else {
    EXPECT_TRUE(dump().empty());
    EXPECT_TRUE(catalog().queues("default")->empty());
    EXPECT_NE(enqueue({.idempotency_key = "once"}), id);
  }
}

TEST_P(StoreCapabilities, KeepTheLimitOfATypeAcrossAReopenOrLoseItWithTheJobs) {
  send(Configure{.types = {{.ns = "default", .type = "work", .max_running = 2}}});
  running();
  for (int i = 0; i < 3; ++i) enqueue();
  ASSERT_TRUE(harness().reopen().ok());
  if (store().capabilities().survives_reopen) {
    EXPECT_EQ(claim({.limit = 10}).size(), 1u) << "one of the two runs since before";
    EXPECT_TRUE(claim({.limit = 10}).empty());
  } else {
    for (int i = 0; i < 3; ++i) enqueue();
    EXPECT_EQ(claim({.limit = 10}).size(), 3u);
  }
}

TEST_P(StoreCapabilities, PromiseNothingAnAbsentDiskCouldKeep) {
  const Capabilities& said = store().capabilities();
  if (!said.survives_reopen) {
    EXPECT_EQ(said.durability, Durability::c);
  }
}

TEST_P(StoreCapabilities, SayWhetherTimeIsTheCallers) {
  const Instant before = *catalog().now();
  advance(seconds(100));
  const Duration passed = *catalog().now() - before;
  if (store().capabilities().injected_clock) {
    EXPECT_EQ(passed, seconds(100));
  } else {
    EXPECT_GE(passed, seconds(100));
  }
}

TEST_P(StoreCapabilities, NeverLetTimeGoBack) {
  const Instant before = *catalog().now();
  advance(Duration::millis(-5000));
  EXPECT_GE(*catalog().now(), before);
  ASSERT_TRUE(harness().reopen().ok());
  if (store().capabilities().survives_reopen) {
    EXPECT_GE(*catalog().now(), before);
  }
}

TEST_P(StoreCapabilities, KeepLeasesAcrossAReopenOrLoseTheJobsWithThem) {
  const Lease lease = running();
  ASSERT_TRUE(harness().reopen().ok());
  if (store().capabilities().survives_reopen) {
    as<Beaten>(heartbeat(lease));
    expect_status(complete(lease), Status::completed);
  } else {
    expect_refused(complete(lease), Code::not_found);
  }
}

TEST_P(StoreCapabilities, TimeOutAHandOffAlsoAfterAReopen) {
  const Lease lease = waiting();
  ASSERT_TRUE(harness().reopen().ok());
  if (store().capabilities().survives_reopen) {
    advance(*job(lease.job).deadline_at - now());
    EXPECT_EQ(reap().count, 1);
    EXPECT_EQ(job(lease.job).failures, 1);
  } else {
    EXPECT_EQ(reap().count, 0);
  }
}

}  // namespace
}  // namespace longshore::conformance
