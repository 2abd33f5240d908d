#include "engine/periodic_commands.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace longshore {
namespace {

// Several jobs that are delayed in quick succession share one Due command.
constexpr Duration hurry_interval_min = Duration::millis(50);

// A commit may become visible this long after the start of a lease it contains.
constexpr Duration late_commit = Duration::seconds(10);

// Which leases a Reap looks at: those that reached their deadline every time, lost ones only as
// often as the rules say.
class ReapSchedule {
 public:
  ReapSchedule(RulesNow rules, bool recovery) : rules_(std::move(rules)), recovery_(recovery) {}

  Reap next(Instant now) {
    const Duration sweep_every = rules_()->sweep_every;
    MutexLock lock(mutex_);
    takes_lost_ = recovery_ && (sweep_every <= Duration::seconds(1) || !last_lost_ ||
                                now >= *last_lost_ + sweep_every);
    if (!takes_lost_) return {.lost_leases = false, .ended_from = seen_until_ - late_commit};
    last_lost_ = now;
    return {};
  }

  void answered(const Answered& answer) {
    const Swept* swept = std::get_if<Swept>(&answer.verdict);
    if (swept == nullptr) return;
    MutexLock lock(mutex_);
    if (swept->more && takes_lost_) last_lost_.reset();
    if (swept->seen_until) seen_until_ = *swept->seen_until;
  }

 private:
  const RulesNow rules_;
  const bool recovery_;
  Mutex mutex_;
  bool takes_lost_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::optional<Instant> last_lost_ LONGSHORE_GUARDED_BY(mutex_);
  Instant seen_until_ LONGSHORE_GUARDED_BY(mutex_);  // by the store's clock
};

bool is_delayed(const Transition& move) {
  return move.to == State::scheduled || move.to == State::retry;
}

}  // namespace

PeriodicCommands::PeriodicCommands(CommitQueue& queue, Waker& ticker)
    : queue_(queue), ticker_(ticker) {}

void PeriodicCommands::add(PeriodicCommand command) {
  MutexLock lock(mutex_);
  lines_.push_back({.command = std::move(command)});
}

Instant PeriodicCommands::tick(Instant now) {
  std::vector<std::pair<std::size_t, Command>> due;
  Instant next = Instant::never();
  {
    MutexLock lock(mutex_);
    now_ = now;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Line& line = lines_[i];
      // The node's clock may be set back, and the interval may change; neither delays the next
      // command by more than one interval.
      const Duration every = line.command.every();
      line.next = std::min(line.next, now + every);
      if (line.in_flight) continue;
      if (line.next <= now) {
        line.next = now + every;
        line.sent = now;
        std::optional<Command> command = line.command.make(now);
        line.in_flight = command.has_value();
        if (command) due.emplace_back(i, std::move(*command));
      }
      next = std::min(next, line.next);
    }
  }
  for (auto& [which, command] : due) {
    queue_.submit(std::move(command),
                  [this, which](const Result<Answered>& answer) { answered(which, answer); });
  }
  return next;
}

void PeriodicCommands::on_commit(const Committed& committed) {
  bool sooner = false;
  {
    MutexLock lock(mutex_);
    for (Line& line : lines_) {
      if (!line.command.hurried_by) continue;
      const auto hastens = [&](const JobEvent& one) {
        return line.command.hurried_by(one.transition);
      };
      const Instant soon = line.sent + hurry_interval_min;
      if (soon >= line.next || std::ranges::none_of(committed.events, hastens)) continue;
      line.next = soon;
      sooner = true;
    }
  }
  if (sooner) ticker_.wake();
}

void PeriodicCommands::answered(std::size_t which, const Result<Answered>& answer) {
  std::function<void(const Answered&)> tell;
  {
    MutexLock lock(mutex_);
    Line& line = lines_[which];
    line.in_flight = false;
    const Swept* swept = answer ? std::get_if<Swept>(&answer->verdict) : nullptr;
    if (swept != nullptr && swept->more) {
      line.next = now_;
    } else if (swept != nullptr && swept->next) {
      // `next` is in the store's time; only the difference is meaningful here.
      const Duration wait = std::max(*swept->next - answer->at, Duration::millis(1));
      line.next = std::min(line.next, now_ + wait);
    }
    if (answer) tell = line.command.tell;
  }
  if (tell) tell(*answer);
  ticker_.wake();
}

std::vector<PeriodicCommand> maintenance_commands(const RulesNow& rules, NodeId node,
                                                  const std::string& name, bool recovery) {
  const Interval often([rules] { return std::min(rules()->sweep_every, Duration::seconds(1)); });
  const auto pace = std::make_shared<ReapSchedule>(rules, recovery);
  return {
      {.name = "due",
       .every = often,
       .make = [](Instant) { return Due{}; },
       .hurried_by = is_delayed},
      {.name = "reap",
       .every = often,
       .make = [pace](Instant now) { return pace->next(now); },
       .tell = [pace](const Answered& answer) { pace->answered(answer); }},
      {.name = "sweep", .every = often, .make = [](Instant) { return Sweep{}; }},
      {.name = "prune", .every = Duration::seconds(10), .make = [](Instant) { return Prune{}; }},
      {.name = "alive",
       .every = Duration::seconds(2),
       .make = [node, name](Instant) { return SeeNode{.node = node, .name = name}; }},
  };
}

}  // namespace longshore
