#include "api/leases/worker_sightings.h"

#include "engine/engine.h"

namespace longshore {
namespace {

constexpr Duration tell_every = Duration::seconds(5);
constexpr std::size_t workers_remembered = 20'000;

}  // namespace

void WorkerSightings::tell(Engine& engine, WorkerInfo info, bool introduced, Instant now,
                           Known known) {
  std::shared_ptr<Telling> telling;
  {
    MutexLock lock(mutex_);
    // Forgetting costs one more telling for each, no more.
    if (seen_.size() >= workers_remembered) seen_.clear();
    Seen& seen = seen_[{info.ns, info.worker}];
    if (must_tell(seen, info, introduced, now)) {
      telling = std::make_shared<Telling>();
      telling->info = info;
      telling->at = now;
      seen.info = info;
      seen.telling = telling;
    }
    // Who does not tell waits for the one who does.
    if (seen.telling) seen.telling->waiting.push_back(std::exchange(known, nullptr));
  }
  if (known) known();
  if (!telling) return;
  engine.submit(SeeWorkers{{std::move(info)}},
                [self = shared_from_this(), telling](const Result<Answered>& answer) {
                  self->answered(telling, answer.ok());
                });
}

bool WorkerSightings::must_tell(Seen& seen, WorkerInfo& info, bool introduced, Instant now) {
  mutex_.assert_held();
  const bool is_new = seen.info.worker.empty();
  if (!introduced && !is_new) {
    info.slots = seen.info.slots;
    info.host = seen.info.host;
    info.version = seen.info.version;
  }
  if (is_new || seen.info != info) return true;
  return !seen.telling && now >= seen.told + tell_every;
}

// A telling that failed leaves the worker untold: its next poll tells again.
void WorkerSightings::answered(const std::shared_ptr<Telling>& telling, bool learned) {
  std::vector<Known> waiting;
  {
    MutexLock lock(mutex_);
    waiting = std::move(telling->waiting);
    const auto seen = seen_.find({telling->info.ns, telling->info.worker});
    if (seen != seen_.end() && seen->second.telling == telling) {
      seen->second.telling = nullptr;
      seen->second.told = learned ? telling->at : Instant::millis(0);
    }
  }
  for (const Known& known : waiting) known();
}

}  // namespace longshore
