// A catalog that forwards everything, and lets a test act between two reads of a job.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "longshore/catalog.h"

namespace longshore {

// Safe to share between threads if the inner one is.
class HookedCatalog final : public Catalog {
 public:
  // `inner` must outlive it.
  explicit HookedCatalog(Catalog& inner) : inner_(inner) {}

  // Runs once, after the next glance has read and before it returns.
  void after_next_glance(std::function<void()> hook) {
    const std::lock_guard lock(mutex_);
    hook_ = std::move(hook);
  }

  Result<Job> glance(const std::string& ns, const JobId& id) override {
    Result<Job> job = inner_.glance(ns, id);
    if (const auto hook = take_hook()) hook();
    return job;
  }

  Result<Instant> now() override { return inner_.now(); }
  Result<JobRecord> get(const std::string& ns, const JobId& id) override {
    return inner_.get(ns, id);
  }
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override {
    return inner_.find_by_key(ns, type, key);
  }
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override {
    return inner_.find_idempotency_key(ns, key);
  }
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override {
    return inner_.versions(ns, ids);
  }
  Result<ListPage> list(const ListQuery& query) override { return inner_.list(query); }
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    return inner_.logs(ns, id);
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    return inner_.ahead(ns, id, most);
  }
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override {
    return inner_.queues(ns, from, limit);
  }
  Result<std::vector<WorkerView>> workers(const std::string& ns) override {
    return inner_.workers(ns);
  }
  Result<std::vector<NodeView>> nodes() override { return inner_.nodes(); }
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override {
    return inner_.minutes(ns, since);
  }
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override {
    return inner_.error_groups(ns);
  }
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override {
    return inner_.jobs_of_groups(groups, most);
  }
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override {
    return inner_.audit_trail(ns, limit, before);
  }
  Result<std::vector<TokenRecord>> tokens() override { return inner_.tokens(); }
  Result<Configure> configuration() override { return inner_.configuration(); }
  Result<StoredRules> stored_rules() override { return inner_.stored_rules(); }
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override {
    return inner_.each(visit);
  }
  Result<Audit> audit(const AuditWatch& watch) override { return inner_.audit(watch); }

 private:
  std::function<void()> take_hook() {
    const std::lock_guard lock(mutex_);
    return std::exchange(hook_, nullptr);
  }

  Catalog& inner_;
  std::mutex mutex_;
  std::function<void()> hook_;
};

// A backend whose catalog has a hook.
class HookedBackend final : public Backend {
 public:
  explicit HookedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}

  Store& store() override { return inner_->store(); }
  HookedCatalog& catalog() override { return catalog_; }
  Wakeups& wakeups() override { return inner_->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return inner_->rules(); }

 private:
  const std::unique_ptr<Backend> inner_;
  HookedCatalog catalog_{inner_->catalog()};
};

}  // namespace longshore
