#include "storm/storm.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "core/ids/random.h"
#include "longshore/store.h"
#include "storm/clients.h"
#include "storm/storm_state.h"

namespace longshore::storm {
namespace {

std::vector<std::jthread> start_threads(StormState& state) {
  const StormOptions& options = state.options;
  SeededRandom seeds(options.seed);
  std::vector<std::jthread> threads;
  const auto start = [&](StormNode& node, const std::string& name, auto work) {
    threads.emplace_back([&state, &node, name, work, seed = seeds.next()] {
      Client client(state, node, name, seed);
      work(client);
    });
  };
  const auto start_producer = [&](StormNode& node, const std::string& name, auto work) {
    state.producers += 1;
    start(node, name, [work](Client& client) {
      work(client);
      client.state.producers -= 1;
    });
  };
  for (std::size_t n = 0; n < state.nodes.size(); ++n) {
    StormNode& node = *state.nodes[n];
    for (int i = 0; i < options.producers; ++i) {
      start_producer(node, fmt::format("producer{}.{}", i, n), produce);
    }
    for (int i = 0; i < options.workers; ++i) {
      // In a wide storm every other worker runs in the node's process.
      const bool inside = options.wide && i % 2 == 1;
      start(node, fmt::format("worker{}.{}", i, n),
            [inside](Client& client) { consume(client, inside); });
    }
    if (options.wide && n == 0) start_producer(node, "operator", operate);
    start(node, fmt::format("node{}", n), sweep);
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

// A fault takes time, and calls continue meanwhile.
void inject_fault(StormState& state, int number) {
  const StormOptions& options = state.options;
  const bool goes_back = options.copy && options.set_back;
  if (goes_back && number % 3 == 0) {
    state.history.mark("copying");
    options.copy();
    state.history.mark("copied");
  } else if (goes_back && number % 3 == 2) {
    state.history.mark("setting back");
    options.set_back();
    state.history.nemesis("set back", "server");
    state.clear_seen();
  } else {
    state.history.nemesis("fault", "server");
    options.inject_fault();
  }
}

// Injects the faults, each after some more answers. False if the answers stopped.
bool inject_faults(StormState& state, Storm& storm) {
  const StormOptions& options = state.options;
  SeededRandom random(options.seed + 1);
  for (int i = 0; i < options.faults; ++i) {
    const auto answers = static_cast<std::int64_t>(30 + random.below(100));
    if (!state.progress.wait_for_more(answers)) return false;
    inject_fault(state, i);
    const Instant over = state.clock.now();
    if (!state.progress.wait_for_more(1)) return false;
    storm.longest_outage = std::max(storm.longest_outage, state.clock.now() - over);
    if (options.wide) restart_node(state, *state.nodes[random.below(state.nodes.size())]);
  }
  return true;
}

// Producers continue until a job was claimed, and in a wide storm until everything required was
// seen; workers until no job is left, including the last requests of producers.
void drain(StormState& state, Storm& storm) {
  storm.unended = -1;  // unknown
  StormNode& first = *state.nodes.front();
  for (int round = 0; round < state.options.rounds; ++round) {
    if (!state.progress.wait_for_more(20)) break;
    const bool seen = state.leased > 0 && (!state.options.wide || state.saw_all());
    if (seen) state.producing = false;
    // Restart a node until a job was taken back.
    if (state.producing && state.options.wide && round % 20 == 19) restart_node(state, first);
    if (state.producing || state.producers > 0) continue;
    storm.unended = count_unended(state.options, first.catalog());
    if (storm.unended == 0) return;
  }
}

std::string first_unended(const checker::History& history) {
  for (const checker::JobDump& dump : history.jobs) {
    if (is_terminal(dump.job.state)) continue;
    return fmt::format("{} of {}/{} is still {}", to_text(dump.job.id), dump.job.ns, dump.job.queue,
                       to_text(dump.job.state));
  }
  return "unknown job";
}

Result<Nothing> open_nodes(StormState& state) {
  for (int i = 0; i < state.options.nodes; ++i) {
    auto opened = state.options.open();
    if (!opened) return opened.error();
    state.nodes.push_back(
        std::make_unique<StormNode>(static_cast<std::size_t>(i), std::move(*opened)));
  }
  return Nothing{};
}

void configure(StormState& state) {
  SeededRandom random(state.options.seed + 2);
  Client client(state, *state.nodes.front(), "setup", state.options.seed + 3);
  client.send(some_limits(state.options, random));
}

}  // namespace

std::vector<std::string> required_of(const StormOptions& options) {
  if (!options.wide) return {"acked", "grants"};
  std::vector<std::string> words = {
      "acked",   "grants",          "replaced", "handed off",
      "expired", "finished by key", "redriven", "taken back at restart"};
  if (options.keep <= short_retention) words.push_back("pruned");
  if (options.set_back) words.push_back("undone");
  return words;
}

Storm run_storm(const StormOptions& options) {
  Storm storm;
  StormState state(options);
  if (const auto opened = open_nodes(state); !opened) return {.problem = opened.error().message};
  if (options.wide) configure(state);
  {
    const std::vector<std::jthread> threads = start_threads(state);
    const bool answered = inject_faults(state, storm);
    if (answered) {
      drain(state, storm);
    } else {
      storm.problem = "the store stopped answering: " + state.last_problem();
    }
    state.producing = false;
    state.working = false;
  }
  storm.acknowledged = state.progress.count();
  storm.unanswered = state.unanswered;
  Catalog& catalog = state.nodes.front()->catalog();
  const auto dumped = checker::dump_store(catalog, state.history);
  if (!dumped && storm.problem.empty()) storm.problem = dumped.error().message;
  const auto audit = catalog.audit();
  if (audit && !audit->sound()) storm.problem = "unsound: " + audit->findings[0].what;
  const checker::History history = state.history.take();
  storm.jobs = std::ssize(history.jobs);
  if (storm.unended > 0 && storm.problem.empty()) storm.problem = first_unended(history);
  checker::Options judging;
  judging.required = required_of(options);
  judging.exact_times = options.serial_commits;
  storm.judgement = checker::judge(history, judging);
  return storm;
}

std::string to_text(const Storm& storm, const std::string& faults) {
  return fmt::format(
      "storm: {}: {} jobs, {} requests acknowledged, {} unanswered, longest outage {} ms, {} not "
      "ended, {} violations{}{}\n",
      faults, storm.jobs, storm.acknowledged, storm.unanswered, storm.longest_outage.count(),
      storm.unended, storm.judgement.violation_count, storm.problem.empty() ? "" : "; ",
      storm.problem);
}

bool survived(const Storm& storm) {
  return storm.problem.empty() && storm.acknowledged > 0 && storm.unanswered > 0 &&
         storm.unended == 0 && storm.judgement.valid();
}

}  // namespace longshore::storm
