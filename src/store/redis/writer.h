// Commits: commands go into units of work by their namespace, and a unit that met another is judged
// again. Safe to share between threads.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/mutex.h"
#include "longshore/store.h"
#include "store/redis/unit_of_work.h"

namespace longshore::redis {

class Writer {
 public:
  // Both must outlive it. `hint` is told of queues that became worth a claim.
  Writer(const Surroundings& around, Instant floor, std::function<void(std::set<std::string>)> hint)
      : around_(around), hint_(std::move(hint)), highest_(floor) {}

  Result<Committed> commit(std::span<const Command> commands);

  Instant highest() const { return highest_.load(); }
  // The store's time is at least this.
  void saw(Instant now);

 private:
  // Commands of one namespace, in order. Empty name: what belongs to none.
  struct Group {
    std::string ns;
    std::vector<const Command*> commands;
    std::vector<std::size_t> places;  // of their verdicts
  };
  using Prepare = std::function<void(UnitOfWork&)>;
  struct Judged {
    std::vector<Verdict> verdicts;
    std::vector<Happened> happened;
    Instant at;
    // Commands of the group: claims that got nothing, and may get something if they look again.
    std::vector<std::size_t> cut = {};
  };

  Result<Nothing> commit_groups(std::vector<Group>& groups, Committed& committed);
  Result<Judged> commit_group(const Group& group, const Prepare& prepare);
  Result<Judged> commit_once(const Group& group, const Prepare& prepare);
  Result<Nothing> look_further(const Group& group, Judged& judged);
  Result<std::optional<Judged>> attempt(const Group& group, const Prepare& prepare, bool first);
  void note_up();
  std::optional<Refusal> refuse(const Command& command);
  std::int64_t brought(const Command& command, std::int64_t looks);
  Mutex& claims_of(const std::string& ns);

  // sweeps.cpp: commands that go through all namespaces.
  Result<Verdict> run_wide(const Command& command, Committed& committed);
  Result<Verdict> sweep(const Command& command, std::int64_t limit, Committed& committed);
  Result<Verdict> prune(const Prune& prune, Committed& committed);
  Result<Verdict> start(const StartNode& start, Committed& committed);
  Result<Verdict> configure(const Configure& configure, Committed& committed);
  Result<Verdict> scatter(const Command& command, Committed& committed);
  Result<Nothing> spread_rules();
  Result<std::vector<std::string>> namespaces();
  bool list_again(const std::string& ns);
  Result<Instant> time_now();
  Result<std::optional<Instant>> last_up(const std::vector<std::string>& names);
  Result<Verdict> one_by_one(const Command& command, const std::vector<std::string>& names,
                             const std::function<void(const std::string&, UnitOfWork&)>& prepare,
                             Committed& committed);

  const Surroundings& around_;
  const std::function<void(std::set<std::string>)> hint_;
  std::atomic<Instant> highest_;
  std::atomic<Instant> noted_up_;
  std::atomic<std::int64_t> spread_ = -1;  // the configuration that every namespace has
  Mutex mutex_;
  // What new jobs will take, since the last look at Redis's memory and in the time before it.
  std::int64_t looks_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t brought_now_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t brought_before_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  // Claims of one namespace look at the same heads of lists: one at a time, in this process.
  std::map<std::string, std::unique_ptr<Mutex>> claims_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
