// Jobs as this node's claims left them: whoever says what became of one mostly comes to the node
// that gave it out, which then need not ask for it. Nothing is decided by these alone. The
// statement that writes what was decided proves that the job is where it was, of that claim and
// version.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>

#include "core/sync/mutex.h"
#include "longshore/id.h"
#include "store/postgres/write/entry.h"

namespace longshore::postgres {

using Entries = std::unordered_map<JobId, Entry>;

// Safe to share between threads. Forgets the oldest when there are very many.
class CachedJobs {
 public:
  // As the tables have them, each with its place in live.
  void put(Entries entries);
  // Moves those that it knows of these into `into`, and says how many. It then knows them no more:
  // whatever comes of them, they are not what they were.
  std::size_t take(std::span<const JobId> ids, Entries& into);

 private:
  Mutex mutex_;
  // The older ones go when there are too many of the newer ones.
  Entries newer_ LONGSHORE_GUARDED_BY(mutex_);
  Entries older_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
