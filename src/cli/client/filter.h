// Which jobs a command is about: the API's filters, as flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "client/http/escape.h"

namespace longshore {

// The filters that were given, by the API's names for them, in the order of the table; before them
// the profile of --view, for commands that have it.
struct Filter {
  std::vector<std::pair<std::string, std::string>> members;

  bool empty() const { return members.empty(); }
  std::string query() const;  // "state=DEAD&queue=a%20b"
  std::string json() const;   // {"state":"DEAD"}
};

// Errc::invalid, with the flag and what it takes. Times are RFC 3339, or a duration: so long ago.
Result<Filter> read_filter(const Invocation& invocation);

}  // namespace longshore
