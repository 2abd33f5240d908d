#include "store/redis/inventory.h"

#include <cstdlib>

#include "core/record/soundness.h"
#include "core/rules/enqueue.h"
#include "store/redis/names.h"
#include "store/redis/write_back.h"

namespace longshore::redis {
namespace {

std::string name_of_table(std::size_t table) { return std::string(table_names[table]); }

template <class Set, class Value>
bool cross_out(Set& set, const Value& value) {
  const auto found = set.find(value);
  if (found == set.end()) return false;
  set.erase(found);
  return true;
}

}  // namespace

void Inventory::check(const JobRecord& record, std::vector<Finding>& findings) {
  const Job& job = record.job;
  const Whereabouts there = whereabouts_of(job, rules_);
  const std::string id = to_text(job.id);
  jobs_.insert(job.id);
  check_times(job, there, findings);
  check_ready(job, there, findings);
  check_keys(job, there, findings);
  if (there.claim && !cross_out(claims_, claim_member(*there.claim, job.id))) {
    findings.push_back({"claim-missing", id + " runs but its claim is not listed"});
  }
  if (there.dead && !cross_out(dead_, id)) {
    findings.push_back({"dead-missing", id + " is dead but not among the dead letters"});
  }
  if (!numbers_.insert(job.number).second) {
    findings.push_back({"number-twice", id + " has a number that was given out twice"});
  }
  const auto names = names_.find(job.id);
  if (names != names_.end() && !shows_names(names->second, job)) {
    findings.push_back({"names-wrong", id + " shows by name what it is not"});
  }
  there_[count_field(job.queue, counted_as(job))] += 1;
  if (job.state == State::running) there_[count_field(job.type)] += 1;
}

void Inventory::check_times(const Job& job, const Whereabouts& there,
                            std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < table_count; ++i) {
    const auto found = times_[i].find(job.id);
    const std::string who = to_text(job.id);
    if (there.times[i] && found == times_[i].end()) {
      findings.push_back({name_of_table(i) + "-missing", who + " waits for a time nobody watches"});
    }
    if (found == times_[i].end()) continue;
    if (there.times[i] && *there.times[i] != found->second) {
      findings.push_back({name_of_table(i) + "-wrong", who + " is listed with another time"});
    }
    if (there.times[i]) times_[i].erase(found);
  }
}

void Inventory::check_ready(const Job& job, const Whereabouts& there,
                            std::vector<Finding>& findings) {
  if (!there.ready) return;
  const std::string list = stale_field(there.list);
  const std::string element = element_of(*there.ready);
  found_.insert(element);
  if (!cross_out(ready_[list], element)) {
    findings.push_back({"ready-missing", to_text(job.id) + " is queued but not ready"});
  } else if (!indexed_.contains(list)) {
    findings.push_back(
        {"ready-hidden", to_text(job.id) + " is in a list that no claim looks into"});
  }
}

void Inventory::check_keys(const Job& job, const Whereabouts& there,
                           std::vector<Finding>& findings) {
  const std::string who = to_text(job.id);
  if (!job.job_key.empty()) {
    auto& known = keys_[job_key_name(job.type, job.job_key)];
    const auto mine = known.find(job.id);
    const bool live = mine != known.end() && mine->second == "inf";
    const bool ranked =
        mine != known.end() &&
        (live || std::strtod(mine->second.c_str(), nullptr) == static_cast<double>(job.number));
    if (!ranked || live != there.live_key) {
      findings.push_back({"live-key-missing", who + " does not stand under its key as it should"});
    }
    if (mine != known.end()) known.erase(mine);
  }
  if (job.idempotency_key.empty()) return;
  const auto bound = once_.find(once_name(is_platform_type(job.type), job.idempotency_key));
  if (bound == once_.end() || bound->second.job != job.id) {
    findings.push_back(
        {"idempotency-key-unbound", who + " brought a key that does not lead to it"});
  } else {
    further_[job.id].insert(bound->first);
  }
}

void Inventory::check_rest(std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < table_count; ++i) {
    for (const auto& [id, at] : times_[i]) {
      findings.push_back({name_of_table(i) + "-stray", to_text(id) + " does not belong there"});
    }
  }
  for (const std::string& member : claims_) {
    findings.push_back({"claim-stray", member + " is no claim of a running job"});
  }
  for (const std::string& id : dead_) {
    findings.push_back({"dead-stray", id + " is among the dead letters but not dead, or twice"});
  }
  for (const JobId& id : hashes_) {
    if (!index_.contains(id)) findings.push_back({"index-missing", to_text(id) + " is not listed"});
  }
  for (const JobId& id : index_) {
    if (!jobs_.contains(id)) findings.push_back({"index-stray", to_text(id) + " is no job"});
  }
  for (const auto& [key, jobs] : keys_) {
    for (const auto& [id, score] : jobs) {
      findings.push_back({"live-key-stray", to_text(id) + " stands under a key not its own"});
    }
  }
  for (const auto& [name, bound] : once_) {
    if (jobs_.contains(bound.job) == bound.outlives || bound.outlives != gone_.contains(name)) {
      findings.push_back({"idempotency-key-astray", name + " and the end of its job disagree"});
    } else if (!bound.outlives && !further_[bound.job].contains(name)) {
      findings.push_back({"idempotency-key-unlisted", name + " is not listed by its job"});
    }
  }
  for (const std::string& name : gone_) {
    if (!once_.contains(name)) findings.push_back({"gone-stray", name + " is no key any more"});
  }
  if (kept_ != sizes_) {
    findings.push_back({"kept-wrong", ns_ + " counts " + std::to_string(kept_) +
                                          " bytes of finished jobs but has " +
                                          std::to_string(sizes_)});
  }
  check_lists(findings);
  check_counts(findings);
}

// What is left in a list is nobody's, and counted as such.
void Inventory::check_lists(std::vector<Finding>& findings) {
  for (const auto& [list, elements] : ready_) {
    for (const std::string& element : elements) {
      if (found_.contains(element)) findings.push_back({"ready-twice", element + " in " + list});
    }
    const auto stale = stale_.extract(list);
    const std::int64_t counted = stale.empty() ? 0 : stale.mapped();
    if (counted != std::ssize(elements)) {
      findings.push_back({"stale-wrong", list + " has " + std::to_string(elements.size()) +
                                             " elements that are nobody's, but counts " +
                                             std::to_string(counted)});
    }
  }
  for (const auto& [list, count] : stale_) {
    if (count == 0) continue;
    findings.push_back(
        {"stale-wrong", list + " is gone, but counts " + std::to_string(count) + " as nobody's"});
  }
}

void Inventory::check_counts(std::vector<Finding>& findings) {
  for (const auto& [field, count] : there_) counts_.try_emplace(field, 0);
  for (const auto& [field, count] : counts_) {
    if (there_[field] == count) continue;
    findings.push_back({"count-wrong", ns_ + " counts " + std::to_string(count) + " for " + field +
                                           " but has " + std::to_string(there_[field])});
  }
}

}  // namespace longshore::redis
