#include "engine/commit_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/assert.h"

namespace longshore {
namespace {

// A command that was passed over this often is taken although it does not fit.
constexpr int passes_max = 4;
constexpr std::size_t look_ahead = 16;
// A claim with more pairs of queue and type than this is wide.
constexpr std::size_t wide_lookups = 64;
// Commands that settle jobs are committed in order: none may overtake the first.
constexpr std::size_t in_order = 1;

// Not inline: g++ 12 would warn about members it wrongly considers uninitialized.
[[gnu::noinline]] void tell(Answer& answer, Verdict&& verdict, Instant at) {
  answer(Answered{std::move(verdict), at});
}

Error stopped() { return {Errc::unavailable, "the engine has stopped"}; }

// The first error, if any.
const Error* error_in(const Result<Committed>& outcome) {
  if (!outcome) return &outcome.error();
  for (const std::optional<Error>& error : outcome->errors) {
    if (error) return &*error;
  }
  return nullptr;
}

}  // namespace

// The room left in a commit. A command larger than a whole commit fits if it is the first.
class CommitQueue::Room {
 public:
  explicit Room(const CommitLimits& limits) : limits_(limits) {}

  bool fits(const Weight& weight) const {
    return is_empty_ || (taken_.jobs + weight.jobs <= limits_.jobs_per_commit &&
                         taken_.bytes + weight.bytes <= limits_.bytes_per_commit &&
                         taken_.lookups + weight.lookups <= limits_.lookups_per_commit);
  }
  void take(const Weight& weight) {
    taken_.jobs += weight.jobs;
    taken_.bytes += weight.bytes;
    taken_.lookups += weight.lookups;
    is_empty_ = false;
  }

 private:
  const CommitLimits& limits_;
  Weight taken_{.jobs = 0};
  bool is_empty_ = true;
};

CommitQueue::CommitQueue(Store& store, Waker& waker, CommitHooks& hooks, const CommitLimits& limits)
    : store_(store), waker_(waker), hooks_(hooks), limits_(limits) {}

CommitQueue::~CommitQueue() { stop(); }

void CommitQueue::submit(Command command, Answer answer) {
  const Urgency urgency = urgency_of(command);
  const Weight weight = weight_of(command);
  take(urgency, {{std::move(command), std::move(answer)}, weight});
}

void CommitQueue::submit_in_order(std::vector<Entry> entries) {
  if (entries.empty()) return;
  Waiting waiting{.entry = std::move(entries.front()), .weight = {.jobs = 0}};
  waiting.weight = weight_of(waiting.entry.command);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    const Weight weight = weight_of(entries[i].command);
    waiting.weight.jobs += weight.jobs;
    waiting.weight.bytes += weight.bytes;
    waiting.rest.push_back(std::move(entries[i]));
  }
  take(Urgency::settle, std::move(waiting));
}

void CommitQueue::submit_bulk(Command command, Answer answer) {
  take(Urgency::bulk, {{std::move(command), std::move(answer)}, Weight{.jobs = 0}});
}

void CommitQueue::take(Urgency urgency, Waiting waiting) {
  Error refusal;
  {
    MutexLock lock(mutex_);
    const Weight weight = waiting.weight;
    if (!stopped_ && has_room(urgency, weight)) {
      line(urgency).rest.push(std::move(waiting));
      add_load(weight);
    } else {
      refusal =
          stopped_ ? stopped()
                   : Error{Errc::overloaded, "too many commands wait to be committed; retry later"};
    }
  }
  if (refusal.message.empty()) return waker_.wake();
  refuse(waiting, refusal);
}

void CommitQueue::refuse(Waiting& waiting, const Error& error) {
  waiting.entry.answer(error);
  for (Entry& entry : waiting.rest) entry.answer(error);
}

bool CommitQueue::has_room(Urgency urgency, const Weight& weight) const {
  mutex_.assert_held();
  if (urgency == Urgency::settle) return true;
  if (urgency == Urgency::upkeep) {
    return waiting_[static_cast<std::size_t>(urgency)].rest.size() < limits_.upkeep_waiting;
  }
  if (urgency == Urgency::bulk) {
    return waiting_[static_cast<std::size_t>(urgency)].rest.size() < limits_.bulk_waiting;
  }
  // A command larger than the limit is accepted if nothing else waits.
  return load_.jobs == 0 || (load_.jobs + weight.jobs <= limits_.jobs_waiting &&
                             load_.bytes + weight.bytes <= limits_.bytes_waiting);
}

void CommitQueue::add_load(const Weight& weight) {
  mutex_.assert_held();
  load_.jobs += weight.jobs;
  load_.bytes += weight.bytes;
  if (weight.lookups > wide_lookups) wide_jobs_ += weight.jobs;
}

void CommitQueue::drop_load(const Weight& weight) {
  mutex_.assert_held();
  load_.jobs -= weight.jobs;
  load_.bytes -= weight.bytes;
  if (weight.lookups > wide_lookups) wide_jobs_ -= weight.jobs;
}

CommitQueue::Line& CommitQueue::line(Urgency urgency) {
  mutex_.assert_held();
  return waiting_[static_cast<std::size_t>(urgency)];
}

void CommitQueue::Batch::reserve(std::size_t size) {
  commands.reserve(size);
  answers.reserve(size);
}

