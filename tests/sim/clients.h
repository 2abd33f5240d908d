// The clients of a simulated run: producers, workers that succeed or fail, operators, and the
// nemesis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/caller.h"
#include "sim/node.h"
#include "sim/world.h"

namespace longshore::sim {

// All clients outside of nodes.
void spawn_clients(World& world);
// The workers inside a node, which crash with it.
void spawn_inside_workers(World& world, Node& node);
// Clients that change settings, create tokens and read old jobs; in wide setups.
void spawn_administrators(World& world);
void spawn_nemesis(World& world);

// A worker process; it can be killed and spawned again.
void spawn_worker(World& world, int number);
Process worker_process(int number);
std::string worker_name(int number);

// Random content of requests.
NewJob new_job(World& world, const std::string& ns);
Configure some_limits(World& world);
Actor actor(World& world);
Outcome outcome(World& world);
std::string payload(World& world);
// One of the newest jobs, mostly of this namespace; null if there is none.
const Known* any_known(World& world, const std::string& ns);

inline constexpr const char* main_ns = "main";
inline constexpr const char* other_ns = "other";
inline constexpr const char* third_ns = "third";
std::vector<std::string> namespaces(const Setup& setup);

// Claims jobs and settles them.
class Worker {
 public:
  Worker(World& world, std::string name, std::string ns, Node* home);

  void run();

 private:
  struct Held {
    Lease lease;
    std::optional<Command> last;  // the command that settled it, to be repeated
  };

  void claim_jobs();
  void claim_again(const Claim& claim);
  void hold(const Leased& leased);
  void settle_together();
  Claim make_claim();
  void work_on(std::size_t which);
  void beat(const Held& held);
  Command settlement(const Held& held);
  void drop(std::size_t which);

  World& world_;
  Caller caller_;
  const std::string ns_;
  const bool polls_;  // uses the API
  std::vector<Held> held_;
};

}  // namespace longshore::sim
