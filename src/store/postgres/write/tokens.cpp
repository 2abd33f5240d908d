#include "store/postgres/write/tokens.h"

#include <optional>
#include <string>

#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

const std::string find_text = std::string(select_tokens) + "WHERE id = $1 FOR UPDATE";
constexpr Sql token_added = {"INSERT INTO @token VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};
constexpr Sql token_deleted = {"DELETE FROM @token WHERE id = $1"};
constexpr Sql token_touched = {"UPDATE @token SET last_used_at = $2 WHERE id = $1"};

}  // namespace

TokenRecord read_token(RowSet& row) {
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

std::optional<TokenRecord> PostgresTransaction::find_token(const std::string& id) {
  Parameters parameters;
  parameters.add(id);
  RowSet row = connection_.ask({find_text.c_str()}, std::move(parameters));
  return row.next() ? std::optional(read_token(row)) : std::nullopt;
}

// Of two that put the same id at once, the second finds the first's when it is judged again.
void PostgresTransaction::insert_token(const TokenRecord& token) {
  Parameters parameters;
  parameters.add(token.id).add(token.ns).add(token.name).add(token.role).add(token.hash);
  parameters.add(token.created_at).add(token.expires_at).add(token.last_used_at);
  connection_.ask(token_added, std::move(parameters));
}

void PostgresTransaction::erase_token(const std::string& id) {
  Parameters parameters;
  parameters.add(id);
  connection_.ask(token_deleted, std::move(parameters));
}

void PostgresTransaction::touch_token(const std::string& id) {
  Parameters parameters;
  parameters.add(id).add(now_);
  connection_.ask(token_touched, std::move(parameters));
  wrote_ = true;
}

}  // namespace longshore::postgres
