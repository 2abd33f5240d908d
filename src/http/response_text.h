// How an answer looks on the wire.
#pragma once

#include <string>
#include <string_view>

#include "http/exchange.h"

namespace longshore::wire {

// What the connection knows about an answer and the application does not.
struct ResponseFrame {
  std::string_view date;  // as in `Date: ...`, see http_date
  bool http_1_1 = true;   // what the request spoke
  bool keep_alive = true;
  bool stream = false;  // has no length: chunked, or until the connection ends
};

// Appends the status line and the headers, with the empty line that ends them. A header's line
// ends, whatever its value contains.
void append_head(std::string& text, const HttpResponse& response, const ResponseFrame& frame);

// Whether an answer of this status may have a body at all.
bool may_have_body(int status);

// `seconds` since 1970 as HTTP writes it: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(std::int64_t seconds);

// `bytes` as one chunk. REQUIRES: not empty, for an empty chunk is the last.
void append_chunk(std::string& text, std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

}  // namespace longshore::wire
