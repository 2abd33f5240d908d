// The part of a server's catalog that the HTTP API offers: single jobs and lists. The rest is
// needed only by the server itself and by tests.
#pragma once

#include <string>
#include <vector>

#include "client/job_service.h"
#include "client/server/server_caller.h"

namespace longshore {

class ServerCatalog final : public Catalog {
 public:
  // Both must outlive it.
  ServerCatalog(JobService& service, ServerCaller& caller) : service_(service), caller_(caller) {}

  Result<JobRecord> get(const std::string& ns, const JobId& id) override;
  Result<Job> glance(const std::string& ns, const JobId& id) override;
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override;
  Result<ListPage> list(const ListQuery& query) override;
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override;

  // Errc::refused.
  Result<Instant> now() override;
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override;
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override;
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override;
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override;
  Result<std::vector<WorkerView>> workers(const std::string& ns) override;
  Result<std::vector<NodeView>> nodes() override;
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override;
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override;
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override;
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override;
  Result<std::vector<TokenRecord>> tokens() override;
  Result<Configure> configuration() override;
  Result<StoredRules> stored_rules() override;
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override;
  Result<Audit> audit(const AuditWatch& watch) override;

 private:
  JobService& service_;
  ServerCaller& caller_;
};

}  // namespace longshore
