// Direct reading: PostgreSQL's view and Redis's named fields agree with the catalog, in every state
// and after every kind of transition. Every other test of this folder checks this at its end.
#include <functional>

#include "conformance/fixture.h"
#include "core/policy/profiles.h"

namespace longshore::conformance {
namespace {

class StoreReadable : public StoreTest {
 protected:
  // Each step, and what is to be seen after it.
  void after_each(const std::vector<std::function<void()>>& steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      SCOPED_TRACE("after step " + std::to_string(i + 1));
      steps[i]();
      expect_readable();
      advance(seconds(1));
    }
  }
  void make_one_of_each() {
    enqueue();
    enqueue({.delay = seconds(60)});
    enqueue({.expires_at = now() + seconds(3600)});
    const JobId accepted = enqueue({.queue = "other"});
    send(Accept{.ns = "default", .jobs = {accepted}});
    enqueue_in("elsewhere");
    for (const char* queue : {"a", "b", "c", "d"}) {
      const JobId id = enqueue({.queue = queue});
      send(Accept{.ns = "default", .jobs = {id}});
      const auto leases = claim({.worker = "bob", .queues = {queue}});
      if (leases.empty()) continue;
      if (*queue == 'b') complete(leases[0], R"({"done":true})");
      if (*queue == 'c') fail(leases[0], {.error = {.code = "E", .message = "no"}});
      if (*queue == 'd') fail(leases[0], {.retryable = false});
    }
    cancel(enqueue({.queue = "e"}));
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreReadable, every_store(), store_name);

TEST_P(StoreReadable, ShowsEveryState) {
  enqueue();
  enqueue({.delay = seconds(60)});
  running({.queue = "a"});
  waiting({.queue = "b"});
  retrying({.queue = "c"});
  succeeded({.queue = "d"});
  dead({.queue = "e"});
  canceled({.queue = "f"});
  expect_readable();
}

TEST_P(StoreReadable, ShowsWhatAnEnqueueGave) {
  NewJob full = with_defaults({.type = "mail:send",
                               .queue = "post",
                               .priority = 2,
                               .job_key = "k\xC3\xA9y 1",
                               .idempotency_key = "once % - more"});
  full.body = {.payload = R"({"to":"a@b.c", "n":[1,2.50,null]})", .tags = {"a b", "-", "100%"}};
  full.policy.max_retries = 7;
  full.policy.timeout = Duration::millis(1500);
  full.expires_at = now() + days(2);
  enqueue(full);
  enqueue({.run_at = now() + days(300)});
  expect_readable();
}

TEST_P(StoreReadable, FollowsFailuresAndRetries) {
  const JobId id = enqueue();
  Lease lease;
  after_each({
      [&] { lease = claim_one({.worker = "worker 1"}); },
      [&] { heartbeat(lease, {.progress = 33.3, .checkpoint = "[1]", .log = "l"}); },
      [&] { fail(lease, {.error = {.code = "E1", .message = "first \"try\""}}); },
      [&] { promote(id); },
      [&] { lease = claim_one(); },
      [&] { release(lease, {.delay = seconds(5)}); },
      [&] { advance(seconds(6)), due(); },
      [&] { lease = claim_one(); },
      [&] { release(lease); },
      [&] { lease = claim_one(); },
      [&] { advance(days(1)), reap(), due(); },
      [&] { advance(days(1)), due(); },
      [&] { lease = claim_one(); },
      [&] { cancel(id); },
      [&] { heartbeat(lease); },
      [&] { complete(lease, R"({"ok":1})"); },
  });
}

TEST_P(StoreReadable, FollowsHandOffsReplacementsAndRedrives) {
  JobId id = enqueue({.job_key = "k"});
  Lease lease;
  after_each({
      [&] { enqueue({.queue = "q2", .job_key = "k", .on_conflict = OnConflict::replace}); },
      [&] {
        lease = claim_one({.queues = {"q2", "default"}});
      },
      [&] { hand_off(lease, seconds(600)); },
      [&] { finish_by_key("k", {.outcome = {.error = {.code = "E"}}}); },
      [&] { cancel(id, true); },
      [&] { redrive(id); },
      [&] { resolve(job(id).successor_id.value_or(id), {.result = "1"}); },
      [&] { prune(); },
  });
}

TEST_P(StoreReadable, FollowsJobsThatExpire) {
  enqueue({.expires_at = now() + seconds(10)});
  advance(seconds(11));
  sweep();
  tick();
  expect_readable();
}

TEST_P(StoreReadable, IsTrueUnderEveryProfile) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    reopen_under(name);
    make_one_of_each();
    expect_readable();
    advance(days(1));
    tick();
    expect_readable();
  }
}

TEST_P(StoreReadable, IsTrueAfterReopening) {
  running();
  ASSERT_TRUE(harness().reopen().ok());
  tick();
  expect_readable();
}

}  // namespace
}  // namespace longshore::conformance
