// The view `jobs` of a PostgreSQL store, compared with what the catalog says of the same jobs.
#pragma once

#include <string>
#include <vector>

#include "longshore/job.h"

namespace longshore::conformance {

// Every column of every row that differs, in words. `jobs`: all jobs of the store.
std::vector<std::string> misread_view(const std::string& schema,
                                      const std::vector<JobRecord>& jobs);

}  // namespace longshore::conformance
