// The store's rules, queue rules, type rules and pauses. They change seldom and every claim asks
// them, so each node keeps a copy; a number in the store, which each change makes anew, says
// whether it is still good.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "core/policy/rules_record.h"
#include "core/sync/mutex.h"
#include "longshore/command.h"
#include "store/postgres/connection/connection.h"
#include "store/postgres/write/placement.h"

namespace longshore::postgres {

struct Config {
  std::int64_t version = 0;
  std::shared_ptr<const RulesRecord> rules;  // of the whole store; never null
  std::map<Scoped, QueueRule> queues;
  std::map<Scoped, TypeRule> types;
  std::set<Scoped> pauses;

  const QueueRule* queue(const std::string& ns, const std::string& name) const;
  const TypeRule* type(const std::string& ns, const std::string& name) const;
  bool is_paused(const std::string& ns, const std::string& queue_name) const {
    return !pauses.empty() && pauses.contains({ns, queue_name});
  }
  // Whether the job's queue or its type may run only so many at once.
  bool is_limited(const Job& job) const;
  // Whether any type of the namespace may run only so often at once.
  bool limits_types(const std::string& ns) const;
  bool limits_queue(const std::string& ns, const std::string& name) const;
  // Whether claims from the queue have to ask more than what is ready there.
  bool restrains(const std::string& ns, const std::string& name) const {
    return is_paused(ns, name) || limits_queue(ns, name) || limits_types(ns);
  }
};

// As of now. The connection says whether that worked. Rules that this version cannot read are as
// they were `before`.
Config load_config(Connection& connection, const std::shared_ptr<const RulesRecord>& before);
void write_rules(Connection& connection, const RulesRecord& record);
void replace_rules(Connection& connection, const Configure& configure);
void set_pause(Connection& connection, const Scoped& queue, bool paused);
// Makes whoever else changes the configuration wait; answers its version.
std::int64_t lock_config(Connection& connection);
// Gives it a version that it never had, so that every copy is stale; answers that version.
std::int64_t renew_config(Connection& connection);

// Shared by the connections of one store. It may be older than what one of them has seen, since
// every transaction compares it.
class ConfigCopy {
 public:
  explicit ConfigCopy(std::shared_ptr<const RulesRecord> rules)
      : config_(std::make_shared<const Config>(Config{.rules = std::move(rules)})) {}

  std::shared_ptr<const Config> get() const {
    MutexLock lock(mutex_);
    return config_;
  }
  void put(std::shared_ptr<const Config> config) {
    MutexLock lock(mutex_);
    config_ = std::move(config);
  }

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const Config> config_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
