// Small hand-written histories with obvious violations.
#include "checker/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checker/calls.h"
#include "checker/history_writer.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/memory/store.h"

namespace longshore::checker {
namespace {

// One client and one store, call by call.
class CheckedHistory : public testing::Test {
 protected:
  void SetUp() override { backend_ = std::move(*open_memory(disk_, clock_, rules_)); }

  std::int64_t ask(const Command& command) { return writer_.invoke("c", call_of(command)); }

  Verdict tell(std::int64_t op, const Command& command) {
    auto committed = backend_->store().commit({&command, 1});
    Verdict verdict = committed->verdicts.front();
    if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
      writer_.fail(op, to_text(refusal->code), committed->at);
    } else {
      Answer answer = answer_of(verdict);
      answer.at = committed->at;
      writer_.ok(op, answer);
    }
    return verdict;
  }
  Verdict say(const Command& command) { return tell(ask(command), command); }

  Enqueue one_job() {
    NewJob job;
    job.id = ids_.next(clock_.now());
    job.type = "mail";
    job.body.payload = "{}";
    return {.ns = "main", .jobs = {job}};
  }
  Claim claim() { return {.id = random_id<RequestId>(random_), .ns = "main", .worker = "w1"}; }

  Judgement judged() {
    EXPECT_TRUE(dump_store(backend_->catalog(), writer_).ok());
    return judge(writer_.take(), options_);
  }
  static bool broke(const Judgement& judgement, std::string_view rule) {
    return std::ranges::any_of(judgement.violations,
                               [&](const Violation& one) { return one.rule == rule; });
  }

