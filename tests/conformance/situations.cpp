// The fixture, continued: setups of jobs in each state, and checks.
#include <algorithm>

#include "conformance/fixture.h"
#include "core/rules/callback.h"

namespace longshore::conformance {

Lease StoreTest::running(NewJob job) {
  const JobId id = enqueue(job);
  Lease lease = claim_one({.queues = {job.queue}});
  EXPECT_EQ(lease.job, id) << "another job stood before the one that was to run";
  return lease;
}

Lease StoreTest::waiting(NewJob job) {
  Lease lease = running(std::move(job));
  expect_status(hand_off(lease), Status::running);
  return lease;
}

JobId StoreTest::retrying(NewJob job) {
  const Lease lease = running(std::move(job));
  expect_status(fail(lease, {.retry_after = seconds(60)}), Status::pending);
  expect_state(lease.job, State::retry);
  return lease.job;
}

JobId StoreTest::succeeded(NewJob job) {
  const Lease lease = running(std::move(job));
  expect_status(complete(lease), Status::completed);
  return lease.job;
}

JobId StoreTest::dead(NewJob job) {
  const Lease lease = running(std::move(job));
  expect_status(fail(lease, {.retryable = false}), Status::failed);
  return lease.job;
}

JobId StoreTest::canceled(NewJob job) {
  const JobId id = enqueue(std::move(job));
  cancel(id);
  return id;
}

Job StoreTest::job(const JobId& id) {
  auto found = catalog().glance("default", id);
  if (found) return *found;
  ADD_FAILURE() << to_text(id) << ": " << found.error().message;
  return Job{};
}

JobRecord StoreTest::record(const JobId& id) {
  auto found = catalog().get("default", id);
  if (found) return *found;
  ADD_FAILURE() << to_text(id) << ": " << found.error().message;
  return JobRecord{};
}

bool StoreTest::exists(const JobId& id) {
  const auto found = catalog().glance("default", id);
  if (!found) {
    EXPECT_EQ(found.error().code, Errc::not_found);
  }
  return found.ok();
}

std::vector<JobRecord> StoreTest::dump() {
  std::vector<JobRecord> records;
  const auto walked = catalog().each([&](const JobRecord& record) {
    records.push_back(record);
    return true;
  });
  EXPECT_TRUE(walked.ok());
  return records;
}

std::vector<Job> StoreTest::callbacks() {
  std::vector<Job> found;
  for (const JobRecord& each : dump()) {
    if (each.job.type == callback_type) found.push_back(each.job);
  }
  return found;
}

std::string StoreTest::path(const JobId& id) {
  std::string words;
  for (const Transition& step : record(id).history) {
    if (!words.empty()) words += ' ';
    words += to_text(step.to);
  }
  return words;
}

std::string StoreTest::causes(const JobId& id) {
  std::string words;
  for (const Transition& step : record(id).history) {
    if (!words.empty()) words += ' ';
    words += to_text(step.cause);
  }
  return words;
}

QueueView StoreTest::queue(const std::string& name) {
  const auto queues = catalog().queues("default");
  EXPECT_TRUE(queues.ok());
  for (const QueueView& view : *queues) {
    if (view.queue == name) return view;
  }
  ADD_FAILURE() << "no queue " << name;
  return {};
}

std::vector<std::string> StoreTest::trail() {
  auto entries = catalog().audit_trail("default", 100);
  EXPECT_TRUE(entries.ok());
  std::ranges::sort(*entries, {}, &AuditEntry::number);
  std::vector<std::string> lines;
  for (const AuditEntry& entry : *entries)
    lines.push_back(entry.action + " by " + entry.actor.name);
  return lines;
}

void StoreTest::expect_promised_capabilities() {
  const Capabilities promised = harness().promised();
  const Capabilities& said = store().capabilities();
  // One store may be tested in several configurations: redis, redis_cluster.
  EXPECT_TRUE(GetParam().starts_with(said.name)) << GetParam();
  EXPECT_EQ(said.name, promised.name);
  EXPECT_EQ(said.durability, promised.durability);
  EXPECT_EQ(said.max_concurrent_commits, promised.max_concurrent_commits);
  EXPECT_EQ(said.shared, promised.shared);
  EXPECT_EQ(said.injected_clock, promised.injected_clock);
  EXPECT_EQ(said.survives_reopen, promised.survives_reopen);
}

void StoreTest::expect_readable() {
  for (const std::string& difference : harness().misread(dump())) {
    ADD_FAILURE() << "read by hand: " << difference;
  }
}

void StoreTest::expect_state(const JobId& id, State state) {
  EXPECT_EQ(to_text(job(id).state), to_text(state));
}

void StoreTest::expect_path(const JobId& id, std::string_view states) {
  EXPECT_EQ(path(id), states);
}

void StoreTest::expect_error(const JobId& id, std::string_view code) {
  const JobRecord found = record(id);
  ASSERT_TRUE(found.error.has_value()) << "the job has no error";
  EXPECT_EQ(found.error->code, code);
}

void StoreTest::expect_refused(const Verdict& verdict, Code code) {
  const Refusal* refusal = std::get_if<Refusal>(&verdict);
  ASSERT_NE(refusal, nullptr) << "not refused: " << describe(verdict);
  EXPECT_EQ(to_text(refusal->code), to_text(code)) << refusal->detail;
  EXPECT_FALSE(refusal->detail.empty()) << "a refusal says what was wrong";
}

void StoreTest::expect_status(const Verdict& verdict, Status status) {
  const Settled* settled = std::get_if<Settled>(&verdict);
  ASSERT_NE(settled, nullptr) << "unexpected answer: " << describe(verdict);
  EXPECT_EQ(to_text(settled->status), to_text(status));
}

void StoreTest::expect_refused_without_effect(const Command& command, Code code) {
  const auto before = dump();
  const auto trail_before = trail();
  expect_refused(send(command), code);
  EXPECT_TRUE(dump() == before) << "a refused command changed a job";
  EXPECT_EQ(trail(), trail_before);
}

namespace {

struct Describe {
  std::string operator()(const Refusal& no) const {
    return "refused " + std::string(to_text(no.code)) + ": " + no.detail;
  }
  std::string operator()(const Enqueued& yes) const {
    return "enqueued " + std::to_string(yes.jobs.size());
  }
  std::string operator()(const Leased& yes) const {
    return "leased " + std::to_string(yes.leases.size());
  }
  std::string operator()(const Beaten&) const { return "heartbeat accepted"; }
  std::string operator()(const Settled& yes) const {
    return "settled as " + std::string(to_text(yes.status)) + (yes.asked ? ", asked" : "");
  }
  std::string operator()(const Swept& yes) const { return "swept " + std::to_string(yes.count); }
  std::string operator()(const Done&) const { return "done"; }
};

}  // namespace

std::string describe(const Verdict& verdict) { return std::visit(Describe(), verdict); }

}  // namespace longshore::conformance
