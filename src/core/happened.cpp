#include "core/happened.h"

#include <algorithm>
#include <utility>

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

template <class Move>
void append(std::vector<Happened>& happened, const Job& before, const Job& after, Move&& move) {
  const Duration span = took(before, move);
  happened.push_back({.ns = after.ns,
                      .job = after.id,
                      .type = after.type,
                      .queue = after.queue,
                      .transition = std::forward<Move>(move),
                      .took = span});
}

}  // namespace

void append_happened(std::vector<Happened>& happened, const Job& before, const Change& change) {
  for (const Transition& move : change.transitions) append(happened, before, change.after, move);
}

void append_happened(std::vector<Happened>& happened, const Job& before, Change&& change) {
  for (Transition& move : change.transitions) {
    append(happened, before, change.after, std::move(move));
  }
}

}  // namespace longshore
