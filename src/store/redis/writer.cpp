#include "store/redis/writer.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/rules/command_check.h"
#include "store/execute/verbs.h"
#include "store/redis/codec.h"
#include "store/redis/reader.h"
#include "store/redis/survey.h"

namespace longshore::redis {
namespace {

// How often a batch that met another is judged. Whenever one has to begin again, another is done.
constexpr int tries = 200;

// For how long a claim takes stale elements off before it answers that it found nothing.
constexpr std::int64_t look_further_micros = 50'000;

// New jobs are refused from here on, so that those which are there can still end.
constexpr double memory_share = 0.9;

// Where a command belongs: a namespace, "" for none, nothing for all of them.
struct Realm {
  template <class Said>
  std::optional<std::string> operator()(const Said& said) const {
    if constexpr (requires { said.ns.size(); }) {
      return said.ns;
    } else {
      return std::nullopt;
    }
  }
  std::optional<std::string> operator()(const PutToken&) const { return ""; }
  std::optional<std::string> operator()(const RevokeToken&) const { return ""; }
  std::optional<std::string> operator()(const TouchToken&) const { return ""; }
  std::optional<std::string> operator()(const SeeNode&) const { return ""; }
  std::optional<std::string> operator()(const SetRules&) const { return ""; }
};

// Roughly what Redis will need for the jobs that a command brings.
std::int64_t size_of(const Command& command) {
  constexpr std::int64_t each = 500;
  const auto* enqueue = std::get_if<Enqueue>(&command);
  if (enqueue == nullptr) return each;
  std::int64_t sum = 0;
  for (const NewJob& job : enqueue->jobs) sum += each + bytes_of(job.body) * 5 / 4;
  return sum;
}

bool brings_jobs(const Command& command) {
  return std::holds_alternative<Enqueue>(command) || std::holds_alternative<Redrive>(command);
}

void fail(Committed& committed, std::size_t place, const Error& error) {
  committed.errors.resize(committed.verdicts.size());
  committed.errors[place] = error;
}

// If all commands failed: the error of the call, "unknown" rather than "nothing happened".
const Error* common_error(const Committed& committed) {
  if (committed.errors.empty()) return nullptr;
  if (!std::ranges::all_of(committed.errors, [](const auto& one) { return one.has_value(); })) {
    return nullptr;
  }
  const auto unknown = std::ranges::find_if(
      committed.errors, [](const auto& one) { return one->code == Errc::unavailable; });
  return unknown == committed.errors.end() ? &*committed.errors.front() : &**unknown;
}

}  // namespace

Result<Committed> Writer::commit(std::span<const Command> commands) {
  Committed committed;
  committed.verdicts.resize(commands.size());
  std::vector<Group> groups;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    if (auto refusal = refuse(command)) {
      committed.verdicts[i] = std::move(*refusal);
      continue;
    }
    const auto ns = std::visit(Realm(), command);
    if (!ns) {
      commit_groups(groups, committed);
      auto verdict = run_wide(command, committed);
      if (verdict) {
        committed.verdicts[i] = std::move(*verdict);
      } else {
        fail(committed, i, verdict.error());
      }
      continue;
    }
    auto group = std::ranges::find(groups, *ns, &Group::ns);
    if (group == groups.end())
      group = groups.insert(group, {.ns = *ns, .commands = {}, .places = {}});
    group->commands.push_back(&command);
    group->places.push_back(i);
  }
  commit_groups(groups, committed);
  if (const Error* error = common_error(committed)) return *error;
  committed.at = highest();
  note_up();
  note_step();
  return committed;
}

// Whoever starts later wants to know to the second until when somebody was there, also of one that
// changed nothing. That it is noted is not worth waiting for the disk.
void Writer::note_up() {
  Instant noted = noted_up_.load();
  const Instant now = highest();
  if (whole_second(now) <= whole_second(noted)) return;
  if (!noted_up_.compare_exchange_strong(noted, now)) return;
  const Keys shared = Keys::shared(around_.prefix());
  const std::vector<Words> calls = {
      {"HSET", shared.one("store"), "up", std::to_string(now.count())}};
  [[maybe_unused]] const auto told = around_.channel.exchange(shared.tag(), calls, false);
}

// For nodes that start later. If it cannot be written, the next commit tries again.
void Writer::note_step() {
  const Instant seen = around_.time.stepped_at().value_or(Instant());
  if (seen == step_written_.load()) return;
  const Keys shared = Keys::shared(around_.prefix());
  const std::vector<Words> calls = {
      {"HSET", shared.one("store"), "stepped", std::to_string(seen.count())}};
  if (around_.channel.exchange(shared.tag(), calls, true)) step_written_ = seen;
}

// A step that another node saw counts, too.
void Writer::learn_step() {
  if (around_.time.stepped_at().value_or(Instant()) != step_written_.load()) return;
  const Keys shared = Keys::shared(around_.prefix());
  const auto told =
      Reader(around_.channel, shared).read({{"HGET", shared.one("store"), "stepped"}});
  if (!told || (*told)[0].is_nil()) return;
  const Instant seen = Instant::millis(read_integer((*told)[0]));
  around_.time.learn_step(seen);
  step_written_ = seen;
}

// With what this command brings. A look says what Redis held a moment before it was done.
std::int64_t Writer::brought(const Command& command, std::int64_t looks) {
  MutexLock lock(mutex_);
  if (looks_ != looks) {
    brought_before_ = std::exchange(brought_now_, 0);
    looks_ = looks;
  }
  brought_now_ += size_of(command);
  return brought_before_ + brought_now_;
}

