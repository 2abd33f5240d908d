// The audit trail: who did what.
#include "api/queues/views_json.h"
#include "api/server/operator_calls.h"
#include "api/server/operator_routes.h"
#include "api/wire/query.h"

namespace longshore {
namespace {

constexpr int entries_max = 500;

}  // namespace

void get_audit(Api& api, CallRef call) {
  Query query(*call);
  const auto limit = static_cast<int>(query.integer("limit", 1, entries_max).value_or(50));
  std::optional<std::int64_t> before;
  if (const auto text = query.text("cursor")) {
    before = parse_audit_cursor(*text);
    if (!before) query.invalid("cursor", "must be the nextCursor of a page before");
  }
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
