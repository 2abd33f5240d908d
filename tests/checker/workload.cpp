#include "checker/workload.h"

#include <algorithm>

#include "checker/calls.h"
#include "core/assert.h"
#include "core/policy/profiles.h"
#include "store/memory/store.h"

namespace longshore::checker {
namespace {

constexpr std::int64_t epoch_millis = 1'800'000'000'000;

// The profile with short times, so that a run of minutes covers all its rules.
Rules quick(const WorkloadOptions& options) {
  Rules rules = profile(options.profile).value_or(Rules());
  // Without faults no client is late.
  rules.lease = Duration::seconds(options.faults ? 5 : 100);
  rules.lease_is_timeout = false;
  rules.policy.timeout = Duration::seconds(options.faults ? 12 : 100);
  if (rules.max_crashes) rules.max_crashes = 2;
  if (rules.retention.success != Duration::forever())
    rules.retention.success = Duration::seconds(60);
  if (rules.retention.canceled != Duration::forever()) {
    rules.retention.canceled = Duration::seconds(90);
  }
  return rules;
}

}  // namespace

Workload::Workload(const WorkloadOptions& options, const MutantMaker& mutant)
    : options_(options),
      rules_(quick(options)),
      random_(options.seed),
      clock_(Instant::millis(epoch_millis)),
      ids_(random_),
      node_(random_id<NodeId>(random_)) {
  open();
  store_ = mutant({disk_, backend_->store(), clock_, rules_, random_});
  for (const char* name : {"p1", "p2", "p3"}) clients_.push_back({.name = name, .ns = "main"});
  clients_.push_back({.name = "p4", .ns = "other"});
  for (const char* name : {"w1", "w2", "w3"}) {
    clients_.push_back({.name = name, .role = Role::worker, .ns = "main"});
  }
  clients_.push_back({.name = "w4", .role = Role::worker, .ns = "other"});
  clients_.push_back({.name = "inside", .role = Role::worker, .ns = "main", .node = node_});
  clients_.push_back({.name = "o1", .role = Role::steward, .ns = "main"});
  if (options_.wide) add_people();
}

void Workload::open() {
  auto opened = open_memory(disk_, clock_, rules_);
  LONGSHORE_ASSERT(opened.ok(), "the disk is our own");
  backend_ = std::move(*opened);
}

Options Workload::judging() const {
  Options options;
  options.rules = rules_;
  options.fault_free = !options_.faults;
  options.horizon = workload_horizon;
  return options;
}

History Workload::run() {
  configure();
  for (int i = 0; i < options_.steps; ++i) step();
  heal();
  auto dumped = dump_store(backend_->catalog(), writer_);
  LONGSHORE_ASSERT(dumped.ok(), "a memory store can always be read");
  History history = writer_.take();
  std::erase_if(history.dead, [&](const Listed& listed) {
    return store_->hides(disk_.jobs.at(listed.job).record.job);
  });
  return history;
}

void Workload::configure() {
  restart(Duration());
  Configure limits = options_.wide ? this->limits() : Configure();
  if (!options_.wide) {
    limits.queues = {{.ns = "main", .queue = "narrow", .max_running = 2},
                     {.ns = "main", .queue = "default", .keep_canceled = Duration::seconds(40)}};
    limits.types = {{.ns = "main", .type = "slow", .max_running = 3}};
  }
  const std::int64_t op = writer_.invoke("node", call_of(Command(limits)));
  auto done = commit(limits);
  writer_.ok(op, Answer{.at = done->at});
}

Result<Committed> Workload::commit(const Command& command) { return store_->commit({&command, 1}); }

// ---- One step ---------------------------------------------------------------------------------

void Workload::step() {
  clock_.advance(Duration::millis(static_cast<std::int64_t>(random_.below(120))));
  if (random_.chance(0.08)) tick();
  if (unlucky(0.02)) harm();
  if (options_.wide && random_.chance(0.004)) bulk_cancel();
  act(clients_[random_.below(clients_.size())]);
}

void Workload::tick() {
  for (const Command& command : {Command(Due{}), Command(Reap{}), Command(Sweep{}),
                                 Command(Prune{}), Command(SeeNode{node_, "n1"})}) {
    LONGSHORE_ASSERT(commit(command).ok(), "a memory store does not fail");
  }
}

void Workload::act(Client& client) {
  if (clock_.now() < client.asleep_until) return;
  if (client.call) return deliver(client);
  if (!client.again.empty()) {
    Request request = std::move(client.again.front());
    client.again.pop_front();
    return send(client, std::move(request));
  }
  if (std::optional<Request> request = next_request(client)) send(client, std::move(*request));
}

void Workload::send(Client& client, Request request) {
  Call call;
  if (const Command* command = std::get_if<Command>(&request)) {
    call = call_of(*command);
  } else {
    call.verb = Verb::get;
    call.ns = std::get<Get>(request).ns;
    call.job = std::get<Get>(request).job;
  }
  const std::int64_t op = writer_.invoke(client.name, std::move(call));
  client.call = PendingCall{.op = op, .request = std::move(request)};
}

// The request arrives, or the answer does.
void Workload::deliver(Client& client) {
  PendingCall& call = *client.call;
  if (call.answer) {
    PendingCall answered = std::move(call);
    client.call.reset();
    return receive(client, std::move(answered));
  }
  const auto lose = [&] {
    writer_.info(call.op);
    if (random_.chance(0.7)) client.again.push_back(std::move(call.request));
    client.call.reset();
  };
  if (unlucky(0.04)) return lose();
  options_.wide ? arrive_together(client) : arrive(call);
  if (unlucky(0.04)) lose();
}

void Workload::arrive(PendingCall& call) {
  if (const Get* get = std::get_if<Get>(&call.request)) {
    auto record = backend_->catalog().get(get->ns, get->job);
    call.answer = Refusal{.code = Code::not_found};
    if (record) call.answer = Answer{.view = view_of(*record)};
    if (options_.wide) call.at = *backend_->catalog().now();
    return;
  }
  auto committed = commit(std::get<Command>(call.request));
  land(call, std::move(committed->verdicts.front()), committed->at);
}

void Workload::land(PendingCall& call, Verdict verdict, Instant at) {
  if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
    call.answer = *refusal;
    return;
  }
  Answer answer = answer_of(verdict);
  answer.at = at;
  call.answer = std::move(answer);
  if (Leased* leased = std::get_if<Leased>(&verdict)) call.leases = std::move(leased->leases);
}

