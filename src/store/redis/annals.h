// What is written beside the jobs: logs, the groups of errors, the audit trail.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/job.h"
#include "store/redis/deed.h"
#include "store/redis/keys.h"

namespace longshore::redis {

std::string token_text(const TokenRecord& token);
TokenRecord parse_token(const std::string& id, std::string_view text);

// Used by one batch.
class Annals {
 public:
  // A counted failure of the job, at its last update.
  void group(const Job& job, const JobError& error);
  // Appends to an attempt's log, unless `append` was the last to append there.
  void append_log(const JobId& id, int attempt, const std::string& text,
                  const std::optional<RequestId>& append);
  // `step`: which new number the entry gets. `shared`: it belongs to no namespace's own trail.
  void add_audit(std::int64_t step, const AuditEntry& entry, bool shared);
  // Of those that are not written yet.
  bool is_audited(const RecordAudit& record) const;

  void write(const Keys& keys, Deed& deed) const;

 private:
  struct Append {
    JobId job;
    int attempt = 0;
    std::string text;
    std::optional<RequestId> by;
  };
  struct Remark {
    std::int64_t step = 0;
    AuditEntry entry;
    bool shared = false;
  };

  struct Group {
    ErrorGroup group;
    std::set<JobId> jobs;
  };

  void write_groups(const Keys& keys, Deed& deed) const;
  static void write_jobs(const Keys& keys, const std::string& name, const Group& group, Deed& deed);

  std::map<std::pair<std::string, std::uint64_t>, Group> groups_;  // by type and fingerprint
  std::vector<Append> appends_;
  std::vector<Remark> trail_;
};

// One line of a trail. Entries of both trails of a namespace have different numbers.
std::optional<AuditEntry> parse_audit(const std::string& ns, std::string_view line, bool shared);
// The name under which the shared trail of a namespace is kept.
std::string shared_trail(const std::string& ns);

// How many jobs of a group of errors are remembered: those that failed last.
inline constexpr std::int64_t group_jobs_kept = 1000;
// What the group is called behind Keys::error() and Keys::failed().
std::string group_name(const std::string& type, std::uint64_t fingerprint);

}  // namespace longshore::redis
