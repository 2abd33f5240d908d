// The first line of a request: method, target, version.
#pragma once

#include <string>
#include <string_view>

#include "http/parse/refusal.h"

namespace longshore::wire {

struct RequestLine {
  std::string_view method;  // into the line
  // Begins with '/', or is "*" for OPTIONS. Of an absolute target (http://host/path) only what
  // comes after the authority.
  std::string target;
  std::string_view authority;  // into the line, of an absolute target; else empty
  bool http_1_1 = false;       // otherwise 1.0
};

// `line` is without its end.
MaybeRefusal read_request_line(std::string_view line, RequestLine& read);

}  // namespace longshore::wire
