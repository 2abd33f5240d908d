#include "store/sqlite/write/tokens.h"

#include <optional>
#include <string>

#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {

TokenRecord read_token(Statement& row) {
  TokenRecord token;
  token.id = row.text();
  token.ns = row.text();
  token.name = row.text();
  token.role = row.text();
  token.hash = row.text();
  token.created_at = row.instant();
  token.expires_at = row.optional_instant();
  token.last_used_at = row.optional_instant();
  return token;
}

std::optional<TokenRecord> SqliteTransaction::find_token(const std::string& id) {
  Statement row(database_, std::string("SELECT ") + token_columns + " FROM token WHERE id = ?");
  row.bind(id);
  return row.step() ? std::optional(read_token(row)) : std::nullopt;
}

void SqliteTransaction::insert_token(const TokenRecord& token) {
  Statement insert(database_, "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.run(token.id, token.ns, token.name, token.role, token.hash, token.created_at,
             token.expires_at, token.last_used_at);
}

void SqliteTransaction::erase_token(const std::string& id) {
  Statement erase(database_, "DELETE FROM token WHERE id = ?");
  erase.run(id);
}

void SqliteTransaction::touch_token(const std::string& id) {
  Statement update(database_, "UPDATE token SET last_used_at = ? WHERE id = ?");
  update.run(now_, id);
}

}  // namespace longshore::sqlite
