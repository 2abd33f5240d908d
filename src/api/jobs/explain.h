// Why a job is not running, and when it will: from what a store says about it and its queue.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/queues/rates.h"
#include "longshore/catalog.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

// How far places in a queue are counted; further ones are "1000+".
inline constexpr std::int64_t places_counted = 1000;

// A worker that has said nothing for this long, and holds nothing, is not counted on.
inline constexpr Duration worker_remembered = Duration::minutes(2);

// What is known. The queue's figures matter for jobs that wait.
struct Circumstances {
  Job job;
  std::optional<JobError> error;      // the latest
  std::optional<QueueView> queue;     // the job's own
  std::vector<WorkerView> workers;    // of its namespace
  std::optional<std::int64_t> ahead;  // of a queued job: counted to one more than places_counted
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
  std::vector<Reason> reasons;         // what its own state says first; never empty
  std::optional<std::int64_t> behind;  // see Circumstances::ahead
  std::optional<Instant> forecast;     // when it will start, as far as can be told
};

Explanation explain(const Circumstances& circumstances);

std::string explanation_json(const Circumstances& circumstances, const Explanation& explanation);

}  // namespace longshore
