#include "core/rules/enqueue.h"

#include <gtest/gtest.h>

#include <string>

#include "core/record/soundness.h"
#include "unit/core/apply.h"

namespace longshore {
namespace {

constexpr Instant noon = Instant::millis(1'800'000'000'000);
constexpr JobId first_id{1, 1};
constexpr JobId second_id{1, 2};

NewJob new_job(JobId id) {
  NewJob job;
  job.id = id;
  job.type = "report.build";
  job.body.payload = R"({"month":7})";
  job.policy.max_retries = 9;
  return job;
}

EnqueueDecision enqueue(const NewJob& job, const EnqueueFacts& facts = {}, Rules rules = {},
                        Instant now = noon) {
  return decide_enqueue("team", job, facts, false, rules, now);
}

JobRecord record_of(const Change& change) {
  JobRecord record;
  record.job.number = 1;
  apply(record, change);
  return record;
}

JobRecord stored(const NewJob& job, Rules rules = {}) {
  return record_of(std::get<Change>(enqueue(job, {}, std::move(rules))));
}

std::string path_of(const Change& change) {
  std::string path;
  for (const Transition& move : change.transitions) {
    path += std::string(to_text(move.to)) + " " + std::string(to_text(move.cause)) + ", ";
  }
  return path;
}

const Refusal& refusal(const EnqueueDecision& decision) { return std::get<Refusal>(decision); }

void expect_sound(const JobRecord& record, const Rules& rules = {}) {
  std::vector<Finding> findings;
  check_record(record, rules, findings);
  for (const Finding& finding : findings) ADD_FAILURE() << finding.rule << ": " << finding.what;
}

TEST(Enqueue, RecordsAndAcceptsInOneStep) {
  const auto change = std::get<Change>(enqueue(new_job(first_id)));
  EXPECT_EQ(path_of(change), "CREATED enqueue, QUEUED accept, ");
  EXPECT_EQ(change.place, Place::back);
  EXPECT_EQ(change.after.ns, "team");
  EXPECT_EQ(change.after.content, first_id);
  EXPECT_EQ(change.after.created_at, noon);
  EXPECT_EQ(change.after.run_at, noon);
  EXPECT_EQ(change.after.policy.max_retries, 9);
  EXPECT_EQ(change.after.attempt, 0);
  EXPECT_EQ(change.after.version, 2);
  EXPECT_EQ(change.body->payload, R"({"month":7})");
  expect_sound(record_of(change));
}

TEST(Enqueue, SchedulesWhatMayNotRunYet) {
  NewJob delayed = new_job(first_id);
  delayed.delay = Duration::millis(1);
  NewJob dated = new_job(first_id);
  dated.run_at = noon + Duration::hours(1);
  for (const NewJob& job : {delayed, dated}) {
    const auto change = std::get<Change>(enqueue(job));
    EXPECT_EQ(path_of(change), "CREATED enqueue, SCHEDULED accept, ");
    EXPECT_EQ(change.place, Place::unchanged);
    EXPECT_GT(change.after.run_at, noon);
    expect_sound(record_of(change));
  }
  dated.run_at = noon;
  EXPECT_EQ(std::get<Change>(enqueue(dated)).after.state, State::queued);
  dated.run_at = noon - Duration::days(1);
  EXPECT_EQ(std::get<Change>(enqueue(dated)).after.state, State::queued);
}

TEST(Enqueue, OnlyRecordsWhereAcceptingIsASecondStep) {
  Rules rules;
  rules.accept = Rules::Accept::two_phase;
  const auto change = std::get<Change>(enqueue(new_job(first_id), {}, rules));
  EXPECT_EQ(path_of(change), "CREATED enqueue, ");
  EXPECT_EQ(change.place, Place::unchanged);
  expect_sound(record_of(change), rules);
}

TEST(Enqueue, RefusesToExpireBeforeItMayStart) {
  NewJob job = new_job(first_id);
  job.delay = Duration::seconds(10);
  job.expires_at = noon + Duration::millis(9'999);
  EXPECT_EQ(refusal(enqueue(job)).code, Code::invalid_field);
  job.expires_at = noon + Duration::seconds(10);
  EXPECT_TRUE(std::holds_alternative<Change>(enqueue(job)));
}

TEST(Enqueue, AnswersTheSameIdAgainAsTheFirstTime) {
  JobRecord earlier = stored(new_job(first_id));
  earlier.job.state = State::running;
  NewJob again = new_job(first_id);
  again.expires_at = noon - Duration::days(1);  // checked the first time only
  const auto answer = std::get<AnsweredBy>(enqueue(again, {.same_id = &earlier.job}));
  EXPECT_EQ(answer.job, (EnqueuedJob{.id = first_id, .status = Status::running, .fresh = true}));
}

TEST(Enqueue, RefusesAnIdThatAnotherTypeOrNamespaceHas) {
  NewJob wanted = new_job(first_id);
  JobRecord earlier = stored(wanted);
  wanted.type = "report.send";
  const auto other_type = enqueue(wanted, {.same_id = &earlier.job});
  EXPECT_EQ(refusal(other_type).code, Code::id_in_use);
  EXPECT_EQ(refusal(other_type).job, first_id);
  EXPECT_NE(refusal(other_type).detail.find("report.build"), std::string::npos);

  wanted.type = "report.build";
  earlier.job.ns = "another team";
  const auto other_namespace = enqueue(wanted, {.same_id = &earlier.job});
  EXPECT_EQ(refusal(other_namespace).code, Code::id_in_use);
  EXPECT_FALSE(refusal(other_namespace).job);
}

// Its id derives from its parent job, and a commit depends on it.
TEST(Enqueue, NeverRefusesThePlatformsOwnJobForItsId) {
  const JobRecord earlier = stored(new_job(first_id));
  NewJob spawned = new_job(first_id);
  spawned.type = "longshore.callback";
  EXPECT_TRUE(std::holds_alternative<AnsweredBy>(enqueue(spawned, {.same_id = &earlier.job})));
}

TEST(Enqueue, AnswersAKnownIdempotencyKeyWhateverElseDiffers) {
  const KeyView known{.job = first_id, .last_status = Status::completed, .body_hash = 7};
  JobRecord holder = stored(new_job(JobId{1, 3}));
  NewJob job = new_job(second_id);
  job.idempotency_key = "order-1";
  job.job_key = "report-7";
  job.body_hash = 8;
  job.on_conflict = OnConflict::reject;
  job.expires_at = noon - Duration::days(1);
  const auto answer =
      std::get<AnsweredBy>(enqueue(job, {.same_key = &known, .holder_of_key = &holder.job}));
  EXPECT_EQ(answer.job, (EnqueuedJob{.id = first_id, .status = Status::completed, .fresh = false}));
}

TEST(Enqueue, RefusesAnotherBodyUnderAKnownKeyWhereThatIsAsked) {
  const KeyView known{.job = first_id, .last_status = Status::pending, .body_hash = 7};
  NewJob job = new_job(second_id);
  job.body_hash = 8;
  const auto decision = decide_enqueue("team", job, {.same_key = &known}, true, Rules(), noon);
  EXPECT_EQ(refusal(decision).code, Code::idempotency_mismatch);
  EXPECT_EQ(refusal(decision).job, first_id);
  job.body_hash = 7;
  EXPECT_TRUE(std::holds_alternative<AnsweredBy>(
      decide_enqueue("team", job, {.same_key = &known}, true, Rules(), noon)));
}

TEST(Enqueue, AnswersWithTheLiveJobOfTheSameKey) {
  JobRecord holder = stored(new_job(first_id));
  NewJob job = new_job(second_id);
  job.on_conflict = OnConflict::existing;
  const auto answer = std::get<AnsweredBy>(enqueue(job, {.holder_of_key = &holder.job}));
  EXPECT_EQ(answer.job, (EnqueuedJob{.id = first_id, .status = Status::pending, .fresh = false}));
}

TEST(Enqueue, RejectsASecondJobOfTheSameKeyWhereThatIsAsked) {
  JobRecord holder = stored(new_job(first_id));
  NewJob job = new_job(second_id);
  job.on_conflict = OnConflict::reject;
  const auto decision = enqueue(job, {.holder_of_key = &holder.job});
  EXPECT_EQ(refusal(decision).code, Code::key_in_use);
  EXPECT_EQ(refusal(decision).job, first_id);
}

NewJob replacement() {
  NewJob job = new_job(second_id);
  job.on_conflict = OnConflict::replace;
  job.queue = "other";
  job.priority = 1;
  job.policy.max_retries = 0;
  job.body.payload = "2";
  job.callback = Callback{.url = "https://example.com/"};
  return job;
}

TEST(Enqueue, ReplacesAJobThatHasNotStarted) {
  struct Case {
    State before;
    Duration delay;
    std::string_view path;
  };
  const Case cases[] = {
      {State::queued, Duration(), "QUEUED replace, "},
      {State::queued, Duration::seconds(5), "SCHEDULED replace, "},
      {State::scheduled, Duration(), "QUEUED replace, "},
      {State::scheduled, Duration::seconds(5), "SCHEDULED replace, "},
      {State::created, Duration(), "QUEUED accept, QUEUED replace, "},
      {State::created, Duration::seconds(5), "QUEUED accept, SCHEDULED replace, "},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    Rules rules;
    if (c.before == State::created) rules.accept = Rules::Accept::two_phase;
    NewJob original = new_job(first_id);
    original.idempotency_key = "order-1";
    if (c.before == State::scheduled) original.delay = Duration::hours(1);
    JobRecord holder = stored(original, rules);
    ASSERT_EQ(holder.job.state, c.before);

    NewJob wanted = replacement();
    wanted.delay = c.delay;
    wanted.idempotency_key = "order-2";
    const Instant later = noon + Duration::seconds(1);
    const auto change =
        std::get<Change>(enqueue(wanted, {.holder_of_key = &holder.job}, rules, later));
    EXPECT_EQ(path_of(change), c.path);
    EXPECT_EQ(change.place, c.delay == Duration() ? Place::back : Place::unchanged);
    EXPECT_EQ(change.after.id, first_id);
    EXPECT_EQ(change.after.created_at, noon);
    EXPECT_EQ(change.after.idempotency_key, "order-1");
    EXPECT_EQ(change.after.content, second_id);
    EXPECT_EQ(change.after.queue, "other");
    EXPECT_EQ(change.after.priority, 1);
    EXPECT_EQ(change.after.policy.max_retries, 0);
    EXPECT_EQ(change.after.run_at, later + c.delay);
    EXPECT_EQ(change.after.callback, wanted.callback);
    EXPECT_EQ(change.body->payload, "2");
    EXPECT_EQ(change.guard.version, holder.job.version);
    apply(holder, change);
    expect_sound(holder, rules);
  }
}

TEST(Enqueue, GivesAReplacedJobTheKeyItLacked) {
  JobRecord holder = stored(new_job(first_id));
  NewJob wanted = replacement();
  wanted.idempotency_key = "order-2";
  const auto change = std::get<Change>(enqueue(wanted, {.holder_of_key = &holder.job}));
  EXPECT_EQ(change.after.idempotency_key, "order-2");
}

TEST(Enqueue, AnswersAReplaceThatIsSentAgain) {
  JobRecord holder = stored(new_job(first_id));
  apply(holder, std::get<Change>(enqueue(replacement(), {.holder_of_key = &holder.job})));
  const auto answer = std::get<AnsweredBy>(enqueue(replacement(), {.holder_of_key = &holder.job}));
  EXPECT_EQ(answer.job, (EnqueuedJob{.id = first_id, .status = Status::pending, .fresh = true}));
}

TEST(Enqueue, RefusesToReplaceAJobThatHasStarted) {
  for (State state : {State::queued, State::running, State::waiting, State::retry}) {
    SCOPED_TRACE(to_text(state));
    JobRecord holder = stored(new_job(first_id));
    holder.job.state = state;
    holder.job.attempt = 1;
    const auto decision = enqueue(replacement(), {.holder_of_key = &holder.job});
    EXPECT_EQ(refusal(decision).code, Code::key_in_use);
    EXPECT_EQ(refusal(decision).job, first_id);
  }
}

TEST(Enqueue, KeepsThePlatformsOwnTypesApart) {
  EXPECT_TRUE(is_platform_type("longshore.callback"));
  EXPECT_FALSE(is_platform_type("longshore"));
  EXPECT_FALSE(is_platform_type("my.longshore.callback"));
}

}  // namespace
}  // namespace longshore
