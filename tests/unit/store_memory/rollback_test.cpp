#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

class MemoryRollback : public MemoryTest {
 protected:
  // Refused at its last job, whose key somebody holds.
  Enqueue refused_group(std::vector<NewJob> jobs) {
    enqueue({.queue = "elsewhere", .job_key = "taken"});
    hints();
    jobs.push_back({.job_key = "taken", .on_conflict = OnConflict::reject});
    for (NewJob& wish : jobs) wish = job(std::move(wish));
    return {.ns = "default", .jobs = std::move(jobs)};
  }
};

TEST_F(MemoryRollback, LeavesNothingOfAGroupWhoseLastJobIsRefused) {
  const Enqueue group = refused_group({{.job_key = "a", .idempotency_key = "once"},
                                       {.delay = Duration::seconds(5)},
                                       {.queue = "other"}});
  const MemoryDisk before = disk_;

  const Committed committed = commit({group});

  const Refusal refusal = std::get<Refusal>(committed.verdicts.at(0));
  EXPECT_EQ(refusal.code, Code::key_in_use);
  EXPECT_EQ(refusal.index, 3u);
  EXPECT_TRUE(committed.events.empty());
  EXPECT_TRUE(hints().empty());
  EXPECT_EQ(disk_.jobs.size(), 1u);
  EXPECT_EQ(disk_.ready, before.ready);
  EXPECT_EQ(disk_.future, before.future);
  EXPECT_EQ(disk_.live_keys, before.live_keys);
  EXPECT_EQ(disk_.counts, before.counts);
  EXPECT_TRUE(disk_.idempotency_keys.empty());
  EXPECT_EQ(disk_.counters.number, before.counters.number);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(MemoryRollback, PutsBackAJobThatTheGroupHadReplacedTwice) {
  const JobId id = enqueue({.priority = 3, .job_key = "mine"});
  const JobRecord before = *catalog().get("default", id);
  const NewJob replacing{.priority = 1, .job_key = "mine", .on_conflict = OnConflict::replace};

  const Verdict verdict = send(refused_group({replacing, replacing}));

  EXPECT_EQ(std::get<Refusal>(verdict).index, 2u);
  EXPECT_EQ(*catalog().get("default", id), before);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(MemoryRollback, UnbindsAKeyThatAnEarlierJobOfTheGroupWasAnsweredFor) {
  enqueue({.job_key = "mine"});
  send(refused_group({{.job_key = "mine", .idempotency_key = "k"}}));
  EXPECT_FALSE(catalog().find_idempotency_key("default", "k").ok());
}

TEST_F(MemoryRollback, LinksNoSuccessorWhoseKeyIsTaken) {
  const JobId id = dead({.job_key = "mine"});
  const JobId holder = enqueue({.job_key = "mine"});
  const JobRecord before = *catalog().get("default", id);

  const Verdict verdict = send(Redrive{.ns = "default", .job = id, .successor = job().id});

  EXPECT_EQ(std::get<Refusal>(verdict).code, Code::key_in_use);
  EXPECT_EQ(std::get<Refusal>(verdict).job, holder);
  EXPECT_EQ(*catalog().get("default", id), before);
  EXPECT_TRUE(catalog().audit_trail("default", 10)->empty());
}

TEST_F(MemoryRollback, LinksNoSuccessorWhoseIdIsTaken) {
  const JobId id = dead();
  const JobId stranger = enqueue();
  const Verdict verdict = send(Redrive{.ns = "default", .job = id, .successor = stranger});
  EXPECT_EQ(std::get<Refusal>(verdict).code, Code::invalid_field);
  EXPECT_FALSE(catalog().glance("default", id)->successor_id.has_value());
}

}  // namespace
}  // namespace longshore
