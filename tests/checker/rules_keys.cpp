// An idempotency key identifies one job; a (type, job key) has at most one live job.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "checker/facts.h"
#include "core/rules/enqueue.h"

namespace longshore::checker {
namespace {

using Key = std::pair<std::string_view, std::string_view>;

struct Use {
  const Operation* op;
  const Asked* asked;
  JobId answered;
};

void check_one_job(Facts& facts, std::string_view key, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    if (use.answered == uses.front().answered) continue;
    facts.violate(
        "S4", facts.find(use.answered),
        "idempotency key " + std::string(key) + " stands for two jobs: " + describe(*use.op));
    return;
  }
}

// The same request was sent before without an answer, and may have bound the key.
bool may_have_bound(const Facts& facts, const Use& use) {
  const auto asked = facts.wanted.find(use.asked->id);
  return asked != facts.wanted.end() && asked->second < use.op->invoked;
}

// If two requests differ and one asked for a check, it was refused.
void check_mismatch(Facts& facts, std::string_view key, const std::vector<Use>& uses) {
  for (const Use& later : uses) {
    // Repeats of the enqueue that created the job return that job.
    const bool own = later.answered == later.asked->id;
    if (!later.op->call->reject_mismatch || own || may_have_bound(facts, later)) continue;
    for (const Use& earlier : uses) {
      const bool before = earlier.op->returned < later.op->invoked;
      const bool resent = earlier.asked->id == later.asked->id;
      if (before && !resent && earlier.asked->body_hash != later.asked->body_hash) {
        facts.violate("S4", facts.find(later.answered),
                      "another request under idempotency key " + std::string(key) +
                          " was accepted: " + describe(*later.op));
        return;
      }
    }
  }
}

void check_bound(Facts& facts, const std::map<Key, std::vector<Use>>& uses) {
  if (!facts.history.dumped_at) return;
  std::map<Key, JobId> bound;
  for (const KeyDump& key : facts.history.keys) bound[{key.ns, key.key}] = key.view.job;
  for (const auto& [key, all] : uses) {
    const auto found = bound.find(key);
    if (found != bound.end() && found->second == all.front().answered) continue;
    const Duration age = facts.ended_at - all.front().op->floor;
    if (found == bound.end() && age > facts.options.rules.key_outlives_job) continue;
    facts.violate("S4", facts.find(all.front().answered),
                  "idempotency key " + std::string(key.second) + " no longer stands for its job");
  }
}

// A job that ends has one callback, whose once-key contains its id: "callback/ID/version".
void check_spawned_once(Facts& facts, const JobFacts& job,
                        std::map<Key, const JobFacts*>& spawned) {
  const bool fixed = facts.options.rules.terminal == Rules::Terminal::fixed;
  const std::string_view key = job.dump->job.idempotency_key;
  const Key once{job.dump->job.ns, fixed ? key.substr(0, key.rfind('/')) : key};
  if (!spawned.try_emplace(once, &job).second) {
    facts.violate("S4", &job, "spawned twice: " + std::string(key));
  }
}

void check_idempotency(Facts& facts) {
  std::map<Key, std::vector<Use>> uses;
  for (const Operation& op : facts.ops) {
    if (op.call->verb != Verb::enqueue || !op.ok()) continue;
    for (std::size_t i = 0; i < op.call->jobs.size() && i < op.answer->jobs.size(); ++i) {
      const Asked& asked = op.call->jobs[i];
      if (asked.idempotency_key.empty() || is_platform_type(asked.type)) continue;
      uses[{op.call->ns, asked.idempotency_key}].push_back({&op, &asked, op.answer->jobs[i].id});
    }
  }
  for (const auto& [key, all] : uses) {
    check_one_job(facts, key.second, all);
    check_mismatch(facts, key.second, all);
    facts.count("idempotency replays", static_cast<std::int64_t>(all.size()) - 1);
  }
  check_bound(facts, uses);
  std::map<Key, const JobFacts*> holders, spawned;
  for (const JobFacts* job : facts.ordered) {
    if (job->dump == nullptr || job->dump->job.idempotency_key.empty()) continue;
    const Job& held = job->dump->job;
    if (is_platform_type(held.type)) {
      check_spawned_once(facts, *job, spawned);
      continue;
    }
    if (!holders.try_emplace({held.ns, held.idempotency_key}, job).second) {
      facts.violate("S4", job, "two jobs under idempotency key " + held.idempotency_key);
    }
  }
}

struct Life {
  Instant from;
  Instant to;
  const JobFacts* job;
};

void add_lives(const JobFacts& job, std::vector<Life>& lives) {
  for (const Transition& row : job.dump->history) {
    if (row.cause == Cause::enqueue || row.cause == Cause::reopen) {
      lives.push_back({row.at, Instant::never(), &job});
    }
    const bool living = !lives.empty() && lives.back().to == Instant::never();
    if (is_terminal(row.to) && living) lives.back().to = row.at;
  }
}

std::string span_of(const Life& life) {
  const std::string to = life.to == Instant::never() ? "now" : std::to_string(life.to.count());
  return to_text(life.job->id) + " from " + std::to_string(life.from.count()) + " to " + to;
}

// REQUIRES: the second began no earlier.
void violate_life(Facts& facts, std::string_view type, std::string_view key, const Life& first,
                  const Life& second) {
  facts.violate("S5", second.job,
                "two live jobs of type " + std::string(type) + " under job key " +
                    std::string(key) + ": " + span_of(first) + ", " + span_of(second),
                first.job);
}

void check_live_keys(Facts& facts) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<Life>> all;
  for (const JobFacts* job : facts.ordered) {
    if (!job->whole() || job->dump->job.job_key.empty()) continue;
    const Job& held = job->dump->job;
    add_lives(*job, all[{held.ns, held.type, held.job_key}]);
  }
  for (auto& [key, lives] : all) {
    std::ranges::sort(lives, {}, [](const Life& life) { return std::pair(life.from, life.to); });
    for (std::size_t i = 1; i < lives.size(); ++i) {
      if (lives[i].from >= lives[i - 1].to) continue;
      violate_life(facts, std::get<1>(key), std::get<2>(key), lives[i - 1], lives[i]);
    }
  }
}

}  // namespace

void check_keys(Facts& facts) {
  check_idempotency(facts);
  check_live_keys(facts);
}

}  // namespace longshore::checker
