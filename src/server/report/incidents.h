// Tells whoever runs the server what goes wrong, in the log and as metrics: a store that cannot be
// used or promises less, tokens that are refused, requests that are throttled, connections that
// cannot be accepted. What happens often is one line when it begins, one with a count in a while,
// and one when it is over. docs/monitoring.md lists all of it.
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
  // `log` must outlive it. `repeat`: how often what goes on is logged again.
  Incidents(Log& log, Duration repeat, std::int64_t now);

  // Commits of this node.
  void store_answered(std::int64_t now);
  void store_failed(const Error& error, std::int64_t now);
  // What the store promises has changed, or is not all that it should be at the start.
  void condition_changed(const StoreCondition& condition);

  // Requests. Those that were refused before they were read have no path.
  void answered(const Exchanged& exchanged) override;
  void refused(std::string_view code, std::string_view detail);

  // A few times a second, from one thread; with all that the sockets have counted.
  void look(const HttpTroubles& troubles, std::int64_t now);
  // Nobody will look any more.
  void finish(std::int64_t now);

  void write_metrics(MetricText& text, const StoreCondition& condition) const;

 private:
  enum Kind { store, token, throttle, accept };
  static constexpr std::size_t kinds = 4;

  void add(Kind kind, std::int64_t count, const std::string& what, std::int64_t now);
  void look_for_stall(std::int64_t now);
  void tell(Kind kind, const Episode::Report& report);

  Log& log_;
  std::atomic<std::int64_t> ended_at_;     // when a commit ended last, well or not
  std::atomic<std::int64_t> answered_at_;  // when one ended well
  std::atomic<bool> store_down_ = false;

  // Of whoever looks.
  HttpTroubles seen_;
  std::int64_t looked_at_;
  std::int64_t stalled_at_ = 0;  // when that was last added

  mutable Mutex mutex_;
  std::array<Episode, kinds> episodes_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
