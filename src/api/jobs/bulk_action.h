// Applies one command to the jobs that match a filter, up to a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/api.h"
#include "core/sync/mutex.h"

namespace longshore {

struct BulkAction {
  std::vector<ListQuery> queries;  // one after the other; their limits are ignored
  std::size_t limit = 0;
  bool dry_run = false;
  std::function<bool(const Job&)> accepts;     // of the jobs found
  std::optional<std::uint64_t> fingerprint;    // only jobs whose latest error has it
  std::function<Command(const Job&)> command;  // for one job; names no actor
  // For the audit trail entry of the whole call.
  std::string action;
  std::string filter;  // as the client sent it
};

// Finds the jobs and, unless it is a dry run, sends the commands, a few hundred at a time, with one
// audit trail entry; then answers {count, jobs, more}. A job whose state changed meanwhile, so that
// its command is refused, is not counted. Commands refused for overload are retried for 30 s; after
// that the answer is OVERLOADED if no job was changed, else `more` is true. Every command is
// idempotent, and so is the whole.
void run_bulk_action(Api& api, CallRef call, BulkAction many);

}  // namespace longshore
