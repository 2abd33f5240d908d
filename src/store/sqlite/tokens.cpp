#include "store/sqlite/tokens.h"

#include <optional>
#include <string>

#include "store/sqlite/verbs.h"

namespace longshore::sqlite {
namespace {

bool is_same_token(TokenRecord a, const TokenRecord& b) {
  a.created_at = b.created_at;
  a.last_used_at = b.last_used_at;
  return a == b;
}

Refusal no_such_token() { return {.code = Code::not_found, .detail = "there is no such token"}; }

std::optional<TokenRecord> find_token(UnitOfWork& work, const std::string& id) {
  Statement row(work.database(),
                std::string("SELECT ") + token_columns + " FROM token WHERE id = ?");
  row.bind(id);
  return row.step() ? std::optional(read_token(row)) : std::nullopt;
}

}  // namespace

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

Verdict run(UnitOfWork& work, const PutToken& put) {
  const TokenRecord& token = put.token;
  if (const auto known = find_token(work, token.id)) {
    if (is_same_token(*known, token)) return Done{};
    return Refusal{.code = Code::invalid_field,
                   .detail = "id already names another token; choose a new one"};
  }
  Statement insert(work.database(), "INSERT INTO token VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.run(token.id, token.ns, token.name, token.role, token.hash, work.now(), token.expires_at,
             token.last_used_at);
  work.record_audit(put.actor, token.ns, "createToken", token.id);
  return Done{};
}

Verdict run(UnitOfWork& work, const RevokeToken& revoke) {
  const auto known = find_token(work, revoke.id);
  if (!known || known->ns != revoke.ns) return no_such_token();
  Statement erase(work.database(), "DELETE FROM token WHERE id = ?");
  erase.run(revoke.id);
  work.record_audit(revoke.actor, revoke.ns, "revokeToken", revoke.id);
  return Done{};
}

Verdict run(UnitOfWork& work, const TouchToken& touch) {
  if (!find_token(work, touch.id)) return no_such_token();
  Statement update(work.database(), "UPDATE token SET last_used_at = ? WHERE id = ?");
  update.run(work.now(), touch.id);
  return Done{};
}

}  // namespace longshore::sqlite
