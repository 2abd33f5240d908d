// For the tests of programs that use Longshore: a store in memory, a clock that moves when told
// to, and ways to ask what happened. Needs no test framework.
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

// A Longshore of its own. Every call aborts with a message if the store in memory fails, which it
// has no reason to.
class Harbour {
 public:
  explicit Harbour(HarbourOptions options = {});
  ~Harbour();
  Harbour(const Harbour&) = delete;
  Harbour& operator=(const Harbour&) = delete;

  Longshore& longshore();
  Client client() { return longshore().client(); }

  Instant now() const;
  // Time passes: what becomes due or overdue by then has happened when the call returns.
  void advance(Duration by);
  // Closes and opens again what is stored, as if the process had been started anew. Clients,
  // leases and workers of before are stopped.
  void restart();

  // Runs every job that the worker can have now, in this thread; says how many runs there were.
  int drain(Worker& worker) { return checked(worker.run_pending()); }

  // Every job of a type, oldest first, whatever became of it.
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
