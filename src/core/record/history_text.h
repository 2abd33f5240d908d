// A job's history in the form that stores keep: text that SQL and Lua can append to without reading
// it. One line per transition, with fields separated by a space:
//
//   seq from to cause at epoch worker detail\n
//
// `from` is - for the first; states and causes have their JSON names; `at` is in milliseconds;
// worker and detail are written by encode_field, so that neither contains a space or a newline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/job.h"

namespace longshore {

void append_transition(std::string& text, const Transition& transition);

// None if the text is not a history.
std::optional<std::vector<Transition>> parse_history(std::string_view text);

// Percent-encodes space, '%', bytes outside printable ASCII, and a field that is "-". The empty
// field is written "-".
std::string encode_field(std::string_view field);
std::optional<std::string> decode_field(std::string_view text);

// Removes the transitions between the first history_head_kept and the newest history_tail_kept, and
// adds their number to `dropped`.
void keep_both_ends(std::vector<Transition>& history, std::int64_t& dropped);

}  // namespace longshore
