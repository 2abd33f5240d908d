#include "sim/simulation.h"

#include <algorithm>

#include "checker/calls.h"
#include "checker/history_json.h"
#include "core/assert.h"
#include "core/text/hash.h"
#include "sim/clients.h"
#include "sim/node.h"
#include "sim/quiet_rules.h"
#include "sim/world.h"

namespace longshore::sim {
namespace {

// The setup and the run use separate random sources, so that a new kind of fault does not change
// old seeds.
constexpr std::uint64_t setup_salt = 0x5EED0FA11;
constexpr std::uint64_t wide_salt = 0x31DE31DE;

Setup setup_for(const Wanted& wanted) {
  SeededRandom random(wanted.seed ^ setup_salt);
  Setup setup = make_setup(wanted.seed, wanted.host, random);
  setup.planted = wanted.planted;
  setup.mutant = wanted.mutant;
  SeededRandom wide(wanted.seed ^ wide_salt);
  if (wanted.wide) setup.wide = make_wide(setup, wide);
  return setup;
}

std::string without_end(std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

class Simulation {
 public:
  Simulation(const Wanted& wanted, StackPool& pool, Trace::Line line)
      : wanted_(wanted),
        world_(setup_for(wanted), std::move(line), pool, SeededRandom(wanted.seed)) {}

  Outcome run();

 private:
  void begin();
  void configure();
  void heal();
  void finish();
  bool run_for(Duration by);
  bool all_up() const;
  bool all_ended();
  void trace_end(const checker::History& history);

  const Wanted wanted_;
  World world_;
  Instant healed_at_;
};

bool Simulation::run_for(Duration by) {
  if (world_.scheduler.run_until(world_.scheduler.now() + by)) return true;
  world_.complain("somebody turns in circles: a million switches, and no end");
  return false;
}

void Simulation::configure() {
  Configure limits = world_.setup.wide.on ? some_limits(world_) : Configure();
  if (!world_.setup.wide.on) {
    limits.queues = {{.ns = main_ns, .queue = "narrow", .max_running = 2},
                     {.ns = main_ns, .queue = "default", .keep_canceled = Duration::seconds(40)}};
    limits.types = {{.ns = main_ns, .type = "slow", .max_running = 3}};
  }
  const Command command = limits;
  const std::int64_t op = world_.writer.invoke("world", checker::call_of(command));
  const Result<Committed> done = world_.host->backend().store().commit({&command, 1});
  LONGSHORE_ASSERT(done.ok(), "nothing is wrong with the store yet");
  world_.writer.ok(op, checker::Answer{.at = done->at});
}

void Simulation::begin() {
  configure();
  for (int i = 0; i < world_.setup.nodes; ++i) {
    world_.nodes.push_back(std::make_unique<Node>(world_, i));
    world_.nodes.back()->boot(Duration());
  }
  spawn_clients(world_);
  spawn_nemesis(world_);
}

bool Simulation::all_up() const {
  return std::ranges::all_of(world_.nodes, [](const auto& node) { return node->up(); });
}

bool Simulation::all_ended() {
  if (world_.producing > 0) return false;
  for (const std::string& ns : namespaces(world_.setup)) {
    const auto queues = world_.host->backend().catalog().queues(ns);
    if (!queues) return false;
    for (const QueueView& queue : *queues) {
      for (const auto& [state, count] : queue.depth) {
        if (!is_terminal(state) && count > 0) return false;
      }
    }
  }
  return true;
}

// No more faults; messages in flight arrive.
void Simulation::heal() {
  world_.note("world", "heals");
  world_.healing = true;
  world_.scheduler.resume_all();
  world_.clock.heal();
  world_.host->heal();
  for (const auto& node : world_.nodes) {
    if (node->up() && !world_.host->is_broken()) continue;
    node->crash(false);
    node->boot(Duration());
  }
  run_for(Duration::seconds(15));
  for (int i = 0; i < 120 && !(all_up() && world_.meddling == 0); ++i) {
    run_for(Duration::millis(500));
  }
  if (!all_up() || world_.meddling > 0) world_.complain("a minute after the harm not all is up");
}

void Simulation::finish() {
  world_.healed = true;
  healed_at_ = *world_.host->backend().catalog().now();
  world_.writer.mark("heal", healed_at_);
  const Instant until = world_.scheduler.now() + horizon;
  while (world_.scheduler.now() < until && !all_ended()) {
    if (!run_for(Duration::millis(250))) break;
  }
  world_.scheduler.kill_all();
  for (const auto& node : world_.nodes) node->vanish();
  const Instant end = healed_at_ + horizon;
  if (world_.clock.now() < end) world_.clock.pass(end - world_.clock.now());
  world_.writer.mark("end", *world_.host->backend().catalog().now());
}

void Simulation::trace_end(const checker::History& history) {
  world_.note("history", "has", history.events.size(), history.jobs.size());
  if (world_.trace.is_read()) {
    for (const checker::Event& event : history.events)
      world_.trace.remark(without_end(checker::to_line(event)));
  }
  for (const checker::JobDump& dump : history.jobs) {
    const auto version = static_cast<std::uint64_t>(dump.job.version);
    world_.note(to_text(dump.job.state), "is", dump.job.id.low, version);
  }
}

Outcome Simulation::run() {
  begin();
  if (run_for(world_.setup.chaos)) {
    heal();
    finish();
  }
  const auto dumped = checker::dump_store(world_.host->backend().catalog(), world_.writer);
  if (!dumped) world_.complain("the store cannot be read: " + dumped.error().message);
  const checker::History history = world_.writer.take();
  trace_end(history);
  Outcome outcome{.wanted = wanted_, .setup = to_text(world_.setup)};
  checker::Options options;
  options.rules = world_.setup.rules;
  options.fault_free = world_.setup.gentle;
  options.horizon = horizon;
  outcome.judgement = checker::judge(history, options);
  outcome.judgement.counters["polls cut"] = world_.polls_cut;
  outcome.judgement.counters["polls sent again"] = world_.polls_sent_again;
  outcome.complaints = world_.complaints;
  const Instant from = world_.setup.gentle ? Instant() : healed_at_;
  check_quiet_leases(history, from, outcome.complaints);
  check_taken_back(history, world_.setup.rules, world_.starts, outcome.complaints);
  outcome.hash = world_.trace.hash();
  outcome.events = world_.trace.events();
  outcome.switches = world_.scheduler.switches();
  outcome.lasted = world_.scheduler.now() - Instant();
  return outcome;
}

}  // namespace

std::string replay_of(const Wanted& wanted) {
  std::string line = "--seed " + std::to_string(wanted.seed);
  if (wanted.host == HostKind::sqlite) line += " --ground sqlite";
  if (wanted.planted != Planted::nothing)
    line += " --plant " + std::string(to_text(wanted.planted));
  if (!wanted.wide) line += " --narrow yes";
  if (!wanted.mutant.empty()) line += " --mutant '" + wanted.mutant + "'";
  return line;
}

std::string to_text(const Outcome& outcome) {
  std::string text = outcome.setup + "\n";
  for (const std::string& complaint : outcome.complaints) text += complaint + "\n";
  if (!outcome.judgement.valid()) text += to_text(outcome.judgement);
  text += "replay: longshore_sim " + replay_of(outcome.wanted) + " --trace\n";
  return text;
}

Outcome simulate(const Wanted& wanted, StackPool& pool, Trace::Line line) {
  return Simulation(wanted, pool, std::move(line)).run();
}

}  // namespace longshore::sim
