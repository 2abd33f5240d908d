// The API's job filters, as flags of commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "client/http/escape.h"

namespace longshore {

// The given filters by their API names, in the order of the table, after the profile of --view for
// commands that have it.
struct Filter {
  std::vector<std::pair<std::string, std::string>> members;

  bool empty() const { return members.empty(); }
  std::string query() const;  // "state=DEAD&queue=a%20b"
  std::string json() const;   // {"state":"DEAD"}
};

// Errc::invalid with the flag and the expected value. Times are RFC 3339, or a duration for an age.
Result<Filter> read_filter(const Invocation& invocation);

}  // namespace longshore
