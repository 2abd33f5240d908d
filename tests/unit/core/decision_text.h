// A decision in the words of lifecycle_table.txt.
#pragma once

#include <set>
#include <string>

#include "core/rules/change.h"
#include "longshore/job.h"

namespace longshore {

// The moves, or the refusal, and apart from it the set of everything else that changes.
struct Answer {
  std::string moves;
  std::set<std::string> effects;
  friend bool operator==(const Answer&, const Answer&) = default;
};
std::string to_text(const Answer& answer);

// Reads one cell of the table.
Answer parse_answer(const std::string& text);

// What a decision amounts to for `before`. A field that changes without a word for it shows as
// "unexplained", a field that does not agree with the moves as "wrong-...".
Answer describe(const Job& before, const Decision& decision, Instant now);

}  // namespace longshore
