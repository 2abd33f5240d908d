// What workers and outside replies say of a job, and the second phase of an enqueue.
#include <utility>

#include "store/execute/apply_decision.h"

namespace longshore::execute {
namespace {

template <class Said>
Verdict said_by_token(Transaction& tx, const Said& said) {
  return decide_and_apply(tx, find(tx, said.ns, said.job), said).verdict;
}

}  // namespace

Refusal no_such_job() {
  return {.code = Code::not_found, .detail = "there is no such job in this namespace"};
}

Executed apply_decision(Transaction& tx, Decision&& decision) {
  if (auto* refusal = std::get_if<Refusal>(&decision)) return {.verdict = std::move(*refusal)};
  if (auto* replay = std::get_if<Replay>(&decision)) return {.verdict = std::move(replay->verdict)};
  Change& change = std::get<Change>(decision);
  Verdict verdict = std::move(change.verdict);
  apply(tx, std::move(change));
  return {.verdict = std::move(verdict), .changed = true};
}

Verdict run(Transaction& tx, const Accept& accept) {
  tx.load(accept.jobs);
  for (std::size_t i = 0; i < accept.jobs.size(); ++i) {
    if (find(tx, accept.ns, accept.jobs[i]) != nullptr) continue;
    Refusal refusal = no_such_job();
    refusal.index = i;
    return refusal;
  }
  for (const JobId& id : accept.jobs) {
    // Refused when it was accepted before, which is what was wanted.
    decide_and_apply(tx, tx.find(id), AcceptEvent{});
  }
  return Done{};
}

Verdict run(Transaction& tx, const Heartbeat& beat) { return said_by_token(tx, beat); }
Verdict run(Transaction& tx, const Complete& complete) { return said_by_token(tx, complete); }
Verdict run(Transaction& tx, const Fail& fail) { return said_by_token(tx, fail); }
Verdict run(Transaction& tx, const Release& release) { return said_by_token(tx, release); }
Verdict run(Transaction& tx, const HandOff& hand_off) { return said_by_token(tx, hand_off); }

Verdict run(Transaction& tx, const FinishByKey& finish) {
  // A finished job may still know this very reply, and answers it as before.
  return decide_and_apply(tx, tx.find_by_key({finish.ns, finish.type, finish.key}), finish).verdict;
}

}  // namespace longshore::execute
