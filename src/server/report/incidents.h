// Reports incidents in the log and as metrics: an unavailable store or one of lower durability,
// rejected tokens, throttled requests, connections that cannot be accepted. Recurring incidents are
// rate-limited; see incident_episode.h. docs/monitoring.md lists all of them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "api/metrics/metric_text.h"
#include "api/wire/observer.h"
#include "core/sync/mutex.h"
#include "http/server.h"
#include "longshore/store.h"
#include "server/report/incident_episode.h"
#include "server/report/log.h"

namespace longshore {

// Safe to share between threads. Times are steady_micros().
class Incidents final : public Observer {
 public:
  // `log` must outlive it. `repeat`: interval of log lines about a continuing incident.
  Incidents(Log& log, Duration repeat, std::int64_t now);

  // A commit of this node ended.
  void store_answered(std::int64_t now);
  void store_failed(const Error& error, std::int64_t now);
  // The condition of the store changed, or is degraded at the start.
  void condition_changed(const StoreCondition& condition);

  // A request ended. Requests rejected before they were read have no path.
  void answered(const Exchanged& exchanged) override;
  void refused(std::string_view code, std::string_view detail);

  // Call a few times a second from one thread, with the total counters of the sockets.
  void look(const HttpTroubles& troubles, std::int64_t now);
  // Logs the last reports before shutdown.
  void finish(std::int64_t now);

  void write_metrics(MetricText& text, const StoreCondition& condition) const;

 private:
  enum Kind { store, token, throttle, accept };
  static constexpr std::size_t kinds = 4;

  void add(Kind kind, std::int64_t count, const std::string& what, std::int64_t now);
  void look_for_stall(std::int64_t now);
  void tell(Kind kind, const Episode::Report& report);

  Log& log_;
  std::atomic<std::int64_t> ended_at_;     // end of the last commit, successful or not
  std::atomic<std::int64_t> answered_at_;  // end of the last successful commit
  std::atomic<bool> store_down_ = false;

  // Used only by the thread that calls look().
  HttpTroubles seen_;
  std::int64_t looked_at_;
  std::int64_t stalled_at_ = 0;  // time of the last stall report

  mutable Mutex mutex_;
  std::array<Episode, kinds> episodes_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
