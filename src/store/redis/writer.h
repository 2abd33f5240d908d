// Commits: commands go into units of work by their namespace, and a unit that met another is judged
// again. Safe to share between threads.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/store.h"
#include "store/redis/transaction.h"

namespace longshore::redis {

class Writer {
 public:
  // Both must outlive it. `hint` is told of queues that became worth a claim.
  Writer(const Surroundings& around, std::function<void(std::set<std::string>)> hint)
      : around_(around),
        hint_(std::move(hint)),
        step_written_(around.time.stepped_at().value_or(Instant())) {}

  Result<Committed> commit(std::span<const Command> commands);

  // The latest time that was told to anybody.
  Instant highest() const { return around_.time.at(around_.steady()); }

 private:
  // Commands of one namespace, in order. Empty name: what belongs to none.
  struct Group {
    std::string ns;
    std::vector<const Command*> commands;
    std::vector<std::size_t> places;  // of their verdicts
  };
  using Prepare = std::function<void(RedisTransaction&)>;
  struct Executed {
    std::vector<Verdict> verdicts;
    std::vector<JobEvent> events;
    Instant at;
    // Commands of the group: claims that got nothing, and may get something if they look again.
    std::vector<std::size_t> cut = {};
  };

  // Namespaces are independent: the error of a group is that of its commands alone.
  void commit_groups(std::vector<Group>& groups, Committed& committed);
  Result<Executed> commit_group(const Group& group, const Prepare& prepare);
  Result<Executed> commit_once(const Group& group, const Prepare& prepare);
  Result<Nothing> look_further(const Group& group, Executed& judged);
  Result<std::optional<Executed>> attempt(const Group& group, const Prepare& prepare, bool first);
  void note_up();
  void note_step();
  void learn_step();
  std::optional<Refusal> refuse(const Command& command);
  std::int64_t brought(const Command& command, std::int64_t looks);
  Mutex& claims_of(const std::string& ns);

  // sweeps.cpp: commands that go through all namespaces.
  Result<Verdict> run_wide(const Command& command, Committed& committed);
  Result<Verdict> sweep(const Command& command, std::int64_t limit, Committed& committed);
  Result<Verdict> prune(const Prune& prune, Committed& committed);
  Result<Verdict> start(const StartNode& start, Committed& committed);
  Result<Verdict> configure(const Configure& configure, Committed& committed);
  Result<Nothing> spread_rules();
  Result<std::vector<std::string>> namespaces();
  bool list_again(const std::string& ns);
  Result<Instant> time_now(const std::vector<std::string>& names);
  Result<std::optional<Instant>> last_up(const std::vector<std::string>& names);
  struct Round;
  Result<Round> begin_round();
  void survey_sweep(const Sweep& sweep, Round& round);
  void survey_prune(const Prune& prune, Round& round);
  // What the namespaces of a wide command answered, and which did not.
  struct Sum {
    Swept swept;
    std::int64_t answered = 0;
    std::optional<Error> error;  // of the first that did not
  };
  Sum one_by_one(const Command& command, const std::vector<std::string>& names,
                 const std::function<void(const std::string&, RedisTransaction&)>& prepare,
                 Committed& committed);
  static Result<Verdict> end_round(const Round& round, std::int64_t visited, Sum sum);
  // The next few namespaces of a walk through all of them.
  enum class Walk { sweep, prune };
  std::set<std::string> next_turn(Walk walk, const std::vector<std::string>& names);

  // scatter.cpp: commands about several namespaces.
  Result<Verdict> scatter(const Command& command, Committed& committed);
  void add_owed(std::map<std::string, Command>& parts);
  void owe(const Command& part);

  const Surroundings& around_;
  const std::function<void(std::set<std::string>)> hint_;
  std::atomic<Instant> step_written_;  // the last step forward that is in the database
  std::atomic<Instant> noted_up_;
  // The configuration that every namespace has, but for those that could not be reached.
  std::atomic<std::int64_t> spread_ = -1;
  Mutex mutex_;
  // What new jobs will take, since the last look at Redis's memory and in the time before it.
  std::int64_t looks_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t brought_now_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::int64_t brought_before_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::set<std::string> unspread_ LONGSHORE_GUARDED_BY(mutex_);
  std::map<Walk, std::string> walked_ LONGSHORE_GUARDED_BY(mutex_);  // whose turn was last
  // Minutes of namespaces that could not be reached, to be recorded with the next ones.
  using MinuteRows = std::map<std::pair<Instant, std::string>, MinuteRow>;  // by minute_field()
  std::map<std::string, MinuteRows> owed_ LONGSHORE_GUARDED_BY(mutex_);
  // Claims of one namespace look at the same heads of lists: one at a time, in this process.
  std::map<std::string, std::unique_ptr<Mutex>> claims_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
