// A job as a producer asks for it in JSON, made into what a store is sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/wire/fields.h"
#include "longshore/command.h"
#include "runtime/node/node.h"

namespace longshore {

// What came beside the body.
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

// Reads the HTTP request that a job was made from: the member as it came, once it is proved to be
// what it must be; empty if it is absent. Faults are left in `fields`.
std::string read_origin_request(Fields& fields, std::string_view name);

// Reads every field that a job may have. What is wrong is left in the faults of `fields`, and the
// job is then not to be used.
NewJob read_new_job(Fields& fields, Node& node, const RequestHeaders& letterhead);

}  // namespace longshore
