#include "unit/store_memory/memory_test.h"

namespace longshore {

void MemoryTest::open(const Rules& rules) {
  backend_.reset();
  auto opened = open_memory(disk_, clock_, rules);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  backend_ = std::move(*opened);
}

Committed MemoryTest::commit(const std::vector<Command>& commands) {
  auto committed = backend_->store().commit(commands);
  EXPECT_TRUE(committed.ok());
  return std::move(*committed);
}

Verdict MemoryTest::send(const Command& command) { return commit({command}).verdicts.at(0); }

NewJob MemoryTest::job(NewJob wish) {
  if (wish.id == JobId{}) wish.id = ids_.next(clock_.now());
  if (wish.type.empty()) wish.type = "work";
  if (wish.body.payload.empty()) wish.body.payload = "null";
  return wish;
}

JobId MemoryTest::enqueue(NewJob wish) {
  const Verdict verdict = send(Enqueue{.ns = "default", .jobs = {job(std::move(wish))}});
  const Enqueued* answer = std::get_if<Enqueued>(&verdict);
  EXPECT_NE(answer, nullptr) << "the job was refused";
  return answer == nullptr ? JobId{} : answer->jobs.at(0).id;
}

Lease MemoryTest::claim() {
  const Verdict verdict = send(Claim{.id = request(), .ns = "default", .worker = "alice"});
  const Leased* answer = std::get_if<Leased>(&verdict);
  const bool one = answer != nullptr && answer->leases.size() == 1;
  EXPECT_TRUE(one) << "nothing was leased";
  return one ? answer->leases.front() : Lease{};
}

JobId MemoryTest::dead(NewJob wish) {
  enqueue(std::move(wish));
  const Lease lease = claim();
  send(Fail{.ns = "default",
            .job = lease.job,
            .token = lease.token,
            .error = {.code = "BROKEN", .message = "it broke"},
            .retryable = false});
  return lease.job;
}

std::vector<std::string> MemoryTest::findings() {
  const auto audit = catalog().audit();
  EXPECT_TRUE(audit.ok());
  std::vector<std::string> rules;
  for (const Finding& finding : audit->findings) rules.push_back(finding.rule);
  return rules;
}

}  // namespace longshore
