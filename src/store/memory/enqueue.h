// New jobs, alone or in groups.
#pragma once

#include <string>
#include <variant>

#include "store/memory/step.h"

namespace longshore::memory {

// What a group has touched, as it was before.
class Undo {
 public:
  explicit Undo(const Step& step) : counters_(step.disk.counters) {}

  // Each is called before the job or the key is written.
  void remember(MemoryDisk& disk, const JobId& id);
  void remember(const MemoryDisk::IdempotencyKey& new_key) { keys_.push_back(new_key); }

  void roll_back(Step& step) const;

 private:
  MemoryDisk::Counters counters_;
  std::vector<std::pair<JobId, std::optional<StoredJob>>> jobs_;
  std::vector<MemoryDisk::IdempotencyKey> keys_;
};

struct Wish {
  const std::string& ns;
  const NewJob& job;
  bool reject_mismatch = false;
};

// A refusal writes nothing; everything that is written is remembered first.
std::variant<Refusal, EnqueuedJob> enqueue_one(Step& step, const Wish& wish, Undo& undo);

// A job that another brings into being: its once-key makes a second time do nothing.
void spawn(Step& step, const std::string& ns, const NewJob& job);

}  // namespace longshore::memory
