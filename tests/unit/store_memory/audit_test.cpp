#include <algorithm>
#include <functional>

#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

class MemoryAudit : public MemoryTest {
 protected:
  // One job in each kind of place.
  void fill() {
    running_ = (enqueue({.job_key = "live"}), claim().job);
    dead_ = dead();
    queued_ = enqueue({.idempotency_key = "once", .expires_at = clock_.now() + Duration::hours(1)});
    scheduled_ = enqueue({.delay = Duration::hours(1)});
    enqueue({.queue = "short", .priority = 0});
    const Verdict leased =
        send(Claim{.id = request(), .ns = "default", .worker = "alice", .queues = {"short"}});
    const Lease lease = std::get<Leased>(leased).leases.at(0);
    send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
    finished_ = lease.job;
  }
  Job& stored(const JobId& id) { return disk_.jobs.at(id).record.job; }

  JobId running_, dead_, queued_, scheduled_, finished_;
};

TEST_F(MemoryAudit, FindsNothingOnAFreshDisk) {
  EXPECT_EQ(catalog().audit()->jobs_checked, 0);
  EXPECT_TRUE(catalog().audit()->sound());
}

TEST_F(MemoryAudit, FindsNothingWrongWithWhatTheStoreWrote) {
  fill();
  EXPECT_EQ(catalog().audit()->jobs_checked, 5);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(MemoryAudit, NamesEachKindOfDamage) {
  fill();
  const MemoryDisk sound = disk_;
  const MemoryDisk::TimedPlace stray{clock_.now(), finished_};
  const MemoryDisk::Scoped queue{"default", "default"};
  struct Case {
    std::string rule;
    std::function<void()> damage;
  };
  const Case cases[] = {
      {"ready-missing", [&] { disk_.ready.clear(); }},
      {"ready-stray",
       [&] {
         disk_.ready[queue].insert({5, 99, running_});
       }},
      {"future-missing", [&] { disk_.future.clear(); }},
      {"future-stray", [&] { disk_.future.insert(stray); }},
      {"lease-missing", [&] { disk_.leases.clear(); }},
      {"lease-without-running-job", [&] { disk_.leases.insert(stray); }},
      {"claim-missing", [&] { disk_.claims.clear(); }},
      {"expiry-missing", [&] { disk_.expiries.clear(); }},
      {"prunable-missing", [&] { disk_.prunable.clear(); }},
      {"dead-missing", [&] { disk_.dead.clear(); }},
      {"dead-stray", [&] { disk_.dead["default"].insert(queued_); }},
      {"recorded-stray", [&] { disk_.recorded.insert(stray); }},
      {"key-missing", [&] { disk_.by_key.clear(); }},
      {"live-key-missing", [&] { disk_.live_keys.clear(); }},
      {"live-key-of-another",
       [&] {
         disk_.live_keys[{"default", "work", "live"}] = queued_;
       }},
      {"count-missing", [&] { disk_.counts[queue][0] += 1; }},
      {"running-count-missing", [&] { disk_.running_of_type.clear(); }},
      {"idempotency-key-unbound", [&] { disk_.idempotency_keys.clear(); }},
      {"idempotency-key-astray",
       [&] { disk_.idempotency_keys.begin()->second.gone_after = clock_.now(); }},
      {"key-of-job-missing", [&] { disk_.keys_of_job.clear(); }},
      {"key-to-forget-stray",
       [&] {
         disk_.keys_to_forget.insert({clock_.now(), {}, {.ns = "default", .key = "once"}});
       }},
      {"number-twice", [&] { stored(queued_).number = stored(dead_).number; }},
      {"number-ahead", [&] { disk_.counters.number = 0; }},
      {"order-twice",
       [&] {
         disk_.jobs.at(scheduled_).record.job = stored(queued_);
         stored(scheduled_).id = scheduled_;
       }},
      {"record-under-other-id",
       [&] {
         stored(dead_).id = JobId{1, 1};
       }},
      {"lease-unlike-state", [&] { stored(running_).lease_expires_at.reset(); }},
      {"history-missing", [&] { disk_.jobs.at(queued_).record.history.clear(); }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rule);
    c.damage();
    const std::vector<std::string> found = findings();
    EXPECT_NE(std::ranges::find(found, c.rule), found.end()) << testing::PrintToString(found);
    disk_ = sound;
  }
}

TEST_F(MemoryAudit, StopsCountingAtAThousandFindings) {
  std::vector<NewJob> jobs(1200);
  for (NewJob& wish : jobs) wish = job();
  send(Enqueue{.ns = "default", .jobs = jobs});
  disk_.ready.clear();
  EXPECT_EQ(findings().size(), 1000u);
}

}  // namespace
}  // namespace longshore
