#include "engine/engine.h"

#include <algorithm>
#include <utility>

namespace longshore {

Engine::Engine(Store& store, Waker& committer, Waker& ticker, EngineOptions options)
    : options_(std::move(options)),
      queue_(store, committer, *this, options_.limits),
      dispatcher_(queue_, ticker),
      minutes_(options_.run == NodeId() ? options_.node : options_.run),
      periodic_(queue_, ticker) {
  for (PeriodicCommand& command :
       maintenance_commands(options_.rules, options_.node, options_.name, options_.recovery)) {
    periodic_.add(std::move(command));
  }
  periodic_.add({.name = "minutes",
                 .every = Duration::seconds(2),
                 .make = [this](Instant) -> std::optional<Command> {
                   Minutes::Batch batch = minutes_.take_changed();
                   if (batch.rows.empty()) return std::nullopt;
                   minutes_sent_ = batch.number;
                   return RecordMinutes{std::move(batch.rows)};
                 },
                 .tell = [this](const Answered&) { minutes_.acknowledge(minutes_sent_); }});
}

Engine::~Engine() { stop(); }

void Engine::listen(CommitListener listener) { listeners_.push_back(std::move(listener)); }

void Engine::listen_for_failures(FailureListener listener) {
  failure_listeners_.push_back(std::move(listener));
}

Instant Engine::tick(Instant now) {
  const Instant next_claim = dispatcher_.tick(now);
  const Instant next_command = periodic_.tick(now);
  return std::min(next_claim, next_command);
}

void Engine::stop_dispatching() {
  dispatcher_.stop();
  Minutes::Batch batch = minutes_.take_changed();
  if (batch.rows.empty()) return;
  submit(RecordMinutes{std::move(batch.rows)}, [this, number = batch.number](const auto& answer) {
    if (answer) minutes_.acknowledge(number);
  });
}

void Engine::stop() {
  dispatcher_.stop();
  queue_.stop();
}

void Engine::committed(const Committed& committed) {
  minutes_.count(committed);
  dispatcher_.on_commit(committed);
  periodic_.on_commit(committed);
  for (const CommitListener& listener : listeners_) listener(committed);
}

void Engine::failed(const Error& error) {
  for (const FailureListener& listener : failure_listeners_) listener(error);
}

}  // namespace longshore
