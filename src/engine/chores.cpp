#include "engine/chores.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

// Jobs that are put off one after the other do not each cost a question.
constexpr Duration between_hastened = Duration::millis(50);

bool is_put_off(const Transition& move) {
  return move.to == State::scheduled || move.to == State::retry;
}

}  // namespace

Chores::Chores(CommitQueue& queue, Bell& ticker) : queue_(queue), ticker_(ticker) {}

void Chores::add(Chore chore) {
  MutexLock lock(mutex_);
  lines_.push_back({.chore = std::move(chore)});
}

Instant Chores::tick(Instant now) {
  std::vector<std::pair<std::size_t, Command>> due;
  Instant next = Instant::never();
  {
    MutexLock lock(mutex_);
    // A node's clock may be set back; what was planned by it then comes no later than usual.
    const bool set_back = now < now_;
    now_ = now;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Line& line = lines_[i];
      if (set_back) line.next = std::min(line.next, now + line.chore.every);
      if (line.away) continue;
      if (line.next <= now) {
        line.next = now + line.chore.every;
        line.sent = now;
        std::optional<Command> command = line.chore.make(now);
        line.away = command.has_value();
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

void Chores::look_at(const Committed& committed) {
  bool sooner = false;
  {
    MutexLock lock(mutex_);
    for (Line& line : lines_) {
      if (!line.chore.hastened_by) continue;
      const auto hastens = [&](const Happened& one) {
        return line.chore.hastened_by(one.transition);
      };
      const Instant soon = line.sent + between_hastened;
      if (soon >= line.next || std::ranges::none_of(committed.happened, hastens)) continue;
      line.next = soon;
      sooner = true;
    }
  }
  if (sooner) ticker_.ring();
}

void Chores::answered(std::size_t which, const Result<Answered>& answer) {
  std::function<void(const Answered&)> tell;
  {
    MutexLock lock(mutex_);
    Line& line = lines_[which];
    line.away = false;
    const Swept* swept = answer ? std::get_if<Swept>(&answer->verdict) : nullptr;
    if (swept != nullptr && swept->more) {
      line.next = now_;
    } else if (swept != nullptr && swept->next) {
      // The store speaks in its own time; only the distance means something here.
      const Duration wait = std::max(*swept->next - answer->at, Duration::millis(1));
      line.next = std::min(line.next, now_ + wait);
    }
    if (answer) tell = line.chore.tell;
  }
  if (tell) tell(*answer);
  ticker_.ring();
}

std::vector<Chores::Chore> usual_chores(const Rules& rules, NodeId node, const std::string& name) {
  const Duration often = std::min(rules.sweep_every, Duration::seconds(1));
  return {
      {.name = "due",
       .every = often,
       .make = [](Instant) { return Due{}; },
       .hastened_by = is_put_off},
      {.name = "reap", .every = rules.sweep_every, .make = [](Instant) { return Reap{}; }},
      {.name = "sweep", .every = rules.sweep_every, .make = [](Instant) { return Sweep{}; }},
      {.name = "prune", .every = Duration::seconds(10), .make = [](Instant) { return Prune{}; }},
      {.name = "alive",
       .every = Duration::seconds(2),
       .make = [node, name](Instant) { return SeeNode{.node = node, .name = name}; }},
  };
}

}  // namespace longshore
