// What workers and outside replies say of a job, and the second phase of an enqueue.
#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

template <class Said>
Verdict said_by_token(Step& step, const Said& said) {
  return decide_and_apply(step, find(step.disk, said.ns, said.job), said).verdict;
}

}  // namespace

Verdict run(Step& step, const Accept& accept) {
  for (std::size_t i = 0; i < accept.jobs.size(); ++i) {
    if (find(step.disk, accept.ns, accept.jobs[i]) != nullptr) continue;
    Refusal refusal = no_such_job();
    refusal.index = i;
    return refusal;
  }
  for (const JobId& id : accept.jobs) {
    // Refused when it was accepted before, which is what was wanted.
    decide_and_apply(step, find(step.disk, id), AcceptEvent{});
  }
  return Done{};
}

Verdict run(Step& step, const Heartbeat& beat) { return said_by_token(step, beat); }
Verdict run(Step& step, const Complete& complete) { return said_by_token(step, complete); }
Verdict run(Step& step, const Fail& fail) { return said_by_token(step, fail); }
Verdict run(Step& step, const Release& release) { return said_by_token(step, release); }
Verdict run(Step& step, const HandOff& hand_off) { return said_by_token(step, hand_off); }

Verdict run(Step& step, const FinishByKey& finish) {
  // A finished job may still know this very reply, and answers it as before.
  return decide_and_apply(step, find_by_key(step.disk, {finish.ns, finish.type, finish.key}),
                          finish)
      .verdict;
}

}  // namespace longshore::memory
