// What is written beside the jobs: their failures and logs, the groups of errors, the audit trail.
#pragma once

#include <optional>
#include <string>

#include "longshore/command.h"
#include "longshore/job.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// Used by the writer alone.
class SideWrites {
 public:
  explicit SideWrites(Database& database);

  // A counted failure of the job, at its last update; the newest failures_kept are kept.
  void add_failure(const Job& job, const JobError& error);
  // Appends to an attempt's log, unless `append` was the last to append there.
  void append_log(const JobId& id, int attempt, const std::string& text,
                  const std::optional<RequestId>& append);
  void add_audit(std::int64_t number, Instant now, const std::string& ns, const Actor& actor,
                 const std::string& action, const std::string& target);

 private:
  void group(const Job& job, const JobError& error, std::uint64_t fingerprint);

  Statement last_failure_;
  Statement insert_failure_;
  Statement trim_failures_;
  Statement upsert_group_;
  Statement find_log_;
  Statement replace_log_;
  Statement insert_audit_;
};

}  // namespace longshore::sqlite
