#include "client/server/server_catalog.h"

#include <utility>

#include "client/wire/job_wire.h"

namespace longshore {
namespace {

std::optional<Error> namespace_fault_of(const std::string& ns) {
  if (ns.empty()) return std::nullopt;
  return Error{Errc::invalid, "ns: the token determines the namespace; leave it empty"};
}

Error not_here(std::string_view what, std::string_view instead) {
  return {Errc::refused,
          "a server's catalog does not support " + std::string(what) + "; " + std::string(instead)};
}

}  // namespace

Result<JobRecord> ServerCatalog::get(const std::string& ns, const JobId& id) {
  if (auto fault = namespace_fault_of(ns)) return *fault;
  return service_.get(id);
}

Result<Job> ServerCatalog::glance(const std::string& ns, const JobId& id) {
  Result<JobRecord> record = get(ns, id);
  if (!record) return record.error();
  return std::move(record->job);
}

Result<Job> ServerCatalog::find_by_key(const std::string& ns, const std::string& type,
                                       const std::string& key) {
  if (auto fault = namespace_fault_of(ns)) return *fault;
  return service_.find_by_key(type, key);
}

Result<ListPage> ServerCatalog::list(const ListQuery& query) { return service_.list(query); }

Result<std::vector<AttemptLog>> ServerCatalog::logs(const std::string& ns, const JobId& id) {
  if (auto fault = namespace_fault_of(ns)) return *fault;
  const Result<HttpReply> reply = caller_.ask({.path = "/jobs/" + to_text(id) + "/logs"});
  if (!reply) return reply.error();
  return read_logs(*reply);
}

Result<Instant> ServerCatalog::now() {
  return not_here("now()", "the store's time is not part of the HTTP API");
}
Result<KeyView> ServerCatalog::find_idempotency_key(const std::string&, const std::string&) {
  return not_here("find_idempotency_key()", "use list() with an idempotency_key");
}
Result<std::vector<std::int64_t>> ServerCatalog::versions(const std::string&,
                                                          std::span<const JobId>) {
  return not_here("versions()", "use Client::watch()");
}
Result<std::int64_t> ServerCatalog::ahead(const std::string&, const JobId&, std::int64_t) {
  return not_here("ahead()", "use GET /jobs/{jobId}/explain");
}
Result<std::vector<QueueView>> ServerCatalog::queues(const std::string&, const std::string&, int) {
  return not_here("queues()", "use GET /queues");
}
Result<std::vector<WorkerView>> ServerCatalog::workers(const std::string&) {
  return not_here("workers()", "use GET /workers");
}
Result<std::vector<NodeView>> ServerCatalog::nodes() {
  return not_here("nodes()", "use GET /about");
}
Result<std::vector<MinuteRow>> ServerCatalog::minutes(const std::string&, Instant) {
  return not_here("minutes()", "use GET /stats");
}
Result<std::vector<ErrorGroup>> ServerCatalog::error_groups(const std::string&) {
  return not_here("error_groups()", "use GET /errors");
}
Result<std::vector<GroupJobs>> ServerCatalog::jobs_of_groups(std::span<const ErrorGroup>, int) {
  return not_here("jobs_of_groups()", "use GET /errors");
}
Result<std::vector<AuditEntry>> ServerCatalog::audit_trail(const std::string&, int,
                                                           std::optional<std::int64_t>) {
  return not_here("audit_trail()", "use GET /audit");
}
Result<std::vector<TokenRecord>> ServerCatalog::tokens() {
  return not_here("tokens()", "use GET /tokens");
}
Result<StoredRules> ServerCatalog::stored_rules() {
  return not_here("stored_rules()", "use GET /about");
}

Result<Configure> ServerCatalog::configuration() {
  return not_here("configuration()", "use GET /about");
}
Result<Nothing> ServerCatalog::each(const std::function<bool(const JobRecord&)>&) {
  return not_here("each()", "use list(), page by page");
}
Result<Audit> ServerCatalog::audit(const AuditWatch&) {
  return not_here("audit()", "use POST /check");
}

}  // namespace longshore
