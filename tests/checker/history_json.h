// A history as JSON lines, one record a line; README.md lists the fields.
#pragma once

#include <string>
#include <string_view>

#include "checker/history.h"
#include "longshore/error.h"

namespace longshore::checker {

// Each ends in a newline.
std::string to_line(const Event& event);
std::string to_line(const JobDump& job);
std::string to_line(const KeyDump& key);
std::string to_line(const AuditEntry& entry);
std::string to_line(const Listed& dead);
std::string to_line(const DepthDump& depth);
std::string to_line(const Finding& finding);
std::string to_line(const PausedDump& paused);
std::string to_line(const TokenDump& token);
std::string to_line(const RuleSet& rule);
std::string to_line(const Setting& setting);
std::string dumped_line(Instant at);

// Adds what `text` holds to `history`. Events of a later text happened after those of an earlier
// one; their numbers are moved up accordingly. A last line without its newline was cut off by the
// death of its writer and is left out; anything else that is not a record is Errc::invalid and
// names its line.
Result<Nothing> read_lines(std::string_view text, History& history);

}  // namespace longshore::checker
