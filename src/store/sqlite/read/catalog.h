// The reading side of a SQLite store, one function for each question of longshore/catalog.h. Each
// that takes a Reader is asked inside a read transaction; the caller looks afterwards whether the
// connection failed. Those that may have all the history to go through take Readers, and read a
// slice at a time, each of its own moment.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "store/sqlite/file/readers.h"

namespace longshore::sqlite {

// catalog_jobs.cpp
Result<JobRecord> get(Reader& reader, const std::string& ns, const JobId& id);
Result<Job> glance(Reader& reader, const std::string& ns, const JobId& id);
Result<Job> glance_by_key(Reader& reader, const std::string& ns, const std::string& type,
                          const std::string& key);
Result<KeyView> find_idempotency_key(Reader& reader, const std::string& ns, const std::string& key);
Result<std::vector<std::int64_t>> versions(Reader& reader, const std::string& ns,
                                           std::span<const JobId> ids);
Result<std::vector<AttemptLog>> logs(Reader& reader, const std::string& ns, const JobId& id);
Result<std::int64_t> ahead(Reader& reader, const std::string& ns, const JobId& id,
                           std::int64_t most);
Result<Nothing> each(Readers& readers, const std::function<bool(const JobRecord&)>& visit);
// A slice of that: hands out the jobs behind `after` until there is enough for one read. The last
// job, from which to go on; none at the end.
Result<std::optional<JobId>> each_slice(Reader& reader, const JobId& after,
                                        const std::function<bool(JobRecord&&)>& visit);

// catalog_list.cpp
Result<ListPage> list(Readers& readers, const ListQuery& query, Rules::CancelPath cancel_path);

// catalog_series.cpp
Result<std::vector<MinuteRow>> minutes(Readers& readers, const std::string& ns, Instant since);
Result<std::vector<ErrorGroup>> error_groups(Readers& readers, const std::string& ns);

// catalog_views.cpp
Result<std::vector<QueueView>> queues(Reader& reader, const std::string& ns,
                                      const std::string& from, int limit);
Result<std::vector<WorkerView>> workers(Reader& reader, const std::string& ns);
Result<std::vector<NodeView>> nodes(Reader& reader);
Result<std::vector<GroupJobs>> jobs_of_groups(Reader& reader, std::span<const ErrorGroup> groups,
                                              int most);
Result<std::vector<AuditEntry>> audit_trail(Reader& reader, const std::string& ns, int limit,
                                            std::optional<std::int64_t> before);
Result<std::vector<TokenRecord>> tokens(Reader& reader);
Result<Configure> configuration(Reader& reader);

}  // namespace longshore::sqlite
