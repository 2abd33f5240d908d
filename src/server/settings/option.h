// Every option of the program, in one table. An option called "limits.connections" is
// `--limits-connections` as a flag, LONGSHORE_LIMITS_CONNECTIONS in the environment, and
//
//   [limits]
//   connections = 1000
//
// in longshore.toml.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace longshore {

struct Option {
  enum class Kind {
    text,
    boolean,   // true or false; a flag without a value means true
    natural,   // a whole number within bounds
    fraction,  // a number from 0 to 1
    duration,  // see duration_text.h
    choice,    // one of `words`
    list,      // a list of texts, separated by commas in the environment
  };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view fallback;  // the default; empty: unset
  std::string_view help;
  std::vector<std::string_view> words = {};  // the values of a choice
  std::int64_t least = 0;                    // lower bound of a natural
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool secret = false;  // never printed
};

std::span<const Option> all_options();

// The option of this name in any spelling: "tls-cert", "tls_cert", "tlsCert". Null if there is
// none.
const Option* find_option(std::string_view name);

std::string flag_of(const Option& option);      // "--limits-connections"
std::string variable_of(const Option& option);  // "LONGSHORE_LIMITS_CONNECTIONS"

// Why this value is invalid, as the end of a sentence: "must be ...".
std::optional<std::string> value_fault(const Option& option, std::string_view value);

// In lower case without hyphens and underscores, to compare spellings of a name.
std::string plain_name(std::string_view name);

// Hides the password of a URL.
std::string without_password(std::string_view url);

}  // namespace longshore
