#include "storm/clients.h"

#include <fmt/format.h>

#include "checker/calls.h"
#include "core/rules/enqueue.h"

namespace longshore::storm {
namespace {

template <class T, std::size_t count>
const T& pick(const T (&pool)[count], Random& random) {
  return pool[random.below(count)];
}

const std::string& pick(const std::vector<std::string>& pool, Random& random) {
  return pool[random.below(pool.size())];
}

constexpr const char* types[] = {"mail", "bill"};
// The approximate number of unclaimed jobs.
constexpr std::int64_t backlog_most = 100;

// ---- Producing --------------------------------------------------------------------------------

// Options that only wide storms use.
void add_wide_options(Client& client, NewJob& job) {
  constexpr const char* queues[] = {"default", "default", narrow_queue, brief_queue};
  job.queue = pick(queues, client.random);
  if (client.random.chance(0.2)) job.job_key = fmt::format("k{}", client.random.below(12));
  if (client.random.chance(0.5)) job.on_conflict = OnConflict::replace;
  if (client.random.chance(0.05)) job.callback = Callback{.url = "http://example.test/done"};
  if (!client.random.chance(0.05)) return;
  job.queue = frozen_queue;
  job.delay = Duration();
  job.expires_at = client.state.clock.now() + Duration::millis(500);
}

NewJob new_job(Client& client, const std::string& ns, std::int64_t serial) {
  NewJob job;
  job.id = client.new_id();
  job.type = client.random.chance(0.5) ? types[0] : types[1];
  job.priority = static_cast<int>(client.random.below(10));
  job.body.payload = fmt::format(R"("{}/{}")", client.name(), serial);
  job.policy.max_retries = 2;
  if (client.random.chance(0.3)) job.delay = Duration::millis(50);
  if (client.random.chance(0.3)) job.idempotency_key = fmt::format("{}/{}", client.name(), serial);
  if (client.wide()) add_wide_options(client, job);
  client.state.remember({ns, job.id, job.type, job.job_key});
  return job;
}

Command new_jobs(Client& client, std::int64_t& serial) {
  Enqueue enqueue{.ns = pick(namespaces(client.state.options), client.random)};
  const std::uint64_t count = client.random.chance(0.3) ? 2 + client.random.below(6) : 1;
  for (std::uint64_t n = 0; n < count; ++n) {
    enqueue.jobs.push_back(new_job(client, enqueue.ns, serial++));
  }
  return enqueue;
}

// ---- Working ----------------------------------------------------------------------------------

// Nothing: the job is abandoned, and its lease expires.
std::optional<Command> settlement(Client& client, const std::string& ns, const Lease& lease) {
  const JobId job = lease.job;
  const LeaseToken token = lease.token;
  const bool own = !is_platform_type(lease.type);
  const double fate = client.random.fraction();
  if (client.wide() && own && !lease.job_key.empty() && client.random.chance(0.3)) {
    return HandOff{.ns = ns, .job = job, .token = token, .timeout = Duration::seconds(3)};
  }
  if (fate < 0.85) {
    return Complete{
        .ns = ns, .job = job, .token = token, .result = fmt::format(R"("{}")", client.name())};
  }
  if (fate < 0.93) {
    return Fail{.ns = ns,
                .job = job,
                .token = token,
                .error = {.code = "E_NET", .message = "no way"},
                .retry_after = Duration::millis(20)};
  }
  if (fate < 0.97) return Release{.ns = ns, .job = job, .token = token};
  if (fate < 0.99) return Cancel{.ns = ns, .job = job, .force = true};
  return std::nullopt;
}

void finish_one_by_one(Client& client, const std::string& ns, const Leased& leased) {
  for (const Lease& lease : leased.leases) {
    if (client.random.chance(0.2)) {
      client.send(Heartbeat{.id = client.request(),
                            .ns = ns,
                            .job = lease.job,
                            .token = lease.token,
                            .progress = 50});
    }
    if (const auto command = settlement(client, ns, lease)) client.send(*command);
  }
}

// All in one commit, with or without a heartbeat first. The next command may finish a job that was
// handed off.
void finish_together(Client& client, const std::string& ns, const Leased& leased) {
  std::vector<Command> commands;
  std::vector<Command> replies;
  for (const Lease& lease : leased.leases) {
    if (client.random.chance(0.2)) {
      commands.push_back(
          Heartbeat{.id = client.request(), .ns = ns, .job = lease.job, .token = lease.token});
    }
    const auto command = settlement(client, ns, lease);
    if (!command) continue;
    commands.push_back(*command);
    if (!std::holds_alternative<HandOff>(*command) || client.random.chance(0.2)) continue;
    replies.push_back(FinishByKey{.id = client.request(),
                                  .ns = ns,
                                  .type = lease.type,
                                  .key = lease.job_key,
                                  .outcome = {.result = R"("by key")"}});
  }
  if (!commands.empty()) client.send(commands);
  if (!replies.empty()) client.send(replies);
}

Claim new_claim(Client& client, bool inside) {
  Claim claim{.id = client.request(),
              .ns = pick(namespaces(client.state.options), client.random),
              .worker = client.name()};
  if (inside) claim.node = client.node.id;
  claim.limit = 1 + static_cast<int>(client.random.below(4));
  claim.lease = Duration::seconds(2);
  if (!client.wide()) return claim;
  claim.queues = {"default", narrow_queue, brief_queue, "longshore.callbacks"};
  if (client.random.chance(0.3)) std::swap(claim.queues[0], claim.queues[1]);
  return claim;
}

// Some commits contain two claims.
std::vector<Command> new_claims(Client& client, bool inside) {
  std::vector<Command> claims = {new_claim(client, inside)};
  if (!client.wide() || !client.random.chance(0.4)) return claims;
  Claim second = new_claim(client, inside);
  if (client.random.chance(0.7)) second.ns = std::get<Claim>(claims.front()).ns;
  claims.push_back(second);
  return claims;
}

void consume_once(Client& client, bool inside) {
  const std::vector<Command> claims = new_claims(client, inside);
  const std::int64_t life = client.node.restarts();
  const std::vector<Verdict> verdicts = client.send(claims);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto* leased = std::get_if<Leased>(&verdicts[i]);
    if (leased == nullptr) continue;
    client.state.leased += std::ssize(leased->leases);
    // A process that ends loses its leases.
    if (inside && client.node.restarts() != life) continue;
    const std::string& ns = std::get<Claim>(claims[i]).ns;
    client.wide() ? finish_together(client, ns, *leased) : finish_one_by_one(client, ns, *leased);
  }
}

// ---- Operating --------------------------------------------------------------------------------

Outcome outcome(Client& client) {
  if (client.random.chance(0.7)) return {.result = R"("decided")"};
  return {.error = {.code = "E_OUTSIDE"}, .retryable = client.random.chance(0.5)};
}

// Fails a job manually and redrives it, in one commit. Some of the queues have no workers, and a
// redriven job does not expire.
std::vector<Command> fail_and_redrive(Client& client, const Known& known) {
  Redrive redrive{.ns = known.ns, .job = known.id, .successor = client.new_id()};
  redrive.queue = client.random.chance(0.5) ? "default" : narrow_queue;
  redrive.actor = client.actor();
  client.state.remember({known.ns, redrive.successor, known.type, ""});
  const Outcome failed{.error = {.code = "E_OUTSIDE"}, .retryable = false};
  return {Resolve{client.request(), known.ns, known.id, failed, client.actor()}, redrive};
}

Command operator_command(Client& client, const Known& known) {
  const std::string& ns = known.ns;
  switch (client.random.below(5)) {
    case 0:
      return Promote{ns, known.id, client.actor()};
    case 1:
      return Resolve{client.request(), ns, known.id, outcome(client), client.actor()};
    case 2:
      return PauseQueue{ns, client.random.chance(0.5) ? "default" : narrow_queue,
                        client.random.chance(0.3), client.actor()};
    case 3:
      return FinishByKey{.id = client.request(),
                         .ns = ns,
                         .type = known.type,
                         .key = known.key.empty() ? "k1" : known.key,
                         .outcome = outcome(client)};
    default:
      return Cancel{ns, known.id, client.random.chance(0.3), client.actor()};
  }
}

// One command for many jobs.
void cancel_many(Client& client) {
  std::vector<Command> commands;
  for (int i = 0; i < 16; ++i) {
    const auto known = client.state.any_known(client.random);
    if (known) commands.push_back(Cancel{known->ns, known->id, false, client.actor()});
  }
  if (!commands.empty()) client.send(commands);
}

void use_tokens(Client& client, std::vector<std::pair<std::string, std::string>>& tokens) {
  if (tokens.empty() || client.random.chance(0.3)) {
    const std::string ns = pick(namespaces(client.state.options), client.random);
    const std::string id = fmt::format("{}.{}", client.name(), tokens.size());
    tokens.emplace_back(ns, id);
    client.send(PutToken{.token = {.id = id, .ns = ns, .name = "n", .role = "worker"},
                         .actor = client.actor()});
    return;
  }
  const auto [ns, id] = tokens[client.random.below(tokens.size())];
  if (client.random.chance(0.3)) {
    client.send(RevokeToken{.ns = ns, .id = id, .actor = client.actor()});
  }
  client.send(TouchToken{.id = id});
}

}  // namespace

