#include "core/rules/transitions.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace longshore {
namespace {

using enum State;
using From = std::optional<State>;
using Move = std::tuple<From, State, Cause>;

constexpr From nothing = std::nullopt;

// One row of the contract's table: each of the first may become each of the second for each of
// the reasons.
struct ContractRow {
  std::vector<From> from;
  std::vector<State> to;
  std::vector<Cause> causes;
};

void add(std::set<Move>& moves, const ContractRow& row) {
  for (From from : row.from) {
    for (State to : row.to) {
      for (Cause cause : row.causes) moves.insert({from, to, cause});
    }
  }
}

std::set<Move> contract_moves() {
  std::set<Move> moves;
  add(moves, {{nothing}, {created}, {Cause::enqueue}});
  add(moves, {{created}, {queued, scheduled}, {Cause::accept}});
  add(moves, {{scheduled, queued}, {scheduled, queued}, {Cause::replace}});
  add(moves, {{scheduled, retry}, {queued}, {Cause::due, Cause::promote}});
  add(moves, {{queued}, {running}, {Cause::claim}});
  add(moves, {{running}, {waiting}, {Cause::hand_off}});
  add(moves, {{running, waiting}, {success}, {Cause::complete}});
  add(moves, {{running, waiting}, {retry}, {Cause::fail, Cause::timeout, Cause::release}});
  // A hand-off ends the lease, so that only a running job has one to lose.
  add(moves, {{running}, {retry}, {Cause::lease_lost}});
  add(moves, {{retry}, {dead}, {Cause::limit_exceeded, Cause::fatal}});
  add(moves, {{created, scheduled, queued, retry, waiting}, {canceled}, {Cause::cancel}});
  add(moves, {{created, scheduled, queued, retry}, {canceled}, {Cause::expired}});
  add(moves, {{running}, {canceled}, {Cause::cancel}});
  return moves;
}

std::set<Move> reopen_moves() {
  std::set<Move> moves;
  add(moves, {{dead}, {queued, scheduled}, {Cause::reopen}});
  add(moves, {{canceled}, {queued}, {Cause::reopen}});
  add(moves, {{dead, success}, {canceled}, {Cause::cancel}});
  return moves;
}

TEST(Transitions, AreThoseOfTheContractAndNoOthers) {
  std::set<Move> always;
  std::set<Move> reopening;
  for (const LegalMove& move : legal_moves()) {
    auto& side = move.reopen_only ? reopening : always;
    EXPECT_TRUE(side.insert({move.from, move.to, move.cause}).second) << "listed twice";
  }
  EXPECT_EQ(always, contract_moves());
  EXPECT_EQ(reopening, reopen_moves());
}

// Every combination there is, so that nothing can be legal by accident.
TEST(Transitions, RefuseEverythingThatIsNotListed) {
  const std::set<Move> always = contract_moves();
  const std::set<Move> reopening = reopen_moves();
  int legal = 0;
  for (int from = -1; from < state_count; ++from) {
    for (int to = 0; to < state_count; ++to) {
      for (int cause = 0; cause < cause_count; ++cause) {
        const Move move{from < 0 ? nothing : From(static_cast<State>(from)), static_cast<State>(to),
                        static_cast<Cause>(cause)};
        const auto& [a, b, why] = move;
        const bool listed = always.contains(move);
        EXPECT_EQ(is_legal(a, b, why, Rules::Terminal::fixed), listed);
        EXPECT_EQ(is_legal(a, b, why, Rules::Terminal::reopen), listed || reopening.contains(move));
        legal += listed ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(legal, std::ssize(always));
}

TEST(Transitions, LeaveTerminalStatesOnlyWhereTheRulesReopen) {
  for (const LegalMove& move : legal_moves()) {
    if (move.from && is_terminal(*move.from)) {
      EXPECT_TRUE(move.reopen_only);
    }
  }
}

TEST(Transitions, UseEveryCause) {
  std::set<Cause> causes;
  for (const LegalMove& move : legal_moves()) causes.insert(move.cause);
  EXPECT_EQ(std::ssize(causes), cause_count);
}

}  // namespace
}  // namespace longshore
