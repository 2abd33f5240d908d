// What a postgres:// URL says: where the database is, which libpq understands, and how Longshore
// is to use it, which is taken out first.
#pragma once

#include <string>
#include <string_view>

#include "longshore/error.h"
#include "longshore/store.h"

namespace longshore::postgres {

struct Target {
  std::string conninfo;                     // a URL for libpq; may hold a password
  std::string shown;                        // the same for people: no password, no options
  std::string schema = "longshore";         // schema=
  int lanes = 4;                            // lanes=1..64: transactions at once
  bool prepare = true;                      // prepare=off: for a pooler between transactions
  bool listen = true;                       // listen=off: neither hears nor gives hints
  std::optional<Durability> accepted = {};  // durability=A|B|C: the least that is enough
};

// Errc::invalid for a URL that is none, or an option out of its range. No message holds a
// password.
Result<Target> parse_url(std::string_view url);

}  // namespace longshore::postgres
