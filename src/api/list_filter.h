// Which jobs are meant: the filters of lists and of what is done to many jobs at once, read alike
// from a query and from a body.
#pragma once

#include "api/fields.h"
#include "api/query.h"
#include "longshore/catalog.h"

namespace longshore {

// What is wrong is left as faults of the source.
ListQuery read_filter(Query& source, const std::string& ns);
ListQuery read_filter(Fields& source, const std::string& ns);

// What the catalog lists. An idempotency key also finds the job that it was bound to when a job key
// answered, which has another of its own or none.
Result<ListPage> list_jobs(Catalog& catalog, const ListQuery& query);

}  // namespace longshore
