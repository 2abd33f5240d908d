#include "sim/clients.h"

#include <algorithm>

#include "core/text/hash.h"

namespace longshore::sim {
namespace {

constexpr Process first_producer_process = 40;
constexpr Process steward_process = 60;
constexpr const char* types[] = {"mail", "slow", "report"};

bool long_leases(const Rules& rules) {
  return rules.lease_is_timeout || rules.on_lease_lost == Rules::OnLeaseLost::wait_timeout;
}

Duration some_millis(World& world, std::int64_t most) { return world.millis_between(0, most); }

}  // namespace

// ---- What people talk about -------------------------------------------------------------------

std::string payload(World& world) { return "{\"n\":" + std::to_string(++world.serial) + "}"; }

Actor actor(World& world) { return {"steward", "r" + std::to_string(++world.serial)}; }

Outcome outcome(World& world) {
  Outcome outcome;
  if (world.chance(0.6)) {
    outcome.result = payload(world);
  } else {
    outcome.error.code = "E_OUTSIDE";
    outcome.retryable = world.chance(0.7);
  }
  return outcome;
}

std::vector<std::string> namespaces(const Setup& setup) {
  if (setup.wide.on) return {main_ns, other_ns, third_ns};
  return {main_ns, other_ns};
}

const Known* any_known(World& world, const std::string& ns) {
  if (world.known.empty()) return nullptr;
  const std::size_t window = std::min<std::size_t>(world.known.size(), 12);
  const Known& known = world.known[world.known.size() - 1 - world.random.below(window)];
  // Sometimes uses another namespace.
  return known.ns == ns || world.chance(0.2) ? &known : nullptr;
}

NewJob new_job(World& world, const std::string& ns) {
  const Rules& rules = world.setup.rules;
  NewJob job;
  job.id = world.ids.next(world.clock.now());
  job.type = types[world.random.below(std::size(types))];
  job.queue = world.chance(0.3) ? "narrow" : "default";
  job.priority = static_cast<int>(world.random.below(10));
  job.body.payload = payload(world);
  job.body_hash = hash64(job.body.payload);
  job.policy = rules.policy;
  job.policy.max_retries = static_cast<int>(world.random.below(4));
  job.policy.backoff.base = Duration::millis(500);
  if (world.chance(0.25)) job.job_key = "k" + std::to_string(world.random.below(6));
  if (world.chance(0.2)) job.on_conflict = OnConflict::replace;
  if (world.chance(0.2)) job.on_conflict = OnConflict::reject;
  if (world.chance(0.25)) job.idempotency_key = "i" + std::to_string(world.random.below(8));
  if (world.chance(0.2)) job.delay = some_millis(world, 6'000);
  if (job.delay == Duration() && world.chance(0.05)) {
    job.run_at = world.clock.now() + some_millis(world, 4'000);
  }
  if (world.chance(0.1)) {
    job.expires_at = world.clock.now() + Duration::seconds(2) + some_millis(world, 12'000);
  }
  if (!long_leases(rules) && world.chance(0.08)) {
    job.callback = Callback{.url = "http://example.test/done"};
  }
  world.known.push_back({ns, job.id, job.type, job.job_key});
  return job;
}

namespace {

// ---- Producers --------------------------------------------------------------------------------

// In a two-phase store the producer sends a second command; sometimes it does not.
void accept(Caller& caller, const std::string& ns, const CallResult& heard) {
  World& world = caller.world();
  const bool wanted = world.setup.rules.accept == Rules::Accept::two_phase && heard.answered();
  if (!wanted || world.chance(0.3)) return;
  const auto* enqueued = std::get_if<Enqueued>(&*heard.verdict);
  if (enqueued == nullptr) return world.complain("Q3: an enqueue was answered as something else");
  Accept second{.ns = ns, .jobs = {}};
  for (const EnqueuedJob& job : enqueued->jobs) second.jobs.push_back(job.id);
  caller.ask_until_answered(second);
}

void enqueue_some(Caller& caller, const std::string& ns) {
  World& world = caller.world();
  Enqueue enqueue{.ns = ns, .jobs = {}, .reject_mismatch = world.chance(0.3)};
  const std::uint64_t count = world.chance(0.2) ? 2 + world.random.below(4) : 1;
  for (std::uint64_t i = 0; i < count; ++i) enqueue.jobs.push_back(new_job(world, ns));
  world.enqueued += static_cast<std::int64_t>(count);
  accept(caller, ns, caller.ask_until_answered(enqueue));
}

void produce(World& world, const std::string& name, const std::string& ns) {
  Caller caller(world, name);
  const std::int64_t pace = world.setup.chaos.count() * world.setup.producers / world.setup.jobs;
  int later = 3;  // what each still enqueues when all is well again
  while (!world.healed || later > 0) {
    world.scheduler.let_pass(world.healed ? some_millis(world, 500) : some_millis(world, 2 * pace));
    if (world.healing && !world.healed) continue;
    if (world.healed) --later;
    const Known* known = any_known(world, ns);
    if (known != nullptr && !world.healed && world.chance(0.3)) {
      // A copy: the list grows while we speak.
      const JobId job = known->id;
      if (world.chance(0.8)) {
        caller.read(ns, job);
      } else {
        caller.ask(Cancel{.ns = ns, .job = job});
      }
      continue;
    }
    enqueue_some(caller, ns);
  }
  world.producing -= 1;
  world.note(name, "is done");
}

// ---- The steward ------------------------------------------------------------------------------

Command reply_by_key(World& world, const Known& known) {
  FinishByKey finish{.id = random_id<RequestId>(world.random), .ns = known.ns};
  finish.type = known.type;
  finish.key = known.key;
  finish.outcome = outcome(world);
  if (world.chance(0.2)) finish.fence = static_cast<std::int64_t>(world.random.below(3));
  return finish;
}

Command repeat(World& world, const std::string& ns, const Known& known) {
  Redrive redrive{.ns = ns, .job = known.id, .successor = world.ids.next(world.clock.now())};
  if (world.chance(0.3)) redrive.payload = payload(world);
  if (world.chance(0.3)) redrive.delay = Duration::millis(1'200);
  if (world.setup.wide.on && world.chance(0.4)) redrive.queue = "narrow";
  redrive.actor = actor(world);
  return redrive;
}

std::optional<Command> meddle(World& world, const std::string& ns, const Known& known) {
  switch (world.random.below(7)) {
    case 0:
      return Cancel{ns, known.id, world.chance(0.3), actor(world)};
    case 1:
      return Promote{ns, known.id, actor(world)};
    case 2:
      return Resolve{random_id<RequestId>(world.random), ns, known.id, outcome(world),
                     actor(world)};
    case 3:
      return repeat(world, ns, known);
    case 4:
      return PauseQueue{ns, world.chance(0.5) ? "default" : "narrow", world.chance(0.4),
                        actor(world)};
    default:
      if (known.key.empty()) return std::nullopt;
      return reply_by_key(world, known);
  }
}

// A word that names no request of its own does again what it did before, when others have undone
// it meanwhile.
bool may_repeat(const Command& command) {
  return !std::holds_alternative<Promote>(command) && !std::holds_alternative<PauseQueue>(command);
}

// Some queues may be paused until the faults end; then all are resumed.
void resume_queues(Caller& caller, const std::string& ns) {
  World& world = caller.world();
  // What was said before and is still on its way must not have the last word.
  world.scheduler.let_pass(Duration::seconds(12));
  for (const char* queue : {"default", "narrow"}) {
    const PauseQueue resume{ns, queue, false, actor(world)};
    while (!caller.ask(resume).answered()) world.scheduler.let_pass(Duration::millis(50));
  }
  world.meddling -= 1;
}

// One call about many jobs: all of it reaches the node at once.
void cancel_many(Caller& caller, const std::string& ns) {
  World& world = caller.world();
  std::vector<Command> commands;
  for (const Known& known : world.known) {
    if (known.ns == ns && world.chance(0.6)) {
      commands.push_back(Cancel{ns, known.id, false, actor(world)});
    }
  }
  if (commands.size() > 40) commands.resize(40);
  if (!commands.empty()) caller.ask_all(commands);
}

void oversee(World& world, const std::string& name, const std::string& ns) {
  Caller caller(world, name);
  while (!world.healing) {
    world.scheduler.let_pass(some_millis(world, 1'500));
    const Known* known = any_known(world, ns);
    if (known == nullptr || world.healing) continue;
    if (world.setup.wide.bulk && world.chance(0.1)) {
      cancel_many(caller, ns);
      continue;
    }
    const JobId job = known->id;
    const std::optional<Command> command = meddle(world, ns, *known);
    if (command) {
      may_repeat(*command) ? caller.ask_until_answered(*command) : caller.ask(*command);
    } else {
      caller.read(ns, job);
    }
  }
  resume_queues(caller, ns);
}

}  // namespace

void spawn_clients(World& world) {
  // In a wide world one more of each serves the third namespace.
  const int more = world.setup.wide.on ? 1 : 0;
  for (int i = 0; i < world.setup.workers + more; ++i) spawn_worker(world, i);
  world.producing = world.setup.producers + more;
  for (int i = 0; i < world.producing; ++i) {
    const std::string name = "producer" + std::to_string(i);
    const std::string ns = i == 1 ? other_ns : i == world.setup.producers ? third_ns : main_ns;
    world.scheduler.spawn(name, first_producer_process + i,
                          [&world, name, ns] { produce(world, name, ns); });
  }
  for (const std::string& ns : namespaces(world.setup)) {
    if (ns != main_ns && !world.setup.wide.on) continue;
    const std::string name = ns == main_ns ? "steward" : "steward." + ns;
    world.scheduler.spawn(name, steward_process + world.meddling,
                          [&world, name, ns] { oversee(world, name, ns); });
    world.meddling += 1;
  }
  if (world.setup.wide.on) spawn_administrators(world);
}

}  // namespace longshore::sim
