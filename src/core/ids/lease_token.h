// Lease tokens as text; see LeaseToken in longshore/job.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/job.h"

namespace longshore {

// "<epoch>-<claim as 32 lower-case hexadecimal digits>", at most 52 characters. Opaque to
// workers; stores build the same text in SQL or Lua.
std::string to_text(const LeaseToken& token);

// None for text that to_text does not write.
std::optional<LeaseToken> parse_lease_token(std::string_view text);

}  // namespace longshore
