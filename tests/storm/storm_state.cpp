#include "storm/storm_state.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>

#include "checker/calls.h"

namespace longshore::storm {
namespace {

constexpr auto longest_silence = std::chrono::seconds(30);
constexpr std::size_t known_kept = 200;

// What a transition counts as. Ignores jobs that are pruned soon, since they are not in the final
// dump.
std::string word_of(const JobEvent& one) {
  if (one.queue == brief_queue) return "";
  const Transition& move = one.transition;
  if (move.cause == Cause::replace) return "replaced";
  if (move.cause == Cause::hand_off) return "handed off";
  if (move.cause == Cause::expired) return "expired";
  if (move.detail == "restart") return "taken back at restart";
  if (move.worker == "external" && move.cause != Cause::claim) return "finished by key";
  return "";
}

}  // namespace

std::vector<std::string> namespaces(const StormOptions& options) {
  if (!options.wide) return {"main"};
  return {"main", "other", "third"};
}

// ---- Progress ---------------------------------------------------------------------------------

void Progress::answered() {
  MutexLock lock(mutex_);
  ++count_;
  changed_.notify_all();
}

bool Progress::wait_for_more(std::int64_t more) {
  MutexLock lock(mutex_);
  const std::int64_t wanted = count_ + more;
  while (count_ < wanted) {
    const std::int64_t before = count_;
    const bool moved = changed_.wait_for(mutex_, longest_silence, [&] {
      mutex_.assert_held();
      return count_ > before;
    });
    if (!moved) return false;
  }
  return true;
}

std::int64_t Progress::count() {
  MutexLock lock(mutex_);
  return count_;
}

// ---- Nodes ------------------------------------------------------------------------------------

Result<Committed> StormNode::commit(std::span<const Command> commands) {
  std::unique_lock turn(restart_mutex_);
  const std::shared_lock inside(calls_mutex_);
  turn.unlock();
  return backend_->store().commit(commands);
}

Result<Nothing> StormNode::restart(const StormOptions& options,
                                   const std::function<void(Store&)>& begin) {
  const std::lock_guard turn(restart_mutex_);
  const std::unique_lock alone(calls_mutex_);
  // Opens the new one first, so that a catalog is always available.
  auto opened = options.open();
  if (!opened) return opened.error();
  backend_ = std::move(*opened);
  restarts_ += 1;
  begin(backend_->store());
  return Nothing{};
}

// ---- Shared state -----------------------------------------------------------------------------

void StormState::fail(const Error& error) {
  unanswered += 1;
  MutexLock lock(mutex);
  last_error = error.message;
}

// A server known to be down refuses at once, so retrying without a pause would only burn CPU time.
void StormState::back_off() {
  std::mutex unshared;
  std::unique_lock lock(unshared);
  std::condition_variable().wait_for(lock, std::chrono::milliseconds(1000));
}

std::string StormState::last_problem() {
  MutexLock lock(mutex);
  return last_error;
}

void StormState::remember(Known job) {
  MutexLock lock(mutex);
  known.push_back(std::move(job));
  if (known.size() > known_kept) known.pop_front();
}

std::optional<Known> StormState::any_known(Random& random) {
  MutexLock lock(mutex);
  if (known.empty()) return std::nullopt;
  return known[random.below(known.size())];
}

void StormState::note_events(std::span<const Command> commands, const Committed& committed) {
  if (!options.wide) return;
  MutexLock lock(mutex);
  for (const JobEvent& one : committed.events) seen.insert(word_of(one));
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const bool refused = std::holds_alternative<Refusal>(committed.verdicts[i]);
    if (std::holds_alternative<Redrive>(commands[i]) && !refused) seen.insert("redriven");
    const Swept* swept = std::get_if<Swept>(&committed.verdicts[i]);
    if (std::holds_alternative<Prune>(commands[i]) && swept != nullptr && swept->count > 0) {
      seen.insert("pruned");
    }
  }
}

void StormState::clear_seen() {
  MutexLock lock(mutex);
  seen.clear();
}

bool StormState::saw_all() {
  MutexLock lock(mutex);
  for (const std::string& word : required_of(options)) {
    const bool of_no_row = word == "acked" || word == "grants" || word == "undone";
    if (!of_no_row && !seen.contains(word)) return false;
  }
  return true;
}

// ---- Clients ----------------------------------------------------------------------------------

Actor Client::actor() { return {name_, name_ + "/" + std::to_string(++requests_)}; }

namespace {

// The error of this command, or of the whole commit; null if it has a verdict.
const Error* error_of(const Result<Committed>& committed, std::size_t place) {
  if (!committed.ok()) return &committed.error();
  if (committed->errors.empty() || !committed->errors[place]) return nullptr;
  return &*committed->errors[place];
}

void record(StormState& state, std::int64_t op, const Error& error) {
  const bool unknown = error.code == Errc::unavailable;
  unknown ? state.history.info(op) : state.history.fail(op, to_text(error.code));
  state.fail(error);
}

}  // namespace

// Repeats failed commands until each has its verdict.
std::vector<Verdict> Client::send(std::span<const Command> commands) {
  std::vector<Verdict> verdicts(commands.size());
  std::vector<std::size_t> left(commands.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (state.working && !left.empty()) {
    std::vector<Command> sent;
    std::vector<std::int64_t> ops;
    for (const std::size_t place : left) {
      sent.push_back(commands[place]);
      ops.push_back(state.history.invoke(name_, checker::call_of(commands[place])));
    }
    const Result<Committed> committed = node.commit(sent);
    if (committed) state.note_events(sent, *committed);
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (const Error* error = error_of(committed, i)) {
        record(state, ops[i], *error);
        failed.push_back(left[i]);
      } else {
        record(state, ops[i], committed->verdicts[i], committed->at);
        verdicts[left[i]] = committed->verdicts[i];
      }
    }
    left = std::move(failed);
    if (!left.empty()) state.back_off();
  }
  if (!left.empty()) return {};
  return verdicts;
}

std::optional<Verdict> Client::send(const Command& command) {
  std::vector<Verdict> verdicts = send(std::span(&command, 1));
  if (verdicts.empty()) return std::nullopt;
  return std::move(verdicts.front());
}

void record(StormState& state, std::int64_t op, const Verdict& verdict, Instant at) {
  if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
    state.history.fail(op, to_text(refusal->code), at);
  } else {
    checker::Answer answer = checker::answer_of(verdict);
    answer.at = at;
    state.history.ok(op, std::move(answer));
  }
  state.progress.answered();
}

}  // namespace longshore::storm
