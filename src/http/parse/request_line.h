// The first line of a request: method, target, version.
#pragma once

#include <string>
#include <string_view>

#include "http/parse/refusal.h"

namespace longshore::wire {

struct RequestLine {
  std::string_view method;  // into the line
  // Begins with '/', or is "*" for OPTIONS. For an absolute target (http://host/path), the part
  // after the authority.
  std::string target;
  std::string_view authority;  // view into the line, for an absolute target; else empty
  bool http_1_1 = false;       // otherwise 1.0
};

// `line` excludes the line end.
MaybeRefusal read_request_line(std::string_view line, RequestLine& read);

}  // namespace longshore::wire
