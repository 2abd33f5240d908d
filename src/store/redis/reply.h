// What Redis answers to one command, as a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/error.h"

namespace longshore::redis {

struct Reply {
  enum class Kind : std::uint8_t { nil, integer, text, array, error };

  Kind kind = Kind::nil;
  std::int64_t integer = 0;
  std::string text = {};  // of a text, a status, or an error with its first word: "OOM command ..."
  std::vector<Reply> items = {};

  bool is_nil() const { return kind == Kind::nil; }
  bool is_error() const { return kind == Kind::error; }
  // Of an error: its first word, such as "OOM" or "MOVED". Empty for everything else.
  std::string_view code() const;

  friend bool operator==(const Reply&, const Reply&) = default;
};

// What an error reply means for the whole call: Errc::disk_full when Redis has no room (OOM) or
// cannot write its log (MISCONF), Errc::unavailable when it answers no writes just then,
// Errc::refused when the user may not (NOAUTH, NOPERM), Errc::corrupt otherwise: a script or a key
// is not what this program thinks. REQUIRES: reply.is_error()
Error error_of(const Reply& reply, std::string_view shown);

}  // namespace longshore::redis
