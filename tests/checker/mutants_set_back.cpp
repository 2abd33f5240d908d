// Mutants that keep state in memory after the disk was replaced by an older copy.
#include <map>
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "store/memory/tables.h"

namespace longshore::checker {
namespace {

// Uses its cached configuration instead of the disk.
class ConfigurationOutlivesTheDisk final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (known_) {
      parts_.disk.queue_rules = queues_;
      parts_.disk.type_rules = types_;
    }
    Verdict verdict = obey(command);
    if (std::holds_alternative<Configure>(command)) {
      known_ = true;
      queues_ = parts_.disk.queue_rules;
      types_ = parts_.disk.type_rules;
    }
    return verdict;
  }

 private:
  bool known_ = false;
  std::map<MemoryDisk::Scoped, QueueRule> queues_;
  std::map<MemoryDisk::Scoped, TypeRule> types_;
};

// Answers an enqueue from memory if its key was bound before the disk was restored.
class KeyOutlivesTheDisk final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Enqueue* said = std::get_if<Enqueue>(&command);
    if (said == nullptr) return obey(command);
    if (said->jobs.size() == 1 && !said->jobs.front().idempotency_key.empty()) {
      const auto key = key_of(*said, said->jobs.front());
      const auto known = bound_.find(key);
      if (known != bound_.end() && !parts_.disk.idempotency_keys.contains(key)) {
        return Enqueued{.jobs = {{.id = known->second, .fresh = false}}};
      }
    }
    Verdict verdict = obey(command);
    if (const Enqueued* done = std::get_if<Enqueued>(&verdict)) remember(*said, *done);
    return verdict;
  }

 private:
  static MemoryDisk::IdempotencyKey key_of(const Enqueue& said, const NewJob& job) {
    return memory::idempotency_key(said.ns, job.type, job.idempotency_key);
  }
  void remember(const Enqueue& said, const Enqueued& done) {
    for (std::size_t i = 0; i < said.jobs.size(); ++i) {
      if (said.jobs[i].idempotency_key.empty()) continue;
      bound_[key_of(said, said.jobs[i])] = done.jobs[i].id;
    }
  }
  std::map<MemoryDisk::IdempotencyKey, JobId> bound_;
};

}  // namespace

std::span<const Mutant> set_back_mutants() {
  static const std::vector<Mutant> all = {
      {"configuration outlives a set-back", "S27", maker_of<ConfigurationOutlivesTheDisk>()},
      {"idempotency key outlives a set-back", "S4", maker_of<KeyOutlivesTheDisk>()},
  };
  return all;
}

}  // namespace longshore::checker
