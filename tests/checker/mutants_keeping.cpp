// Mutants of durability, namespaces and limits.
#include <map>
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "store/memory/tables.h"

namespace longshore::checker {
namespace {

// Loses commits that were acknowledged just before a crash.
class AcknowledgedBeforeCommit final : public MutantStore {
 public:
  using MutantStore::MutantStore;
  void crash() override {
    for (const auto& [id, at] : std::exchange(young_, {})) {
      if (at + Duration::millis(500) > now() && find(id) != nullptr) {
        memory::remove(parts_.disk, id, parts_.rules);
      }
    }
  }

 protected:
  Verdict judge(const Command& command) override {
    if (const Enqueue* enqueue = std::get_if<Enqueue>(&command)) {
      for (const NewJob& job : enqueue->jobs) young_.emplace_back(job.id, now());
    }
    return obey(command);
  }

 private:
  std::vector<std::pair<JobId, Instant>> young_;
};

// Checks the key and inserts later, so that two concurrent enqueues both succeed.
class LookThenInsert final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Enqueue* enqueue = std::get_if<Enqueue>(&command);
    if (enqueue == nullptr) return obey(command);
    Enqueue raced = *enqueue;
    for (NewJob& job : raced.jobs) {
      if (job.idempotency_key.empty()) continue;
      const auto [seen, is_new] = bound_.try_emplace(enqueue->ns + job.idempotency_key, now());
      if (!is_new && now() < seen->second + Duration::seconds(2)) job.idempotency_key.clear();
    }
    return obey(raced);
  }

 private:
  std::map<std::string, Instant> bound_;
};

class PayloadAltered final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const Enqueued* enqueued = std::get_if<Enqueued>(&verdict);
    if (enqueued == nullptr || !parts_.random.chance(0.05)) return verdict;
    const auto stored = parts_.disk.jobs.find(enqueued->jobs.front().id);
    if (stored != parts_.disk.jobs.end()) stored->second.record.body.payload += " ";
    return verdict;
  }
};

class HalfABatch final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Enqueue* enqueue = std::get_if<Enqueue>(&command);
    if (enqueue == nullptr || enqueue->jobs.size() < 2) return obey(command);
    Enqueue half = *enqueue;
    half.jobs.resize(half.jobs.size() / 2);
    Verdict verdict = obey(half);
    if (Enqueued* answered = std::get_if<Enqueued>(&verdict)) {
      for (std::size_t i = half.jobs.size(); i < enqueue->jobs.size(); ++i) {
        answered->jobs.push_back({.id = enqueue->jobs[i].id});
      }
    }
    return verdict;
  }
};

class JobKeyNotUnique final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (const Enqueue* enqueue = std::get_if<Enqueue>(&command)) {
      for (const NewJob& job : enqueue->jobs) {
        parts_.disk.live_keys.erase({enqueue->ns, job.type, job.job_key});
      }
    }
    return obey(command);
  }
};

class OtherNamespaceAnswers final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Cancel* cancel = std::get_if<Cancel>(&command);
    const Job* job = cancel != nullptr ? find(cancel->job) : nullptr;
    if (job == nullptr) return obey(command);
    Cancel anywhere = *cancel;
    anywhere.ns = job->ns;
    return obey(anywhere);
  }
};

// Hides something while a claim is executed.
template <auto member>
class ClaimBlindTo final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Claim>(command)) return obey(command);
    auto aside = std::exchange(parts_.disk.*member, {});
    Verdict verdict = obey(command);
    parts_.disk.*member = std::move(aside);
    return verdict;
  }
};

class NotAudited final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const std::size_t before = parts_.disk.audit_trail.size();
    Verdict verdict = obey(command);
    const bool wrote = parts_.disk.audit_trail.size() > before;
    if (wrote && std::holds_alternative<Redrive>(command)) parts_.disk.audit_trail.pop_back();
    return verdict;
  }
};

class PrunesTheDead final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    if (!std::holds_alternative<Prune>(command)) return verdict;
    std::vector<JobId> old;
    for (const auto& [id, stored] : parts_.disk.jobs) {
      const Job& job = stored.record.job;
      if (job.state == State::dead && job.updated_at + Duration::seconds(20) < now())
        old.push_back(id);
    }
    for (const JobId& id : old) memory::remove(parts_.disk, id, parts_.rules);
    return verdict;
  }
};

class DeadNotListed final : public MutantStore {
 public:
  using MutantStore::MutantStore;
  bool hides(const Job& job) const override { return job.crashes > *parts_.rules.max_crashes; }
};

}  // namespace

std::span<const Mutant> keeping_mutants() {
  static const std::vector<Mutant> all = {
      {"acknowledged before commit", "S1", maker_of<AcknowledgedBeforeCommit>()},
      {"idempotency: look, then insert", "S4", maker_of<LookThenInsert>()},
      {"payload altered", "S3", maker_of<PayloadAltered>()},
      {"batch half stored", "S22", maker_of<HalfABatch>()},
      {"job key not unique", "S5", maker_of<JobKeyNotUnique>()},
      {"another namespace's job answered", "S21", maker_of<OtherNamespaceAnswers>()},
      {"limits of queues ignored", "S23", maker_of<ClaimBlindTo<&MemoryDisk::queue_rules>>()},
      {"limits of types ignored", "S23", maker_of<ClaimBlindTo<&MemoryDisk::type_rules>>()},
      {"paused queue hands out", "S23", maker_of<ClaimBlindTo<&MemoryDisk::pauses>>()},
      {"operator not audited", "S25", maker_of<NotAudited>()},
      {"dead pruned", "S26", maker_of<PrunesTheDead>()},
      {"dead of poison not listed", "S18", maker_of<DeadNotListed>()},
  };
  return all;
}

}  // namespace longshore::checker
