#include "api/wire/read_pool.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

// Point reads that one thread takes at a time, so that one wake-up serves many.
constexpr std::size_t points_at_once = 64;

}  // namespace

ReadPool::ReadPool(Catalog& catalog, const ReadPoolOptions& options) : catalog_(catalog) {
  queues_[0].waiting_max = options.points_waiting;
  queues_[1].waiting_max = options.scans_waiting;
  queues_[0].group_max = points_at_once;
  queues_[0].reads_per_owner_max = std::max(options.point_threads, 1);
  queues_[1].reads_per_owner_max = std::max(options.scan_threads - 1, 1);
  const std::array counts = {options.point_threads, options.scan_threads};
  for (std::size_t kind = 0; kind < queues_.size(); ++kind) {
    for (int i = 0; i < std::max(counts[kind], 1); ++i) {
      threads_.emplace_back([this, kind] { read_until_stopped(queues_[kind]); });
    }
  }
}

ReadPool::~ReadPool() { stop(); }

bool ReadPool::push(ReadKind kind, Read& read, const std::string& owner) {
  ReadQueue& queue = queues_[static_cast<std::size_t>(kind)];
  {
    const std::lock_guard lock(mutex_);
    if (stopped_ || queue.waiting >= queue.waiting_max) return false;
    const auto known = queue.owners.find(owner);
    const std::size_t own = known == queue.owners.end() ? 0 : known->second.waiting.size();
    if (!owner.empty() && own >= queue.waiting_max / 4 * 3) return false;
    Owner& state = queue.owners[owner];
    if (state.waiting.empty()) queue.turns.push_back(owner);
    state.waiting.push_back(std::move(read));
    queue.waiting += 1;
  }
  queue.changed.notify_one();
  return true;
}

void ReadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  for (ReadQueue& queue : queues_) queue.changed.notify_all();
  threads_.clear();
}

// Takes one read of the next owner that is below its limit of threads. Under the mutex.
bool ReadPool::take_one(ReadQueue& queue, std::vector<Taken>& group) {
  for (std::size_t i = 0; i < queue.turns.size(); ++i) {
    std::string owner = std::move(queue.turns.front());
    queue.turns.pop_front();
    Owner& state = queue.owners[owner];
    const bool may = state.running < queue.reads_per_owner_max;
    if (may) {
      group.push_back({owner, std::move(state.waiting.front())});
      state.waiting.pop_front();
      queue.waiting -= 1;
    }
    if (!state.waiting.empty()) queue.turns.push_back(std::move(owner));
    if (may) return true;
  }
  return false;
}

std::vector<ReadPool::Taken> ReadPool::take(ReadQueue& queue) {
  std::unique_lock lock(mutex_);
  std::vector<Taken> group;
  queue.changed.wait(lock, [&] {
    while (group.size() < queue.group_max && take_one(queue, group)) continue;
    return !group.empty() || (stopped_ && queue.waiting == 0);
  });
  for (const Taken& taken : group) queue.owners[taken.owner].running += 1;
  return group;
}

void ReadPool::done(ReadQueue& queue, const std::vector<Taken>& group) {
  {
    const std::lock_guard lock(mutex_);
    for (const Taken& taken : group) {
      const auto state = queue.owners.find(taken.owner);
      state->second.running -= 1;
      if (state->second.running == 0 && state->second.waiting.empty()) queue.owners.erase(state);
    }
  }
  // An owner at its limit may continue.
  queue.changed.notify_all();
}

void ReadPool::read_until_stopped(ReadQueue& queue) {
  while (true) {
    std::vector<Taken> group = take(queue);
    if (group.empty()) return;
    for (Taken& taken : group) taken.read(catalog_);
    done(queue, group);
  }
}

}  // namespace longshore
