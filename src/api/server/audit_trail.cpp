// The audit trail: what operators did.
#include "api/api.h"
#include "api/server/routes.h"
#include "api/server/server_json.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "core/ids/uuid.h"

namespace longshore {
namespace {

void write_entry(JsonOut& out, const AuditEntry& entry) {
  out.open('{');
  out.member("at", entry.at);
  out.member("actor", entry.actor.name);
  out.member("requestId", entry.actor.request_id);
  out.member("action", entry.action);
  out.member("target", entry.target);
  out.close('}');
}

std::string audit_cursor(const AuditEntry& last) {
  return "n" + to_hex(0, static_cast<std::uint64_t>(last.number)).substr(16);
}

}  // namespace

std::string audit_trail_json(const std::vector<AuditEntry>& entries, bool more) {
  JsonOut out;
  out.open('{');
  out.key("audit");
  out.open('[');
  for (const AuditEntry& entry : entries) write_entry(out, entry);
  out.close(']');
  out.member("nextCursor", more ? std::optional(audit_cursor(entries.back())) : std::nullopt);
  out.close('}');
  return out.take();
}

std::optional<std::int64_t> parse_audit_cursor(std::string_view text) {
  if (!text.starts_with('n')) return std::nullopt;
  const auto halves = parse_hex(std::string(16, '0') + std::string(text.substr(1)));
  return halves ? std::optional(static_cast<std::int64_t>(halves->second)) : std::nullopt;
}

void get_audit(Api& api, CallRef call) {
  Query query(*call);
  const int limit = read_page_limit(query);
  const std::optional<std::int64_t> before = read_page_cursor(query, parse_audit_cursor);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::scan, [&api, call, limit, before](Catalog& catalog) {
    // One more shows that there is a next page.
    Result<std::vector<AuditEntry>> found = catalog.audit_trail(call->caller.ns, limit + 1, before);
    if (!found) return api.answer(call, api.problem_of(found.error()));
    const bool more = std::ssize(*found) > limit;
    if (more) found->pop_back();
    api.answer(call, json_response(audit_trail_json(*found, more)));
  });
}

}  // namespace longshore
