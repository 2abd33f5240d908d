// What only wide workloads do: commits of several commands, three namespaces with operators of
// their own, settings that change while everybody is at work, and a disk that is set back.
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
  people_.push_back({.name = "p5", .ns = "third"});
  people_.push_back({.name = "w5", .role = Role::worker, .ns = "third"});
  people_.push_back({.name = "w6", .role = Role::worker, .ns = "other"});
  people_.push_back({.name = "inside2", .role = Role::worker, .ns = "other", .node = node_});
  people_.push_back({.name = "o2", .role = Role::steward, .ns = "other"});
  people_.push_back({.name = "o3", .role = Role::steward, .ns = "third"});
  people_.push_back({.name = "k1", .role = Role::keeper, .ns = "main"});
  people_.push_back({.name = "k2", .role = Role::keeper, .ns = "other"});
}

// ---- Commits of several commands --------------------------------------------------------------

// Whoever else has spoken and was not heard yet may come along.
void Workload::arrive_together(Person& person) {
  if (!std::holds_alternative<Command>(person.flight->said)) return arrive(*person.flight);
  std::vector<Flight*> flights = {&*person.flight};
  const bool crowded = random_.chance(0.6);
  for (Person& other : people_) {
    const bool waits = other.flight && !other.flight->answer && &other != &person &&
                       std::holds_alternative<Command>(other.flight->said);
    if (crowded && waits) flights.push_back(&*other.flight);
  }
  std::vector<Command> commands;
  for (const Flight* flight : flights) commands.push_back(std::get<Command>(flight->said));
  auto committed = store_->commit(commands);
  for (std::size_t i = 0; i < flights.size(); ++i) {
    land(*flights[i], std::move(committed->verdicts[i]), committed->at);
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

// One call about many jobs.
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

// Nothing is forgotten while somebody may still send again what made it.
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

Command Workload::set_rules(Person& person) {
  SetRules set{.ns = person.ns, .actor = actor()};
  set.rules["leaseSeconds"] = std::to_string(4 + random_.below(3));
  // Now and then somebody applies a file that is out of date.
  const bool old = random_.chance(0.3);
  set.revision = old ? static_cast<std::int64_t>(random_.below(3)) : ++revision_;
  return set;
}

Command Workload::use_token(Person& person) {
  if (tokens_.empty() || random_.chance(0.3)) {
    const std::string id = "t" + std::to_string(++counter_);
    tokens_.emplace_back(person.ns, id);
    return PutToken{.token = {.id = id, .ns = person.ns, .name = "n", .role = "worker"},
                    .actor = actor()};
  }
  const auto& [ns, id] = tokens_[random_.below(tokens_.size())];
  if (random_.chance(0.7)) return TouchToken{.id = id};
  return RevokeToken{.ns = random_.chance(0.8) ? ns : person.ns, .id = id, .actor = actor()};
}

std::optional<Workload::Said> Workload::keep(Person& person) {
  if (random_.chance(0.6)) return use_token(person);
  if (random_.chance(0.4)) return Command(limits());
  if (options_.faults && random_.chance(0.6)) return set_rules(person);
  return std::nullopt;
}

// ---- A disk that is set back ------------------------------------------------------------------

void Workload::copy_disk() {
  copy_ = disk_;
  writer_.mark("copied", *backend_->catalog().now());
}

// The store goes on as if nothing had happened, and its time does not go back.
void Workload::set_back() {
  if (!copy_) return;
  writer_.nemesis("set back", "disk");
  const Instant time = disk_.highest_time;
  disk_ = *copy_;
  disk_.highest_time = time;
}

}  // namespace longshore::checker
