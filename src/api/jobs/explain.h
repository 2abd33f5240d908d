// Explains why a job is not running and when it will, from the job and its queue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/queues/rates.h"
#include "longshore/catalog.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

// Positions in a queue are counted up to this; later ones are "1000+".
inline constexpr std::int64_t places_counted = 1000;

// A worker without a lease that was not seen for this long is ignored.
inline constexpr Duration worker_remembered = Duration::minutes(2);

struct ExplainInput {
  Job job;
  std::optional<JobError> error;      // the latest
  std::optional<QueueView> queue;     // the job's own
  std::vector<WorkerView> workers;    // of its namespace
  std::optional<std::int64_t> ahead;  // of a queued job: jobs before it, up to places_counted + 1
  Rates rates;                        // of its queue
  Rules rules;
  Instant now;
};

struct Reason {
  std::string_view code;
  std::string detail;  // a sentence for people
  std::optional<Instant> until;
  std::optional<JobError> error;
};

struct Explanation {
  std::vector<Reason> reasons;         // the job's own state first; never empty
  std::optional<std::int64_t> behind;  // see ExplainInput::ahead
  std::optional<Instant> forecast;     // of its start, if there is enough data
};

Explanation explain(const ExplainInput& input);

std::string explanation_json(const ExplainInput& input, const Explanation& explanation);

}  // namespace longshore
