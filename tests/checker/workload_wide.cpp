// What only wide workloads do: commits of several commands, three namespaces with operators of
// their own, settings that change during the run, and a disk that is replaced by an older copy.
#include <algorithm>
#include <utility>

#include "checker/calls.h"
#include "checker/workload.h"

namespace longshore::checker {
namespace {

constexpr const char* every_namespace[] = {"main", "other", "third"};

}  // namespace

std::vector<std::string> Workload::namespaces() const {
  if (!options_.wide) return {"main"};
  return {std::begin(every_namespace), std::end(every_namespace)};
}

void Workload::add_people() {
  clients_.push_back({.name = "p5", .ns = "third"});
  clients_.push_back({.name = "w5", .role = Role::worker, .ns = "third"});
  clients_.push_back({.name = "w6", .role = Role::worker, .ns = "other"});
  clients_.push_back({.name = "inside2", .role = Role::worker, .ns = "other", .node = node_});
  clients_.push_back({.name = "o2", .role = Role::steward, .ns = "other"});
  clients_.push_back({.name = "o3", .role = Role::steward, .ns = "third"});
  clients_.push_back({.name = "k1", .role = Role::keeper, .ns = "main"});
  clients_.push_back({.name = "k2", .role = Role::keeper, .ns = "other"});
}

// ---- Commits of several commands --------------------------------------------------------------

// Other pending requests may join the commit.
void Workload::arrive_together(Client& client) {
  if (!std::holds_alternative<Command>(client.call->request)) return arrive(*client.call);
  std::vector<PendingCall*> calls = {&*client.call};
  const bool crowded = random_.chance(0.6);
  for (Client& other : clients_) {
    const bool waits = other.call && !other.call->answer && &other != &client &&
                       std::holds_alternative<Command>(other.call->request);
    if (crowded && waits) calls.push_back(&*other.call);
  }
  std::vector<Command> commands;
  for (const PendingCall* call : calls) commands.push_back(std::get<Command>(call->request));
  auto committed = store_->commit(commands);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    land(*calls[i], std::move(committed->verdicts[i]), committed->at);
  }
}

void Workload::record(std::int64_t op, const Verdict& verdict, Instant at) {
  if (const Refusal* refusal = std::get_if<Refusal>(&verdict)) {
    return writer_.fail(op, to_text(refusal->code), at);
  }
  Answer answer = answer_of(verdict);
  answer.at = at;
  writer_.ok(op, std::move(answer));
}

// A bulk call.
void Workload::bulk_cancel() {
  std::vector<Command> commands;
  for (const Known& known : known_) {
    if (random_.chance(0.3)) commands.push_back(Cancel{known.ns, known.id, false, actor()});
  }
  if (commands.empty()) return;
  std::vector<std::int64_t> ops;
  for (const Command& command : commands) ops.push_back(writer_.invoke("bulk", call_of(command)));
  auto committed = store_->commit(commands);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    record(ops[i], committed->verdicts[i], committed->at);
  }
}

// ---- Settings ---------------------------------------------------------------------------------

// Retention is longer than any repeat of a request can take.
Configure Workload::limits() {
  const auto some = [&](int least, std::uint64_t most) {
    return least + static_cast<int>(random_.below(most));
  };
  Configure rules;
  for (const char* ns : every_namespace) {
    rules.queues.push_back({.ns = ns, .queue = "narrow", .max_running = some(1, 3)});
    rules.queues.push_back({.ns = ns,
                            .queue = "default",
                            .keep_success = Duration::seconds(some(20, 20)),
                            .keep_canceled = Duration::seconds(some(20, 30))});
    rules.types.push_back({.ns = ns, .type = "slow", .max_running = some(1, 4)});
  }
  return rules;
}

Command Workload::set_rules(Client& client) {
  SetRules set{.ns = client.ns, .actor = actor()};
  set.rules["leaseSeconds"] = std::to_string(4 + random_.below(3));
  // Sometimes an outdated revision is applied.
  const bool old = random_.chance(0.3);
  set.revision = old ? static_cast<std::int64_t>(random_.below(3)) : ++revision_;
  return set;
}

Command Workload::use_token(Client& client) {
  if (tokens_.empty() || random_.chance(0.3)) {
    const std::string id = "t" + std::to_string(++counter_);
    tokens_.emplace_back(client.ns, id);
    return PutToken{.token = {.id = id, .ns = client.ns, .name = "n", .role = "worker"},
                    .actor = actor()};
  }
  const auto& [ns, id] = tokens_[random_.below(tokens_.size())];
  if (random_.chance(0.7)) return TouchToken{.id = id};
  return RevokeToken{.ns = random_.chance(0.8) ? ns : client.ns, .id = id, .actor = actor()};
}

std::optional<Workload::Request> Workload::keep(Client& client) {
  if (random_.chance(0.6)) return use_token(client);
  if (random_.chance(0.4)) return Command(limits());
  if (options_.faults && random_.chance(0.6)) return set_rules(client);
  return std::nullopt;
}

// ---- A disk that is restored from a copy
// ------------------------------------------------------------------

void Workload::copy_disk() {
  copy_ = disk_;
  writer_.mark("copied", *backend_->catalog().now());
}

// The store continues, and its time does not go back.
void Workload::set_back() {
  if (!copy_) return;
  writer_.nemesis("set back", "disk");
  const Instant time = disk_.highest_time;
  disk_ = *copy_;
  disk_.highest_time = time;
}

}  // namespace longshore::checker
