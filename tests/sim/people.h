// Who lives in a simulated world: producers who enqueue, workers who take what there is and treat
// it well or badly, a steward who meddles, and somebody who does harm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/caller.h"
#include "sim/node.h"
#include "sim/world.h"

namespace longshore::sim {

// Everybody who is not part of a node.
void spawn_people(World& world);
// The workers that live and die with their node.
void spawn_inside_workers(World& world, Node& node);
// Who changes settings and makes tokens, and who looks at old jobs; in wide worlds.
void spawn_keepers(World& world);
void spawn_nemesis(World& world);

// A worker of its own, under a number; the process can be killed and spawned again.
void spawn_worker(World& world, int number);
Process worker_process(int number);
std::string worker_name(int number);

// What people talk about.
NewJob new_job(World& world, const std::string& ns);
Configure some_limits(World& world);
Actor actor(World& world);
Outcome outcome(World& world);
std::string payload(World& world);
// One of the newest jobs, mostly of this namespace; null if none comes to mind.
const Known* any_known(World& world, const std::string& ns);

inline constexpr const char* main_ns = "main";
inline constexpr const char* other_ns = "other";
inline constexpr const char* third_ns = "third";
std::vector<std::string> namespaces(const Setup& setup);

// Takes leases and ends them, one after the other.
class Worker {
 public:
  Worker(World& world, std::string name, std::string ns, Node* home);

  void live();

 private:
  struct Held {
    Lease lease;
    std::optional<Command> last;  // what settled it, to be said again
  };

  void look_for_work();
  void claim_again(const Claim& claim);
  void hold(const Leased& leased);
  void settle_together();
  Claim make_claim();
  void treat(std::size_t which);
  void beat(const Held& held);
  Command settlement(const Held& held);
  void drop(std::size_t which);

  World& world_;
  Caller caller_;
  const std::string ns_;
  const bool polls_;  // by the way of the API
  std::vector<Held> held_;
};

}  // namespace longshore::sim
