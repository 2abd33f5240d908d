// Tokens of the API as rows.
#pragma once

#include "longshore/command.h"
#include "store/postgres/connection/rowset.h"

namespace longshore::postgres {

inline constexpr const char* select_tokens =
    "SELECT id, ns, name, role, hash, created_at, expires_at, last_used_at FROM @token ";
TokenRecord read_token(RowSet& row);

}  // namespace longshore::postgres
