// How a job has run so far, as one value: what the program alone reads and no statement asks for.
// A row of few columns is written, sent and read in much less time than one of many.
#pragma once

#include <string>
#include <string_view>

#include "longshore/job.h"

namespace longshore::postgres {

// Of attempts, epochs, leases and settlements whatever differs from a new job's; empty for one that
// has not run. Times are counted from the job's last update, and its history from its version, so
// that jobs which start at the same time have the same course.
std::string course_bytes(const Job& job);

// Fills in what course_bytes() tells, in a job whose last update and version are known and
// whose course is a new one's. Parts that a later version added are passed over; what cannot be
// read is left out, which audit() then finds.
void read_course(std::string_view bytes, Job& job);

}  // namespace longshore::postgres
