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
    boolean,   // true or false; as a flag it may stand alone
    natural,   // a whole number within bounds
    fraction,  // a number from 0 to 1
    duration,  // see duration_text.h
    choice,    // one of `words`
    list,      // of texts; commas between them in the environment
  };
  std::string_view name;
  Kind kind = Kind::text;
  std::string_view fallback;  // what holds when nobody says otherwise; empty: nothing is said
  std::string_view help;
  std::vector<std::string_view> words = {};  // of choice
  std::int64_t least = 0;                    // of natural
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool secret = false;  // never shown
};

std::span<const Option> all_options();

// The option of this name in any spelling: "tls-cert", "tls_cert", "tlsCert". Null if there is
// none.
const Option* find_option(std::string_view name);

std::string flag_of(const Option& option);      // "--limits-connections"
std::string variable_of(const Option& option);  // "LONGSHORE_LIMITS_CONNECTIONS"

// What is wrong with this value of the option, as the end of a sentence: "must be ...".
std::optional<std::string> value_fault(const Option& option, std::string_view value);

// Small letters without hyphens and underscores: what two spellings of one name share.
std::string plain_name(std::string_view name);

// A store's URL with its password, if it has one, hidden.
std::string without_password(std::string_view url);

}  // namespace longshore
