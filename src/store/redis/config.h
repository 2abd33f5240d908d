// Queue rules, type rules and pauses of one namespace. They change seldom and every claim asks
// them, so each node keeps a copy; a number in the namespace's meta says whether it is still good.
// Each change draws a new number from Redis's clock, so that none comes twice, not even after the
// database went back to an earlier state: a copy is good while its number is the stored one, and
// which of two is the later one nobody asks.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "core/time/server_time.h"
#include "longshore/command.h"
#include "store/redis/heads.h"

namespace longshore::redis {

struct Config {
  std::int64_t version = 0;  // -1: changed by a batch that is not written yet
  std::map<std::string, QueueRule> queues;
  std::map<std::string, TypeRule> types;
  std::set<std::string> pauses;  // queues
  std::string rules;             // as text

  const QueueRule* queue(const std::string& name) const;
  const TypeRule* type(const std::string& name) const;
  bool has_limits() const;
  // Whether the job's queue or its type may run only so many at once.
  bool is_limited(const Job& job) const;
};

// One rule a line.
std::string rules_lines(const Configure& rules);
// Of one namespace only.
Configure rules_of(const std::string& ns, const Configure& rules);
Configure parse_rules(std::string_view lines);
Config make_config(std::int64_t version, std::string_view rules, std::string_view pauses);

// What the batches of one open store share. Safe to share between threads.
class Copies {
 public:
  std::shared_ptr<const Config> config(const std::string& ns);
  void put(const std::string& ns, std::shared_ptr<const Config> config);
  // Whether another copy took the place of one since this was asked last.
  bool take_replaced() { return replaced_.exchange(false); }

  // Namespaces that are known to be listed in the store.
  bool knows(const std::string& ns);
  void add(const std::string& ns);
  void drop(const std::string& ns);
  std::vector<std::string> namespaces();
  std::size_t namespace_count();
  Heads& heads() { return heads_; }
  ServerTime& server_time() { return server_time_; }
  void set_namespaces(const std::vector<std::string>& all);

  // Where the next sweep of a namespace goes on looking, of several walks; empty: at the beginning.
  std::string looked(const std::string& ns, const std::string& walk);
  void look(const std::string& ns, const std::string& walk, std::string place);

 private:
  Heads heads_;
  ServerTime server_time_;
  std::atomic<bool> replaced_ = false;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Config>> configs_ LONGSHORE_GUARDED_BY(mutex_);
  std::set<std::string> namespaces_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<std::pair<std::string, std::string>, std::string> looked_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
