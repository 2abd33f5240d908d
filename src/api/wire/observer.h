// Receives every answered request, for access logs and metrics.
#pragma once

#include <cstddef>
#include <string_view>

#include "longshore/time.h"

namespace longshore {

// Contains no payload, token or query. Valid during the call only.
struct Exchanged {
  std::string_view method;
  std::string_view route;  // the pattern, for few distinct values; empty if none matched
  std::string_view path;   // without the query
  int status = 0;
  std::string_view code = {};    // of a problem, such as "OVERLOADED"; empty: no problem
  std::string_view detail = {};  // of the problem
  Duration took;
  std::size_t request_bytes = 0;  // of the body
  std::size_t answer_bytes = 0;   // of the body; 0 for a stream
  std::string_view request_id;
  std::string_view caller;
  std::string_view peer;
};

// Safe to share between threads; never blocks.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void answered(const Exchanged& exchanged) = 0;
};

}  // namespace longshore
