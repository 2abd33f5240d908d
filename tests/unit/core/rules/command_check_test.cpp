#include "core/rules/command_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <string_view>

#include "core/rules/limits.h"

namespace longshore {
namespace {

const JobId id{1, 2};
const std::string ns = "default";

NewJob good_job() {
  NewJob job{.id = id, .type = "work"};
  job.body.payload = "null";
  return job;
}
Claim good_claim() { return {.id = {1, 1}, .ns = ns, .worker = "alice"}; }

template <class Edit>
Enqueue enqueue_with(Edit edit) {
  NewJob job = good_job();
  edit(job);
  return {.ns = ns, .jobs = {job}};
}
template <class Edit>
Claim claim_with(Edit edit) {
  Claim claim = good_claim();
  edit(claim);
  return claim;
}
template <class Edit>
Redrive redrive_with(Edit edit) {
  Redrive redrive{.ns = ns, .job = id, .successor = {3, 4}};
  edit(redrive);
  return redrive;
}

TEST(CommandCheck, LetsGoodCommandsPass) {
  const Duration second = Duration::seconds(1);
  struct Case {
    std::string_view name;
    Command command;
  };
  const Case cases[] = {
      {"a plain job", Enqueue{.ns = ns, .jobs = {good_job()}}},
      {"the most urgent", enqueue_with([](NewJob& job) { job.priority = 0; })},
      {"the least urgent", enqueue_with([](NewJob& job) { job.priority = 9; })},
      {"a callback", enqueue_with([](NewJob& job) {
         job.callback = Callback{.url = "https://example.com/done", .secret_name = "s"};
       })},
      {"the longest delay", enqueue_with([](NewJob& job) { job.delay = delay_max; })},
      {"a start in the past", enqueue_with([](NewJob& job) { job.run_at = Instant(); })},
      {"the longest group", Enqueue{.ns = ns, .jobs = std::vector(10'000, good_job())}},
      {"a plain claim", good_claim()},
      {"the largest claim", claim_with([](Claim& claim) { claim.limit = 1000; })},
      {"the shortest lease", claim_with([=](Claim& claim) { claim.lease = second; })},
      {"the longest lease", claim_with([](Claim& claim) { claim.lease = Duration::days(1); })},
      {"a heartbeat", Heartbeat{.ns = ns, .job = id, .extend = second, .progress = 100}},
      {"the longest wait", Fail{.ns = ns, .job = id, .retry_after = Duration::days(30)}},
      {"no wait", Release{.ns = ns, .job = id, .delay = Duration()}},
      {"a short hand-off", HandOff{.ns = ns, .job = id, .timeout = Duration::millis(1)}},
      {"a reply by key", FinishByKey{.ns = ns, .type = "work", .key = "k"}},
      {"a redrive", redrive_with([](Redrive&) {})},
      {"a sweep", Sweep{.limit = 1}},
      {"a limit of none", Configure{.queues = {{.ns = ns, .queue = "q", .max_running = 0}}}},
      {"no rules at all", Configure{}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto refusal = check(c.command, Rules());
    EXPECT_FALSE(refusal.has_value()) << refusal->detail;
  }
}

struct BadCase {
  std::string_view field;
  Command command;
};
constexpr Duration negative = Duration::millis(-1);
constexpr Duration too_long = delay_max + Duration::millis(1);

void expect_each_refused(std::span<const BadCase> cases) {
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.field);
    const auto refusal = check(c.command, Rules());
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->code, Code::invalid_field);
    EXPECT_TRUE(refusal->detail.starts_with(std::string(c.field) + " ")) << refusal->detail;
  }
}

TEST(CommandCheck, NamesTheFieldThatIsWrongInANewJob) {
  const BadCase cases[] = {
      {"namespace", Enqueue{.jobs = {good_job()}}},
      {"jobs", Enqueue{.ns = ns}},
      {"jobs", Enqueue{.ns = ns, .jobs = std::vector(10'001, good_job())}},
      {"jobId", enqueue_with([](NewJob& job) { job.id = {}; })},
      {"jobType", enqueue_with([](NewJob& job) { job.type.clear(); })},
      {"queue", enqueue_with([](NewJob& job) { job.queue.clear(); })},
      {"payload", enqueue_with([](NewJob& job) { job.body.payload.clear(); })},
      {"priority", enqueue_with([](NewJob& job) { job.priority = -1; })},
      {"priority", enqueue_with([](NewJob& job) { job.priority = 10; })},
      {"delaySeconds", enqueue_with([](NewJob& job) { job.delay = negative; })},
      {"delaySeconds", enqueue_with([](NewJob& job) { job.delay = too_long; })},
      {"runAt", enqueue_with([](NewJob& job) {
         job.run_at = Instant::millis(5);
         job.delay = Duration::seconds(1);
       })},
      {"maxRetries", enqueue_with([](NewJob& job) { job.policy.max_retries = -1; })},
      {"maxRetries", enqueue_with([](NewJob& job) { job.policy.max_retries = 101; })},
      {"timeoutSeconds", enqueue_with([](NewJob& job) { job.policy.timeout = {}; })},
      {"timeoutSeconds", enqueue_with([](NewJob& job) { job.policy.timeout = too_long; })},
      {"backoff.baseSeconds",
       enqueue_with([](NewJob& job) { job.policy.backoff.base = too_long; })},
      {"backoff.maxSeconds", enqueue_with([](NewJob& job) { job.policy.backoff.max = too_long; })},
      {"callback.url",
       enqueue_with([](NewJob& job) { job.callback = Callback{.url = "ftp://a"}; })},
      {"callback.secretName", enqueue_with([](NewJob& job) {
         job.callback = Callback{.url = "https://example.com", .secret_name = "a b"};
       })},
      {"backoff.baseSeconds",
       enqueue_with([](NewJob& job) { job.policy.backoff.base = negative; })},
      {"backoff.maxSeconds", enqueue_with([](NewJob& job) { job.policy.backoff.max = negative; })},
      {"backoff.jitter", enqueue_with([](NewJob& job) { job.policy.backoff.jitter = 1.5; })},
  };
  expect_each_refused(cases);
}

TEST(CommandCheck, NamesTheFieldThatIsWrongInAWorkersCommand) {
  const BadCase cases[] = {
      {"namespace", claim_with([](Claim& claim) { claim.ns.clear(); })},
      {"requestId", claim_with([](Claim& claim) { claim.id = {}; })},
      {"workerId", claim_with([](Claim& claim) { claim.worker.clear(); })},
      {"workerId", claim_with([](Claim& claim) { claim.worker = "system"; })},
      {"workerId", claim_with([](Claim& claim) { claim.worker = "external"; })},
      {"queues", claim_with([](Claim& claim) { claim.queues.clear(); })},
      {"maxJobs", claim_with([](Claim& claim) { claim.limit = 0; })},
      {"maxJobs", claim_with([](Claim& claim) { claim.limit = 1001; })},
      {"leaseSeconds", claim_with([](Claim& claim) { claim.lease = Duration::millis(999); })},
      {"leaseSeconds",
       claim_with([](Claim& claim) { claim.lease = Duration::millis(86'400'001); })},
      {"namespace", Accept{.jobs = {id}}},
      {"namespace", Heartbeat{.job = id}},
      {"extendSeconds", Heartbeat{.ns = ns, .job = id, .extend = negative}},
      {"progress", Heartbeat{.ns = ns, .job = id, .progress = -0.1}},
      {"progress", Heartbeat{.ns = ns, .job = id, .progress = 100.1}},
      {"progress",
       Heartbeat{.ns = ns, .job = id, .progress = std::numeric_limits<double>::quiet_NaN()}},
      {"namespace", Complete{.job = id}},
      {"namespace", Fail{.job = id}},
      {"retryAfterSeconds", Fail{.ns = ns, .job = id, .retry_after = negative}},
      {"retryAfterSeconds",
       Fail{.ns = ns, .job = id, .retry_after = Duration::days(30) + Duration::millis(1)}},
      {"namespace", Release{.job = id}},
      {"delaySeconds", Release{.ns = ns, .job = id, .delay = negative}},
      {"namespace", HandOff{.job = id}},
      {"timeoutSeconds", HandOff{.ns = ns, .job = id, .timeout = Duration()}},
      {"namespace", FinishByKey{.type = "work", .key = "k"}},
      {"jobType", FinishByKey{.ns = ns, .key = "k"}},
      {"jobKey", FinishByKey{.ns = ns, .type = "work"}},
  };
  expect_each_refused(cases);
}

TEST(CommandCheck, NamesTheFieldThatIsWrongInAnOperatorsCommand) {
  const BadCase cases[] = {
      {"namespace", Cancel{.job = id}},
      {"namespace", Promote{.job = id}},
      {"namespace", Resolve{.job = id}},
      {"namespace", redrive_with([](Redrive& redrive) { redrive.ns.clear(); })},
      {"successorId", redrive_with([](Redrive& redrive) { redrive.successor = {}; })},
      {"payload", redrive_with([](Redrive& redrive) { redrive.payload = ""; })},
      {"queue", redrive_with([](Redrive& redrive) { redrive.queue = ""; })},
      {"priority", redrive_with([](Redrive& redrive) { redrive.priority = 10; })},
      {"maxRetries", redrive_with([](Redrive& redrive) { redrive.max_retries = -1; })},
      {"timeoutSeconds", redrive_with([](Redrive& redrive) { redrive.timeout = Duration(); })},
      {"delaySeconds", redrive_with([](Redrive& redrive) { redrive.delay = negative; })},
      {"runAt", redrive_with([](Redrive& redrive) {
         redrive.run_at = Instant::millis(5);
         redrive.delay = Duration::seconds(1);
       })},
      {"namespace", PauseQueue{.queue = "q"}},
      {"namespace", SetRules{.ns = ""}},
      {"source", SetRules{.source = "a b"}},
      {"revision", SetRules{.revision = -1}},
      {"queue", PauseQueue{.ns = ns}},
      {"limit", Due{.limit = 0}},
      {"limit", Reap{.limit = 0}},
      {"limit", Sweep{.limit = -1}},
      {"limit", Prune{.limit = 0}},
      {"namespace", Configure{.queues = {{.queue = "q"}}}},
      {"queue", Configure{.queues = {{.ns = ns}}}},
      {"jobType", Configure{.types = {{.ns = ns}}}},
      {"maxRunning", Configure{.types = {{.ns = ns, .type = "t", .max_running = -1}}}},
      {"retention", Configure{.queues = {{.ns = ns, .queue = "q", .keep_dead = negative}}}},
      {"namespace", SeeWorkers{{{.worker = "alice"}}}},
      {"workerId", SeeWorkers{{{.ns = ns}}}},
      {"slots", SeeWorkers{{{.ns = ns, .worker = "alice", .slots = -1}}}},
      {"namespace", RecordMinutes{{MinuteRow{}}}},
      {"namespace", PutToken{.token = {.id = "t"}}},
      {"id", PutToken{.token = {.ns = ns}}},
      {"namespace", RevokeToken{.id = "t"}},
  };
  expect_each_refused(cases);
}

TEST(CommandCheck, SaysWhichJobOfAGroupIsWrong) {
  std::vector<NewJob> jobs(3, good_job());
  jobs[2].priority = 11;
  const auto refusal = check(Enqueue{.ns = ns, .jobs = jobs}, Rules());
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->index, 2u);
}

TEST(CommandCheck, AsksTheRulesHowManyJobsAClaimMayTake) {
  Rules rules;
  rules.claim_limit = 1;
  EXPECT_FALSE(check(good_claim(), rules).has_value());
  EXPECT_TRUE(check(claim_with([](Claim& claim) { claim.limit = 2; }), rules).has_value());
}

TEST(CommandCheck, NeedsNoSuccessorWhereJobsAreReopened) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  EXPECT_FALSE(check(Redrive{.ns = ns, .job = id}, rules).has_value());
}

}  // namespace
}  // namespace longshore
