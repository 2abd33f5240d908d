// Jobs as this node wrote them last, while they are queued or run: whoever claims one, or says next
// what became of it, mostly comes to the same node, which then need not ask for it. Nothing is
// decided by these alone. Each has the mark of the run that wrote it, which no other run has, and
// the script that writes what was decided proves that the job still carries it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <unordered_map>

#include "core/sync/mutex.h"
#include "longshore/id.h"
#include "store/redis/entry.h"

namespace longshore::redis {

// Safe to share between threads. Forgets the oldest when there are very many.
class Heads {
 public:
  // As Redis has them: with nothing that would still have to be written.
  void put(std::unique_ptr<Entry> entry);
  // Takes it out, too: whoever changes the job puts back what it has become. Null if it is not
  // known.
  std::unique_ptr<Entry> take(const JobId& id);

  // Whether most of the jobs that claims came to were known of late.
  bool know_most() const { return know_most_.load(); }
  void note(std::size_t known, std::size_t all) { know_most_ = 2 * known >= all; }
  std::size_t count(std::span<const JobId> ids);

 private:
  using Map = std::unordered_map<JobId, std::unique_ptr<Entry>>;

  std::atomic<bool> know_most_ = true;
  Mutex mutex_;
  // The older ones go when there are too many of the newer ones.
  Map newer_ LONGSHORE_GUARDED_BY(mutex_);
  Map older_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
