// Clients that change settings during the run: limits, retention, rules of the store, tokens. And
// one that reads old jobs.
#include "sim/clients.h"

namespace longshore::sim {
namespace {

constexpr Process keeper_process = 70;
constexpr Process reader_process = 71;

int some(World& world, int least, int most) {
  return least + static_cast<int>(world.random.below(static_cast<std::uint64_t>(most - least + 1)));
}

Command use_token(World& world) {
  const std::vector<std::string> all = namespaces(world.setup);
  const std::string ns = all[world.random.below(all.size())];
  if (world.tokens.empty() || world.chance(0.3)) {
    const std::string id = "t" + std::to_string(++world.serial);
    world.tokens.emplace_back(ns, id);
    return PutToken{.token = {.id = id, .ns = ns, .name = "n", .role = "worker"},
                    .actor = actor(world)};
  }
  const auto& [owner, id] = world.tokens[world.random.below(world.tokens.size())];
  if (world.chance(0.7)) return TouchToken{.id = id};
  return RevokeToken{.ns = world.chance(0.8) ? owner : ns, .id = id, .actor = actor(world)};
}

Command set_rules(World& world) {
  SetRules set{.ns = main_ns, .actor = actor(world)};
  set.rules["leaseSeconds"] = std::to_string(some(world, 2, 6));
  // Sometimes an outdated revision is applied.
  set.revision = world.chance(0.3) ? some(world, 0, 2) : ++world.revision;
  return set;
}

void keep_settings(World& world) {
  const Wide& wide = world.setup.wide;
  Caller caller(world, "keeper");
  while (!world.healing) {
    world.scheduler.let_pass(world.millis_between(0, 1'500));
    if (wide.tokens) caller.ask(use_token(world));
    if (wide.reconfigures && !world.healing && world.chance(0.4)) caller.ask(some_limits(world));
    if (wide.sets_rules && !world.healing && world.chance(0.3)) caller.ask(set_rules(world));
  }
}

// Also of those that are long over, which retention may have taken.
void look_back(World& world) {
  Caller caller(world, "reader");
  while (true) {
    world.scheduler.let_pass(world.millis_between(0, 1'500));
    if (world.known.empty()) continue;
    const Known known = world.known[world.random.below(world.known.size())];
    caller.read(known.ns, known.id);
  }
}

}  // namespace

// Retention is longer than any message can be in flight.
Configure some_limits(World& world) {
  Configure rules;
  for (const std::string& ns : namespaces(world.setup)) {
    rules.queues.push_back({.ns = ns, .queue = "narrow", .max_running = some(world, 1, 3)});
    rules.queues.push_back({.ns = ns,
                            .queue = "default",
                            .keep_success = Duration::seconds(some(world, 40, 60)),
                            .keep_canceled = Duration::seconds(some(world, 40, 60))});
    rules.types.push_back({.ns = ns, .type = "slow", .max_running = some(world, 1, 4)});
  }
  return rules;
}

void spawn_administrators(World& world) {
  world.scheduler.spawn("keeper", keeper_process, [&world] { keep_settings(world); });
  world.scheduler.spawn("reader", reader_process, [&world] { look_back(world); });
}

}  // namespace longshore::sim
