// Callbacks: the delivery of an outcome is a separate job, created in the commit that ends the
// first, however it ends.
#include "core/rules/callback.h"

#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreCallback : public StoreTest {
 protected:
  NewJob announced() {
    return with_defaults(
        {.callback = Callback{.url = "https://example.org/hook", .secret_name = "s"}});
  }
  void expect_one(const JobId& of, std::string_view status) {
    const auto made = callbacks();
    ASSERT_EQ(made.size(), 1u);
    EXPECT_EQ(made[0].state, State::queued);
    EXPECT_EQ(made[0].queue, callback_queue);
    const std::string payload = record(made[0].id).body.payload;
    EXPECT_NE(payload.find(to_text(of)), std::string::npos) << payload;
    EXPECT_NE(payload.find(status), std::string::npos) << payload;
    EXPECT_NE(payload.find("https://example.org/hook"), std::string::npos) << payload;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreCallback, every_store(), store_name);

TEST_P(StoreCallback, IsMadeWhenTheJobSucceeds) {
  const JobId id = succeeded(announced());
  expect_one(id, "COMPLETED");
}

TEST_P(StoreCallback, IsMadeWhenTheJobDies) {
  const JobId id = dead(announced());
  expect_one(id, "FAILED");
}

TEST_P(StoreCallback, IsMadeWhenTheJobIsCanceled) {
  const JobId id = canceled(announced());
  expect_one(id, "CANCELED");
}

TEST_P(StoreCallback, IsMadeWhenTheReaperEndsTheJob) {
  NewJob wanted = announced();
  wanted.policy = {.max_retries = 0, .timeout = seconds(5)};
  const Lease lease = running(wanted);
  advance(seconds(6));
  reap();
  expect_one(lease.job, "FAILED");
}

TEST_P(StoreCallback, IsMadeWhenTheSweepEndsTheJob) {
  NewJob wanted = announced();
  wanted.expires_at = now() + seconds(5);
  const JobId id = enqueue(wanted);
  advance(seconds(6));
  sweep();
  expect_one(id, "CANCELED");
}

TEST_P(StoreCallback, IsMadeWhenAClaimFindsTheJobExpired) {
  NewJob wanted = announced();
  wanted.expires_at = now() + seconds(5);
  const JobId id = enqueue(wanted);
  advance(seconds(6));
  EXPECT_TRUE(claim().empty());
  expect_one(id, "CANCELED");
}

TEST_P(StoreCallback, IsMadeWhenDueFindsTheJobExpired) {
  NewJob wanted = announced();
  wanted.delay = seconds(3);
  wanted.expires_at = now() + seconds(5);
  const JobId id = enqueue(wanted);
  advance(seconds(6));
  due();
  expect_one(id, "CANCELED");
}

TEST_P(StoreCallback, IsMadeByAReplyAndByAnOperator) {
  NewJob wanted = announced();
  wanted.job_key = "k";
  waiting(wanted);
  finish_by_key("k");
  EXPECT_EQ(callbacks().size(), 1u);
  resolve(enqueue(announced()), {.result = "1"});
  EXPECT_EQ(callbacks().size(), 2u);
}

TEST_P(StoreCallback, IsNotMadeWhileTheJobLives) {
  release(running(announced()));
  fail(claim_one());
  EXPECT_TRUE(callbacks().empty());
}

TEST_P(StoreCallback, IsMadeOnceHoweverOftenTheEndIsRepeated) {
  const Lease lease = running(announced());
  for (int i = 0; i < 3; ++i) complete(lease);
  cancel(lease.job);
  EXPECT_EQ(callbacks().size(), 1u);
}

TEST_P(StoreCallback, IsClaimedLikeAnyJob) {
  succeeded(announced());
  const Lease lease = claim_one({.queues = {std::string(callback_queue)}});
  EXPECT_EQ(lease.type, callback_type);
  expect_status(complete(lease), Status::completed);
  EXPECT_EQ(callbacks().size(), 1u) << "a delivery announces nothing itself";
}

TEST_P(StoreCallback, StaysInTheNamespaceOfItsJob) {
  enqueue_in("other", announced());
  const Lease lease = claim_one({.ns = "other"});
  send(Complete{.ns = "other", .job = lease.job, .token = lease.token});
  ASSERT_EQ(callbacks().size(), 1u);
  EXPECT_EQ(callbacks()[0].ns, "other");
}

TEST_P(StoreCallback, IsReportedAsAJobEvent) {
  const Lease lease = running(announced());
  const Command command = Complete{.ns = "default", .job = lease.job, .token = lease.token};
  const auto committed = store().commit({&command, 1});
  ASSERT_TRUE(committed.ok());
  ASSERT_EQ(committed->events.size(), 3u);
  EXPECT_EQ(committed->events[0].transition.to, State::success);
  EXPECT_EQ(committed->events[1].type, callback_type);
  EXPECT_EQ(committed->events[2].transition.to, State::queued);
}

}  // namespace
}  // namespace longshore::conformance
