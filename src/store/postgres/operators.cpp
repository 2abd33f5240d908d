// What operators do to jobs and queues. Whatever changes something is written to the audit trail
// in the same step.
#include <utility>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

template <class Said>
Verdict said_by_operator(UnitOfWork& work, const Said& said, const std::string& action,
                         const std::optional<Actor>& actor) {
  Judged judged = judge(work, work.find(said.ns, said.job), said);
  if (judged.changed && actor) work.record_audit(*actor, said.ns, action, to_text(said.job));
  return std::move(judged.verdict);
}

// The successor of a job that was redriven before, as it stands now.
Verdict redriven_before(UnitOfWork& work, const Replay& replay) {
  Settled settled = std::get<Settled>(replay.verdict);
  if (const Entry* successor = work.find(settled.job)) {
    settled.status = status_of(successor->job().state);
  }
  return settled;
}

// Under Rules::Terminal::reopen: the same job, again.
std::optional<Refusal> reopen(UnitOfWork& work, Entry& entry, const Redrive& redrive,
                              Change change) {
  const Job& job = entry.job();
  const Entry* holder =
      job.job_key.empty() ? nullptr : work.find_holder({job.ns, job.type, job.job_key}, job.id);
  if (holder != nullptr) {
    return Refusal{.code = Code::key_in_use,
                   .detail = "a live job of this type already has this jobKey",
                   .job = holder->job().id};
  }
  if (redrive.payload) {
    change.body = work.body(entry);
    change.body->payload = *redrive.payload;
  }
  apply(work, std::move(change));
  return std::nullopt;
}

// Under Rules::Terminal::fixed: a new job, and the old one points at it.
std::optional<Refusal> succeed(UnitOfWork& work, Entry& entry, const Redrive& redrive,
                               Change change) {
  if (work.find(redrive.successor) != nullptr) {
    return Refusal{.code = Code::invalid_field,
                   .detail = "successorId already names another job; choose a new id"};
  }
  const NewJob next = successor_of(entry.job(), work.body(entry), redrive);
  if (auto refusal = enqueue_successor(work, redrive.ns, next)) return refusal;
  apply(work, std::move(change));
  return std::nullopt;
}

}  // namespace

Verdict run(UnitOfWork& work, const Cancel& cancel) {
  return said_by_operator(work, cancel, cancel.force ? "forceCancel" : "cancel", cancel.actor);
}

Verdict run(UnitOfWork& work, const Promote& promote) {
  return said_by_operator(work, promote, "promote", promote.actor);
}

Verdict run(UnitOfWork& work, const Resolve& resolve) {
  return said_by_operator(work, resolve, "resolve", resolve.actor);
}

Verdict run(UnitOfWork& work, const Redrive& redrive) {
  Entry* entry = work.find(redrive.ns, redrive.job);
  if (entry == nullptr) return no_such_job();
  Decision decision = decide(entry->job(), redrive, work.rules(), work.now());
  if (auto* refusal = std::get_if<Refusal>(&decision)) return std::move(*refusal);
  if (const auto* replay = std::get_if<Replay>(&decision)) return redriven_before(work, *replay);
  Change& change = std::get<Change>(decision);
  Verdict verdict = change.verdict;
  const bool in_place = work.rules().terminal == Rules::Terminal::reopen;
  auto refusal = in_place ? reopen(work, *entry, redrive, std::move(change))
                          : succeed(work, *entry, redrive, std::move(change));
  if (refusal) return std::move(*refusal);
  work.record_audit(redrive.actor, redrive.ns, "redrive", to_text(redrive.job));
  return verdict;
}

Verdict run(UnitOfWork& work, const PauseQueue& pause) {
  const Scoped queue{pause.ns, pause.queue};
  work.lock_config();
  if (work.config().pauses.contains(queue) == pause.paused) return Done{};
  Config config = work.config();
  if (pause.paused) {
    config.pauses.insert(queue);
  } else {
    config.pauses.erase(queue);
    work.hint(pause.ns, pause.queue);
  }
  set_pause(work.connection(), queue, pause.paused);
  work.configured(std::move(config));
  work.record_audit(pause.actor, pause.ns, pause.paused ? "pause" : "resume", pause.queue);
  return Done{};
}

}  // namespace longshore::postgres
