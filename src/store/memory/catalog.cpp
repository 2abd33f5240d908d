#include "store/memory/catalog.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "store/memory/tables.h"

namespace longshore::memory {
namespace {

Error no_such_job(const JobId& id) {
  return {.code = Errc::not_found, .message = "there is no job " + to_text(id)};
}

bool mentions(const std::optional<JobError>& error, const std::string& part) {
  return error && (error->code.contains(part) || error->message.contains(part));
}

template <class T>
bool is(const std::optional<T>& wanted, const T& value) {
  return !wanted || *wanted == value;
}

bool matches(const JobRecord& record, const ListQuery& query) {
  const Job& job = record.job;
  const auto& tags = record.body.tags;
  return job.ns == query.ns && longshore::matches(query.states, job) && is(query.type, job.type) &&
         is(query.queue, job.queue) && is(query.job_key, job.job_key) &&
         is(query.idempotency_key, job.idempotency_key) &&
         (!query.tag || std::ranges::find(tags, *query.tag) != tags.end()) &&
         (!query.error || mentions(record.error, *query.error)) &&
         (!query.created_after || job.created_at >= *query.created_after) &&
         (!query.created_before || job.created_at < *query.created_before) &&
         !(query.hide_redriven && job.successor_id);
}

JobSummary summary_of(const JobRecord& record) {
  JobSummary summary{.job = record.job, .tags = record.body.tags, .error = record.error};
  if (summary.error) summary.error->details.clear();
  return summary;
}

}  // namespace

Result<JobRecord> get(MemoryDisk& disk, const std::string& ns, const JobId& id) {
  const StoredJob* stored = find(disk, ns, id);
  if (stored == nullptr) return no_such_job(id);
  return stored->record;
}

Result<Job> glance(MemoryDisk& disk, const std::string& ns, const JobId& id) {
  const StoredJob* stored = find(disk, ns, id);
  if (stored == nullptr) return no_such_job(id);
  return stored->record.job;
}

Result<Job> glance_by_key(MemoryDisk& disk, const MemoryDisk::JobKey& key) {
  const StoredJob* stored = find_by_key(disk, key);
  if (stored == nullptr) {
    return Error{.code = Errc::not_found,
                 .message = "no job of type " + key.type + " has this key"};
  }
  return stored->record.job;
}

Result<KeyView> find_idempotency_key(MemoryDisk& disk, const std::string& ns,
                                     const std::string& key) {
  const std::optional<KeyView> view = find_key(disk, {.ns = ns, .platform = false, .key = key});
  if (!view) {
    return Error{.code = Errc::not_found, .message = "this idempotency key stands for nothing"};
  }
  return *view;
}

std::vector<std::int64_t> versions(MemoryDisk& disk, const std::string& ns,
                                   std::span<const JobId> ids) {
  std::vector<std::int64_t> versions;
  for (const JobId& id : ids) {
    const StoredJob* stored = find(disk, ns, id);
    versions.push_back(stored == nullptr ? 0 : stored->record.job.version);
  }
  return versions;
}

std::optional<JobId> list_slice(MemoryDisk& disk, const ListQuery& query, int looks,
                                ListPage& page) {
  const auto end = query.before ? disk.jobs.lower_bound(*query.before) : disk.jobs.end();
  for (const auto& [id, stored] :
       std::ranges::subrange(disk.jobs.begin(), end) | std::views::reverse) {
    const bool meant = matches(stored.record, query);
    if (meant && std::ssize(page.jobs) == query.limit) {  // one more: so there is a next page
      page.next = page.jobs.back().job.id;
      return std::nullopt;
    }
    if (meant) page.jobs.push_back(summary_of(stored.record));
    if (--looks == 0) return id;
  }
  return std::nullopt;
}

Result<std::vector<AttemptLog>> logs(MemoryDisk& disk, const std::string& ns, const JobId& id) {
  const StoredJob* stored = find(disk, ns, id);
  if (stored == nullptr) return no_such_job(id);
  return stored->logs;
}

Result<std::int64_t> ahead(MemoryDisk& disk, const std::string& ns, const JobId& id,
                           std::int64_t most) {
  const StoredJob* stored = find(disk, ns, id);
  if (stored == nullptr) return no_such_job(id);
  const Job& job = stored->record.job;
  if (job.state != State::queued) {
    return Error{.code = Errc::invalid,
                 .message = "only a queued job has others ahead of it; this one is " +
                            std::string(to_text(job.state))};
  }
  const auto ready = disk.ready.find({ns, job.queue});
  if (ready == disk.ready.end()) return 0;
  const MemoryDisk::ReadyPlace own{job.priority, job.order, job.id};
  std::int64_t count = 0;
  for (const MemoryDisk::ReadyPlace& place : ready->second) {
    if (count >= most || !(place < own)) break;
    ++count;
  }
  return count;
}

std::vector<JobRecord> all_records(const MemoryDisk& disk) {
  std::vector<JobRecord> records;
  records.reserve(disk.jobs.size());
  for (const auto& [id, stored] : disk.jobs) records.push_back(stored.record);
  return records;
}

}  // namespace longshore::memory
