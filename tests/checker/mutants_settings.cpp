// What can go wrong with what operators set, and with what is set in one namespace alone.
#include <set>
#include <utility>
#include <vector>

#include "checker/mutant.h"

namespace longshore::checker {
namespace {

class PauseLostOnReconfigure final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (std::holds_alternative<Configure>(command)) parts_.disk.pauses.clear();
    return obey(command);
  }
};

// Keeps using the first configuration of a queue or type.
template <class Keep>
class FirstConfigurationCounts final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    if (!std::holds_alternative<Configure>(command)) return verdict;
    keep(parts_.disk.queue_rules, queues_);
    keep(parts_.disk.type_rules, types_);
    return verdict;
  }

 private:
  template <class Rules>
  void keep(Rules& now, Rules& first) {
    if (first.empty()) first = now;
    for (auto& [name, rule] : now) {
      const auto known = first.find(name);
      if (known != first.end()) Keep::from(known->second, rule);
    }
  }

  std::map<MemoryDisk::Scoped, QueueRule> queues_;
  std::map<MemoryDisk::Scoped, TypeRule> types_;
};

struct KeepLimit {
  static void from(const auto& first, auto& now) { now.max_running = first.max_running; }
};
struct KeepRetention {
  static void from(const auto& first, auto& now) {
    now.keep_success = first.keep_success;
    now.keep_canceled = first.keep_canceled;
  }
};

// Resumes queues of the same name in all namespaces.
class ResumesEveryNamespace final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const PauseQueue* pause = std::get_if<PauseQueue>(&command);
    if (pause != nullptr && !pause->paused) {
      std::erase_if(parts_.disk.pauses, [&](const MemoryDisk::Scoped& queue) {
        return queue.name == pause->queue && queue.ns != pause->ns;
      });
    }
    return obey(command);
  }
};

class LimitsOfOneNamespace final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Claim* claim = std::get_if<Claim>(&command);
    if (claim == nullptr || claim->ns == "main") return obey(command);
    auto queues = std::exchange(parts_.disk.queue_rules, {});
    auto types = std::exchange(parts_.disk.type_rules, {});
    Verdict verdict = obey(command);
    parts_.disk.queue_rules = std::move(queues);
    parts_.disk.type_rules = std::move(types);
    return verdict;
  }
};

class RedrivenIntoItsOldQueue final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Redrive* said = std::get_if<Redrive>(&command);
    if (said == nullptr) return obey(command);
    Redrive deaf = *said;
    deaf.queue.reset();
    return obey(deaf);
  }
};

class RevokedTokenStaysGood final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (const PutToken* put = std::get_if<PutToken>(&command)) seen_.insert(put->token.id);
    const TouchToken* touch = std::get_if<TouchToken>(&command);
    if (touch != nullptr && seen_.contains(touch->id)) {
      obey(command);
      return Done{};
    }
    return obey(command);
  }

 private:
  std::set<std::string> seen_;
};

class TokenRevokedFromElsewhere final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const RevokeToken* said = std::get_if<RevokeToken>(&command);
    if (said == nullptr) return obey(command);
    const auto token = parts_.disk.tokens.find(said->id);
    if (token == parts_.disk.tokens.end()) return obey(command);
    RevokeToken anywhere = *said;
    anywhere.ns = token->second.ns;
    return obey(anywhere);
  }
};

class OlderRevisionTaken final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const SetRules* said = std::get_if<SetRules>(&command);
    if (said == nullptr) return obey(command);
    SetRules deaf = *said;
    deaf.revision.reset();
    return obey(deaf);
  }
};

// Uses the real prune, so that keys outlive their jobs.
class PrunedAtHalfItsTime final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Prune>(command)) return obey(command);
    const Instant moment = now();
    for (auto& [id, stored] : parts_.disk.jobs) {
      Job& job = stored.record.job;
      if (!job.prune_after || !job.completed_at || *job.prune_after <= moment) continue;
      const Duration kept = *job.prune_after - *job.completed_at;
      if (moment < *job.completed_at + Duration::millis(kept.count() / 2)) continue;
      parts_.disk.prunable.erase({*job.prune_after, id});
      job.prune_after = moment;
      parts_.disk.prunable.insert({moment, id});
    }
    return obey(command);
  }
};

// A node that starts takes back what its worker in the first namespace held, and no more.
class OwnJobsElsewhereForgotten final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const StartNode* start = std::get_if<StartNode>(&command);
    if (start == nullptr) return obey(command);
    std::set<JobId> forgotten;
    for (auto& [id, stored] : parts_.disk.jobs) {
      Job& job = stored.record.job;
      if (job.node != start->node || job.ns == "main") continue;
      job.node.reset();
      forgotten.insert(id);
    }
    Verdict verdict = obey(command);
    for (const JobId& id : forgotten) parts_.disk.jobs.at(id).record.job.node = start->node;
    return verdict;
  }
};

}  // namespace

std::span<const Mutant> settings_mutants() {
  static const std::vector<Mutant> all = {
      {"pause lost on reconfigure", "S23", maker_of<PauseLostOnReconfigure>()},
      {"a changed limit does not count", "S23", maker_of<FirstConfigurationCounts<KeepLimit>>()},
      {"a changed retention does not count", "S26",
       maker_of<FirstConfigurationCounts<KeepRetention>>()},
      {"resumed in every namespace", "S23", maker_of<ResumesEveryNamespace>()},
      {"limits of one namespace alone", "S23", maker_of<LimitsOfOneNamespace>()},
      {"redriven into its old queue", "S3", maker_of<RedrivenIntoItsOldQueue>()},
      {"a revoked token stays good", "S27", maker_of<RevokedTokenStaysGood>()},
      {"a token revoked from elsewhere", "S21", maker_of<TokenRevokedFromElsewhere>()},
      {"an older revision is taken", "S27", maker_of<OlderRevisionTaken>()},
      {"pruned at half its time", "S26", maker_of<PrunedAtHalfItsTime>()},
  };
  return all;
}

std::span<const Mutant> cluster_mutants() {
  static const std::vector<Mutant> all = {
      {"own jobs elsewhere not taken back", "Q2", maker_of<OwnJobsElsewhereForgotten>()},
  };
  return all;
}

}  // namespace longshore::checker
