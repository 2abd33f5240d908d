// Jobs that are not there.
#pragma once

#include "api/wire/problem.h"

namespace longshore {

// The answer to an id that names nothing, whether it could or not.
inline Problem no_such_job() { return not_found("there is no such job, or no longer"); }
inline Problem no_job_of_key() { return not_found("no job of this type has this key"); }

}  // namespace longshore
