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

// Adds the records of `text` to `history`. Events of a later text follow those of an earlier one,
// and are renumbered. A last line without a newline was cut off when its writer died and is
// ignored; any other invalid line is Errc::invalid with its number.
Result<Nothing> read_lines(std::string_view text, History& history);

}  // namespace longshore::checker
