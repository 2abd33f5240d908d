// The table of legal state transitions, shared by code, tests and docs/states.md.
#pragma once

#include <optional>
#include <span>

#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

struct LegalMove {
  std::optional<State> from;  // none: the job does not exist yet
  State to;
  Cause cause;
  bool reopen_only = false;  // legal only under Rules::Terminal::reopen
};

// Every legal move.
std::span<const LegalMove> legal_moves();

bool is_legal(std::optional<State> from, State to, Cause cause, Rules::Terminal terminal);

}  // namespace longshore
