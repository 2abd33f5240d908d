// What a worker shows to prove that a lease is its own: the epoch of its claim, which is the
// fence, and the claim's random id, which nobody can guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/id.h"

namespace longshore {

struct LeaseToken {
  std::int64_t epoch = 0;  // never negative
  RequestId claim;

  // Takes as long for tokens that differ early as for tokens that differ late, so that the time
  // of an answer tells nothing about a secret.
  friend bool operator==(const LeaseToken& a, const LeaseToken& b);
};

// "<epoch>-<claim as 32 lower-case hexadecimal digits>", at most 52 characters. To workers it is
// opaque; stores build the same text in SQL or Lua.
std::string to_text(const LeaseToken& token);

// Nothing for any text that to_text does not write.
std::optional<LeaseToken> parse_lease_token(std::string_view text);

}  // namespace longshore