void CommitQueue::Batch::add(Entry&& entry) {
  commands.push_back(std::move(entry.command));
  answers.push_back(std::move(entry.answer));
}

std::vector<CommitQueue::Waiting> CommitQueue::take_upkeep() {
  mutex_.assert_held();
  Fifo<Waiting>& rest = line(Urgency::upkeep).rest;
  std::vector<Waiting> taken;
  while (!rest.empty() && taken.size() < limits_.upkeep_per_commit) taken.push_back(rest.pop());
  return taken;
}

std::vector<CommitQueue::Waiting> CommitQueue::take_bulk(bool idle) {
  mutex_.assert_held();
  Fifo<Waiting>& rest = line(Urgency::bulk).rest;
  const std::size_t most = idle ? limits_.bulk_per_idle_commit : limits_.bulk_per_commit;
  std::vector<Waiting> taken;
  while (!rest.empty() && taken.size() < most) taken.push_back(rest.pop());
  return taken;
}

void CommitQueue::take_fitting(Line& line, Room& room, std::size_t passes,
                               std::vector<Waiting>& taken) {
  mutex_.assert_held();
  const auto take_or_pass = [&](Waiting&& one) {
    if (room.fits(one.weight)) {
      room.take(one.weight);
      taken.push_back(std::move(one));
    } else {
      one.passed_over += 1;
      line.passed_over.push_back(std::move(one));
    }
  };
  for (Waiting& one : std::exchange(line.passed_over, {})) take_or_pass(std::move(one));
  while (!line.rest.empty() && line.passed_over.size() < passes) take_or_pass(line.rest.pop());
}

void CommitQueue::take_overdue(Room& room, std::vector<Waiting>& leases,
                               std::vector<Waiting>& enqueues) {
  mutex_.assert_held();
  const auto longest = [](Line& line) {
    return std::ranges::max_element(line.passed_over, {}, &Waiting::passed_over);
  };
  const auto passes = [](const Line& line, auto one) {
    return one == line.passed_over.end() ? 0 : one->passed_over;
  };
  Line& leasing = line(Urgency::lease);
  Line& enqueuing = line(Urgency::enqueue);
  const bool is_lease = passes(leasing, longest(leasing)) > passes(enqueuing, longest(enqueuing));
  Line& from = is_lease ? leasing : enqueuing;
  const auto found = longest(from);
  if (passes(from, found) < passes_max) return;
  room.take(found->weight);
  (is_lease ? leases : enqueues).push_back(std::move(*found));
  from.passed_over.erase(found);
}

CommitQueue::Batch CommitQueue::take_batch() {
  MutexLock lock(mutex_);
  Room room(limits_);
  std::vector<Waiting> upkeep = take_upkeep();
  std::vector<Waiting> settles;
  std::vector<Waiting> leases;
  std::vector<Waiting> enqueues;
  take_fitting(line(Urgency::settle), room, in_order, settles);
  take_overdue(room, leases, enqueues);
  take_fitting(line(Urgency::lease), room, look_ahead, leases);
  take_fitting(line(Urgency::enqueue), room, look_ahead, enqueues);
  std::vector<Waiting> bulk = take_bulk(settles.empty() && leases.empty() && enqueues.empty());
  Batch batch;
  batch.reserve(settles.size() + enqueues.size() + upkeep.size() + bulk.size() + leases.size());
  // Claims come last, so that they find the jobs of this commit.
  for (std::vector<Waiting>* taken : {&settles, &enqueues, &upkeep, &bulk, &leases}) {
    for (Waiting& one : *taken) {
      drop_load(one.weight);
      batch.add(std::move(one.entry));
      for (Entry& entry : one.rest) batch.add(std::move(entry));
    }
  }
  return batch;
}

bool CommitQueue::commit_once() {
  Batch batch = take_batch();
  if (batch.commands.empty()) return false;
  batch.join(hooks_.joining(batch.commands));
  Result<Committed> outcome = store_.commit(batch.commands);
  if (outcome) hooks_.committed(*outcome);
  if (const Error* error = error_in(outcome)) hooks_.failed(*error);
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
  // Workers first: they complete jobs, while producers add more.
  for (const bool workers : {true, false}) {
    for (std::size_t i = 0; i < batch.answers.size(); ++i) {
      const bool of_worker = urgency_of(batch.commands[i]) <= Urgency::lease;
      if (of_worker != workers) continue;
      if (!outcome->errors.empty() && outcome->errors[i]) {
        batch.answers[i](std::move(*outcome->errors[i]));
      } else {
        tell(batch.answers[i], std::move(outcome->verdicts[i]), outcome->at);
      }
    }
  }
}

void CommitQueue::stop() {
  std::array<Line, urgency_count> rest;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    std::swap(rest, waiting_);
    load_ = {.jobs = 0};
    wide_jobs_ = 0;
  }
  for (Line& line : rest) {
    for (Waiting& one : line.passed_over) refuse(one, stopped());
    for (Waiting& one : line.rest) refuse(one, stopped());
  }
}

std::size_t CommitQueue::waiting() const {
  MutexLock lock(mutex_);
  return load_.jobs - wide_jobs_;
}

}  // namespace longshore
