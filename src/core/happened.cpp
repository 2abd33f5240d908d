#include "core/happened.h"

#include <algorithm>

namespace longshore {
namespace {

Duration took(const Job& before, const Transition& move) {
  Duration span;
  if (move.cause == Cause::claim) span = move.at - before.run_at;
  const bool was_held = before.state == State::running || before.state == State::waiting;
  if (was_held && move.from == before.state && before.started_at) {
    span = move.at - *before.started_at;
  }
  return std::max(span, Duration());
}

}  // namespace

void append_happened(std::vector<Happened>& happened, const Job& before, const Change& change) {
  const Job& after = change.after;
  for (const Transition& move : change.transitions) {
    happened.push_back({.ns = after.ns,
                        .job = after.id,
                        .type = after.type,
                        .queue = after.queue,
                        .transition = move,
                        .took = took(before, move)});
  }
}

}  // namespace longshore
