#include "engine/commit_queue.h"

#include <numeric>
#include <utility>

#include "core/assert.h"

namespace longshore {
namespace {

Error stopped() { return {Errc::unavailable, "the engine has stopped; nothing more is taken"}; }

}  // namespace

CommitQueue::CommitQueue(Store& store, Bell& bell, CommitHooks& hooks, const CommitLimits& limits)
    : store_(store), bell_(bell), hooks_(hooks), limits_(limits) {}

CommitQueue::~CommitQueue() { stop(); }

void CommitQueue::submit(Command command, Answer answer) {
  const Urgency urgency = urgency_of(command);
  const Weight weight = weight_of(command);
  Error refusal;
  {
    MutexLock lock(mutex_);
    const bool full = load_.jobs + weight.jobs > limits_.jobs_waiting ||
                      load_.bytes + weight.bytes > limits_.bytes_waiting;
    // A command larger than the whole room is taken when nothing else waits.
    const bool crowded = full && load_.jobs > 0;
    if (!stopped_ && (!crowded || urgency == Urgency::settle)) {
      waiting_[static_cast<std::size_t>(urgency)].push({std::move(command), std::move(answer)});
      load_.jobs += weight.jobs;
      load_.bytes += weight.bytes;
    } else {
      refusal = stopped_ ? stopped() : Error{Errc::overloaded, "too much waits to be committed"};
    }
  }
  if (refusal.message.empty()) {
    bell_.ring();
  } else {
    answer(std::move(refusal));
  }
}

void CommitQueue::Batch::add(Entry&& entry) {
  commands.push_back(std::move(entry.command));
  answers.push_back(std::move(entry.answer));
}

// How many of each line fit, most urgent first.
std::array<std::size_t, urgency_count> CommitQueue::choose() const {
  mutex_.assert_held();
  std::array<std::size_t, urgency_count> chosen{};
  Weight taken{.jobs = 0};
  bool any = false;
  for (std::size_t line = 0; line < waiting_.size(); ++line) {
    for (const Entry& entry : waiting_[line]) {
      const Weight weight = weight_of(entry.command);
      taken.jobs += weight.jobs;
      taken.bytes += weight.bytes;
      const bool fits =
          taken.jobs <= limits_.jobs_per_commit && taken.bytes <= limits_.bytes_per_commit;
      if (!fits && any) return chosen;
      chosen[line] += 1;
      any = true;
    }
  }
  return chosen;
}

CommitQueue::Batch CommitQueue::take_batch() {
  // Claims look last, so that they find what this very commit brings.
  constexpr std::array order = {Urgency::settle, Urgency::enqueue, Urgency::upkeep, Urgency::lease};
  static_assert(order.size() == urgency_count);
  MutexLock lock(mutex_);
  const auto chosen = choose();
  Batch batch;
  const std::size_t size = std::accumulate(chosen.begin(), chosen.end(), std::size_t{0});
  batch.commands.reserve(size);
  batch.answers.reserve(size);
  for (const Urgency urgency : order) {
    Fifo<Entry>& line = waiting_[static_cast<std::size_t>(urgency)];
    for (std::size_t left = chosen[static_cast<std::size_t>(urgency)]; left > 0; --left) {
      const Weight weight = weight_of(line.begin()->command);
      load_.jobs -= weight.jobs;
      load_.bytes -= weight.bytes;
      batch.add(line.pop());
    }
  }
  return batch;
}

bool CommitQueue::commit_once() {
  Batch batch = take_batch();
  if (batch.commands.empty()) return false;
  for (Entry& entry : hooks_.joining(batch.commands)) batch.add(std::move(entry));
  Result<Committed> outcome = store_.commit(batch.commands);
  if (outcome) hooks_.committed(*outcome);
  answer_all(batch, std::move(outcome));
  hooks_.told();
  return true;
}

void CommitQueue::answer_all(Batch& batch, Result<Committed> outcome) {
  if (!outcome) {
    for (Answer& answer : batch.answers) answer(outcome.error());
    return;
  }
  LONGSHORE_ASSERT(outcome->verdicts.size() == batch.answers.size(),
                   "a store answers every command");
  // Workers first: what they do next ends jobs, what producers do next brings more of them.
  for (const bool workers : {true, false}) {
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      const bool of_worker = urgency_of(batch.commands[i]) <= Urgency::lease;
      if (of_worker != workers) continue;
      batch.answers[i](Answered{std::move(outcome->verdicts[i]), outcome->at});
    }
  }
}

void CommitQueue::stop() {
  std::array<Fifo<Entry>, urgency_count> rest;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    std::swap(rest, waiting_);
    load_ = {.jobs = 0};
  }
  for (auto& line : rest) {
    for (Entry& entry : line) entry.answer(stopped());
  }
}

std::size_t CommitQueue::waiting() const {
  MutexLock lock(mutex_);
  return load_.jobs;
}

}  // namespace longshore
