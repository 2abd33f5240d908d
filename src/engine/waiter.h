// What the dispatcher keeps of one long poll, and how it counts jobs. Only its own files see this.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/dispatcher.h"

namespace longshore {

struct Dispatcher::Waiter {
  Ticket ticket = 0;  // rises, so it also tells age
  Claim claim;
  Instant until;
  Answer answer;
  std::vector<Place> places;
  TypeSetRef types;
  std::uint64_t news = 0;   // as of its latest try
  std::uint64_t hints = 0;  // likewise
  bool probing = false;     // if it gets something, the next one shall look too
  bool looking = false;     // in flight, and not with the job it is tried for
  // The doors of jobs that came while it was looking: it tries again for them, or passes them on.
  std::vector<Door> reserved;
  bool forgotten = false;
};

// How many jobs came to which door. Most of a commit is about one door, and finding it is what
// costs, so the latest is remembered.
class Dispatcher::DoorCounts {
 public:
  void add(const std::string& ns, const std::string& queue, const std::string& type,
           std::int64_t count) {
    const bool same = latest_ != counts_.end() && latest_->first.type == type &&
                      latest_->first.queue == queue && latest_->first.ns == ns;
    if (!same) latest_ = counts_.try_emplace({ns, queue, type}).first;
    latest_->second += count;
  }
  const std::map<Door, std::int64_t>& all() const { return counts_; }

 private:
  std::map<Door, std::int64_t> counts_;
  std::map<Door, std::int64_t>::iterator latest_ = counts_.end();
};

}  // namespace longshore
