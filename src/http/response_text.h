// Encodes responses.
#pragma once

#include <string>
#include <string_view>

#include "http/exchange.h"

namespace longshore::wire {

// The properties of a response that only the connection knows.
struct ResponseFrame {
  std::string_view date;  // value of the Date header, see http_date
  bool http_1_1 = true;   // the version of the request
  bool keep_alive = true;
  bool stream = false;  // no Content-Length: chunked, or until the connection closes
};

// Appends the status line, the headers and an empty line. Line breaks in header values are removed.
void append_head(std::string& text, const HttpResponse& response, const ResponseFrame& frame);

// Whether a response with this status may have a body.
bool may_have_body(int status);

// `seconds` since 1970 in HTTP format: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::int64_t seconds);

// `bytes` as one chunk. REQUIRES: not empty, since an empty chunk ends the body.
void append_chunk(std::string& text, std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace longshore::wire
