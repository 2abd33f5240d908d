// The reading side of a memory store, one function for each question of longshore/catalog.h. The
// caller holds the store's mutex.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longshore/catalog.h"
#include "store/memory/disk.h"

namespace longshore::memory {

Result<JobRecord> get(MemoryDisk& disk, const std::string& ns, const JobId& id);
Result<Job> glance(MemoryDisk& disk, const std::string& ns, const JobId& id);
Result<Job> glance_by_key(MemoryDisk& disk, const MemoryDisk::JobKey& key);
Result<KeyView> find_idempotency_key(MemoryDisk& disk, const std::string& ns,
                                     const std::string& key);
std::vector<std::int64_t> versions(MemoryDisk& disk, const std::string& ns,
                                   std::span<const JobId> ids);
// Adds to the page what the newest jobs before `query.before` have of it. Looks at no more than
// `looks` of them; the last of these, from which to go on, none when the page is whole.
std::optional<JobId> list_slice(MemoryDisk& disk, const ListQuery& query, int looks,
                                ListPage& page);
Result<std::vector<AttemptLog>> logs(MemoryDisk& disk, const std::string& ns, const JobId& id);
Result<std::int64_t> ahead(MemoryDisk& disk, const std::string& ns, const JobId& id,
                           std::int64_t most);

std::vector<QueueView> queues(MemoryDisk& disk, const std::string& ns, const std::string& from,
                              int limit);
std::vector<WorkerView> workers(MemoryDisk& disk, const std::string& ns);
std::vector<NodeView> nodes(const MemoryDisk& disk);
std::vector<MinuteRow> minutes(const MemoryDisk& disk, const std::string& ns, Instant since);
std::vector<ErrorGroup> error_groups(const MemoryDisk& disk, const std::string& ns);
std::vector<GroupJobs> jobs_of_groups(const MemoryDisk& disk, std::span<const ErrorGroup> groups,
                                      int most);
std::vector<AuditEntry> audit_trail(const MemoryDisk& disk, const std::string& ns, int limit,
                                    std::optional<std::int64_t> before);
std::vector<TokenRecord> tokens(const MemoryDisk& disk);
Configure configuration(const MemoryDisk& disk);
std::vector<JobRecord> all_records(const MemoryDisk& disk);

// Nothing if the watch ended it.
std::optional<Audit> audit(MemoryDisk& disk, const Rules& rules, const AuditWatch& watch);

}  // namespace longshore::memory
