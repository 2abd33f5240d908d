// For tests of programs that use Longshore: a store in memory, a manual clock, and functions to
// inspect jobs. Needs no test framework.
//
//   testing::Harbour harbour;
//   Worker worker(harbour.longshore());
//   worker.handle<SendEmail>(...);
//   sign_up(harbour.client(), "ada@example.org");
//   EXPECT_TRUE(harbour.has_enqueued<SendEmail>([](auto& mail) { return mail.to == "..."; }));
//   EXPECT_EQ(harbour.drain(worker), 1);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/args.h"
#include "longshore/client.h"
#include "longshore/open.h"
#include "longshore/worker.h"

namespace longshore::testing {

struct HarbourOptions {
  Instant start = Instant::millis(1'767'225'600'000);  // 2026-01-01
  std::uint64_t seed = 1;                              // the same ids in every run
  OpenOptions open = {};
};

// A Longshore for one test. Calls abort with a message if the memory store fails.
class Harbour {
 public:
  explicit Harbour(HarbourOptions options = {});
  ~Harbour();
  Harbour(const Harbour&) = delete;
  Harbour& operator=(const Harbour&) = delete;

  Longshore& longshore();
  Client client() { return longshore().client(); }

  Instant now() const;
  // Advances the clock and applies everything that becomes due or expires by then.
  void advance(Duration by);
  // Closes and reopens the store, like a restart of the process. Earlier clients, leases and
  // workers are stopped.
  void restart();

  // Runs all jobs that the worker can claim now, on this thread; returns the number of attempts.
  int drain(Worker& worker) { return checked(worker.run_pending()); }

  // Every job of a type in any state, oldest first.
  std::vector<JobRecord> jobs(std::string_view type);
  template <JobArgs Args>
  std::vector<Args> enqueued() {
    std::vector<Args> found;
    for (const JobRecord& job : jobs(Args::job_type)) {
      found.push_back(checked(from_json<Args>(job.body.payload)));
    }
    return found;
  }
  template <JobArgs Args, class Predicate>
  bool has_enqueued(const Predicate& is_wanted) {
    for (const Args& args : enqueued<Args>()) {
      if (is_wanted(args)) return true;
    }
    return false;
  }

  // The states a job went through, such as "CREATED QUEUED RUNNING SUCCESS".
  std::string path(const JobId& id);

 private:
  template <class T>
  static T checked(Result<T> result) {
    if (!result) give_up(result.error());
    return std::move(*result);
  }
  [[noreturn]] static void give_up(const Error& error);
  void open();

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace longshore::testing
