// Proves a disk sound. The indexes are worked out again from the records alone and compared with
// those on the disk in both directions; the rest is asked of each record, key and lease.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/record/soundness.h"
#include "core/rules/lifecycle.h"
#include "store/memory/catalog.h"
#include "store/memory/tables.h"

namespace longshore::memory {
namespace {

constexpr std::size_t findings_max = 1000;

// How an index entry reads in a finding.
std::string in_words(const JobId& id) { return to_text(id); }
std::string in_words(const std::string& text) { return text; }
std::string in_words(std::int64_t number) { return std::to_string(number); }
std::string in_words(const RequestId& id) { return to_hex(id); }
std::string in_words(const MemoryDisk::TimedPlace& place) {
  return to_text(place.job) + " at " + std::to_string(place.at.count());
}
std::string in_words(const MemoryDisk::ReadyPlace& place) {
  return to_text(place.job) + " with priority " + std::to_string(place.priority) + " and order " +
         std::to_string(place.order);
}
std::string in_words(const MemoryDisk::Scoped& scoped) { return scoped.ns + "/" + scoped.name; }
std::string in_words(const MemoryDisk::JobKey& key) {
  return key.ns + "/" + key.type + "/" + key.key;
}
std::string in_words(const MemoryDisk::IdempotencyKey& key) {
  return key.ns + (key.platform ? "/platform/" : "/client/") + key.key;
}
std::string in_words(const MemoryDisk::KeyPlace& place) {
  return in_words(place.key) + " at " + std::to_string(place.at.count());
}
std::string in_words(const MemoryDisk::Counts& counts) {
  std::string words;
  for (const std::int64_t count : counts) words += std::to_string(count) + " ";
  return words;
}
template <class A, class B>
std::string in_words(const std::pair<A, B>& pair) {
  return in_words(pair.first) + ": " + in_words(pair.second);
}
// One entry per job, so that a finding names one job.
template <class K, class V>
std::set<std::pair<K, V>> flat(const std::map<K, std::set<V>>& sets) {
  std::set<std::pair<K, V>> entries;
  for (const auto& [name, set] : sets) {
    for (const V& entry : set) entries.insert({name, entry});
  }
  return entries;
}

class DiskCheck {
 public:
  DiskCheck(MemoryDisk& disk, const Rules& rules) : disk_(disk), rules_(rules) {}

  // Nothing if the watch ended it.
  std::optional<Audit> all(const AuditWatch& watch) &&;

 private:
  bool full() const { return findings_.size() >= findings_max; }
  void find(std::string rule, std::string what) {
    if (!full()) findings_.push_back({std::move(rule), std::move(what)});
  }
  void expect(bool good, const char* rule, const std::string& what) {
    if (!good) find(rule, what);
  }

  void records();
  void orders();
  void indexes();
  void leases();
  void idempotency_keys();
  void keys_of(const Job& job);

  // `kept` is what the disk has, `due` what the records ask for.
  template <class Index>
  void compare(const std::string& name, const Index& kept, const Index& due) {
    for (const auto& entry : due) {
      if (!has(kept, entry)) find(name + "-missing", in_words(entry));
    }
    for (const auto& entry : kept) {
      if (!has(due, entry)) find(name + "-stray", in_words(entry));
    }
  }
  template <class T>
  static bool has(const std::set<T>& set, const T& entry) {
    return set.contains(entry);
  }
  template <class K, class V>
  static bool has(const std::map<K, V>& map, const std::pair<const K, V>& entry) {
    const auto found = map.find(entry.first);
    return found != map.end() && found->second == entry.second;
  }

