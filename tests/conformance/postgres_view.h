// Compares the view `jobs` of a PostgreSQL store with the catalog.
#pragma once

#include <string>
#include <vector>

#include "longshore/job.h"

namespace longshore::conformance {

// Describes every differing column. `jobs`: all jobs of the store.
std::vector<std::string> misread_view(const std::string& schema,
                                      const std::vector<JobRecord>& jobs);

}  // namespace longshore::conformance