std::optional<Refusal> Writer::refuse(const Command& command) {
  if (auto refusal = check(command, around_.rules.get()->rules)) return refusal;
  if (!brings_jobs(command)) return std::nullopt;
  const Standing standing = around_.channel.standing();
  const double limit = memory_share * static_cast<double>(standing.memory_max);
  if (standing.memory_max == 0) return std::nullopt;
  const std::int64_t used = standing.memory_used + brought(command, standing.looks);
  if (static_cast<double>(used) < limit) return std::nullopt;
  return Refusal{.code = Code::disk_full,
                 .detail = "Redis is nearly out of memory; raise maxmemory, or keep less"};
}

void Writer::commit_groups(std::vector<Group>& groups, Committed& committed) {
  for (const Group& group : std::exchange(groups, {})) {
    auto judged = commit_group(group, nullptr);
    for (std::size_t i = 0; i < group.places.size(); ++i) {
      if (judged) {
        committed.verdicts[group.places[i]] = std::move(judged->verdicts[i]);
      } else {
        fail(committed, group.places[i], judged.error());
      }
    }
    if (judged) std::ranges::move(judged->events, std::back_inserter(committed.events));
  }
}

Mutex& Writer::claims_of(const std::string& ns) {
  MutexLock lock(mutex_);
  auto& claims = claims_[ns];
  if (!claims) claims = std::make_unique<Mutex>();
  return *claims;
}

Result<Writer::Executed> Writer::commit_group(const Group& group, const Prepare& prepare) {
  auto judged = commit_once(group, prepare);
  if (!judged || judged->cut.empty()) return judged;
  if (const auto looked = look_further(group, *judged); !looked) return looked.error();
  return judged;
}

// A claim that came to very many stale elements has taken those off that it saw, and there may be a
// job behind them. It looks again for a while; after that, whoever waits for the queue is told.
Result<Nothing> Writer::look_further(const Group& group, Executed& judged) {
  const std::int64_t until = steady_micros() + look_further_micros;
  while (!judged.cut.empty() && steady_micros() < until) {
    Group rest{.ns = group.ns, .commands = {}, .places = judged.cut};
    for (const std::size_t place : rest.places) rest.commands.push_back(group.commands[place]);
    auto again = commit_once(rest, nullptr);
    if (!again) return again.error();
    for (std::size_t i = 0; i < rest.places.size(); ++i) {
      judged.verdicts[rest.places[i]] = std::move(again->verdicts[i]);
    }
    std::ranges::move(again->events, std::back_inserter(judged.events));
    judged.at = again->at;
    judged.cut.clear();
    for (const std::size_t i : again->cut) judged.cut.push_back(rest.places[i]);
  }
  std::set<std::string> queues;
  for (const std::size_t place : judged.cut) {
    for (const std::string& queue : std::get<Claim>(*group.commands[place]).queues) {
      queues.insert(group.ns + "/" + queue);
    }
  }
  hint_(std::move(queues));
  return Nothing{};
}

Result<Writer::Executed> Writer::commit_once(const Group& group, const Prepare& prepare) {
  const bool claims = std::ranges::any_of(group.commands, [](const Command* command) {
    return std::holds_alternative<Claim>(*command);
  });
  std::optional<MutexLock> alone;
  // Whoever looks at the heads of the lists after these bytes were sent mostly finds them without
  // what this batch takes; who does not begins again.
  const Prepare prepare_turn = [&](RedisTransaction& unit) {
    if (prepare) prepare(unit);
    if (claims) unit.set_when_sent([&alone] { alone.reset(); });
  };
  for (int i = 0; i < tries; ++i) {
    if (claims && !alone) alone.emplace(claims_of(group.ns));
    auto judged = attempt(group, i == 0 ? prepare_turn : prepare, i == 0);
    if (!judged) return judged.error();
    if (*judged) return std::move(**judged);
  }
  return Error{.code = Errc::unavailable,
               .message = around_.channel.url().shown +
                          ": others change the same jobs all the time; try again"};
}

// None: something that it rests on has changed, and nothing was written.
Result<std::optional<Writer::Executed>> Writer::attempt(const Group& group, const Prepare& prepare,
                                                        bool first) {
  RedisTransaction unit(around_, group.ns, highest());
  unit.begin(group.commands, first);
  if (prepare) prepare(unit);
  Executed judged;
  judged.verdicts.reserve(group.commands.size());
  for (const Command* command : group.commands) {
    if (unit.trouble()) break;
    unit.begin_command(judged.events);
    judged.verdicts.push_back(execute::run_command(unit, *command));
    const Leased* leased = std::get_if<Leased>(&judged.verdicts.back());
    if (leased == nullptr || !leased->leases.empty() || !unit.was_cut()) continue;
    judged.cut.push_back(judged.verdicts.size() - 1);
  }
  const auto done = unit.finish(judged.verdicts);
  if (!done) return done.error();
  if (!*done) return std::optional<Executed>();
  if (!unit.wrote()) judged.cut.clear();  // to look again would show the same
  for (Verdict& verdict : judged.verdicts) {
    Swept* swept = std::get_if<Swept>(&verdict);
    if (swept == nullptr) continue;
    swept->more = swept->more || unit.leaves_stale_heads();
    swept->count += std::ssize(unit.repairs());
    swept->repaired.insert(swept->repaired.end(), unit.repairs().begin(), unit.repairs().end());
  }
  unit.publish_rules();
  judged.at = unit.now();
  around_.time.raise(unit.now(), around_.steady());
  hint_(unit.take_hints());
  return std::optional(std::move(judged));
}

}  // namespace longshore::redis
