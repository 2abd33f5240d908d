// Applies one action to all jobs that match a filter, or to jobs given by ID.
#pragma once

#include <string>
#include <string_view>

#include "cli/client/filter.h"
#include "cli/client/server_calls.h"

namespace longshore {

struct BulkAction {
  std::string_view path;  // of the bulk call: "/jobs/cancel"
  std::string_view verb;  // "cancel"
  std::string_view past;  // "canceled"
};

// Counts the jobs, asks for confirmation, acts in parts with progress on standard error, and prints
// the jobs.
ExitCode act_on_many(const Invocation& invocation, const BulkAction& action, const Filter& filter);

// Sends `call_for` for each job ID and prints the replies. The first failure decides the exit code;
// the remaining jobs are still tried.
using CallFor = HttpCall (*)(const Invocation& invocation, const std::string& id);
ExitCode act_on_each(const Invocation& invocation, const BulkAction& action, CallFor call_for);

// Chooses one of the two by the arguments: job IDs, or a filter or --all. Both or neither is a
// usage error.
ExitCode act_on_chosen(const Invocation& invocation, const BulkAction& action, CallFor call_for);

}  // namespace longshore
