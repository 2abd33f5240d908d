// Queue rules, type rules and pauses. They change seldom and every claim asks them, so each node
// keeps a copy; a number in the store says whether it is still good.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "core/mutex.h"
#include "longshore/command.h"
#include "store/postgres/connection.h"
#include "store/postgres/standing.h"

namespace longshore::postgres {

struct Config {
  std::int64_t version = 0;
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
};

// As of now. The connection says whether that worked.
Config load_config(Connection& connection);
void replace_rules(Connection& connection, const Configure& configure);
void set_pause(Connection& connection, const Scoped& queue, bool paused);
// Makes whoever else changes the configuration wait; answers its version.
std::int64_t lock_config(Connection& connection);
// Makes every copy stale.
void raise_config(Connection& connection);

// Shared by the connections of one store.
class ConfigCopy {
 public:
  std::shared_ptr<const Config> get() {
    MutexLock lock(mutex_);
    return config_;
  }
  void put(std::shared_ptr<const Config> config) {
    MutexLock lock(mutex_);
    if (config->version > config_->version) config_ = std::move(config);
  }

 private:
  Mutex mutex_;
  std::shared_ptr<const Config> config_ LONGSHORE_GUARDED_BY(mutex_) =
      std::make_shared<const Config>();
};

}  // namespace longshore::postgres
