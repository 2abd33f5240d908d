// Invalid commands are refused with the name of the field; they never change or crash anything.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreBadCommand : public StoreTest {
 protected:
  void expect_named(const Command& command, std::string_view field) {
    SCOPED_TRACE(name_of(command) + ", " + std::string(field));
    expect_refused_without_effect(command, Code::invalid_field);
    const Verdict verdict = send(command);
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
      EXPECT_NE(refusal->detail.find(field), std::string::npos) << refusal->detail;
    }
  }
  Command enqueue_of(const NewJob& job) { return Enqueue{.ns = "default", .jobs = {job}}; }
};
INSTANTIATE_TEST_SUITE_P(, StoreBadCommand, every_store(), store_name);

TEST_P(StoreBadCommand, NamesTheFieldOfABadJob) {
  expect_named(enqueue_of(with_defaults({.priority = 10})), "priority");
  expect_named(enqueue_of(with_defaults({.priority = -1})), "priority");
  expect_named(enqueue_of(with_defaults({.delay = Duration::millis(-1)})), "delaySeconds");
  NewJob wrong = with_defaults({});
  wrong.policy.timeout = Duration();
  expect_named(enqueue_of(wrong), "timeoutSeconds");
  wrong = with_defaults({});
  wrong.callback = Callback{.url = "ftp://example.com/done"};
  expect_named(enqueue_of(wrong), "callback.url");
  wrong = with_defaults({});
  wrong.policy.max_retries = -1;
  expect_named(enqueue_of(wrong), "maxRetries");
}

TEST_P(StoreBadCommand, NamesTheFieldOfABadClaim) {
  enqueue();
  expect_named(asking({.limit = -3}), "maxJobs");
  expect_named(asking({.lease = Duration::millis(999)}), "leaseSeconds");
  expect_named(asking({.lease = seconds(86'401)}), "leaseSeconds");
  expect_named(asking({.queues = {}}), "queues");
  Claim nobody = asking({});
  nobody.worker.clear();
  expect_named(nobody, "workerId");
}

TEST_P(StoreBadCommand, LetsNoWorkerTakeThePlatformsNames) {
  enqueue();
  expect_named(asking({.worker = "system"}), "workerId");
  expect_named(asking({.worker = "external"}), "workerId");
}

TEST_P(StoreBadCommand, RefusesAnEmptyNamespaceEverywhere) {
  const Lease held = running();
  const JobId id = held.job;
  const std::vector<Command> commands = {
      Enqueue{.ns = "", .jobs = {with_defaults({})}},
      Accept{.ns = "", .jobs = {id}},
      Claim{.id = new_request(), .ns = "", .worker = "w"},
      Heartbeat{.id = new_request(), .ns = "", .job = id, .token = held.token},
      Complete{.ns = "", .job = id, .token = held.token},
      Fail{.ns = "", .job = id, .token = held.token, .error = {.code = "A", .message = "m"}},
      Release{.ns = "", .job = id, .token = held.token},
      HandOff{.ns = "", .job = id, .token = held.token},
      FinishByKey{
          .id = new_request(), .ns = "", .type = "work", .key = "k", .outcome = {.result = "1"}},
      Cancel{.ns = "", .job = id, .actor = ops_},
      Promote{.ns = "", .job = id, .actor = ops_},
      Resolve{.id = new_request(), .ns = "", .job = id, .outcome = {.result = "1"}, .actor = ops_},
      Redrive{.ns = "", .job = id, .successor = new_id(), .actor = ops_},
      PauseQueue{.ns = "", .queue = "q", .actor = ops_},
  };
  for (const Command& command : commands) {
    SCOPED_TRACE(name_of(command));
    expect_refused_without_effect(command, Code::invalid_field);
  }
}

TEST_P(StoreBadCommand, RefusesEverySweepOfNothing) {
  enqueue({.delay = seconds(1)});
  advance(seconds(2));
  const std::vector<Command> commands = {Due{.limit = 0}, Reap{.limit = 0}, Sweep{.limit = -1},
                                         Prune{.limit = 0}};
  for (const Command& command : commands) {
    expect_refused_without_effect(command, Code::invalid_field);
  }
}

TEST_P(StoreBadCommand, KnowsNoJobItNeverSaw) {
  const JobId id = new_id();
  const std::vector<Command> commands = {
      Heartbeat{.id = new_request(), .ns = "default", .job = id},
      Complete{.ns = "default", .job = id},
      Fail{.ns = "default", .job = id, .error = {.code = "A", .message = "m"}},
      Release{.ns = "default", .job = id},
      HandOff{.ns = "default", .job = id},
      Cancel{.ns = "default", .job = id, .actor = ops_},
      Promote{.ns = "default", .job = id, .actor = ops_},
      Resolve{.id = new_request(),
              .ns = "default",
              .job = id,
              .outcome = {.result = "1"},
              .actor = ops_},
      Redrive{.ns = "default", .job = id, .successor = new_id(), .actor = ops_},
  };
  for (const Command& command : commands) {
    SCOPED_TRACE(name_of(command));
    expect_refused_without_effect(command, Code::not_found);
  }
}

TEST_P(StoreBadCommand, RefusesABadRedrive) {
  const JobId id = dead();
  const Redrive good{.ns = "default", .job = id, .successor = new_id(), .actor = ops_};
  Redrive bad = good;
  bad.priority = 10;
  expect_named(bad, "priority");
  bad = good;
  bad.timeout = Duration();
  expect_named(bad, "timeoutSeconds");
  bad = good;
  bad.delay = Duration::millis(-1);
  expect_named(bad, "delaySeconds");
  expect_status(send(good), Status::pending);
}

}  // namespace
}  // namespace longshore::conformance
