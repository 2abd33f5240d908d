// Doing one thing to every job that a filter finds, as many as were asked for and no more.
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

// What is done to whom.
struct ManyJobs {
  std::vector<ListQuery> queries;  // one after the other; their limits are not looked at
  std::size_t limit = 0;
  bool dry_run = false;
  std::function<bool(const Job&)> is_meant;    // of those that are found
  std::optional<std::uint64_t> fingerprint;    // only those whose latest error has it
  std::function<Command(const Job&)> command;  // for one job; names no actor
  // What the audit trail says of the whole call.
  std::string action;
  std::string filter;  // as it was asked
};

// Finds the jobs and, unless it is a dry run, sends the commands, a few hundred at a time, and with
// the first of them one entry for the audit trail; then answers {count, jobs, more}. A job that has
// moved on meanwhile, so that its command is refused, is not counted. Commands for which there is
// no room are sent again for half a minute; after that the answer is OVERLOADED if nothing was
// done, and says that there are more if something was. Every command is repeatable, and so is the
// whole.
void run_many(Api& api, CallRef call, ManyJobs many);

}  // namespace longshore
