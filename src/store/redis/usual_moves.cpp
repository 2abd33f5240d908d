#include "store/redis/usual_moves.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/record/history_text.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t queued_seq = 2;
constexpr std::int64_t claimed_seq = 3;
constexpr std::int64_t completed_seq = 4;

// The move of this number, if the job went the usual way; none if it did not come so far.
std::optional<Transition> usual_move(const Job& job, const std::string& worker, std::int64_t seq) {
  Transition move{.seq = seq, .at = job.created_at, .worker = {}, .detail = {}};
  if (seq < queued_seq) return move;
  if (seq == queued_seq) {
    move.from = State::created;
    move.to = State::queued;
    move.cause = Cause::accept;
    return move;
  }
  const bool completed = seq == completed_seq;
  const std::optional<Instant> at = completed ? job.completed_at : job.first_started_at;
  if (!at || seq > completed_seq) return std::nullopt;
  move.from = completed ? State::running : State::queued;
  move.to = completed ? State::success : State::running;
  move.cause = completed ? Cause::complete : Cause::claim;
  move.at = *at;
  move.epoch = 1;
  move.worker = worker;
  return move;
}

const std::string& worker_of(const Head& head) {
  return head.job.worker.empty() ? head.completed_by : head.job.worker;
}

// From the first claim on.
std::vector<Transition> unwritten_moves(const Head& head) {
  std::vector<Transition> moves;
  for (std::int64_t seq = claimed_seq; seq <= head.job.history_count; ++seq) {
    if (auto move = usual_move(head.job, worker_of(head), seq)) moves.push_back(std::move(*move));
  }
  return moves;
}

}  // namespace

std::string history_lines(Head& head, const Job& after, std::span<const Transition> moves) {
  std::string lines;
  if (head.usual) {
    const std::vector<Transition> unwritten = unwritten_moves(head);
    const bool completed = after.state == State::success;
    std::string worker = completed ? worker_of(head) : after.worker;
    const auto is_usual = [&](const Transition& move) {
      return usual_move(after, worker, move.seq) == move;
    };
    head.usual = std::ranges::all_of(unwritten, is_usual) && std::ranges::all_of(moves, is_usual);
    head.completed_by = head.usual && completed ? std::move(worker) : "";
    if (head.usual) return lines;
    for (const Transition& move : unwritten) append_transition(lines, move);
  }
  for (const Transition& move : moves) append_transition(lines, move);
  return lines;
}

std::vector<Transition> whole_history(const Head& head, const std::string& stored) {
  std::vector<Transition> written = parse_history(stored).value_or(std::vector<Transition>());
  // Of a job that is not on its usual way, a history that is missing is lost.
  if (written.empty() && !head.usual) return written;
  const std::int64_t first = written.empty() ? head.job.history_count + 1 : written.front().seq;
  // A Longshore that knows no usual way begins a history with its own first move.
  const std::string& worker = written.empty() ? worker_of(head) : written.front().worker;
  std::vector<Transition> history;
  for (std::int64_t seq = 1; seq < first; ++seq) {
    auto move = usual_move(head.job, worker, seq);
    if (!move) return written;
    history.push_back(std::move(*move));
  }
  std::ranges::move(written, std::back_inserter(history));
  return history;
}

}  // namespace longshore::redis
