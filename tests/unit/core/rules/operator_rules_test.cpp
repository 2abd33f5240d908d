// What lifecycle_table.txt has no words for: what a redrive carries over.
#include <gtest/gtest.h>

#include "core/rules/lifecycle.h"

namespace longshore {
namespace {

constexpr Instant redriven_at = Instant::millis(1'800'000'000'000);

Job dead_job() {
  Job job;
  job.id = {1, 1};
  job.type = "report.build";
  job.queue = "slow";
  job.priority = 2;
  job.job_key = "report-7";
  job.idempotency_key = "order-1";
  job.policy = {.max_retries = 1, .timeout = Duration::seconds(9), .backoff = {}};
  job.expires_at = redriven_at;
  job.callback = Callback{.url = "https://example.com/"};
  job.state = State::dead;
  job.attempt = 2;
  job.failures = 2;
  job.retry_count = 1;
  job.crashes = 3;
  job.epoch = 4;
  job.history_count = 9;
  job.version = 9;
  job.updated_at = redriven_at - Duration::seconds(60);
  job.completed_at = redriven_at - Duration::seconds(60);
  job.prune_after = redriven_at + Duration::days(7);
  return job;
}

JobBody some_body() {
  return {.payload = "7",
          .tags = {"a"},
          .metadata = R"({"k":"v"})",
          .request = R"({"method":"POST"})",
          .traceparent = "00-1-2-01"};
}

TEST(Redrive, CopiesAllButKeysOfTheRequestTimesAndCounters) {
  const NewJob next = successor_of(dead_job(), some_body(), {.successor = {2, 2}});
  EXPECT_EQ(next.id, (JobId{2, 2}));
  EXPECT_EQ(next.redrive_of, (JobId{1, 1}));
  EXPECT_EQ(next.type, "report.build");
  EXPECT_EQ(next.queue, "slow");
  EXPECT_EQ(next.priority, 2);
  EXPECT_EQ(next.job_key, "report-7");
  EXPECT_EQ(next.policy, dead_job().policy);
  EXPECT_EQ(next.callback, dead_job().callback);
  EXPECT_EQ(next.body, some_body());
  EXPECT_EQ(next.idempotency_key, "");
  EXPECT_EQ(next.expires_at, std::nullopt);
  EXPECT_EQ(next.run_at, std::nullopt);
  EXPECT_EQ(next.delay, Duration());
  EXPECT_EQ(next.on_conflict, OnConflict::reject) << "a live job of the key stands in its way";
}

TEST(Redrive, PrefersTheOperatorsValues) {
  const Redrive redrive{.successor = {2, 2},
                        .payload = "8",
                        .queue = "fast",
                        .priority = 0,
                        .max_retries = 0,
                        .timeout = Duration::seconds(1),
                        .delay = Duration::seconds(5)};
  const NewJob next = successor_of(dead_job(), some_body(), redrive);
  EXPECT_EQ(next.body.payload, "8");
  EXPECT_EQ(next.body.metadata, some_body().metadata);
  EXPECT_EQ(next.queue, "fast");
  EXPECT_EQ(next.priority, 0);
  EXPECT_EQ(next.policy.max_retries, 0);
  EXPECT_EQ(next.policy.timeout, Duration::seconds(1));
  EXPECT_EQ(next.policy.backoff, dead_job().policy.backoff);
  EXPECT_EQ(next.delay, Duration::seconds(5));
}

TEST(Redrive, LetsTheOperatorSayWhenTheSuccessorRuns) {
  const Instant later = redriven_at + Duration::hours(1);
  const NewJob next = successor_of(dead_job(), some_body(), {.successor = {2, 2}, .run_at = later});
  EXPECT_EQ(next.run_at, later);
}

TEST(Redrive, ReopensADeadJobForTheTimeThatTheOperatorSays) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  const Instant later = redriven_at + Duration::hours(1);
  const auto reopened = [&](const Redrive& redrive) {
    return std::get<Change>(decide(dead_job(), redrive, rules, redriven_at)).after;
  };
  for (const Redrive& redrive : {Redrive{.successor = {2, 2}, .run_at = later},
                                 Redrive{.successor = {2, 2}, .delay = Duration::hours(1)}}) {
    const Job job = reopened(redrive);
    EXPECT_EQ(job.state, State::scheduled);
    EXPECT_EQ(job.run_at, later);
  }
  const Job past = reopened({.successor = {2, 2}, .run_at = redriven_at - Duration::hours(1)});
  EXPECT_EQ(past.state, State::queued);
  EXPECT_EQ(past.run_at, redriven_at);
}

TEST(Redrive, ReopensACanceledJobAtOnceOrNotAtAll) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  Job canceled = dead_job();
  canceled.state = State::canceled;
  const Redrive later{.successor = {2, 2}, .run_at = redriven_at + Duration::millis(1)};
  const auto refused = std::get<Refusal>(decide(canceled, later, rules, redriven_at));
  EXPECT_EQ(refused.code, Code::wrong_state);
  EXPECT_NE(refused.detail.find("at once"), std::string::npos) << refused.detail;
  const Redrive now{.successor = {2, 2}, .run_at = redriven_at};
  EXPECT_EQ(std::get<Change>(decide(canceled, now, rules, redriven_at)).after.state, State::queued);
}

TEST(Redrive, AnswersARepeatedReopeningAsDone) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  const Redrive redrive{.successor = {2, 2}};
  const auto change = std::get<Change>(decide(dead_job(), redrive, rules, redriven_at));
  const auto again = std::get<Replay>(decide(change.after, redrive, rules, redriven_at));
  EXPECT_EQ(std::get<Settled>(again.verdict).job, dead_job().id);
  EXPECT_EQ(std::get<Settled>(again.verdict).status, Status::pending);
}

TEST(Redrive, ReopensInPlaceWithAFreshBudgetWhereTheRulesSaySo) {
  Rules rules;
  rules.terminal = Rules::Terminal::reopen;
  const Redrive redrive{.successor = {2, 2},
                        .queue = "fast",
                        .priority = 0,
                        .max_retries = 5,
                        .timeout = Duration::seconds(1)};
  const auto change = std::get<Change>(decide(dead_job(), redrive, rules, redriven_at));
  const Job& after = change.after;
  EXPECT_EQ(std::get<Settled>(change.verdict).job, dead_job().id);
  EXPECT_EQ(after.state, State::queued);
  EXPECT_EQ(after.id, dead_job().id);
  EXPECT_EQ(after.successor_id, std::nullopt);
  EXPECT_EQ(after.queue, "fast");
  EXPECT_EQ(after.priority, 0);
  EXPECT_EQ(after.policy.max_retries, 5);
  EXPECT_EQ(after.policy.timeout, Duration::seconds(1));
  EXPECT_EQ(after.failures, 0);
  EXPECT_EQ(after.retry_count, 0);
  EXPECT_EQ(after.crashes, 3) << "never reset";
  EXPECT_EQ(after.attempt, 2) << "starts so far";
  EXPECT_EQ(after.epoch, 4) << "it goes on rising";
  EXPECT_EQ(after.completed_at, std::nullopt);
  EXPECT_EQ(after.prune_after, std::nullopt);
  EXPECT_EQ(after.expires_at, std::nullopt);
}

}  // namespace
}  // namespace longshore
