#include "engine/commit_queue.h"

#include <algorithm>
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
      waiting_[static_cast<std::size_t>(urgency)].push_back(
          {std::move(command), std::move(answer)});
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

std::vector<Entry> CommitQueue::take_batch() {
  MutexLock lock(mutex_);
  std::vector<Entry> batch;
  Weight taken{.jobs = 0};
  for (auto& line : waiting_) {
    while (!line.empty()) {
      const Weight weight = weight_of(line.front().command);
      const bool fits = taken.jobs + weight.jobs <= limits_.jobs_per_commit &&
                        taken.bytes + weight.bytes <= limits_.bytes_per_commit;
      if (!fits && !batch.empty()) return batch;
      taken.jobs += weight.jobs;
      taken.bytes += weight.bytes;
      load_.jobs -= weight.jobs;
      load_.bytes -= weight.bytes;
      batch.push_back(std::move(line.front()));
      line.pop_front();
    }
  }
  return batch;
}

bool CommitQueue::commit_once() {
  std::vector<Entry> batch = take_batch();
  if (batch.empty()) return false;
  // Claims look last, so that they find what this very commit brings.
  std::ranges::stable_partition(
      batch, [](const Entry& entry) { return urgency_of(entry.command) != Urgency::lease; });
  hooks_.joining(batch);
  std::vector<Command> commands;
  commands.reserve(batch.size());
  for (Entry& entry : batch) commands.push_back(std::move(entry.command));
  Result<Committed> outcome = store_.commit(commands);
  if (outcome) hooks_.committed(*outcome);
  answer_all(batch, std::move(outcome));
  hooks_.told();
  return true;
}

void CommitQueue::answer_all(std::vector<Entry>& batch, Result<Committed> outcome) {
  if (!outcome) {
    for (Entry& entry : batch) entry.answer(outcome.error());
    return;
  }
  LONGSHORE_ASSERT(outcome->verdicts.size() == batch.size(), "a store answers every command");
  // Workers first: what they do next ends jobs, what producers do next brings more of them.
  for (const bool workers : {true, false}) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      // A command that was moved from still knows its kind.
      const bool of_worker = urgency_of(batch[i].command) <= Urgency::lease;
      if (of_worker != workers) continue;
      batch[i].answer(Answered{std::move(outcome->verdicts[i]), outcome->at});
    }
  }
}

void CommitQueue::stop() {
  std::array<std::deque<Entry>, urgency_count> rest;
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
