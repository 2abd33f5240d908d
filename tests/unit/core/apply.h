// What a store does with a change, in the simplest way: for tests that follow one job.
#pragma once

#include "core/rules/change.h"
#include "longshore/job.h"

namespace longshore {

// Writes the change to the record, history and errors cut to what is kept.
void apply(JobRecord& record, const Change& change);

}  // namespace longshore
