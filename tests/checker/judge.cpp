#include "checker/judge.h"

#include "checker/facts.h"

namespace longshore::checker {
namespace {

// Reported even if they are 0.
constexpr const char* always_told[] = {"acked",          "lost",       "unexpected",
                                       "recovered",      "duplicated", "grants",
                                       "stale rejected", "jobs",       "operations"};

}  // namespace

Judgement judge(const History& history, const Options& options) {
  Judgement judgement;
  for (const char* counter : always_told) judgement.counters[counter] = 0;
  Facts facts(history, options, judgement);
  explain_rows(facts);
  gather_leases(facts);
  check_accepted(facts);
  check_rows(facts);
  check_operations(facts);
  check_leases(facts);
  check_outcomes(facts);
  check_attempts(facts);
  check_timers(facts);
  check_keys(facts);
  check_lists(facts);
  check_limits(facts);
  check_settings(facts);
  check_operators(facts);
  check_retention(facts);
  check_liveness(facts);
  count_executions(facts);
  if (options.black_box) check_black_box(facts);
  facts.count("jobs", static_cast<std::int64_t>(history.jobs.size()));
  facts.count("operations", static_cast<std::int64_t>(facts.ops.size()));
  facts.count("lost", static_cast<std::int64_t>(judgement.lost.size()));
  facts.count("unexpected", static_cast<std::int64_t>(judgement.unexpected.size()));
  for (const std::string& counter : options.required) {
    const auto found = judgement.counters.find(counter);
    if (found == judgement.counters.end() || found->second == 0)
      judgement.vacuous.push_back(counter);
  }
  return judgement;
}

namespace {

std::string story_of(const std::optional<JobId>& job, const std::vector<std::string>& events) {
  std::string text;
  if (job) text += "  job " + to_text(*job) + "\n";
  for (const std::string& event : events) text += "    " + event + "\n";
  return text;
}

}  // namespace

std::string to_text(const Judgement& judgement) {
  std::string text = judgement.valid() ? "valid\n" : "NOT VALID\n";
  for (const auto& [counter, count] : judgement.counters) {
    text += "  " + counter + ": " + std::to_string(count) + "\n";
  }
  for (const std::string& counter : judgement.vacuous) {
    text +=
        "vacuous: nothing was counted as \"" + counter + "\", so the run proves nothing of it\n";
  }
  if (judgement.violation_count > 0) {
    text += std::to_string(judgement.violation_count) + " violations";
    const bool all =
        judgement.violation_count == static_cast<std::int64_t>(judgement.violations.size());
    text +=
        all ? "\n" : ", of which the first " + std::to_string(judgement.violations.size()) + ":\n";
  }
  for (const Violation& violation : judgement.violations) {
    text += violation.rule + ": " + violation.what + "\n";
    text += story_of(violation.job, violation.events);
    text += story_of(violation.other, violation.events_of_other);
  }
  return text;
}

}  // namespace longshore::checker
