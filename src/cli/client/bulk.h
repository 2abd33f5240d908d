// One thing done to every job that a filter finds, or to jobs that are named.
#pragma once

#include <string>
#include <string_view>

#include "cli/client/filter.h"
#include "cli/client/server_calls.h"

namespace longshore {

struct BulkWork {
  std::string_view path;  // of the call that does it to many: "/jobs/cancel"
  std::string_view verb;  // "cancel"
  std::string_view past;  // "canceled"
};

// Counts, asks, does it in parts with progress on standard error, and prints the jobs.
ExitCode act_on_many(const Invocation& invocation, const BulkWork& work, const Filter& filter);

// Does `call_for` to each named job; prints what the server answers. The first failure decides the
// exit code, and the others are still tried.
using CallFor = HttpCall (*)(const Invocation& invocation, const std::string& id);
ExitCode act_on_each(const Invocation& invocation, const BulkWork& work, CallFor call_for);

// Named jobs or a filter (or --all) decide which of the two it is; both or neither is a usage
// error.
ExitCode act_on_chosen(const Invocation& invocation, const BulkWork& work, CallFor call_for);

}  // namespace longshore
