// The store's reading side: what longshore/catalog.h asks, one function each.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/policy/rules_record.h"
#include "longshore/catalog.h"
#include "store/redis/channel.h"
#include "store/redis/codec.h"
#include "store/redis/reader.h"
#include "store/redis/walks.h"

namespace longshore::redis {

// Where one reader looks.
struct View {
  Channel& channel;
  const Policy& usual;  // what a job leaves out
  Rules::CancelPath cancel_path;
  Walks* walks = nullptr;             // null: what has ended may go on, or be pruned at any time
  std::function<Instant()> now = {};  // the store's time

  Reader of(const std::string& ns) const { return {channel, Keys(channel.url().prefix, ns)}; }
  Reader shared() const { return {channel, Keys::shared(channel.url().prefix)}; }
};

// catalog_jobs.cpp
Result<JobRecord> get(const View& view, const std::string& ns, const JobId& id);
Result<Job> glance(const View& view, const std::string& ns, const JobId& id);
Result<Job> glance_by_key(const View& view, const std::string& ns, const std::string& type,
                          const std::string& key);
Result<KeyView> find_idempotency_key(const View& view, const std::string& ns,
                                     const std::string& key);
Result<std::vector<std::int64_t>> versions(const View& view, const std::string& ns,
                                           std::span<const JobId> ids);
Result<std::vector<AttemptLog>> logs(const View& view, const std::string& ns, const JobId& id);
Result<std::int64_t> ahead(const View& view, const std::string& ns, const JobId& id,
                           std::int64_t most);
// catalog_each.cpp
Result<Nothing> each(const View& view, const std::function<bool(const JobRecord&)>& visit);
Result<Nothing> each_of(const View& view, const std::string& ns,
                        const std::function<bool(const JobRecord&)>& visit);

// catalog_list.cpp
Result<ListPage> list(const View& view, const ListQuery& query);

// catalog_views.cpp
Result<std::vector<QueueView>> queues(const View& view, const std::string& ns,
                                      const std::string& from, int limit);
Result<std::vector<WorkerView>> workers(const View& view, const std::string& ns);
Result<std::vector<NodeView>> nodes(const View& view);
Result<std::vector<MinuteRow>> minutes(const View& view, const std::string& ns, Instant since);
Result<std::vector<ErrorGroup>> error_groups(const View& view, const std::string& ns);
Result<std::vector<GroupJobs>> jobs_of_groups(const View& view, std::span<const ErrorGroup> groups,
                                              int most);
Result<std::vector<AuditEntry>> audit_trail(const View& view, const std::string& ns, int limit,
                                            std::optional<std::int64_t> before);
Result<std::vector<TokenRecord>> tokens(const View& view);
Result<Configure> configuration(const View& view);
Result<RulesRecord> rules_record(const View& view);

// audit.cpp
Result<Audit> audit_store(const View& view, const AuditWatch& watch);

// What HGETALL answers of a job; nothing if that is no job.
std::optional<JobRecord> read_record(const std::string& ns, const JobId& id, const Reply& reply,
                                     const Policy& usual);
// What HMGET answers of given, life and place.
inline const std::vector<std::string> head_fields = {"given", "life", "place"};
std::optional<Head> read_head(const std::string& ns, const JobId& id, const Reply& reply,
                              const Policy& usual);

}  // namespace longshore::redis
