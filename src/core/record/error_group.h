// Which failures belong together: those of one job type with one code and one pattern, the
// pattern being the message without what differs from one time to the next.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/catalog.h"

namespace longshore {

// The first 500 bytes of the message's first line that is not blank, in which
//   - a UUID, a run of digits (with points and commas between them), 0x and what follows, and a
//     word of 8 or more hexadecimal digits each become #, so that an id which happens to look
//     like a number falls together with one that does not;
//   - text in ", ' or ` becomes "" (an apostrophe inside a word quotes nothing);
//   - runs of spaces become one space.
std::string error_pattern(std::string_view message);

// The same on every machine and for ever, since stores keep it.
std::uint64_t error_fingerprint(std::string_view job_type, std::string_view code,
                                std::string_view message);

// Counts a job of a group. One that was withdrawn counts as nothing.
void count_job(GroupJobs& jobs, const Job& job);

}  // namespace longshore
