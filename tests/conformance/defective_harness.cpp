#include "conformance/defective_harness.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/sync/mutex.h"

namespace longshore::conformance {
namespace {

template <class Said>
concept ShowsToken = requires(Said said) {
  said.token.claim;
};

class DefectiveStore final : public Store {
 public:
  DefectiveStore(StoreHarness& inner, Defect defect, int& enqueues)
      : inner_(inner), defect_(defect), enqueues_(enqueues) {}

  Result<Committed> commit(std::span<const Command> commands) override {
    Committed all;
    const Visit visit(*this);
    for (Command command : commands) {
      auto committed = one(std::move(command));
      if (!committed) return committed.error();
      std::ranges::move(committed->verdicts, std::back_inserter(all.verdicts));
      std::ranges::move(committed->events, std::back_inserter(all.events));
      all.at = committed->at;
    }
    return all;
  }
  const Capabilities& capabilities() const override {
    return inner_.backend().store().capabilities();
  }

 private:
  // Counts concurrent calls, and gives others time to enter.
  class Visit {
   public:
    explicit Visit(DefectiveStore& store) : store_(store) {
      ++store_.inside_;
      const bool waits = store_.is(Defect::loses_one_of_two_that_meet) ||
                         store_.is(Defect::answers_by_the_latest_namespace);
      for (int i = 0; waits && i < 20; ++i) std::this_thread::yield();
    }
    ~Visit() { --store_.inside_; }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;

   private:
    DefectiveStore& store_;
  };

  Result<Committed> one(Command command) {
    if (auto answer = pretend(command)) return Committed{.verdicts = {*answer}};
    std::visit([&](auto& said) { spoil(said); }, command);
    auto committed = inner_.backend().store().commit({&command, 1});
    if (committed) twist(command, *committed);
    return committed;
  }

  // Answers without executing.
  std::optional<Verdict> pretend(const Command& command) {
    const auto* enqueue = std::get_if<Enqueue>(&command);
    if (is(Defect::loses_every_50th_enqueue) && enqueue != nullptr && ++enqueues_ % 50 == 0) {
      Enqueued answer;
      for (const NewJob& job : enqueue->jobs) answer.jobs.push_back({.id = job.id});
      return answer;
    }
    if (is(Defect::loses_one_of_two_that_meet) && enqueue != nullptr && inside_ > 1) {
      Enqueued answer;
      for (const NewJob& job : enqueue->jobs) answer.jobs.push_back({.id = job.id});
      return answer;
    }
    if (is(Defect::swallows_rules) && std::holds_alternative<SetRules>(command)) return Done{};
    const auto* cancel = std::get_if<Cancel>(&command);
    if (is(Defect::swallows_cancels) && cancel != nullptr) {
      if (inner_.backend().catalog().glance(cancel->ns, cancel->job)) {
        return Settled{.job = cancel->job, .status = Status::canceled};
      }
    }
    if (is(Defect::never_reaps) && std::holds_alternative<Reap>(command)) return Swept{};
    return std::nullopt;
  }

  // Executes another command.
  template <class Said>
  void spoil(Said& said) {
    if constexpr (ShowsToken<Said>) {
      const auto job = inner_.backend().catalog().glance(said.ns, said.job);
      if (is(Defect::trusts_stale_tokens) && job) said.token = {job->epoch, job->claim};
    } else if constexpr (std::is_same_v<Said, Claim>) {
      if (is(Defect::ignores_types)) said.types.reset();
      if (is(Defect::claims_fifty_at_most) && said.limit <= 100) {
        said.limit = std::min(said.limit, 50);
      }
      if (is(Defect::answers_by_the_latest_namespace)) said.ns = latest(said.ns);
      if (is(Defect::leases_too_long) && !said.lease) said.lease = Duration::seconds(31);
    } else if constexpr (std::is_same_v<Said, Enqueue>) {
      for (NewJob& job : said.jobs) spoil_job(said.ns, job);
      if (is(Defect::loses_the_end_of_a_large_group) && said.jobs.size() > 100) {
        said.jobs.resize(said.jobs.size() - 1);
      }
    } else if constexpr (std::is_same_v<Said, Cancel>) {
      if (is(Defect::forgets_who_canceled)) said.actor.reset();
    }
  }

