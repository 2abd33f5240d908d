// The form of a job's history, independent of clients.
#include "checker/facts.h"
#include "core/rules/transitions.h"

namespace longshore::checker {
namespace {

// Where the newest rows begin if the middle of a long history was dropped.
bool is_gap(const JobDump& dump, std::size_t index) {
  return dump.history_dropped > 0 && index == history_head_kept;
}

void check_move(Facts& facts, const JobFacts& job, std::size_t index) {
  const std::vector<Transition>& history = job.dump->history;
  const Transition& row = history[index];
  if (!is_legal(row.from, row.to, row.cause, facts.options.rules.terminal)) {
    facts.violate("S6", &job, "a move that no rule allows: " + describe(row));
  }
  if (index == 0 || is_gap(*job.dump, index)) return;
  const Transition& before = history[index - 1];
  if (row.from != before.to) {
    facts.violate("S6", &job, "a move begins where the one before did not end: " + describe(row));
  }
  const bool fixed = facts.options.rules.terminal == Rules::Terminal::fixed;
  if (fixed && is_terminal(before.to)) {
    facts.violate("S7", &job, "a job moved after it had ended: " + describe(row));
  }
  if (row.seq != before.seq + 1) {
    facts.violate("S8", &job, "the history skips from row " + std::to_string(before.seq));
  }
  if (row.at < before.at) facts.violate("S8", &job, "time went back at " + describe(row));
}

void check_epochs(Facts& facts, const JobFacts& job) {
  std::int64_t epoch = 0;
  for (const Transition& row : job.dump->history) {
    const std::int64_t expected = row.cause == Cause::claim ? epoch + 1 : epoch;
    if (row.epoch != expected) {
      facts.violate("S9", &job,
                    "epoch " + std::to_string(expected) + " was due at " + describe(row));
    }
    epoch = row.epoch;
  }
  if (epoch != job.dump->job.epoch) {
    facts.violate("S9", &job, "the record's epoch is not that of its history");
  }
}

void check_ends(Facts& facts, const JobFacts& job) {
  const JobDump& dump = *job.dump;
  if (dump.history.empty()) return facts.violate("S8", &job, "a job without a history");
  const Transition& last = dump.history.back();
  if (last.to != dump.job.state) {
    facts.violate("S6", &job,
                  "the record says " + std::string(to_text(dump.job.state)) +
                      ", its history ends in " + std::string(to_text(last.to)));
  }
  if (dump.history.front().seq != 1 || last.seq != dump.job.history_count) {
    facts.violate("S8", &job, "the history does not run from 1 to historyCount");
  }
  if (dump.job.version < dump.job.history_count) {
    facts.violate("S8", &job, "the version fell behind the history");
  }
  const auto kept = static_cast<std::int64_t>(dump.history.size());
  if (kept + dump.history_dropped != dump.job.history_count) {
    facts.violate("S8", &job, "rows are missing from the history");
  }
}

}  // namespace

void check_rows(Facts& facts) {
  for (const JobFacts* job : facts.ordered) {
    if (job->dump == nullptr) continue;
    for (std::size_t i = 0; i < job->dump->history.size(); ++i) check_move(facts, *job, i);
    if (job->whole()) check_epochs(facts, *job);
    check_ends(facts, *job);
  }
}

}  // namespace longshore::checker
