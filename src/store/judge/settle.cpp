// What workers and outside replies say of a job, and the second phase of an enqueue.
#include <utility>

#include "store/judge/carry_out.h"

namespace longshore::judge {
namespace {

template <class Said>
Verdict said_by_token(Unit& unit, const Said& said) {
  return judge(unit, find(unit, said.ns, said.job), said).verdict;
}

}  // namespace

Refusal no_such_job() {
  return {.code = Code::not_found, .detail = "there is no such job in this namespace"};
}

Judged carry_out(Unit& unit, Decision&& decision) {
  if (auto* refusal = std::get_if<Refusal>(&decision)) return {.verdict = std::move(*refusal)};
  if (auto* replay = std::get_if<Replay>(&decision)) return {.verdict = std::move(replay->verdict)};
  Change& change = std::get<Change>(decision);
  Verdict verdict = std::move(change.verdict);
  apply(unit, std::move(change));
  return {.verdict = std::move(verdict), .changed = true};
}

Verdict run(Unit& unit, const Accept& accept) {
  unit.load(accept.jobs);
  for (std::size_t i = 0; i < accept.jobs.size(); ++i) {
    if (find(unit, accept.ns, accept.jobs[i]) != nullptr) continue;
    Refusal refusal = no_such_job();
    refusal.index = i;
    return refusal;
  }
  for (const JobId& id : accept.jobs) {
    // Refused when it was accepted before, which is what was wanted.
    judge(unit, unit.find(id), AcceptEvent{});
  }
  return Done{};
}

Verdict run(Unit& unit, const Heartbeat& beat) { return said_by_token(unit, beat); }
Verdict run(Unit& unit, const Complete& complete) { return said_by_token(unit, complete); }
Verdict run(Unit& unit, const Fail& fail) { return said_by_token(unit, fail); }
Verdict run(Unit& unit, const Release& release) { return said_by_token(unit, release); }
Verdict run(Unit& unit, const HandOff& hand_off) { return said_by_token(unit, hand_off); }

Verdict run(Unit& unit, const FinishByKey& finish) {
  // A finished job may still know this very reply, and answers it as before.
  return judge(unit, unit.find_by_key({finish.ns, finish.type, finish.key}), finish).verdict;
}

}  // namespace longshore::judge
