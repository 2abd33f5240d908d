#include <algorithm>

#include "conformance/fixture.h"
#include "conformance/program.h"
#include "conformance/snapshot.h"

namespace longshore::conformance {
namespace {

// Stores differ in the text of refusals and in the precision of next due times.
Verdict essence(Verdict verdict) {
  if (Refusal* refusal = std::get_if<Refusal>(&verdict)) refusal->detail.clear();
  if (Swept* swept = std::get_if<Swept>(&verdict)) *swept = Swept{.count = swept->count};
  return verdict;
}

std::string in_words(const std::vector<JobEvent>& events) {
  std::string text;
  for (const JobEvent& each : events) {
    text += " " + std::string(to_text(each.transition.cause)) + ">" +
            std::string(to_text(each.transition.to));
  }
  return text;
}

// A store may serve the namespaces of a batch one after the other.
std::vector<JobEvent> by_namespace(std::vector<JobEvent> events) {
  std::ranges::stable_sort(events, {}, &JobEvent::ns);
  return events;
}

// About one instruction in five lets time pass, one in fifty closes and opens a store.
bool is_pause(const Instruction& instruction) { return instruction[0] >= 208; }
bool is_reopening(const Instruction& instruction) { return instruction[0] >= 251; }

Duration length_of(const Instruction& pause) {
  constexpr Duration lengths[] = {
      Duration::millis(400), Duration::seconds(1),  Duration::seconds(6), Duration::seconds(31),
      Duration::seconds(31), Duration::minutes(31), Duration::days(8),    Duration::days(31)};
  return lengths[pause[1] % 8];
}

}  // namespace

std::optional<std::string> ProgramRun::difference_of(const Program& program) {
  if (auto found = play(program, 0, program.instructions.size())) return found;
  return finish();
}

std::optional<std::string> ProgramRun::play(const Program& program, std::size_t from,
                                            std::size_t until) {
  plain_ = program.rules % 2 == 1;
  wide_ = program.wide;
  large_ = program.large();
  for (std::size_t i = from; i < std::min(until, program.instructions.size()); ++i) {
    if (auto found = step(program.instructions[i])) {
      return "instruction " + std::to_string(i + 1) + ": " + *found;
    }
  }
  if (auto found = send(std::exchange(batch_, {}))) return "the last batch: " + *found;
  return std::nullopt;
}

std::optional<std::string> ProgramRun::finish() {
  if (auto found = compare_ends()) return found;
  return drain();
}

// About one command in four waits for the next one, and is then sent with it.
std::optional<std::string> ProgramRun::step(const Instruction& instruction) {
  const bool is_command = !is_reopening(instruction) && !is_pause(instruction);
  if (!is_command && stage_.shared) return std::nullopt;
  if (is_command) batch_.push_back(command_of(instruction));
  if (is_command && instruction[5] % 4 == 3) return std::nullopt;
  if (auto found = send(std::exchange(batch_, {}))) return found;
  if (is_reopening(instruction)) return reopen();
  if (is_pause(instruction)) {
    left_.advance(length_of(instruction));
    right_.advance(length_of(instruction));
    return std::nullopt;
  }
  return std::nullopt;
}

// What one store has to bring back from its disk, the other never let go of. It looks at the clock
// before it is closed: one that was closed for more than a day would wait before it prunes.
std::optional<std::string> ProgramRun::reopen() {
  if (!right_.promised().survives_reopen) return std::nullopt;
  if (const auto now = right_.backend().catalog().now(); !now) return "the time cannot be read";
  const auto opened = right_.reopen();
  if (!opened) return "cannot be opened again: " + opened.error().message;
  return std::nullopt;
}

std::optional<std::string> ProgramRun::send(const std::vector<Command>& commands) {
  if (commands.empty()) return std::nullopt;
  const auto left = left_.backend().store().commit(commands);
  const auto right = right_.backend().store().commit(commands);
  if (!left || !right) return "a call failed";
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Verdict& verdict = left->verdicts.at(i);
    if (essence(verdict) != essence(right->verdicts.at(i))) {
      return name_of(commands[i]) + ": " + describe(verdict) + " | " +
             describe(right->verdicts.at(i));
    }
    const bool refused = std::holds_alternative<Refusal>(verdict);
    (refused ? tally_.refused : tally_.accepted).at(commands[i].index()) += 1;
    remember(commands[i], verdict);
  }
  const auto one = by_namespace(left->events), other = by_namespace(right->events);
  if (one == other) return std::nullopt;
  return "what happened: " + in_words(one) + " | " + in_words(other);
}

void ProgramRun::remember(const Command& command, const Verdict& verdict) {
  said_.push_back(command);
  if (const auto* leased = std::get_if<Leased>(&verdict)) {
    for (const Lease& lease : leased->leases) {
      leases_.push_back({.ns = std::get<Claim>(command).ns, .lease = lease});
    }
  }
  if (const auto* enqueued = std::get_if<Enqueued>(&verdict)) {
    for (const EnqueuedJob& job : enqueued->jobs) {
      if (std::ranges::find(jobs_, job.id) == jobs_.end()) jobs_.push_back(job.id);
    }
  }
}

// Claims the remaining jobs: their order shows the positions in the queues.
std::optional<std::string> ProgramRun::drain() {
  for (const std::string where : {"default", "other"}) {
    const Claim rest{.id = request(),
                     .ns = where + stage_.suffix,
                     .worker = "carol",
                     .queues = {"q", "r"},
                     .limit = std::min(left_.rules.claim_limit, 100)};
    if (auto found = send({rest})) return "at the end: " + *found;
  }
  return std::nullopt;
}

std::optional<std::string> ProgramRun::compare_ends() {
  const Seen seen{.namespaces = {"default" + stage_.suffix, "other" + stage_.suffix},
                  .idempotency_keys = {"i1", "i2", "i3"},
                  .shared = stage_.shared};
  const std::string text = difference(snapshot(left_.backend().catalog(), seen),
                                      snapshot(right_.backend().catalog(), seen));
  if (!text.empty()) return "at the end: " + text;
  for (StoreHarness* harness : {&left_, &right_}) {
    const auto audit = harness->backend().catalog().audit();
    if (!audit) return "audit failed: " + audit.error().message;
    if (!audit->sound())
      return "unsound: " + audit->findings[0].rule + " " + audit->findings[0].what;
  }
  return std::nullopt;
}

}  // namespace longshore::conformance
