#include "crash/recorded_leases.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "checker/calls.h"
#include "core/ids/uuid.h"

namespace longshore::crash {
namespace {

template <class Kind, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<Kind, Kinds> || ...);

}  // namespace

RecordedLeases::RecordedLeases(std::shared_ptr<Leases> inner, checker::HistoryWriter& history,
                               Who who)
    : inner_(std::move(inner)), history_(history), who_(std::move(who)), random_(who_.seed) {}

Result<Turned> RecordedLeases::turn(Turn turn, std::stop_token stop) {
  const Ops ops = record_requests(turn);
  Result<Turned> turned = inner_->turn(std::move(turn), std::move(stop));
  record(ops, turned);
  return turned;
}

void RecordedLeases::begin_turn(Turn turn, std::stop_token stop, Answer answer) {
  Ops ops = record_requests(turn);
  inner_->begin_turn(
      std::move(turn), std::move(stop),
      [this, ops = std::move(ops), answer = std::move(answer)](Result<Turned> turned) {
        record(ops, turned);
        answer(std::move(turned));
      });
}

RecordedLeases::Ops RecordedLeases::record_requests(Turn& turn) {
  Ops ops;
  for (Command& word : turn.words) {
    name(word);
    ops.words.push_back(history_.invoke(who_.name, checker::call_of(word)));
  }
  if (turn.claim) {
    turn.claim->id = request();
    turn.claim->ns = who_.ns;
    turn.claim->worker = who_.name;
    ops.claim = history_.invoke(who_.name, checker::call_of(*turn.claim));
  }
  return ops;
}

// Fills in what the library would, so that it can be recorded in advance.
void RecordedLeases::name(Command& command) {
  std::visit(
      [&]<class Kind>(Kind& one) {
        if constexpr (is_one_of<Kind, Heartbeat, Complete, Fail, Release, HandOff>) {
          one.ns = who_.ns;
        }
        if constexpr (std::is_same_v<Kind, Heartbeat>) one.id = request();
      },
      command);
}

RequestId RecordedLeases::request() {
  MutexLock lock(mutex_);
  return random_id<RequestId>(random_);
}

void RecordedLeases::record(const Ops& ops, const Result<Turned>& turned) {
  if (!turned) {
    fmt::print(stderr, "{}: {}\n", who_.name, turned.error().message);
    std::_Exit(1);
  }
  for (std::size_t i = 0; i < ops.words.size(); ++i) {
    const Verdict& verdict = turned->verdicts[i];
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
      history_.fail(ops.words[i], to_text(refusal->code));
    } else {
      history_.ok(ops.words[i], checker::answer_of(verdict));
    }
  }
  if (ops.claim) record_claim(*ops.claim, *turned);
}

void RecordedLeases::record_claim(std::int64_t op, const Turned& turned) {
  if (!turned.leases) {
    const std::optional<Code> refusal = turned.leases.error().refusal;
    if (refusal) {
      history_.fail(op, to_text(*refusal));
    } else {
      history_.info(op);
    }
    return;
  }
  checker::Answer answer = checker::answer_of(Leased{*turned.leases});
  // A claim that found no work is answered without a commit, and so without a store time.
  if (!turned.leases->empty()) answer.at = turned.at;
  history_.ok(op, std::move(answer));
}

}  // namespace longshore::crash
