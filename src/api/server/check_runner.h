// Runs checks of the store on a thread of its own, one at a time. A request during a check joins
// it.
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

  // Both must outlive the runner.
  CheckRunner(Catalog& catalog, Timekeeper& time);
  ~CheckRunner();

  // Joins the running check, or starts one. `done` is called once, on any thread, when it finishes;
  // with a failure when the runner stops. It must not block.
  Ticket join(Done done);
  // `done` will not be called, unless it is being called now.
  void leave(Ticket ticket);

  std::optional<CheckUnderWay> under_way() const;
  // The latest finished check; null if there was none.
  std::shared_ptr<const CheckReport> last() const;

  // Waiting requests are answered at once; the check ends soon, and no other begins. Idempotent.
  void stop();

 private:
  void check_until_stopped();
  bool note(const AuditProgress& progress);
  void notify(const CheckReport& report);

  Catalog& catalog_;
  Timekeeper& time_;

  mutable std::mutex mutex_;  // not Mutex: a condition variable waits on it
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopped_ = false;
  std::optional<CheckUnderWay> under_way_;
  std::map<Ticket, Done> waiting_;
  Ticket next_ = 1;
  std::shared_ptr<const CheckReport> last_;

  std::jthread thread_;  // last: it uses all the others
};

}  // namespace longshore