Configure some_limits(const StormOptions& options, Random& random) {
  Configure rules;
  for (const std::string& ns : namespaces(options)) {
    const int most = 2 + static_cast<int>(random.below(5));
    rules.queues.push_back({.ns = ns, .queue = narrow_queue, .max_running = most});
    rules.queues.push_back({.ns = ns,
                            .queue = brief_queue,
                            .keep_success = options.keep,
                            .keep_canceled = options.keep,
                            .keep_dead = options.keep});
    rules.types.push_back({.ns = ns, .type = types[1], .max_running = 6 + most});
  }
  return rules;
}

void produce(Client& client) {
  for (std::int64_t serial = 1; client.state.producing;) {
    // Otherwise no command would name jobs that have ended.
    if (client.wide() && client.state.wanted - client.state.leased > backlog_most) {
      consume_once(client, false);
      continue;
    }
    std::vector<Command> commands = {new_jobs(client, serial)};
    while (client.wide() && commands.size() < 6 && client.random.chance(0.4)) {
      commands.push_back(new_jobs(client, serial));
    }
    for (const Command& command : commands) {
      client.state.wanted += std::ssize(std::get<Enqueue>(command).jobs);
    }
    client.send(commands);
    if (client.random.chance(0.05)) client.send(commands);
  }
}

