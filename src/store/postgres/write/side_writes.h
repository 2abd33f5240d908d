// What is written beside the jobs: their failures and logs, the groups of errors, the audit trail.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/job.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

// Used by one transaction. What is told is written by the next enqueue_statement().
class SideWrites {
 public:
  explicit SideWrites(Connection& connection) : connection_(connection) {}

  // A counted failure of the job, at its last update. `seq` rises.
  void add_failure(const Job& job, const JobError& error, std::int64_t seq);
  // Appends to an attempt's log, unless `append` was the last to append there.
  void append_log(const JobId& id, int attempt, const std::string& text,
                  const std::optional<RequestId>& append);
  void add_audit(std::int64_t number, const AuditEntry& entry);
  // Of those that are not written yet.
  bool is_audited(const RecordAudit& record) const;

  bool empty() const {
    return failures_.empty() && groups_.empty() && appends_.empty() && trail_.empty();
  }
  // Reads the logs that are to be appended to. Before enqueue_statement(), with nothing lined up.
  void read_logs();
  void enqueue_statement();

 private:
  using LogKey = std::pair<JobId, int>;
  struct Log {
    std::string text;
    std::optional<RequestId> last;
  };
  struct Append {
    LogKey log;
    std::string text;
    std::optional<RequestId> by;
  };
  struct ListedFailure {
    JobId job;
    std::int64_t seq = 0;
    Failure failure;
    std::uint64_t fingerprint = 0;
  };
  using GroupKey = std::tuple<std::string, std::string, std::uint64_t>;

  void group(const Job& job, const JobError& error, std::uint64_t fingerprint);
  void enqueue_failures();
  void enqueue_groups();
  void enqueue_logs();
  void enqueue_trail();

  Connection& connection_;
  std::vector<ListedFailure> failures_;
  std::map<GroupKey, ErrorGroup> groups_;
  std::vector<Append> appends_;
  std::map<LogKey, Log> logs_;
  std::vector<AuditEntry> trail_;
};

}  // namespace longshore::postgres
