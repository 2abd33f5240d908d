// Jobs as this node wrote them last, while they run: what a worker says next of one mostly comes to
// the node that gave it out, which then need not ask for it. Nothing is decided by these alone.
// Each has the mark of the run that wrote it, which no other run has, and the script that writes
// what was decided proves that the job still carries it.
#pragma once

#include <optional>
#include <unordered_map>

#include "core/mutex.h"
#include "longshore/id.h"
#include "store/redis/codec.h"

namespace longshore::redis {

// Safe to share between threads. Forgets the oldest when there are very many.
class Heads {
 public:
  struct Known {
    std::int64_t v = 0;
    Head head;
  };

  void put(Known&& known);
  // Takes it out, too: whoever changes the job puts back what it has become.
  std::optional<Known> take(const JobId& id);

 private:
  using Map = std::unordered_map<JobId, Known>;

  Mutex mutex_;
  // The older ones go when there are too many of the newer ones.
  Map newer_ LONGSHORE_GUARDED_BY(mutex_);
  Map older_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
