// Job filters, of lists and of bulk actions: read from a query or from a body.
#pragma once

#include "api/views/view.h"
#include "api/wire/fields.h"
#include "api/wire/query.h"
#include "longshore/catalog.h"

namespace longshore {

struct JobFilter {
  ListQuery query;
  const JobView* view = &native_view();      // whose words `state` may use
  std::optional<std::uint64_t> fingerprint;  // only jobs whose latest error has it
};

// Records faults in the source.
JobFilter read_filter(Query& source, const std::string& ns);
JobFilter read_filter(Fields& source, const std::string& ns);

// The fault of a filter by state that excludes all dead letters.
inline constexpr std::string_view no_dead_letters_fault =
    "must include DEAD, or be omitted; GET /jobs lists jobs in other states";

// Lists from the catalog. An idempotency key also finds the job it was bound to by a conflict of
// job keys, whose own idempotency key differs.
Result<ListPage> list_jobs(Catalog& catalog, const ListQuery& query);

}  // namespace longshore
