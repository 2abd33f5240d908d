// Injects faults.
#include <vector>

#include "sim/clients.h"

namespace longshore::sim {
namespace {

constexpr Process nemesis_process = 0;

Node& any_node(World& world) { return *world.nodes[world.random.below(world.nodes.size())]; }
int any_worker(World& world) {
  return static_cast<int>(world.random.below(static_cast<std::uint64_t>(world.setup.workers)));
}

void crash_one(World& world, Node& node) {
  world.writer.nemesis("crash", node.name());
  const Duration outage = world.chance(0.5) ? Duration() : world.millis_between(0, 8'000);
  const bool power = world.chance(0.5);
  world.scheduler.outside([&node, outage, power] {
    node.crash(power);
    node.boot(outage);
  });
}

void crash_nodes(World& world) {
  if (world.chance(0.2)) {
    for (const auto& node : world.nodes) crash_one(world, *node);
  } else {
    crash_one(world, any_node(world));
  }
}

void stop_node(World& world) {
  Node& node = any_node(world);
  world.writer.nemesis("stop", node.name());
  const Duration grace = world.millis_between(0, 500);
  node.stop(grace);
}

void pause_node(World& world) {
  const Node& node = any_node(world);
  world.writer.nemesis("pause", node.name());
  world.scheduler.pause(node.process(), world.scheduler.now() + world.millis_between(100, 12'000));
}

void shift_node(World& world) {
  Node& node = any_node(world);
  world.writer.nemesis("clock", node.name());
  node.shift_clock(world.millis_between(-20'000, 20'000));
}

// A SQLite store writes its time down when something rests on it. Where it also restarts, an
// answer that changed nothing may have told a later time than it then begins with.
bool may_set_back(const Setup& setup) {
  const Harm& harm = setup.harm;
  const bool restarts = harm.crash_nodes || harm.stop_nodes || harm.break_disks;
  if (setup.wide.set_back) return false;
  return setup.host == HostKind::memory || !restarts;
}

void shift_store(World& world) {
  world.writer.nemesis("clock", "store");
  world.clock.shift(world.millis_between(may_set_back(world.setup) ? -3'000 : 0, 3'000));
}

void kill_worker(World& world) {
  const int number = any_worker(world);
  world.writer.nemesis("kill", worker_name(number));
  // It restarts with the same name and no memory.
  world.scheduler.outside([&world, number] {
    world.scheduler.kill(worker_process(number));
    spawn_worker(world, number);
  });
}

void pause_worker(World& world) {
  const int number = any_worker(world);
  world.writer.nemesis("pause", worker_name(number));
  world.scheduler.pause(worker_process(number),
                        world.scheduler.now() + world.millis_between(500, 15'000));
}

void break_disk(World& world) {
  world.writer.nemesis("disk", "store");
  world.host->break_something(world.random);
}

void copy_store(World& world) {
  if (!world.host->is_open() || world.host->is_broken()) return;
  world.host->copy();
  world.starts_copied = world.starts.size();
  world.copied = true;
  world.writer.mark("copied");
}

// Clients continue without noticing; a store inside its node crashes the node too.
void set_back_store(World& world) {
  if (!world.copied) return;
  world.scheduler.outside([&world] {
    const bool alone = world.host->dies_with_its_node();
    for (const auto& node : world.nodes) {
      if (alone) node->crash(false);
    }
    world.writer.nemesis("set back", "store");
    world.note("nemesis", "sets back");
    world.host->set_back();
    world.starts.resize(world.starts_copied);
    for (const auto& node : world.nodes) {
      if (alone) node->boot(Duration::millis(100));
    }
  });
}

void copy_or_set_back(World& world) {
  !world.copied || world.chance(0.4) ? copy_store(world) : set_back_store(world);
}

}  // namespace

void spawn_nemesis(World& world) {
  using Action = void (*)(World&);
  const Harm& harm = world.setup.harm;
  std::vector<Action> actions;
  if (harm.crash_nodes) actions.push_back(crash_nodes);
  if (harm.stop_nodes) actions.push_back(stop_node);
  if (harm.pause_nodes) actions.push_back(pause_node);
  if (harm.shift_nodes) actions.push_back(shift_node);
  if (harm.shift_store) actions.push_back(shift_store);
  if (harm.kill_workers) actions.push_back(kill_worker);
  if (harm.pause_workers) actions.push_back(pause_worker);
  if (harm.break_disks && world.setup.host == HostKind::sqlite) actions.push_back(break_disk);
  // Needs at least two nodes.
  if (world.setup.wide.set_back) actions.insert(actions.end(), 3, copy_or_set_back);
  if (actions.empty()) return;
  world.scheduler.spawn("nemesis", nemesis_process, [&world, actions] {
    while (!world.healing) {
      world.scheduler.let_pass(world.millis_between(0, 2 * world.setup.harm.every.count()));
      if (world.healing) break;
      world.note("nemesis", "acts");
      actions[world.random.below(actions.size())](world);
    }
  });
}

}  // namespace longshore::sim