  MemoryDisk& disk_;
  const Rules& rules_;
  std::vector<Finding> findings_;
};

std::optional<Audit> DiskCheck::all(const AuditWatch& watch) && {
  struct Part {
    std::string name;
    void (DiskCheck::*check)();
  };
  const std::array parts = {Part{"", &DiskCheck::records}, Part{"order-twice", &DiskCheck::orders},
                            Part{"index", &DiskCheck::indexes}, Part{"lease", &DiskCheck::leases},
                            Part{"idempotency-key", &DiskCheck::idempotency_keys}};
  std::int64_t checked = 0;
  for (const Part& part : parts) {
    if (watch && !watch({.jobs_checked = checked, .rule = part.name})) return std::nullopt;
    (this->*part.check)();
    checked = std::ssize(disk_.jobs);
  }
  return Audit{.jobs_checked = checked, .findings = std::move(findings_)};
}

void DiskCheck::records() {
  for (const auto& [id, stored] : disk_.jobs) {
    if (full()) return;
    expect(id == stored.record.job.id, "record-under-other-id", to_text(id));
    check_record(stored.record, rules_, findings_);
    keys_of(stored.record.job);
  }
  if (findings_.size() > findings_max) findings_.resize(findings_max);
}

// A job's own keys lead to it.
void DiskCheck::keys_of(const Job& job) {
  if (places_of(job).live_key) {
    const StoredJob* holder = find_live(disk_, {job.ns, job.type, job.job_key});
    expect(holder != nullptr && holder->record.job.id == job.id, "live-key-of-another",
           to_text(job.id) + " is live but its job key leads elsewhere");
  }
  if (job.idempotency_key.empty()) return;
  const auto view = find_key(disk_, idempotency_key(job.ns, job.type, job.idempotency_key));
  expect(view && view->job == job.id, "idempotency-key-unbound",
         to_text(job.id) + " brought a key that does not lead to it");
}

void DiskCheck::orders() {
  std::map<std::int64_t, JobId> numbers;
  std::map<std::int64_t, JobId> places;
  for (const auto& [id, stored] : disk_.jobs) {
    const Job& job = stored.record.job;
    expect(numbers.try_emplace(job.number, id).second, "number-twice",
           to_text(id) + " has number " + std::to_string(job.number) + " of another job");
    expect(job.number <= disk_.counters.number, "number-ahead",
           to_text(id) + " has a number that was never given out");
    if (job.state != State::queued) continue;
    expect(places.try_emplace(job.order, id).second, "order-twice",
           to_text(id) + " has order " + std::to_string(job.order) + " of another queued job");
  }
}

void DiskCheck::indexes() {
  MemoryDisk due;
  for (const auto& [id, stored] : disk_.jobs) index(due, stored.record.job, rules_);
  compare("ready", flat(disk_.ready), flat(due.ready));
  compare("key", flat(disk_.by_key), flat(due.by_key));
  compare("live-key", disk_.live_keys, due.live_keys);
  compare("recorded", disk_.recorded, due.recorded);
  compare("future", disk_.future, due.future);
  compare("lease", disk_.leases, due.leases);
  compare("expiry", disk_.expiries, due.expiries);
  compare("prunable", disk_.prunable, due.prunable);
  compare("claim", disk_.claims, due.claims);
  compare("dead", flat(disk_.dead), flat(due.dead));
  compare("count", disk_.counts, due.counts);
  compare("running-count", disk_.running_of_type, due.running_of_type);
}

void DiskCheck::leases() {
  for (const MemoryDisk::TimedPlace& place : disk_.leases) {
    const StoredJob* stored = memory::find(disk_, place.job);
    const bool held = stored != nullptr && places_of(stored->record.job).leased;
    expect(held, "lease-without-running-job", to_text(place.job) + " is leased but not held");
  }
}

void DiskCheck::idempotency_keys() {
  MemoryDisk due;
  for (const auto& [key, bound] : disk_.idempotency_keys) {
    const bool exists = memory::find(disk_, bound.view.job) != nullptr;
    expect(exists != bound.gone_after.has_value(), "idempotency-key-astray",
           in_words(key) + (exists ? " is on its way out but its job is here"
                                   : " stands for a job that is gone, and keeps no end"));
    due.keys_of_job.insert({bound.view.job, key});
    if (bound.gone_after) due.keys_to_forget.insert({*bound.gone_after, bound.view.job, key});
  }
  compare("key-of-job", disk_.keys_of_job, due.keys_of_job);
  compare("key-to-forget", disk_.keys_to_forget, due.keys_to_forget);
}

}  // namespace

std::optional<Audit> audit(MemoryDisk& disk, const Rules& rules, const AuditWatch& watch) {
  return DiskCheck(disk, rules).all(watch);
}

}  // namespace longshore::memory
