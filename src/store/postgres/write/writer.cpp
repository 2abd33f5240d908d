#include "store/postgres/write/writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/rules/command_check.h"
#include "store/execute/verbs.h"

namespace longshore::postgres {
namespace {

// How often a transaction that met another is tried.
constexpr int tries = 20;

// After something was taken for granted and was not so, so many commits look first.
constexpr int commits_wary = 64;
constexpr const char* unique_violation = "23505";

constexpr Sql end_transaction = {"COMMIT"};
constexpr Sql note_step = {"UPDATE @store SET stepped_at = $1"};
constexpr Sql roll_back = {"ROLLBACK"};

// Whether there was something left of it.
bool use_up(std::atomic<int>& count) {
  int left = count.load();
  while (left > 0 && !count.compare_exchange_weak(left, left - 1)) {
  }
  return left > 0;
}

}  // namespace

Writer::Writer(const Target& target, RulesRecord rules, const StoreTime::Saved& saved,
               std::function<std::int64_t()> steady, PostgresWakeups& wakeups,
               ConditionBook& conditions, std::function<void(const std::string&)> alarm)
    : target_(target),
      wakeups_(wakeups),
      alarm_(std::move(alarm)),
      shared_(std::move(steady), std::make_shared<const RulesRecord>(std::move(rules)), saved) {
  MutexLock lock(mutex_);
  for (int i = 0; i < target.lanes; ++i)
    idle_.push_back(std::make_unique<WriteConnection>(target, shared_.steady, conditions));
}

void Writer::adopt(std::unique_ptr<Connection> connection, const CommitCounterId& commit_counter) {
  MutexLock lock(mutex_);
  idle_.back()->adopt(std::move(connection), commit_counter);
}

Result<Committed> Writer::commit(std::span<const Command> commands) {
  std::unique_ptr<WriteConnection> writer = take();
  Result<Committed> committed = commit_on(*writer, commands);
  if (committed) sweep_if_due(*writer, *committed);
  if (committed) write_step(*writer);
  const auto lost = writer->take_alarm();
  give_back(std::move(writer));
  if (lost && alarm_) alarm_(*lost);
  return committed;
}

// The writer used last is taken first: its connection is warm, and those of a quiet store stay few.
std::unique_ptr<WriteConnection> Writer::take() {
  MutexLock lock(mutex_);
  freed_.wait(mutex_, [this] {
    mutex_.assert_held();
    return !idle_.empty();
  });
  std::unique_ptr<WriteConnection> writer = std::move(idle_.back());
  idle_.pop_back();
  return writer;
}

void Writer::give_back(std::unique_ptr<WriteConnection> writer) {
  MutexLock lock(mutex_);
  idle_.push_back(std::move(writer));
  freed_.notify_one();
}

// A connection that turns out to be dead before anything was asked of it was lost while it was
// idle, and is replaced once. After that, what was under way may have happened, and only whoever
// sent it can send it again.
Result<Committed> Writer::commit_on(WriteConnection& writer, std::span<const Command> commands) {
  bool may_reconnect = true;
  for (int i = 0;; ++i) {
    const auto connected = writer.connect();
    if (!connected) {
      rest();
      return connected.error();
    }
    constexpr Trust none{.as_known = false, .plain = false};
    Attempt done = attempt(writer, commands, i > 0 ? none : next_trust());
    if (done.committed) return std::move(*done.committed);
    const StickyError& trouble = done.trouble;
    if (trouble.state == unique_violation) wary_for_ = commits_wary;
    if (trouble.kind == StickyError::Kind::again && done.deferred) looking_for_ = commits_wary;
    if (trouble.kind == StickyError::Kind::again && i + 1 < tries) continue;
    if (trouble.kind == StickyError::Kind::lost && !done.begun &&
        std::exchange(may_reconnect, false)) {
      continue;
    }
    return error_of(trouble, target_.shown);
  }
}

// For nodes that start later. If it cannot be written, the next commit tries again.
void Writer::write_step(WriteConnection& writer) {
  const Instant seen = shared_.time.stepped_at().value_or(Instant());
  if (seen == shared_.step_written.load()) return;
  Parameters parameters;
  parameters.add(seen);
  Connection& connection = writer.connection();
  connection.ask(note_step, std::move(parameters));
  if (!connection.trouble()) shared_.step_written = seen;
  connection.forget_trouble();
  if (!connection.alive()) writer.disconnect();
}

void Writer::sweep_if_due(WriteConnection& writer, const Committed& committed) {
  std::int64_t handed_out = 0;
  for (const Verdict& verdict : committed.verdicts) {
    if (const auto* leased = std::get_if<Leased>(&verdict))
      handed_out += std::ssize(leased->leases);
  }
  if (handed_out == 0 || !vacuumer_.is_due(handed_out, committed.at)) return;
  Connection& connection = writer.connection();
  vacuumer_.sweep(connection, committed.at);
  connection.forget_trouble();
  if (!connection.alive()) writer.disconnect();
}

// A server that refuses at once is not asked in a tight loop, however eager the callers are: the
// writer rests before it is given back.
void Writer::rest() {
  constexpr auto pause = std::chrono::milliseconds(100);
  MutexLock lock(mutex_);
  closed_.wait_for(mutex_, pause);
}

Trust Writer::next_trust() {
  return {.as_known = !use_up(wary_for_), .plain = !use_up(looking_for_)};
}

Writer::Attempt Writer::attempt(WriteConnection& writer, std::span<const Command> commands,
                                Trust trust) {
  Connection& connection = writer.connection();
  PostgresTransaction work(connection, shared_, highest());
  work.begin(commands, trust);
  Attempt result{.begun = !connection.trouble(), .deferred = work.defers_claims()};
  Committed committed;
  if (result.begun) committed.verdicts = judge(work, commands, committed.events);
  const bool alone = result.begun && work.enqueue_single_statement(writer);
  if (!alone) {
    work.enqueue_end(writer.slot());
    writer.enqueue_commit_count(work.now(), work.wrote());
    connection.enqueue_statement(end_transaction);
  }
  std::vector<RowSet> answers = connection.exchange([&work] { work.let_go(); });
  if (connection.trouble()) {
    result.trouble = *connection.trouble();
    connection.forget_trouble();
    const bool good = connection.alive() && result.trouble.kind != StickyError::Kind::lost &&
                      result.trouble.kind != StickyError::Kind::read_only;
    if (good && !alone) connection.ask(roll_back);
    if (!good || connection.trouble()) writer.disconnect();
    return result;
  }
  if (alone) writer.acknowledged(work.counted(answers));
  if (!alone) writer.acknowledged(answers);
  work.hear(answers);
  work.publish_config();
  work.read_served(answers);
  if (work.defers_claims()) judge_claims(work, commands, committed);
  work.hand_out(answers, committed.verdicts);
  committed.at = work.now();
  shared_.time.raise(work.now(), shared_.steady_now());
  wakeups_.hint(work.take_hints());
  result.committed = std::move(committed);
  return result;
}

std::vector<Verdict> Writer::judge(PostgresTransaction& work, std::span<const Command> commands,
                                   std::vector<JobEvent>& events) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(commands.size());
  events.reserve(2 * commands.size());
  for (const Command& command : commands) {
    if (work.connection().trouble()) break;
    if (std::optional<Refusal> refusal = check(command, work.rules())) {
      verdicts.emplace_back(std::move(*refusal));
      continue;
    }
    const Claim* claim = work.defers_claims() ? std::get_if<Claim>(&command) : nullptr;
    if (claim != nullptr) {
      work.defer(*claim);
      verdicts.emplace_back(Leased());
      continue;
    }
    work.begin_command(events);
    verdicts.push_back(execute::run_command(work, command));
  }
  return verdicts;
}

void Writer::judge_claims(PostgresTransaction& work, std::span<const Command> commands,
                          Committed& committed) {
  work.begin_command(committed.events);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    Verdict& verdict = committed.verdicts[i];
    if (std::holds_alternative<Leased>(verdict)) verdict = execute::run_command(work, commands[i]);
  }
}

void Writer::heard(Instant told, Duration asked) {
  shared_.time.heard({.said = told, .asked = asked, .answered = shared_.steady_now()});
}

}  // namespace longshore::postgres
