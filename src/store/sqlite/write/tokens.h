// The rows of access tokens.
#pragma once

#include "longshore/command.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

inline constexpr const char* token_columns =
    "id, ns, name, role, hash, created_at, expires_at, last_used_at";
TokenRecord read_token(Statement& row);

}  // namespace longshore::sqlite
