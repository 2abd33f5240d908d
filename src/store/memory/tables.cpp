#include "store/memory/tables.h"

#include <algorithm>
#include <utility>

#include "core/record/soundness.h"
#include "core/rules/enqueue.h"
#include "core/rules/lifecycle.h"

namespace longshore::memory {
namespace {

bool may_expire(State state) {
  return state == State::created || state == State::scheduled || state == State::queued ||
         state == State::retry;
}

// Entering and leaving are one list of places, so that they cannot differ.
class Mark {
 public:
  explicit Mark(bool present) : present_(present) {}

  template <class Set>
  void member(Set& set, typename Set::value_type entry) const {
    if (present_) {
      set.insert(std::move(entry));
    } else {
      set.erase(entry);
    }
  }

  template <class Map, class Entry>
  void member_of(Map& sets, const typename Map::key_type& name, Entry entry) const {
    auto& set = sets[name];
    member(set, std::move(entry));
    if (set.empty()) sets.erase(name);
  }

  void count(std::int64_t& number) const { number += present_ ? 1 : -1; }

 private:
  bool present_;
};

void mark_times(const Mark& mark, MemoryDisk& disk, const Job& job, const Rules& rules) {
  const Places places = places_of(job);
  if (job.state == State::created) mark.member(disk.recorded, {job.created_at, job.id});
  if (places.future) mark.member(disk.future, {due_at(job), job.id});
  if (places.leased) {
    mark.member(disk.leases, {wakes_at(job, rules).value_or(Instant::never()), job.id});
  }
  if (may_expire(job.state) && job.expires_at) {
    mark.member(disk.expiries, {*job.expires_at, job.id});
  }
  if (is_terminal(job.state) && job.prune_after) {
    mark.member(disk.prunable, {*job.prune_after, job.id});
  }
}

void mark_keys(const Mark& mark, MemoryDisk& disk, const Job& job) {
  if (job.job_key.empty()) return;
  const MemoryDisk::JobKey key{job.ns, job.type, job.job_key};
  mark.member_of(disk.by_key, key, std::pair(job.number, job.id));
}

void mark_counts(const Mark& mark, MemoryDisk& disk, const Job& job) {
  const MemoryDisk::Scoped queue{job.ns, job.queue};
  MemoryDisk::Counts& counts = disk.counts[queue];
  mark.count(counts[static_cast<std::size_t>(counted_as(job))]);
  if (counts == MemoryDisk::Counts{}) disk.counts.erase(queue);
  if (job.state != State::running) return;
  const MemoryDisk::Scoped type{job.ns, job.type};
  std::int64_t& running = disk.running_of_type[type];
  mark.count(running);
  if (running == 0) disk.running_of_type.erase(type);
}

void mark_everywhere(const Mark& mark, MemoryDisk& disk, const Job& job, const Rules& rules) {
  const Places places = places_of(job);
  if (places.ready) {
    const MemoryDisk::ReadyPlace place{job.priority, job.order, job.id};
    mark.member_of(disk.ready, {job.ns, job.queue}, place);
  }
  if (places.dead) mark.member_of(disk.dead, job.ns, job.id);
  if (job.state == State::running) mark.member(disk.claims, {job.claim, job.id});
  mark_keys(mark, disk, job);
  mark_times(mark, disk, job, rules);
  mark_counts(mark, disk, job);
}

}  // namespace

StoredJob* find(MemoryDisk& disk, const JobId& id) {
  const auto found = disk.jobs.find(id);
  return found == disk.jobs.end() ? nullptr : &found->second;
}

StoredJob* find(MemoryDisk& disk, const std::string& ns, const JobId& id) {
  StoredJob* stored = find(disk, id);
  return stored != nullptr && stored->record.job.ns == ns ? stored : nullptr;
}

StoredJob* find_live(MemoryDisk& disk, const MemoryDisk::JobKey& key) {
  const auto live = disk.live_keys.find(key);
  return live == disk.live_keys.end() ? nullptr : find(disk, live->second);
}

StoredJob* find_by_key(MemoryDisk& disk, const MemoryDisk::JobKey& key) {
  if (StoredJob* live = find_live(disk, key)) return live;
  const auto all = disk.by_key.find(key);
  return all == disk.by_key.end() ? nullptr : find(disk, all->second.rbegin()->second);
}

void index(MemoryDisk& disk, const Job& job, const Rules& rules) {
  mark_everywhere(Mark(true), disk, job, rules);
  if (places_of(job).live_key) disk.live_keys[{job.ns, job.type, job.job_key}] = job.id;
}

void unindex(MemoryDisk& disk, const Job& job, const Rules& rules) {
  mark_everywhere(Mark(false), disk, job, rules);
  if (places_of(job).live_key) disk.live_keys.erase({job.ns, job.type, job.job_key});
}

void put(MemoryDisk& disk, StoredJob stored, const Rules& rules) {
  const JobId id = stored.record.job.id;
  remove(disk, id, rules);
  index(disk, stored.record.job, rules);
  disk.jobs[id] = std::move(stored);
}

void remove(MemoryDisk& disk, const JobId& id, const Rules& rules) {
  const StoredJob* stored = find(disk, id);
  if (stored == nullptr) return;
  unindex(disk, stored->record.job, rules);
  disk.jobs.erase(id);
}

Instant due_at(const Job& job) { return std::min(job.run_at, job.expires_at.value_or(job.run_at)); }

MemoryDisk::IdempotencyKey idempotency_key(const std::string& ns, const std::string& type,
                                           const std::string& key) {
  return {.ns = ns, .platform = is_platform_type(type), .key = key};
}

std::optional<KeyView> find_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key) {
  const auto bound = disk.idempotency_keys.find(key);
  if (bound == disk.idempotency_keys.end()) return std::nullopt;
  KeyView view = bound->second.view;
  if (const StoredJob* stored = find(disk, view.job)) {
    view.last_status = status_of(stored->record.job);
  }
  return view;
}

void bind_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key, const KeyView& view) {
  disk.idempotency_keys[key] = {.view = view};
  disk.keys_of_job.insert({view.job, key});
}

void forget_key(MemoryDisk& disk, const MemoryDisk::IdempotencyKey& key) {
  const auto bound = disk.idempotency_keys.find(key);
  if (bound == disk.idempotency_keys.end()) return;
  const JobId job = bound->second.view.job;
  disk.keys_of_job.erase({job, key});
  if (const auto gone_after = bound->second.gone_after) {
    disk.keys_to_forget.erase({*gone_after, job, key});
  }
  disk.idempotency_keys.erase(bound);
}

}  // namespace longshore::memory
