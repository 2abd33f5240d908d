#include "core/rules/job_events.h"

#include <algorithm>
#include <utility>

#include "core/text/utf8.h"

namespace longshore {
namespace {

constexpr std::size_t message_characters = 500;

Duration took(const Job& before, const Transition& move) {
  Duration span;
  if (move.cause == Cause::claim) span = move.at - before.run_at;
  const bool was_held = before.state == State::running || before.state == State::waiting;
  if (was_held && move.from == before.state && before.started_at) {
    span = move.at - *before.started_at;
  }
  return std::max(span, Duration());
}

// A change that contains a lost lease may have the error of a later transition.
std::string message_of(const Change& change, const Transition& move) {
  if (!change.error || change.error->code != move.detail) return {};
  return std::string(short_message(change.error->message));
}

template <class Move>
void append(std::vector<JobEvent>& events, const Job& before, const Change& change, Move&& move) {
  const Job& after = change.after;
  const Duration span = took(before, move);
  std::string message = message_of(change, move);
  events.emplace_back(after.ns, after.id, after.type, after.queue, std::forward<Move>(move), span,
                      std::move(message));
}

}  // namespace

std::string_view short_message(std::string_view message) {
  return first_characters(message.substr(0, message.find_first_of("\r\n")), message_characters);
}

void append_job_events(std::vector<JobEvent>& events, const Job& before, const Change& change) {
  for (const Transition& move : change.transitions) append(events, before, change, move);
}

void append_job_events(std::vector<JobEvent>& events, const Job& before, Change&& change) {
  for (Transition& move : change.transitions) {
    append(events, before, change, std::move(move));
  }
}

}  // namespace longshore
