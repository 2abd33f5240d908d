// A job's history as stores keep it: text that SQL and Lua can append to without reading it.
// One line per transition, fields apart by a space:
//
//   seq from to cause at epoch worker detail\n
//
// `from` is - for the first; states and causes are their wire words; `at` is milliseconds;
// worker and detail are written by encode_field, so that neither holds a space or a newline.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/job.h"

namespace longshore {

void append_transition(std::string& text, const Transition& transition);

// Nothing if the text is not a history.
std::optional<std::vector<Transition>> parse_history(std::string_view text);

// Percent-encodes everything but printable ASCII, and space, '%' and '-' alone; empty is "-".
std::string encode_field(std::string_view field);
std::optional<std::string> decode_field(std::string_view text);

// Drops what lies between the first history_head_kept and the newest history_tail_kept, and
// adds how many that were to `dropped`.
void keep_both_ends(std::vector<Transition>& history, std::int64_t& dropped);

}  // namespace longshore
