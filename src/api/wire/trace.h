// Request ids and trace contexts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longshore {

// 1 to 128 visible ASCII characters: safe to echo and log.
bool is_sane_request_id(std::string_view id);

// A valid W3C trace context. Any other header is ignored.
bool is_traceparent(std::string_view text);

}  // namespace longshore