  Options options_;
  Rules rules_;
  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  SeededRandom random_{1};
  JobIds ids_{random_};
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;
  HistoryWriter writer_;
};

TEST_F(CheckedHistory, AnAcceptedJobThatIsThereIsValid) {
  say(one_job());
  const Judgement judgement = judged();
  EXPECT_TRUE(judgement.valid()) << to_text(judgement);
  EXPECT_EQ(judgement.counters.at("acked"), 1);
}

TEST_F(CheckedHistory, AnAcceptedJobThatIsGoneIsLost) {
  say(one_job());
  const auto rules = disk_.rules;
  disk_ = {};
  disk_.rules = rules;
  const Judgement judgement = judged();
  EXPECT_EQ(judgement.lost.size(), 1U);
  EXPECT_TRUE(broke(judgement, "S1")) << to_text(judgement);
}

TEST_F(CheckedHistory, AJobThatWasRefusedAndIsThereIsUnexpected) {
  const Enqueue enqueue = one_job();
  const std::int64_t op = ask(enqueue);
  const Command command = enqueue;
  ASSERT_TRUE(backend_->store().commit({&command, 1}).ok());
  writer_.fail(op, "OVERLOADED");
  const Judgement judgement = judged();
  EXPECT_EQ(judgement.unexpected.size(), 1U);
  EXPECT_TRUE(broke(judgement, "S2")) << to_text(judgement);
}

TEST_F(CheckedHistory, AJobWhoseAnswerWasLostIsRecoveredIfItIsThere) {
  const Enqueue enqueue = one_job();
  const std::int64_t op = ask(enqueue);
  const Command command = enqueue;
  ASSERT_TRUE(backend_->store().commit({&command, 1}).ok());
  writer_.info(op);
  ask(one_job());  // never answered and never applied
  const Judgement judgement = judged();
  EXPECT_TRUE(judgement.valid()) << to_text(judgement);
  EXPECT_EQ(judgement.counters.at("recovered"), 1);
}

TEST_F(CheckedHistory, AJobOfAServerThatChoosesIdsIsKnownByItsPayload) {
  Enqueue enqueue = one_job();
  Call call = call_of(enqueue);
  call.jobs.front().id = JobId{};
  const std::int64_t op = writer_.invoke("c", call);
  const Command command = enqueue;
  ASSERT_TRUE(backend_->store().commit({&command, 1}).ok());
  writer_.info(op);
  const Judgement judgement = judged();
  EXPECT_TRUE(judgement.valid()) << to_text(judgement);
}

TEST_F(CheckedHistory, ARunInWhichNothingOfTheKindHappenedIsVacuous) {
  say(one_job());
  options_.required = {"acked", "leases lost"};
  const Judgement judgement = judged();
  EXPECT_FALSE(judgement.valid());
  EXPECT_EQ(judgement.vacuous, std::vector<std::string>{"leases lost"});
  EXPECT_NE(to_text(judgement).find("vacuous"), std::string::npos);
}

TEST_F(CheckedHistory, AReadThatGoesBackIsFound) {
  const Enqueue enqueue = one_job();
  say(enqueue);
  const JobId id = enqueue.jobs.front().id;
  const View before = view_of(*backend_->catalog().get("main", id));
  say(claim());
  const View after = view_of(*backend_->catalog().get("main", id));
  Call get{.verb = Verb::get, .ns = "main"};
  get.job = id;
  for (const View& view : {after, before}) {
    const std::int64_t op = writer_.invoke("c", get);
    writer_.ok(op, Answer{.view = view});
  }
  const Judgement judgement = judged();
  EXPECT_TRUE(broke(judgement, "S8")) << to_text(judgement);
  EXPECT_TRUE(broke(judgement, "X1")) << "no order explains it either";
}

TEST_F(CheckedHistory, AJobThatNeverEndsIsFoundAfterTheHorizon) {
  say(one_job());
  writer_.mark("heal", clock_.now());
  clock_.advance(Duration::seconds(61));
  options_.horizon = Duration::seconds(60);
  const Judgement judgement = judged();
  EXPECT_TRUE(broke(judgement, "L1")) << to_text(judgement);
}

TEST_F(CheckedHistory, ARunThatEndsBeforeItsHorizonProvesNoLiveness) {
  writer_.mark("heal", clock_.now());
  options_.horizon = Duration::seconds(60);
  const Judgement judgement = judged();
  EXPECT_TRUE(broke(judgement, "L1")) << to_text(judgement);
}

TEST_F(CheckedHistory, AWorkerWhoIsLateInAQuietRunMakesAJobRunTwice) {
  say(one_job());
  say(claim());
  clock_.advance(Duration::seconds(31));
  const Command reap = Reap{};
  ASSERT_TRUE(backend_->store().commit({&reap, 1}).ok());
  say(claim());
  options_.fault_free = true;
  const Judgement judgement = judged();
  EXPECT_EQ(judgement.counters.at("duplicated"), 1);
  EXPECT_TRUE(broke(judgement, "D1")) << to_text(judgement);
}

TEST_F(CheckedHistory, AReturnWithoutACallIsNotAHistory) {
  writer_.info(17);
  EXPECT_TRUE(broke(judged(), "W1"));
}

TEST_F(CheckedHistory, FindingsOfTheStoresAuditAreReported) {
  say(one_job());
  disk_.ready.clear();
  EXPECT_TRUE(broke(judged(), "A1"));
}

TEST_F(CheckedHistory, AViolationComesWithTheEventsOfItsJob) {
  say(one_job());
  say(claim());
  disk_.jobs.begin()->second.record.body.payload = "[]";
  const Judgement judgement = judged();
  ASSERT_TRUE(broke(judgement, "S3")) << to_text(judgement);
  const Violation& violation = judgement.violations.front();
  EXPECT_FALSE(violation.events.empty());
  EXPECT_LE(violation.events.size(), 20U);
}

// The violation names both jobs and their lifetimes.
TEST_F(CheckedHistory, TwoLiveJobsOfOneJobKeyAreBothReported) {
  Enqueue first = one_job();
  first.jobs[0].job_key = "k";
  say(first);
  const Instant began = clock_.now();
  clock_.advance(Duration::seconds(2));
  say(Cancel{.ns = "main", .job = first.jobs[0].id});
  Enqueue second = one_job();
  second.jobs[0].job_key = "k";
  say(second);
  EXPECT_TRUE(dump_store(backend_->catalog(), writer_).ok());
  History history = writer_.take();
  EXPECT_FALSE(broke(judge(history, options_), "S5"));

  for (JobDump& dump : history.jobs) {
    if (dump.job.id != second.jobs[0].id) continue;
    for (Transition& row : dump.history) row.at = row.at - Duration::millis(1);
  }
  const Judgement judgement = judge(history, options_);
  EXPECT_TRUE(broke(judgement, "S5"));
  const std::string text = to_text(judgement);
  const auto life = [&](const JobId& id, Duration from, const std::string& to) {
    return to_text(id) + " from " + std::to_string((began + from).count()) + " to " + to;
  };
  const std::string ended = std::to_string((began + Duration::seconds(2)).count());
  EXPECT_NE(text.find(life(first.jobs[0].id, Duration(), ended)), std::string::npos) << text;
  EXPECT_NE(text.find(life(second.jobs[0].id, Duration::millis(1999), "now")), std::string::npos);
  EXPECT_NE(text.find("cancel -> #4 ok CANCELED at " + ended), std::string::npos) << text;
}

}  // namespace
}  // namespace longshore::checker
