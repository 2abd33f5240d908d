// Counters of this node, for Prometheus. Every label has a bounded number of values: beyond the
// first few hundred, queues and types are counted as "other".
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/metrics/metric_text.h"
#include "api/wire/route.h"
#include "core/sync/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Measured at each request rather than counted.
struct MetricsNow {
  std::vector<QueueView> queues;  // of the caller's namespace
  Instant now;                    // the store's
  std::size_t commits_waiting = 0;
  std::size_t claims_waiting = 0;
  std::int64_t losses = 0;         // see Backend
  ClockReport clock = {};          // see Backend
  std::size_t rule_conflicts = 0;  // see Node
  std::string_view store;
  std::string_view durability;
  std::string_view version;
};

// Safe to share between threads.
class Metrics {
 public:
  // `routes` must outlive the metrics.
  explicit Metrics(std::span<const Route> routes);

  // A commit of this node.
  void on_commit(const Committed& committed);
  // How long a command waited for its commit.
  void commit_took(Duration delay);
  // A request was answered; `route` is null if there was none.
  void answered(const Route* route, int status, Duration took);

  // Without the queues and types of other namespaces. `more` may add families.
  std::string text(const std::string& ns, const MetricsNow& now,
                   const std::function<void(MetricText&)>& more = {}) const;

  static constexpr std::size_t series_max = 200;

 private:
  struct Series {
    std::string ns, queue, type;
    friend auto operator<=>(const Series&, const Series&) = default;
  };
  struct Counts {
    std::uint64_t enqueued = 0, started = 0, succeeded = 0, dead = 0, canceled = 0;
    std::uint64_t retries = 0, lost_leases = 0;
    Histogram wait;
    Histogram run;
    Counts();
  };
  // Fixed statuses, so that counting a request takes no lock.
  static constexpr std::array statuses = {200, 201, 202, 204, 304, 400, 401, 403, 404, 405, 408,
                                          409, 413, 414, 415, 422, 429, 431, 500, 503, 505, 507};
  struct RouteCounts {
    std::array<std::atomic<std::uint64_t>, statuses.size() + 1> by_status{};  // last: any other
    std::atomic<std::uint64_t> micros = 0;
  };

  Counts& counts_for(const JobEvent& one);
  static void add(Counts& counts, const JobEvent& one);
  void write_jobs(MetricText& text, const std::string& ns) const;
  void write_times(MetricText& text, const std::string& ns) const;
  void write_commits(MetricText& text) const;
  void write_requests(MetricText& text) const;

  // Constant after construction.
  const std::span<const Route> routes_;
  const std::unique_ptr<RouteCounts[]> requests_;  // one for each route, and one for none

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::map<Series, Counts> series_ LONGSHORE_GUARDED_BY(mutex_);
  Histogram commit_jobs_ LONGSHORE_GUARDED_BY(mutex_);
  Histogram commit_delay_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
