// Audits of the store, on a thread of their own: one at a time, and whoever asks for one while it
// is under way joins it. Nobody else waits for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "longshore/catalog.h"
#include "runtime/timekeeper.h"

namespace longshore {

struct CheckReport {
  Result<Audit> outcome = Audit{};
  Instant began, ended;  // by the node's own time
};

struct CheckUnderWay {
  AuditProgress progress;
  Instant began;
};

// Safe to share between threads.
class CheckRunner {
 public:
  using Ticket = std::uint64_t;
  using Done = std::move_only_function<void(const CheckReport& report)>;

  // Both must outlive the desk.
  CheckRunner(Catalog& catalog, Timekeeper& time);
  ~CheckRunner();

  // `done` is called once, on any thread, when the audit under way has ended, or the one that
  // begins now; with a failure when the desk stops. It must not block for long.
  Ticket join(Done done);
  // `done` will not be called any more, unless it is being called just now.
  void leave(Ticket ticket);

  std::optional<CheckUnderWay> under_way() const;
  // The latest that came to its end; null if there was none.
  std::shared_ptr<const CheckReport> last() const;

  // Those who wait are answered at once; the audit ends soon, and no other begins. Idempotent.
  void stop();

 private:
  void check_until_stopped();
  bool note(const AuditProgress& progress);
  void tell(const CheckReport& report);

  Catalog& catalog_;
  Timekeeper& time_;

  mutable std::mutex mutex_;  // std's own, because a condition waits on it
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopped_ = false;
  std::optional<CheckUnderWay> under_way_;
  std::map<Ticket, Done> waiting_;
  Ticket next_ = 1;
  std::shared_ptr<const CheckReport> last_;

  std::jthread thread_;  // last, for it uses all the others
};

}  // namespace longshore
