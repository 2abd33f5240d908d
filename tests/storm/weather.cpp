#include "storm/weather.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "core/ids/random.h"
#include "longshore/store.h"
#include "storm/people.h"
#include "storm/world.h"

namespace longshore::storm {
namespace {

std::vector<std::jthread> set_sail(World& world) {
  const StormOptions& options = world.options;
  SeededRandom seeds(options.seed);
  std::vector<std::jthread> threads;
  const auto sail = [&](StormNode& node, const std::string& name, auto work) {
    threads.emplace_back([&world, &node, name, work, seed = seeds.next()] {
      Client client(world, node, name, seed);
      work(client);
    });
  };
  const auto sail_until_told = [&](StormNode& node, const std::string& name, auto work) {
    world.producers += 1;
    sail(node, name, [work](Client& client) {
      work(client);
      client.world.producers -= 1;
    });
  };
  for (std::size_t n = 0; n < world.nodes.size(); ++n) {
    StormNode& node = *world.nodes[n];
    for (int i = 0; i < options.producers; ++i) {
      sail_until_told(node, fmt::format("producer{}.{}", i, n), produce);
    }
    for (int i = 0; i < options.workers; ++i) {
      // In a wide storm every other one works in the node's own process.
      const bool inside = options.wide && i % 2 == 1;
      sail(node, fmt::format("worker{}.{}", i, n),
           [inside](Client& client) { consume(client, inside); });
    }
    if (options.wide && n == 0) sail_until_told(node, "steward", oversee);
    sail(node, fmt::format("node{}", n), sweep);
  }
  return threads;
}

std::int64_t count_unended(const StormOptions& options, Catalog& catalog) {
  std::int64_t count = 0;
  for (const std::string& ns : namespaces(options)) {
    const auto queues = catalog.queues(ns);
    if (!queues) return -1;
    for (const QueueView& queue : *queues) {
      for (const auto& [state, depth] : queue.depth) count += is_terminal(state) ? 0 : depth;
    }
  }
  return count;
}

// What is done to the store takes time, and calls go on meanwhile.
void strike(World& world, int number) {
  const StormOptions& options = world.options;
  const bool goes_back = options.copy && options.set_back;
  if (goes_back && number % 3 == 0) {
    world.history.mark("copying");
    options.copy();
    world.history.mark("copied");
  } else if (goes_back && number % 3 == 2) {
    world.history.mark("setting back");
    options.set_back();
    world.history.nemesis("set back", "server");
    world.forget_seen();
  } else {
    world.history.nemesis("blow", "server");
    options.blow();
  }
}

// Blow after blow, each after some more answers. False if the answers stopped.
bool rage(World& world, Storm& storm) {
  const StormOptions& options = world.options;
  SeededRandom random(options.seed + 1);
  for (int i = 0; i < options.blows; ++i) {
    const auto calm = static_cast<std::int64_t>(30 + random.below(100));
    if (!world.progress.wait_for_more(calm)) return false;
    strike(world, i);
    const Instant over = world.clock.now();
    if (!world.progress.wait_for_more(1)) return false;
    storm.longest_outage = std::max(storm.longest_outage, world.clock.now() - over);
    if (options.wide) restart_node(world, *world.nodes[random.below(world.nodes.size())]);
  }
  return true;
}

// The producers go on until something was worked on, and in a wide storm until everything was seen
// that it is for; the workers until nothing is left to do, also of what a producer was still saying
// when it was told to stop.
void drain(World& world, Storm& storm) {
  storm.unended = -1;  // not known
  StormNode& first = *world.nodes.front();
  for (int round = 0; round < world.options.rounds; ++round) {
    if (!world.progress.wait_for_more(20)) break;
    const bool seen = world.leased > 0 && (!world.options.wide || world.has_seen_all());
    if (seen) world.producing = false;
    // A node is started again until somebody's job was taken back.
    if (world.producing && world.options.wide && round % 20 == 19) restart_node(world, first);
    if (world.producing || world.producers > 0) continue;
    storm.unended = count_unended(world.options, first.catalog());
    if (storm.unended == 0) return;
  }
}

std::string first_unended(const checker::History& history) {
  for (const checker::JobDump& dump : history.jobs) {
    if (is_terminal(dump.job.state)) continue;
    return fmt::format("{} of {}/{} is still {}", to_text(dump.job.id), dump.job.ns, dump.job.queue,
                       to_text(dump.job.state));
  }
  return "nobody knows which";
}

Result<Nothing> open_nodes(World& world) {
  for (int i = 0; i < world.options.nodes; ++i) {
    auto opened = world.options.open();
    if (!opened) return opened.error();
    world.nodes.push_back(
        std::make_unique<StormNode>(static_cast<std::size_t>(i), std::move(*opened)));
  }
  return Nothing{};
}

void configure(World& world) {
  SeededRandom random(world.options.seed + 2);
  Client client(world, *world.nodes.front(), "world", world.options.seed + 3);
  client.send(some_limits(world.options, random));
}

}  // namespace

std::vector<std::string> required_of(const StormOptions& options) {
  if (!options.wide) return {"acked", "grants"};
  std::vector<std::string> words = {
      "acked",   "grants",          "replaced", "handed off",
      "expired", "finished by key", "redriven", "taken back at restart"};
  if (options.keep <= soon_forgotten) words.push_back("pruned");
  if (options.set_back) words.push_back("undone");
  return words;
}

Storm weather(const StormOptions& options) {
  Storm storm;
  World world(options);
  if (const auto opened = open_nodes(world); !opened) return {.problem = opened.error().message};
  if (options.wide) configure(world);
  {
    const std::vector<std::jthread> threads = set_sail(world);
    const bool answered = rage(world, storm);
    if (answered) {
      drain(world, storm);
    } else {
      storm.problem = "nobody was answered any more: " + world.trouble();
    }
    world.producing = false;
    world.working = false;
  }
  storm.acknowledged = world.progress.count();
  storm.unanswered = world.unanswered;
  Catalog& catalog = world.nodes.front()->catalog();
  const auto dumped = checker::dump_store(catalog, world.history);
  if (!dumped && storm.problem.empty()) storm.problem = dumped.error().message;
  const auto audit = catalog.audit();
  if (audit && !audit->sound()) storm.problem = "unsound: " + audit->findings[0].what;
  const checker::History history = world.history.take();
  storm.jobs = std::ssize(history.jobs);
  if (storm.unended > 0 && storm.problem.empty()) storm.problem = first_unended(history);
  checker::Options judging;
  judging.required = required_of(options);
  judging.exact_times = options.one_lane;
  storm.judgement = checker::judge(history, judging);
  return storm;
}

std::string to_text(const Storm& storm, const std::string& blows) {
  return fmt::format(
      "storm: {}: {} jobs, {} requests acknowledged, {} unanswered, longest outage {} ms, {} not "
      "ended, {} violations{}{}\n",
      blows, storm.jobs, storm.acknowledged, storm.unanswered, storm.longest_outage.count(),
      storm.unended, storm.judgement.violation_count, storm.problem.empty() ? "" : "; ",
      storm.problem);
}

bool survived(const Storm& storm) {
  return storm.problem.empty() && storm.acknowledged > 0 && storm.unanswered > 0 &&
         storm.unended == 0 && storm.judgement.valid();
}

}  // namespace longshore::storm
