// Which jobs are meant: the filters of lists and of what is done to many jobs at once, read alike
// from a query and from a body.
#pragma once

#include "api/views/view.h"
#include "api/wire/fields.h"
#include "api/wire/query.h"
#include "longshore/catalog.h"

namespace longshore {

struct JobFilter {
  ListQuery query;
  const JobView* view = &native_view();      // whose words `state` may have used
  std::optional<std::uint64_t> fingerprint;  // only jobs whose latest error has it
};

// What is wrong is left as faults of the source.
JobFilter read_filter(Query& source, const std::string& ns);
JobFilter read_filter(Fields& source, const std::string& ns);

// Why a filter by state finds no dead letters at all.
inline constexpr std::string_view no_dead_letters_fault =
    "must include DEAD here, or be left out; GET /jobs lists jobs in other states";

// What the catalog lists. An idempotency key also finds the job that it was bound to when a job key
// answered, which has another of its own or none.
Result<ListPage> list_jobs(Catalog& catalog, const ListQuery& query);

}  // namespace longshore