  void spoil_job(const std::string& ns, NewJob& job) {
    if (is(Defect::grants_one_retry_too_many)) job.policy.max_retries += 1;
    if (is(Defect::ignores_run_at)) job.run_at.reset();
    if (!is(Defect::forgets_keys_of_existing_jobs) || job.on_conflict != OnConflict::existing) {
      return;
    }
    const auto holder = inner_.backend().catalog().find_by_key(ns, job.type, job.job_key);
    const auto known = inner_.backend().catalog().find_idempotency_key(ns, job.idempotency_key);
    if (holder && !known && !job.job_key.empty()) job.idempotency_key.clear();
  }

  // Gives a wrong answer.
  void twist(const Command& command, Committed& committed) {
    auto* leased = std::get_if<Leased>(&committed.verdicts.at(0));
    if (leased == nullptr) return;
    if (is(Defect::serves_the_last_first)) std::ranges::reverse(leased->leases);
    if (!is(Defect::answers_a_claim_twice)) return;
    const bool same_place = std::get<Claim>(command).ns == last_ns_;
    if (leased->leases.empty() && same_place) leased->leases = last_.leases;
    last_ = *leased;
    last_ns_ = std::get<Claim>(command).ns;
  }

  bool is(Defect defect) const { return defect_ == defect; }

  // Kept where every thread writes it.
  std::string latest(const std::string& ns) {
    {
      MutexLock lock(mutex_);
      latest_ = ns;
    }
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    MutexLock lock(mutex_);
    return latest_;
  }

  StoreHarness& inner_;
  const Defect defect_;
  int& enqueues_;
  Leased last_;
  std::string last_ns_;
  std::atomic<int> inside_ = 0;
  Mutex mutex_;
  std::string latest_ LONGSHORE_GUARDED_BY(mutex_);
};

class DefectiveHarness final : public StoreHarness, private Backend {
 public:
  DefectiveHarness(std::unique_ptr<StoreHarness> inner, Defect defect, int& enqueues)
      : StoreHarness(inner->rules), inner_(std::move(inner)), store_(*inner_, defect, enqueues) {}

  Backend& backend() override { return *this; }
  Capabilities promised() const override { return inner_->promised(); }
  void advance(Duration by) override { inner_->advance(by); }
  void step(Duration by) override { inner_->step(by); }
  Instant now() override { return inner_->now(); }
  Result<Nothing> reopen() override { return inner_->reopen(); }

 private:
  Store& store() override { return store_; }
  Catalog& catalog() override { return inner_->backend().catalog(); }
  Wakeups& wakeups() override { return inner_->backend().wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return inner_->backend().rules(); }

  std::unique_ptr<StoreHarness> inner_;
  DefectiveStore store_;
};

}  // namespace

const std::vector<NamedDefect>& defects() {
  static const std::vector<NamedDefect> all = {
      {Defect::trusts_stale_tokens, "trusts stale tokens"},
      {Defect::answers_a_claim_twice, "answers a claim twice"},
      {Defect::loses_every_50th_enqueue, "loses every 50th enqueue"},
      {Defect::serves_the_last_first, "serves the last first"},
      {Defect::ignores_types, "ignores types"},
      {Defect::forgets_keys_of_existing_jobs, "forgets keys of existing jobs"},
      {Defect::grants_one_retry_too_many, "grants one retry too many"},
      {Defect::swallows_cancels, "swallows cancels"},
      {Defect::leases_too_long, "leases a second too long"},
      {Defect::never_reaps, "never reaps"},
      {Defect::forgets_who_canceled, "forgets who canceled"},
  };
  return all;
}

const std::vector<NamedDefect>& wide_defects() {
  static const std::vector<NamedDefect> all = {
      {Defect::loses_the_end_of_a_large_group, "loses the end of a large group"},
      {Defect::claims_fifty_at_most, "claims fifty at most"},
      {Defect::ignores_run_at, "ignores run_at"},
      {Defect::swallows_rules, "swallows rules"},
  };
  return all;
}

const std::vector<NamedDefect>& thread_defects() {
  static const std::vector<NamedDefect> all = {
      {Defect::loses_one_of_two_that_meet, "loses one of two that meet"},
      {Defect::answers_by_the_latest_namespace, "answers by the latest namespace"},
  };
  return all;
}

std::unique_ptr<StoreHarness> open_defective(const std::string& store, const Rules& rules,
                                             Defect defect, int& enqueues) {
  return std::make_unique<DefectiveHarness>(open_store(store, rules), defect, enqueues);
}

}  // namespace longshore::conformance
