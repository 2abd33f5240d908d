// Names that tie a request to log lines and to the traces of others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longshore {

// 1 to 128 visible ASCII characters: fit to be echoed and logged.
bool is_sane_request_id(std::string_view id);

// A W3C trace context as it may be stored and handed on; nothing else is one, and is left out.
bool is_traceparent(std::string_view text);

}  // namespace longshore
