// A long poll, and the counting of jobs. Private to the dispatcher.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/dispatcher.h"

namespace longshore {

struct Dispatcher::Waiter {
  Ticket ticket = 0;  // increases, so it also gives the age
  Claim claim;
  Instant until;
  Answer answer;
  std::vector<QueueRef> queues;
  TypeSetRef types;
  std::uint64_t arrivals = 0;  // at its latest try
  std::uint64_t hints = 0;     // likewise
  bool probing = false;        // if it gets a job, the next one probes too
  bool looking = false;        // in flight on its own, not as part of a batch
  // Jobs that arrived while it was in flight: it is retried for them, or offers them to the next.
  std::vector<QueueAndType> reserved;
  bool abandoned = false;
};

// Counts jobs by target. Most events of a commit have the same target, and the lookup is the main
// cost, so the latest is cached.
class Dispatcher::JobCounts {
 public:
  void add(const std::string& ns, const std::string& queue, const std::string& type,
           std::int64_t count) {
    const bool same = latest_ != counts_.end() && latest_->first.type == type &&
                      latest_->first.queue == queue && latest_->first.ns == ns;
    if (!same) latest_ = counts_.try_emplace({ns, queue, type}).first;
    latest_->second += count;
  }
  const std::map<QueueAndType, std::int64_t>& all() const { return counts_; }

 private:
  std::map<QueueAndType, std::int64_t> counts_;
  std::map<QueueAndType, std::int64_t>::iterator latest_ = counts_.end();
};

}  // namespace longshore
