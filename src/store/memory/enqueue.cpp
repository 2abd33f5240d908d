#include "store/memory/enqueue.h"

#include <ranges>
#include <utility>

#include "core/assert.h"
#include "core/rules/enqueue.h"
#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

EnqueueDecision decide_one(Step& step, const Wish& wish) {
  const NewJob& job = wish.job;
  const StoredJob* same_id = find(step.disk, job.id);
  std::optional<KeyView> same_key;
  if (!job.idempotency_key.empty()) {
    same_key = find_key(step.disk, idempotency_key(wish.ns, job.type, job.idempotency_key));
  }
  const StoredJob* holder = nullptr;
  if (!job.job_key.empty()) holder = find_live(step.disk, {wish.ns, job.type, job.job_key});
  const EnqueueFacts facts{
      .same_id = same_id == nullptr ? nullptr : &same_id->record.job,
      .same_key = same_key ? &*same_key : nullptr,
      .holder_of_key = holder == nullptr ? nullptr : &holder->record.job,
  };
  return decide_enqueue(wish.ns, job, facts, wish.reject_mismatch, step.rules, step.now);
}

// A key that already stands for a job goes on standing for it.
void bind_new_key(Step& step, const Wish& wish, const JobId& id, Undo& undo) {
  if (wish.job.idempotency_key.empty()) return;
  const auto key = idempotency_key(wish.ns, wish.job.type, wish.job.idempotency_key);
  if (step.disk.idempotency_keys.contains(key)) return;
  undo.remember(key);
  bind_key(step.disk, key, {.job = id, .body_hash = wish.job.body_hash});
}

}  // namespace

void Undo::remember(MemoryDisk& disk, const JobId& id) {
  const StoredJob* stored = find(disk, id);
  jobs_.emplace_back(id, stored == nullptr ? std::nullopt : std::optional(*stored));
}

void Undo::roll_back(Step& step) const {
  for (const auto& key : keys_) forget_key(step.disk, key);
  for (const auto& [id, before] : jobs_ | std::views::reverse) {
    if (before) {
      put(step.disk, *before, step.rules);
    } else {
      remove(step.disk, id, step.rules);
    }
  }
  step.disk.counters = counters_;
}

std::variant<Refusal, EnqueuedJob> enqueue_one(Step& step, const Wish& wish, Undo& undo) {
  EnqueueDecision decision = decide_one(step, wish);
  if (const auto* refusal = std::get_if<Refusal>(&decision)) return *refusal;
  if (const auto* answered = std::get_if<AnsweredBy>(&decision)) {
    bind_new_key(step, wish, answered->job.id, undo);
    return answered->job;
  }
  Change& change = std::get<Change>(decision);
  const EnqueuedJob answer{.id = change.after.id, .status = status_of(change.after)};
  undo.remember(step.disk, answer.id);
  apply(step, std::move(change));
  bind_new_key(step, wish, answer.id, undo);
  return answer;
}

void spawn(Step& step, const std::string& ns, const NewJob& job) {
  Undo never_needed(step);
  const auto answer = enqueue_one(step, {.ns = ns, .job = job}, never_needed);
  LONGSHORE_ASSERT(std::holds_alternative<EnqueuedJob>(answer),
                   "a spawned job has no job key and no expiry, so nothing stands in its way");
}

Verdict run(Step& step, const Enqueue& enqueue) {
  Undo undo(step);
  Enqueued answer;
  for (std::size_t i = 0; i < enqueue.jobs.size(); ++i) {
    const Wish wish{enqueue.ns, enqueue.jobs[i], enqueue.reject_mismatch};
    auto one = enqueue_one(step, wish, undo);
    if (auto* refusal = std::get_if<Refusal>(&one)) {
      undo.roll_back(step);
      refusal->index = i;
      return std::move(*refusal);
    }
    answer.jobs.push_back(std::get<EnqueuedJob>(one));
  }
  return answer;
}

}  // namespace longshore::memory
