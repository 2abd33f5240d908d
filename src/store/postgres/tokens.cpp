#include "store/postgres/tokens.h"

#include <optional>
#include <string>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

const std::string find_text = std::string(select_tokens) + "WHERE id = $1 FOR UPDATE";
constexpr Sql insert_token = {"INSERT INTO @token VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"};
constexpr Sql delete_token = {"DELETE FROM @token WHERE id = $1"};
constexpr Sql touch_token = {"UPDATE @token SET last_used_at = $2 WHERE id = $1"};

bool is_same_token(TokenRecord a, const TokenRecord& b) {
  a.created_at = b.created_at;
  a.last_used_at = b.last_used_at;
  return a == b;
}

Refusal no_such_token() { return {.code = Code::not_found, .detail = "there is no such token"}; }

std::optional<TokenRecord> find_token(UnitOfWork& work, const std::string& id) {
  Parameters parameters;
  parameters.add(id);
  RowSet row = work.connection().ask({find_text.c_str()}, std::move(parameters));
  return row.next() ? std::optional(read_token(row)) : std::nullopt;
}

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

// Of two that put the same id at once, the second finds the first's when it is judged again.
Verdict run(UnitOfWork& work, const PutToken& put) {
  const TokenRecord& token = put.token;
  if (const auto known = find_token(work, token.id)) {
    if (is_same_token(*known, token)) return Done{};
    return Refusal{.code = Code::invalid_field,
                   .detail = "id already names another token; choose a new one"};
  }
  Parameters parameters;
  parameters.add(token.id).add(token.ns).add(token.name).add(token.role).add(token.hash);
  parameters.add(work.now()).add(token.expires_at).add(token.last_used_at);
  work.connection().ask(insert_token, std::move(parameters));
  work.record_audit(put.actor, token.ns, "createToken", token.id);
  return Done{};
}

Verdict run(UnitOfWork& work, const RevokeToken& revoke) {
  const auto known = find_token(work, revoke.id);
  if (!known || known->ns != revoke.ns) return no_such_token();
  Parameters parameters;
  parameters.add(revoke.id);
  work.connection().ask(delete_token, std::move(parameters));
  work.record_audit(revoke.actor, revoke.ns, "revokeToken", revoke.id);
  return Done{};
}

Verdict run(UnitOfWork& work, const TouchToken& touch) {
  if (!find_token(work, touch.id)) return no_such_token();
  Parameters parameters;
  parameters.add(touch.id).add(work.now());
  work.connection().ask(touch_token, std::move(parameters));
  work.note_write();
  return Done{};
}

}  // namespace longshore::postgres
