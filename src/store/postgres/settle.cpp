// What workers and outside replies say of a job, and the second phase of an enqueue.
#include <utility>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

template <class Said>
Verdict said_by_token(UnitOfWork& work, const Said& said) {
  return judge(work, work.find(said.ns, said.job), said).verdict;
}

}  // namespace

Refusal no_such_job() {
  return {.code = Code::not_found, .detail = "there is no such job in this namespace"};
}

Judged carry_out(UnitOfWork& work, Decision&& decision) {
  if (auto* refusal = std::get_if<Refusal>(&decision)) return {.verdict = std::move(*refusal)};
  if (auto* replay = std::get_if<Replay>(&decision)) return {.verdict = std::move(replay->verdict)};
  Change& change = std::get<Change>(decision);
  Verdict verdict = std::move(change.verdict);
  apply(work, std::move(change));
  return {.verdict = std::move(verdict), .changed = true};
}

Verdict run(UnitOfWork& work, const Accept& accept) {
  for (std::size_t i = 0; i < accept.jobs.size(); ++i) {
    if (work.find(accept.ns, accept.jobs[i]) != nullptr) continue;
    Refusal refusal = no_such_job();
    refusal.index = i;
    return refusal;
  }
  for (const JobId& id : accept.jobs) {
    // Refused when it was accepted before, which is what was wanted.
    judge(work, work.find(id), AcceptEvent{});
  }
  return Done{};
}

Verdict run(UnitOfWork& work, const Heartbeat& beat) { return said_by_token(work, beat); }
Verdict run(UnitOfWork& work, const Complete& complete) { return said_by_token(work, complete); }
Verdict run(UnitOfWork& work, const Fail& fail) { return said_by_token(work, fail); }
Verdict run(UnitOfWork& work, const Release& release) { return said_by_token(work, release); }
Verdict run(UnitOfWork& work, const HandOff& hand_off) { return said_by_token(work, hand_off); }

Verdict run(UnitOfWork& work, const FinishByKey& finish) {
  // A finished job may still know this very reply, and answers it as before.
  return judge(work, work.find_by_key({finish.ns, finish.type, finish.key}), finish).verdict;
}

}  // namespace longshore::postgres