void Workload::receive(Client& client, PendingCall call) {
  if (const Refusal* refusal = std::get_if<Refusal>(&*call.answer)) {
    writer_.fail(call.op, to_text(refusal->code), call.at);
    const Command* command = std::get_if<Command>(&call.request);
    if (command == nullptr || refusal->code != Code::lease_lost) return;
    // The work is dropped.
    const Call sent = call_of(*command);
    std::erase_if(client.held, [&](const Held& held) {
      return held.lease.job == sent.job && held.lease.token == sent.token;
    });
    return;
  }
  writer_.ok(call.op, std::move(std::get<Answer>(*call.answer)));
  for (Lease& lease : call.leases) client.held.push_back({std::move(lease), client.ns});
}

// ---- Faults and recovery
// -------------------------------------------------------------------------

void Workload::harm() {
  Client& victim = clients_[random_.below(clients_.size())];
  switch (random_.below(options_.wide ? 7 : 5)) {
    case 0:
      return restart(Duration());
    case 1:
      if (random_.chance(0.3)) restart(Duration::seconds(8));
      return;
    case 2:
      writer_.nemesis("pause", victim.name);
      victim.asleep_until = clock_.now() + Duration::seconds(7);
      return;
    case 3:
      writer_.nemesis("kill", victim.name);
      if (victim.role == Role::worker) victim.held.clear();
      return;
    case 5:
      return copy_disk();
    case 6:
      return set_back();
    default:
      // The machine's clock is set back; the store's time must not follow.
      writer_.nemesis("clock back", "n1");
      clock_.advance(Duration::millis(-400));
  }
}

void Workload::restart(Duration outage) {
  if (store_ && healed_) return;
  if (writer_.namespaces().empty() && known_.empty() && counter_ == 0) {
    counter_ = 1;  // the first start is not a fault
  } else {
    writer_.nemesis("restart", "n1");
    store_->crash();
    for (Client& client : clients_) {
      if (client.node) client.held.clear();
    }
  }
  clock_.advance(outage);
  const StartNode start{node_, "n1"};
  const std::int64_t op = writer_.invoke("node", call_of(Command(start)));
  auto done = commit(start);
  writer_.ok(op, Answer{.at = done->at});
}

void Workload::heal() {
  // Paused clients continue late, as if nothing had happened.
  for (Client& client : clients_) {
    client.asleep_until = Instant();
    while (client.call) deliver(client);
    client.again.clear();
  }
  healed_ = true;
  for (const std::string& ns : namespaces()) {
    for (const char* queue : {"default", "narrow"}) {
      const PauseQueue resume{ns, queue, false, actor()};
      const std::int64_t op = writer_.invoke("o1", call_of(Command(resume)));
      auto done = commit(resume);
      writer_.ok(op, Answer{.at = done->at});
    }
  }
  tick();
  const Instant healed_at = *backend_->catalog().now();
  writer_.mark("heal", healed_at);
  while (clock_.now() < healed_at + workload_horizon && !all_ended()) quiet_round();
  clock_.set(std::max(clock_.now(), healed_at + workload_horizon));
  writer_.mark("end", *backend_->catalog().now());
}

// Half a second in which every worker claims and finishes jobs.
void Workload::quiet_round() {
  clock_.advance(Duration::millis(500));
  tick();
  for (Client& client : clients_) {
    if (client.role != Role::worker) continue;
    for (int calls = 0; calls < 4; ++calls) {
      act(client);
      while (client.call) deliver(client);
    }
  }
}

bool Workload::all_ended() const {
  return std::ranges::all_of(
      disk_.jobs, [](const auto& entry) { return is_terminal(entry.second.record.job.state); });
}

}  // namespace longshore::checker
