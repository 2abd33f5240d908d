// Accept: stores under a two-phase profile record first and accept later.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreAccept : public StoreTest {
 protected:
  void SetUp() override {
    Rules rules;
    rules.accept = Rules::Accept::two_phase;
    under(rules);
  }
  Verdict accept(const JobId& id) { return send(Accept{.ns = "default", .jobs = {id}}); }
};
INSTANTIATE_TEST_SUITE_P(, StoreAccept, every_store(), store_name);

TEST_P(StoreAccept, RecordsAJobWithoutAcceptingIt) {
  const JobId id = enqueue();
  expect_path(id, "CREATED");
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreAccept, QueuesARecordedJob) {
  const JobId id = enqueue();
  EXPECT_FALSE(std::holds_alternative<Refusal>(accept(id)));
  expect_path(id, "CREATED QUEUED");
  EXPECT_EQ(claim_one().job, id);
}

TEST_P(StoreAccept, SchedulesARecordedJobWhoseTimeIsToCome) {
  const JobId id = enqueue({.delay = seconds(10)});
  accept(id);
  expect_path(id, "CREATED SCHEDULED");
}

TEST_P(StoreAccept, ChangesNothingTheSecondTime) {
  const JobId id = enqueue();
  accept(id);
  const auto before = dump();
  accept(id);
  EXPECT_TRUE(dump() == before);
}

TEST_P(StoreAccept, AcceptsManyAtOnce) {
  const std::vector<JobId> ids = {enqueue(), enqueue(), enqueue()};
  send(Accept{.ns = "default", .jobs = ids});
  EXPECT_EQ(queue().depth.at(State::queued), 3);
}

TEST_P(StoreAccept, LeavesJobsOfOtherNamespacesAlone) {
  const JobId there = enqueue_in("other");
  accept(there);
  EXPECT_EQ(catalog().glance("other", there)->state, State::created);
}

TEST_P(StoreAccept, ByTheSweepCountsWithWhatExpiredAgainstOneLimit) {
  for (int i = 0; i < 2; ++i) enqueue({.expires_at = now() + seconds(10)});
  for (int i = 0; i < 2; ++i) enqueue_in("other");
  advance(seconds(61));
  EXPECT_EQ(sweep(3).count, 3);
  EXPECT_EQ(sweep(3).count, 1);
}

TEST_P(StoreAccept, IsDoneByTheSweepIfNoClientDoes) {
  const JobId id = enqueue();
  sweep();
  expect_state(id, State::created);
  advance(rules().accept_after + Duration::millis(1));
  EXPECT_GE(sweep().count, 1);
  expect_path(id, "CREATED QUEUED");
}

TEST_P(StoreAccept, HoldsTheJobKeyWhileRecorded) {
  enqueue({.job_key = "k"});
  expect_refused(try_enqueue({.job_key = "k", .on_conflict = OnConflict::reject}),
                 Code::key_in_use);
}

TEST_P(StoreAccept, ReplacesARecordedJob) {
  const JobId id = enqueue({.job_key = "k"});
  EXPECT_EQ(enqueue({.priority = 2, .job_key = "k", .on_conflict = OnConflict::replace}), id);
  EXPECT_EQ(job(id).priority, 2);
}

TEST_P(StoreAccept, CancelsARecordedJobAtOnce) {
  const JobId id = enqueue();
  expect_status(cancel(id), Status::canceled);
  expect_path(id, "CREATED CANCELED");
}

}  // namespace
}  // namespace longshore::conformance
