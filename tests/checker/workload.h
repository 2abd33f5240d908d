// A small world of producers, workers, an operator and somebody who does harm, over one memory
// store: one thread, one seed, the same history each time. Calls overlap: between the moment a
// client speaks and the moment it hears the answer, others act.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "checker/history_writer.h"
#include "checker/judge.h"
#include "checker/mutant.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "longshore/store.h"
#include "store/memory/disk.h"

namespace longshore::checker {

struct WorkloadOptions {
  std::uint64_t seed = 1;
  std::string profile = "native";
  int steps = 700;     // before everything heals
  bool faults = true;  // lost requests and replies, silent workers, restarts
  // Several commands in a commit, operators in three namespaces, configurations, rules and tokens
  // that change, retention that is reached, a disk that is set back. Without: as it was before
  // there was any of that, to show what it took to find something.
  bool wide = true;
};

class Workload {
 public:
  Workload(const WorkloadOptions& options, const MutantMaker& mutant);

  // Once. Everything has ended when it returns, if the store is any good.
  History run();
  // What to judge it by.
  Options judging() const;

 private:
  struct Get {
    std::string ns;
    JobId job;
  };
  using Said = std::variant<Command, Get>;

  // Something said that has not been answered yet.
  struct Flight {
    std::int64_t op = 0;
    Said said;
    std::optional<std::variant<Answer, Refusal>> answer;
    std::vector<Lease> leases;  // what a claim was given, until the answer arrives
    std::optional<Instant> at;  // of a refusal
  };
  struct Held {
    Lease lease;
    std::string ns;
    int beats = 0;
    std::optional<Command> last;  // what settled it, to be said again
  };
  enum class Role { producer, worker, steward, keeper };
  struct Person {
    std::string name;
    Role role = Role::producer;
    std::string ns;
    std::optional<NodeId> node;
    std::optional<Flight> flight;
    std::deque<Said> again;  // what to say again because the answer was lost
    std::vector<Held> held;
    Instant asleep_until;
  };
  struct Known {
    std::string ns;
    JobId id;
    std::string type;
    std::string key;
  };

  // workload.cpp
  void open();
  void configure();
  void step();
  void act(Person& person);
  void fly(Person& person);
  void arrive(Flight& flight);
  void land(Flight& flight, Verdict verdict, Instant at);
  void hear(Person& person, Flight flight);
  void tick();
  void harm();
  void restart(Duration outage);
  void heal();
  void quiet_round();
  void say(Person& person, Said said);
  Result<Committed> commit(const Command& command);
  bool all_ended() const;
  // Bad luck, which ends with the healing.
  bool unlucky(double probability) {
    return options_.faults && !healed_ && random_.chance(probability);
  }

  // workload_wide.cpp: what only wide workloads do
  void add_people();
  void arrive_together(Person& person);
  void bulk_cancel();
  void record(std::int64_t op, const Verdict& verdict, Instant at);
  void copy_disk();
  void set_back();
  std::vector<std::string> namespaces() const;
  Configure limits();
  std::optional<Said> keep(Person& person);
  Command set_rules(Person& person);
  Command use_token(Person& person);

  // workload_wishes.cpp: what each role wants to say next
  std::optional<Said> wish(Person& person);
  std::optional<Said> produce(Person& person);
  std::optional<Said> work(Person& person);
  std::optional<Said> oversee(Person& person);
  NewJob new_job(const std::string& ns);
  Command settle(Held& held);
  Command reply_by_key(const Known& known);
  Actor actor();
  const Known* any_known(const std::string& ns);
  Outcome outcome();

  const WorkloadOptions options_;
  Rules rules_;
  SeededRandom random_;
  ManualClock clock_;
  MemoryDisk disk_;
  JobIds ids_;
  const NodeId node_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<MutantStore> store_;
  HistoryWriter writer_;
  std::vector<Person> people_;
  std::vector<Known> known_;
  std::int64_t counter_ = 0;
  std::vector<std::pair<std::string, std::string>> tokens_;  // namespace and id
  std::int64_t revision_ = 0;
  std::optional<MemoryDisk> copy_;
  bool healed_ = false;
};

inline constexpr Duration workload_horizon = Duration::seconds(240);

}  // namespace longshore::checker
