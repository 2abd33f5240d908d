#include "conformance/fixture.h"

#include "core/policy/profiles.h"

namespace longshore::conformance {

testing::internal::ParamGenerator<std::string> every_store() {
  std::vector<std::string> names;
  for (const StoreKind& kind : stores()) names.push_back(kind.name);
  return testing::ValuesIn(names);
}

std::string store_name(const testing::TestParamInfo<std::string>& store) { return store.param; }

void StoreTest::TearDown() {
  const auto audit = catalog().audit();
  ASSERT_TRUE(audit.ok()) << audit.error().message;
  for (const Finding& finding : audit->findings) {
    ADD_FAILURE() << "unsound: " << finding.rule << ": " << finding.what;
  }
  EXPECT_EQ(audit->jobs_checked, static_cast<std::int64_t>(dump().size()));
  expect_readable();
  expect_promised_capabilities();
}

void StoreTest::under(const Rules& rules) {
  ASSERT_EQ(harness_, nullptr) << "the store is already open";
  harness_ = open_store(GetParam(), rules);
}

void StoreTest::reopen_under(std::string_view profile_name) {
  const auto rules = profile(profile_name);
  ASSERT_TRUE(rules.has_value()) << "no profile " << profile_name;
  harness_ = open_store(GetParam(), *rules);
}

StoreHarness& StoreTest::harness() {
  if (!harness_) harness_ = open_store(GetParam(), Rules());
  return *harness_;
}

Verdict StoreTest::send(Command command) {
  const auto committed = store().commit({&command, 1});
  if (!committed) {
    ADD_FAILURE() << "the call failed: " << committed.error().message;
    return Refusal{.code = Code::internal};
  }
  if (committed->verdicts.size() != 1) {
    ADD_FAILURE() << committed->verdicts.size() << " verdicts for one command";
    return Refusal{.code = Code::internal};
  }
  return committed->verdicts.front();
}

NewJob StoreTest::with_defaults(NewJob job) {
  if (job.id == JobId{}) job.id = new_id();
  if (job.type.empty()) job.type = "work";
  if (job.body.payload.empty()) job.body.payload = R"({"n":1})";
  if (job.policy == Policy{}) job.policy = rules().policy;
  return job;
}

Verdict StoreTest::try_enqueue(NewJob job) {
  return send(Enqueue{.ns = "default", .jobs = {with_defaults(std::move(job))}});
}

Verdict StoreTest::try_enqueue(std::vector<NewJob> jobs, bool reject_mismatch) {
  for (NewJob& job : jobs) job = with_defaults(std::move(job));
  return send(
      Enqueue{.ns = "default", .jobs = std::move(jobs), .reject_mismatch = reject_mismatch});
}

EnqueuedJob StoreTest::enqueued(NewJob job) {
  const auto answer = as<Enqueued>(try_enqueue(std::move(job)));
  EXPECT_EQ(answer.jobs.size(), 1u);
  return answer.jobs.empty() ? EnqueuedJob{} : answer.jobs.front();
}

JobId StoreTest::enqueue(NewJob job) { return enqueued(std::move(job)).id; }

JobId StoreTest::enqueue_in(const std::string& ns, NewJob job) {
  job = with_defaults(std::move(job));
  const JobId id = job.id;
  as<Enqueued>(send(Enqueue{.ns = ns, .jobs = {std::move(job)}}));
  return id;
}

Claim StoreTest::asking(Claim claim) {
  if (claim.id == RequestId{}) claim.id = new_request();
  if (claim.ns.empty()) claim.ns = "default";
  if (claim.worker.empty()) claim.worker = "alice";
  return claim;
}

Verdict StoreTest::try_claim(Claim claim) { return send(asking(std::move(claim))); }

std::vector<Lease> StoreTest::claim(Claim claim) {
  return as<Leased>(try_claim(std::move(claim))).leases;
}

std::vector<JobId> StoreTest::claimed(Claim claim) {
  claim.limit = rules().claim_limit;
  std::vector<JobId> ids;
  for (const Lease& lease : this->claim(std::move(claim))) ids.push_back(lease.job);
  return ids;
}

Lease StoreTest::claim_one(Claim claim) {
  claim.limit = 1;
  const auto leases = this->claim(std::move(claim));
  EXPECT_EQ(leases.size(), 1u) << "nothing to claim";
  return leases.empty() ? Lease{} : leases.front();
}

Verdict StoreTest::heartbeat(const Lease& lease, Heartbeat beat) {
  if (beat.id == RequestId{}) beat.id = new_request();
  beat.ns = "default";
  beat.job = lease.job;
  beat.token = lease.token;
  return send(std::move(beat));
}

Verdict StoreTest::complete(const Lease& lease, std::string result) {
  return send(Complete{
      .ns = "default", .job = lease.job, .token = lease.token, .result = std::move(result)});
}

Verdict StoreTest::fail(const Lease& lease, Fail fail) {
  if (fail.error == JobError{}) fail.error = {.code = "BROKEN", .message = "it broke"};
  fail.ns = "default";
  fail.job = lease.job;
  fail.token = lease.token;
  return send(std::move(fail));
}

Verdict StoreTest::release(const Lease& lease, Release release) {
  release.ns = "default";
  release.job = lease.job;
  release.token = lease.token;
  return send(std::move(release));
}

Verdict StoreTest::hand_off(const Lease& lease, std::optional<Duration> timeout) {
  return send(HandOff{.ns = "default", .job = lease.job, .token = lease.token, .timeout = timeout});
}

Verdict StoreTest::finish_by_key(const std::string& key, FinishByKey finish) {
  if (finish.id == RequestId{}) finish.id = new_request();
  if (finish.ns.empty()) finish.ns = "default";
  if (finish.type.empty()) finish.type = "work";
  const bool says_nothing = !finish.outcome.result && finish.outcome.error == JobError{};
  if (says_nothing) finish.outcome.result = R"("replied")";
  finish.key = key;
  return send(std::move(finish));
}

Verdict StoreTest::cancel(const JobId& job, bool force) {
  return send(Cancel{.ns = "default", .job = job, .force = force, .actor = ops_});
}

Verdict StoreTest::promote(const JobId& job) {
  return send(Promote{.ns = "default", .job = job, .actor = ops_});
}

Verdict StoreTest::resolve(const JobId& job, Outcome outcome) {
  return send(Resolve{.id = new_request(),
                      .ns = "default",
                      .job = job,
                      .outcome = std::move(outcome),
                      .actor = ops_});
}

Verdict StoreTest::redrive(const JobId& job, Redrive redrive) {
  if (redrive.successor == JobId{}) redrive.successor = new_id();
  redrive.ns = "default";
  redrive.job = job;
  redrive.actor = ops_;
  return send(std::move(redrive));
}

void StoreTest::pause(const std::string& queue, bool paused) {
  as<Done>(send(PauseQueue{.ns = "default", .queue = queue, .paused = paused, .actor = ops_}));
}

Swept StoreTest::due(int limit) { return as<Swept>(send(Due{.limit = limit})); }
Swept StoreTest::reap(int limit) { return as<Swept>(send(Reap{.limit = limit})); }
Swept StoreTest::sweep(int limit) { return as<Swept>(send(Sweep{.limit = limit})); }
Swept StoreTest::prune(int limit) { return as<Swept>(send(Prune{.limit = limit})); }

void StoreTest::tick() {
  due();
  reap();
  sweep();
}

}  // namespace longshore::conformance
