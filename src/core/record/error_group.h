// Groups failures by job type, code and pattern. The pattern is the message without its variable
// parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/catalog.h"

namespace longshore {

// The first 500 bytes of the message's first line that is not blank, in which
//   - a UUID, a run of digits (with points and commas between them), a number with the prefix 0x,
//     and a word of 8 or more hexadecimal digits each become #, so that ids with and without
//     letters give the same pattern;
//   - text in ", ' or ` becomes "" (an apostrophe inside a word is not a quote);
//   - runs of spaces become one space.
std::string error_pattern(std::string_view message);

// Must never change, because stores keep it.
std::uint64_t error_fingerprint(std::string_view job_type, std::string_view code,
                                std::string_view message);

// Counts a job of a group. A withdrawn job is not counted.
void count_job(GroupJobs& jobs, const Job& job);

}  // namespace longshore
