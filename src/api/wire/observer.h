// Hears of every request once it has been answered: for access logs and metrics.
#pragma once

#include <cstddef>
#include <string_view>

#include "longshore/time.h"

namespace longshore {

// No payload, token or query is in it. Valid during the call alone.
struct Exchanged {
  std::string_view method;
  std::string_view route;  // the pattern, so that there are few; empty if none matched
  std::string_view path;   // without the query
  int status = 0;
  std::string_view code = {};    // of a problem, such as "OVERLOADED"; empty: it is none
  std::string_view detail = {};  // what the problem's answer said
  Duration took;
  std::size_t request_bytes = 0;  // of the body
  std::size_t answer_bytes = 0;   // of the body; of a stream 0
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
