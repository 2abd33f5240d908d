#include "core/record/soundness.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "unit/core/situations.h"

namespace longshore {
namespace {

JobRecord good(const std::string& name) {
  for (Situation& situation : situations(Rules())) {
    if (situation.name == name) return situation.record;
  }
  ADD_FAILURE() << "no situation " << name;
  return {};
}

std::set<std::string> rules_broken(const JobRecord& record, const Rules& rules = {}) {
  std::vector<Finding> findings;
  check_record(record, rules, findings);
  std::set<std::string> broken;
  for (const Finding& finding : findings) {
    broken.insert(finding.rule);
    EXPECT_TRUE(finding.what.starts_with(to_text(record.job.id))) << "names no job";
  }
  return broken;
}

// One good record and how to spoil it so that this rule notices.
struct Corruption {
  const char* rule;
  const char* situation;
  std::function<void(JobRecord&)> spoil;
};

void lengthen(JobRecord& record, int count) {
  while (std::ssize(record.history) < count) record.history.push_back(record.history.back());
}

const Corruption corruptions[] = {
    {"unnamed", "queued", [](JobRecord& r) { r.job.queue.clear(); }},
    {"unnamed", "queued", [](JobRecord& r) { r.job.type.clear(); }},
    {"unnamed", "queued", [](JobRecord& r) { r.job.ns.clear(); }},
    {"unnumbered", "queued", [](JobRecord& r) { r.job.number = 0; }},
    {"priority", "queued", [](JobRecord& r) { r.job.priority = 10; }},
    {"priority", "queued", [](JobRecord& r) { r.job.priority = -1; }},
    {"payload-missing", "queued", [](JobRecord& r) { r.body.payload.clear(); }},
    {"lease-unlike-state", "running", [](JobRecord& r) { r.job.lease_expires_at.reset(); }},
    {"lease-unlike-state", "waiting", [](JobRecord& r) { r.job.lease_expires_at = table_now; }},
    {"deadline-unlike-state", "running", [](JobRecord& r) { r.job.deadline_at.reset(); }},
    {"deadline-unlike-state", "retry", [](JobRecord& r) { r.job.deadline_at = table_now; }},
    {"token-unlike-state", "waiting", [](JobRecord& r) { r.job.claim = {}; }},
    {"token-unlike-state", "success", [](JobRecord& r) { r.job.claim = table_claim; }},
    {"worker-unlike-state", "running", [](JobRecord& r) { r.job.worker.clear(); }},
    {"worker-unlike-state", "queued", [](JobRecord& r) { r.job.worker = "w-1"; }},
    {"lease-past-deadline", "running",
     [](JobRecord& r) { r.job.lease_expires_at = *r.job.deadline_at + Duration::millis(1); }},
    {"cancel-unlike-state", "queued", [](JobRecord& r) { r.job.cancel_requested = true; }},
    {"result-unlike-state", "success", [](JobRecord& r) { r.result.reset(); }},
    {"result-unlike-state", "dead", [](JobRecord& r) { r.result = "1"; }},
    {"error-after-success", "success", [](JobRecord& r) { r.error = JobError{.code = "BOOM"}; }},
    {"dead-without-error", "dead", [](JobRecord& r) { r.error.reset(); }},
    {"completed-unlike-state", "dead", [](JobRecord& r) { r.job.completed_at.reset(); }},
    {"completed-unlike-state", "queued", [](JobRecord& r) { r.job.completed_at = table_now; }},
    {"prune-unlike-state", "queued", [](JobRecord& r) { r.job.prune_after = table_now; }},
    {"successor-unlike-state", "queued",
     [](JobRecord& r) {
       r.job.successor_id = JobId{1, 2};
     }},
    {"withdrawn-unlike-state", "success", [](JobRecord& r) { r.job.withdrawn = true; }},
    {"canceled-not-withdrawn", "canceled", [](JobRecord& r) { r.job.withdrawn = false; }},
    {"negative-counter", "queued", [](JobRecord& r) { r.job.retry_count = -1; }},
    {"epoch-below-attempt", "running", [](JobRecord& r) { r.job.epoch = 0; }},
    {"too-many-failures", "retry", [](JobRecord& r) { r.job.failures = 5; }},
    {"retries-unexplained", "retry", [](JobRecord& r) { r.job.retry_count = 2; }},
    {"too-many-crashes", "queued-lost", [](JobRecord& r) { r.job.crashes = 7; }},
    {"start-unrecorded", "running", [](JobRecord& r) { r.job.first_started_at.reset(); }},
    {"version-below-history", "running", [](JobRecord& r) { r.job.version = 1; }},
    {"too-many-errors", "retry", [](JobRecord& r) { r.errors.resize(failures_kept + 1); }},
    {"history-missing", "queued", [](JobRecord& r) { r.history.clear(); }},
    {"history-count", "queued", [](JobRecord& r) { r.history_dropped = 1; }},
    {"history-too-long", "queued", [](JobRecord& r) { lengthen(r, 257); }},
    {"history-start", "queued", [](JobRecord& r) { r.history.front().seq = 2; }},
    {"history-end", "queued", [](JobRecord& r) { r.history.back().seq = 7; }},
    {"history-unlike-state", "queued", [](JobRecord& r) { r.job.state = State::scheduled; }},
    {"illegal-move", "running", [](JobRecord& r) { r.history.back().cause = Cause::due; }},
    {"attempt-unlike-history", "retry", [](JobRecord& r) { r.job.attempt = 0; }},
    {"history-gap", "running", [](JobRecord& r) { r.history[1].seq = 7; }},
    {"history-jump", "running", [](JobRecord& r) { r.history[1].to = State::scheduled; }},
    {"history-backwards", "running", [](JobRecord& r) { r.history.back().at = Instant(); }},
    {"epoch-fell", "retry", [](JobRecord& r) { r.history.back().epoch = 0; }},
    {"time-backwards", "queued",
     [](JobRecord& r) { r.job.created_at = r.job.updated_at + Duration::millis(1); }},
    {"time-backwards", "running",
     [](JobRecord& r) { r.job.started_at = r.job.updated_at + Duration::millis(1); }},
    {"negative-execution", "retry", [](JobRecord& r) { r.job.execution = Duration::millis(-1); }},
};

// The words of all rules, read where they are written, so that none goes without a corruption.
std::set<std::string> all_rules() {
  std::ifstream in("src/core/record/soundness.cpp");
  std::stringstream source;
  source << in.rdbuf();
  const std::string text = source.str();
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
  std::set<std::string> words;
  for (std::size_t quote = text.find('"'); quote != std::string::npos;
       quote = text.find('"', quote + 1)) {
    const std::size_t end = text.find_first_not_of(letters, quote + 1);
    if (end > quote + 1 && text.compare(end, 2, "\",") == 0) {
      words.insert(text.substr(quote + 1, end - quote - 1));
    }
  }
  return words;
}

TEST(Soundness, FindsNothingInGoodRecords) {
  for (const Situation& situation : situations(Rules())) {
    if (situation.name == "scheduled-again") continue;  // exists under `reopen` alone
    SCOPED_TRACE(situation.name);
    EXPECT_TRUE(rules_broken(situation.record).empty());
  }
}

TEST(Soundness, FindsEveryPlantedCorruption) {
  std::set<std::string> found;
  for (const Corruption& corruption : corruptions) {
    SCOPED_TRACE(std::string(corruption.rule) + " in " + corruption.situation);
    JobRecord record = good(corruption.situation);
    ASSERT_TRUE(rules_broken(record).empty());
    corruption.spoil(record);
    const std::set<std::string> broken = rules_broken(record);
    EXPECT_TRUE(broken.contains(corruption.rule));
    if (broken.contains(corruption.rule)) found.insert(corruption.rule);
  }
  EXPECT_EQ(found, all_rules());
  std::printf("soundness: %zu corruptions planted, %zu rules found them:\n", std::size(corruptions),
              found.size());
  for (const std::string& rule : found) std::printf("  %s\n", rule.c_str());
}

TEST(Soundness, CallsAReopenedHistoryIllegalWhereNothingReopens) {
  for (Situation& situation : situations(Rules())) {
    if (situation.name != "scheduled-again") continue;
    Rules rules;
    EXPECT_EQ(rules_broken(situation.record, rules), std::set<std::string>{"illegal-move"});
    rules.terminal = Rules::Terminal::reopen;
    EXPECT_TRUE(rules_broken(situation.record, rules).empty());
  }
}

TEST(Soundness, LimitsCrashesOnlyWhereTheyKill) {
  JobRecord record = good("queued-lost");
  record.job.crashes = 7;
  Rules rules;
  rules.max_crashes.reset();
  EXPECT_TRUE(rules_broken(record, rules).empty());
  rules.max_crashes = 5;
  rules.on_lease_lost = Rules::OnLeaseLost::count_failure;
  EXPECT_TRUE(rules_broken(record, rules).empty());
  rules.on_lease_lost = Rules::OnLeaseLost::requeue;
  rules.terminal = Rules::Terminal::reopen;
  EXPECT_TRUE(rules_broken(record, rules).empty()) << "reopened after it died of them";
}

TEST(Soundness, PlacesEachStateWhereItIsLookedFor) {
  struct Case {
    State state;
    Places places;
  };
  const Case cases[] = {
      {State::created, {.live_key = true}},
      {State::scheduled, {.future = true, .live_key = true}},
      {State::queued, {.ready = true, .live_key = true}},
      {State::running, {.leased = true, .live_key = true}},
      {State::waiting, {.leased = true, .live_key = true}},
      {State::retry, {.future = true, .live_key = true}},
      {State::success, {}},
      {State::dead, {.dead = true}},
      {State::canceled, {}},
  };
  EXPECT_EQ(std::size(cases), static_cast<std::size_t>(state_count));
  for (const Case& c : cases) {
    SCOPED_TRACE(to_text(c.state));
    Job job;
    job.state = c.state;
    job.job_key = "report-7";
    EXPECT_EQ(places_of(job), c.places);
    job.job_key.clear();
    EXPECT_FALSE(places_of(job).live_key);
  }
}

}  // namespace
}  // namespace longshore