void consume(Client& client, bool inside) {
  while (client.state.working) consume_once(client, inside);
}

void operate(Client& client) {
  std::vector<std::pair<std::string, std::string>> tokens;
  while (client.state.producing) {
    const double wish = client.random.fraction();
    const auto known = client.state.any_known(client.random);
    if (wish < 0.02) {
      client.send(some_limits(client.state.options, client.random));
    } else if (wish < 0.15) {
      use_tokens(client, tokens);
    } else if (wish < 0.2) {
      cancel_many(client);
    } else if (known && wish < 0.3) {
      client.send(fail_and_redrive(client, *known));
    } else if (known) {
      client.send(operator_command(client, *known));
    }
  }
  std::vector<Command> resumes;
  for (const std::string& ns : namespaces(client.state.options)) {
    for (const char* queue : {"default", narrow_queue}) {
      resumes.push_back(PauseQueue{ns, queue, false, client.actor()});
    }
  }
  client.send(resumes);
}

void sweep(Client& client) {
  const NodeId node = client.node.id;
  client.send(StartNode{.node = node, .name = client.node.name});
  const std::vector<Command> chores = {Due{}, Reap{}, Sweep{}, Prune{},
                                       SeeNode{.node = node, .name = client.node.name}};
  while (client.state.working) {
    if (client.wide()) {
      client.send(chores);
    } else {
      for (const Command& chore : chores) client.send(chore);
    }
  }
}

void restart_node(StormState& state, StormNode& node) {
  const std::string who = node.name + ".restart";
  const Command start = StartNode{.node = node.id, .name = node.name};
  while (state.working) {
    const auto restarted = node.restart(state.options, [&](Store& store) {
      state.history.nemesis("restart", node.name);
      while (state.working) {
        const std::int64_t op = state.history.invoke(who, checker::call_of(start));
        const Result<Committed> committed = store.commit({&start, 1});
        if (committed) {
          state.note_events({&start, 1}, *committed);
          return record(state, op, committed->verdicts.front(), committed->at);
        }
        state.history.info(op);
        state.fail(committed.error());
        state.back_off();
      }
    });
    if (restarted) return;
    state.fail(restarted.error());
    state.back_off();
  }
}

}  // namespace longshore::storm
