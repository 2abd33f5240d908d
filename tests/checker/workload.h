// A random workload of producers, workers, an operator and a nemesis over one memory store, on one
// thread. A seed always gives the same history. Calls overlap: other clients act between a client's
// request and its answer.
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
  int steps = 700;     // before the faults stop
  bool faults = true;  // lost requests and replies, silent workers, restarts
  // Several commands in a commit, operators in three namespaces, configurations, rules and tokens
  // that change, retention that ends, a disk that is restored from a copy. Without: the original
  // workload, to show which mutants it does not find.
  bool wide = true;
};

class Workload {
 public:
  Workload(const WorkloadOptions& options, const MutantMaker& mutant);

  // Call once. With a correct store every job has ended when it returns.
  History run();
  // The options for judge().
  Options judging() const;

 private:
  struct Get {
    std::string ns;
    JobId job;
  };
  using Request = std::variant<Command, Get>;

  // A request without an answer yet.
  struct PendingCall {
    std::int64_t op = 0;
    Request request;
    std::optional<std::variant<Answer, Refusal>> answer;
    std::vector<Lease> leases;  // of a claim, until the answer arrives
    std::optional<Instant> at;  // of a refusal
  };
  struct Held {
    Lease lease;
    std::string ns;
    int beats = 0;
    std::optional<Command> last;  // the command that settled it, to be repeated
  };
  enum class Role { producer, worker, steward, keeper };
  struct Client {
    std::string name;
    Role role = Role::producer;
    std::string ns;
    std::optional<NodeId> node;
    std::optional<PendingCall> call;
    std::deque<Request> again;  // requests to repeat because the answer was lost
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
  void act(Client& client);
  void deliver(Client& client);
  void arrive(PendingCall& call);
  void land(PendingCall& call, Verdict verdict, Instant at);
  void receive(Client& client, PendingCall call);
  void tick();
  void harm();
  void restart(Duration outage);
  void heal();
  void quiet_round();
  void send(Client& client, Request request);
  Result<Committed> commit(const Command& command);
  bool all_ended() const;
  // True with this probability while faults are injected.
  bool unlucky(double probability) {
    return options_.faults && !healed_ && random_.chance(probability);
  }

  // workload_wide.cpp: only in wide workloads
  void add_people();
  void arrive_together(Client& client);
  void bulk_cancel();
  void record(std::int64_t op, const Verdict& verdict, Instant at);
  void copy_disk();
  void set_back();
  std::vector<std::string> namespaces() const;
  Configure limits();
  std::optional<Request> keep(Client& client);
  Command set_rules(Client& client);
  Command use_token(Client& client);

  // workload_commands.cpp: the next request of each role
  std::optional<Request> next_request(Client& client);
  std::optional<Request> produce(Client& client);
  std::optional<Request> work(Client& client);
  std::optional<Request> oversee(Client& client);
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
  std::vector<Client> clients_;
  std::vector<Known> known_;
  std::int64_t counter_ = 0;
  std::vector<std::pair<std::string, std::string>> tokens_;  // namespace and id
  std::int64_t revision_ = 0;
  std::optional<MemoryDisk> copy_;
  bool healed_ = false;
};

inline constexpr Duration workload_horizon = Duration::seconds(240);

}  // namespace longshore::checker
