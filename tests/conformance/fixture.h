// The fixture of the conformance tests. A test covers one sentence of the contract: it enqueues,
// claims, advances the time, and checks the result. After every test the store is audited.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "print.h"

namespace longshore::conformance {

constexpr Duration seconds(std::int64_t count) { return Duration::seconds(count); }
constexpr Duration days(std::int64_t count) { return Duration::days(count); }

// Parameters and names of INSTANTIATE_TEST_SUITE_P.
testing::internal::ParamGenerator<std::string> every_store();
std::string store_name(const testing::TestParamInfo<std::string>& store);

class StoreTest : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override;

  // ---- The store under test --------------------------------------------------------------------

  // Call first in a test; without it the rules are native.
  void under(const Rules& rules);
  // Opens a new, empty store.
  void reopen_under(std::string_view profile_name);
  const Rules& rules() { return harness().rules; }

  StoreHarness& harness();
  Store& store() { return harness().backend().store(); }
  Catalog& catalog() { return harness().backend().catalog(); }
  Instant now() { return harness().now(); }
  void advance(Duration by) { harness().advance(by); }

  // ---- Commands --------------------------------------------------------------------------------

  Verdict send(Command command);

  // Fills in what a test does not care about: an id, the type "work", the rules' policy.
  NewJob with_defaults(NewJob job);
  JobId enqueue(NewJob job = {});
  JobId enqueue_in(const std::string& ns, NewJob job = {});
  Verdict try_enqueue(NewJob job);
  Verdict try_enqueue(std::vector<NewJob> jobs, bool reject_mismatch = false);
  EnqueuedJob enqueued(NewJob job);  // the answer

  // Fills in an id, the namespace "default" and the worker "alice".
  Claim asking(Claim claim);
  Verdict try_claim(Claim claim);
  std::vector<Lease> claim(Claim claim = {});
  std::vector<JobId> claimed(Claim claim = {});  // ids only, up to the store's limit
  Lease claim_one(Claim claim = {});

  Verdict heartbeat(const Lease& lease, Heartbeat beat = {});
  Verdict complete(const Lease& lease, std::string result = "null");
  Verdict fail(const Lease& lease, Fail fail = {});
  Verdict release(const Lease& lease, Release release = {});
  Verdict hand_off(const Lease& lease, std::optional<Duration> timeout = {});
  Verdict finish_by_key(const std::string& key, FinishByKey finish = {});

  Verdict cancel(const JobId& job, bool force = false);
  Verdict promote(const JobId& job);
  Verdict resolve(const JobId& job, Outcome outcome);
  Verdict redrive(const JobId& job, Redrive redrive = {});
  void pause(const std::string& queue, bool paused = true);

  Swept due(int limit = 1000);
  Swept reap(int limit = 1000);
  Swept sweep(int limit = 1000);
  Swept prune(int limit = 1000);
  void tick();  // runs all maintenance commands

  // ---- Whole situations
  // --------------------------------------------------------------------------

  Lease running(NewJob job = {});
  Lease waiting(NewJob job = {});
  JobId retrying(NewJob job = {});
  JobId succeeded(NewJob job = {});
  JobId dead(NewJob job = {});
  JobId canceled(NewJob job = {});

  // ---- What is so
  // --------------------------------------------------------------------------------

  Job job(const JobId& id);
  JobRecord record(const JobId& id);
  bool exists(const JobId& id);
  std::vector<JobRecord> dump();
  std::vector<Job> callbacks();         // jobs that deliver an outcome
  std::string path(const JobId& id);    // "CREATED QUEUED RUNNING"
  std::string causes(const JobId& id);  // "enqueue accept claim"
  QueueView queue(const std::string& name = "default");
  std::vector<std::string> trail();  // "cancel by ops", oldest first

  void expect_promised_capabilities();
  // The views for direct reading (SQL, redis-cli) agree with the catalog.
  void expect_readable();
  void expect_state(const JobId& id, State state);
  void expect_path(const JobId& id, std::string_view states);
  void expect_error(const JobId& id, std::string_view code);
  static void expect_refused(const Verdict& verdict, Code code);
  static void expect_status(const Verdict& verdict, Status status);
  // Refused, and no job has changed.
  void expect_refused_without_effect(const Command& command, Code code);

  template <class Answer>
  static Answer as(const Verdict& verdict);

  JobId new_id() { return ids_.next(now()); }
  RequestId new_request() { return random_id<RequestId>(random_); }
  const Actor ops_{.name = "ops", .request_id = "r-1"};

 private:
  std::unique_ptr<StoreHarness> harness_;
  SeededRandom random_{20260801};
  JobIds ids_{random_};
};

std::string describe(const Verdict& verdict);

template <class Answer>
Answer StoreTest::as(const Verdict& verdict) {
  const Answer* answer = std::get_if<Answer>(&verdict);
  if (answer != nullptr) return *answer;
  ADD_FAILURE() << "unexpected answer: " << describe(verdict);
  return Answer{};
}

}  // namespace longshore::conformance
