// Reports workers to the store: each every few seconds, not with every poll.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/command.h"

namespace longshore {

class Engine;

// Safe to share between threads. Shared with its pending commits.
class WorkerReporter : public std::enable_shared_from_this<WorkerReporter> {
 public:
  using Done = std::function<void()>;

  // Calls `done` once the store has recorded this worker, or has failed to: at once unless the
  // worker is new or changed, its last report is old, or a report is pending. Without
  // `has_details`, the details of its earlier request are filled in.
  void report_seen(Engine& engine, WorkerInfo info, bool has_details, Instant now, Done done);

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, worker
  // A pending commit. Shared with its answer.
  struct Report {
    WorkerInfo info;
    Instant at;
    std::vector<Done> waiting;  // guarded by the reporter's mutex_
  };
  struct Seen {
    WorkerInfo info;                           // the latest
    Instant reported_at = Instant::millis(0);  // when the store last recorded it
    std::shared_ptr<Report> report;            // null: none is pending
  };

  bool must_report(Seen& seen, WorkerInfo& info, bool has_details, Instant now);
  void answered(const std::shared_ptr<Report>& report, bool learned);

  Mutex mutex_;
  std::map<Name, Seen> seen_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
