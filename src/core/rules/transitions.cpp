#include "core/rules/transitions.h"

#include <algorithm>

namespace longshore {
namespace {

using enum State;

constexpr LegalMove moves[] = {
    {std::nullopt, created, Cause::enqueue},  {created, queued, Cause::accept},
    {created, scheduled, Cause::accept},      {scheduled, scheduled, Cause::replace},
    {scheduled, queued, Cause::replace},      {queued, scheduled, Cause::replace},
    {queued, queued, Cause::replace},         {scheduled, queued, Cause::due},
    {scheduled, queued, Cause::promote},      {retry, queued, Cause::due},
    {retry, queued, Cause::promote},          {queued, running, Cause::claim},
    {running, waiting, Cause::hand_off},      {running, success, Cause::complete},
    {waiting, success, Cause::complete},      {running, retry, Cause::fail},
    {running, retry, Cause::timeout},         {running, retry, Cause::lease_lost},
    {running, retry, Cause::release},         {waiting, retry, Cause::fail},
    {waiting, retry, Cause::timeout},         {waiting, retry, Cause::release},
    {retry, dead, Cause::limit_exceeded},     {retry, dead, Cause::fatal},
    {created, canceled, Cause::cancel},       {scheduled, canceled, Cause::cancel},
    {queued, canceled, Cause::cancel},        {retry, canceled, Cause::cancel},
    {waiting, canceled, Cause::cancel},       {running, canceled, Cause::cancel},
    {created, canceled, Cause::expired},      {scheduled, canceled, Cause::expired},
    {queued, canceled, Cause::expired},       {retry, canceled, Cause::expired},
    {dead, queued, Cause::reopen, true},      {dead, scheduled, Cause::reopen, true},
    {canceled, queued, Cause::reopen, true},  {dead, canceled, Cause::cancel, true},
    {success, canceled, Cause::cancel, true},
};

}  // namespace

std::span<const LegalMove> legal_moves() { return moves; }

bool is_legal(std::optional<State> from, State to, Cause cause, Rules::Terminal terminal) {
  return std::ranges::any_of(moves, [&](const LegalMove& move) {
    return move.cause == cause && move.to == to && move.from == from &&
           (!move.reopen_only || terminal == Rules::Terminal::reopen);
  });
}

}  // namespace longshore
