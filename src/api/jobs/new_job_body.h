// Reads a NewJob from JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/wire/fields.h"
#include "longshore/command.h"
#include "runtime/node/node.h"

namespace longshore {

struct RequestHeaders {
  std::string_view idempotency_key;  // of the header; empty: none
  std::string_view traceparent;      // stored for the job's workers; empty: none
};

// Reads `runAt` or `delaySeconds`, which exclude each other. At most one of the two is set.
struct StartTime {
  std::optional<Instant> run_at;
  Duration delay;
};
StartTime read_start_time(Fields& fields);

// Validates the HTTP request that a job was made from, and returns it byte for byte; empty if it is
// absent. Records faults in `fields`.
std::string read_origin_request(Fields& fields, std::string_view name);

// Reads every field of a job. If it records faults in `fields`, the job must not be used.
NewJob read_new_job(Fields& fields, Node& node, const RequestHeaders& headers);

}  // namespace longshore
