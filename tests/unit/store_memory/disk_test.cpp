#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

class MemoryDiskTest : public MemoryTest {};

TEST_F(MemoryDiskTest, OutlivesTheStoreWithAllItsJobsAndLeases) {
  const JobId waiting = enqueue({.queue = "later", .delay = Duration::seconds(60)});
  enqueue();
  const Lease lease = claim();

  open();

  EXPECT_EQ(catalog().glance("default", waiting)->state, State::scheduled);
  const Verdict verdict =
      send(Complete{.ns = "default", .job = lease.job, .token = lease.token, .result = "1"});
  EXPECT_EQ(std::get<Settled>(verdict).status, Status::completed);
  EXPECT_EQ(catalog().get("default", lease.job)->result, "1");
}

TEST_F(MemoryDiskTest, RefusesAStoreWithAnotherProfile) {
  backend_.reset();
  Rules rules;
  rules.profile = "orchestrator";
  const auto opened = open_memory(disk_, clock_, rules);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::refused);
  EXPECT_NE(opened.error().message.find("native"), std::string::npos);
  EXPECT_NE(opened.error().message.find("orchestrator"), std::string::npos);
}

TEST_F(MemoryDiskTest, KeepsTimeFromGoingBackAcrossARestart) {
  const Instant before = *catalog().now();
  clock_.set(before - Duration::hours(1));
  EXPECT_EQ(*catalog().now(), before);
  open();
  EXPECT_EQ(*catalog().now(), before);
}

TEST_F(MemoryDiskTest, LetsASweepFindAJobThatItsIndexLost) {
  const JobId id = enqueue();
  disk_.ready.clear();
  EXPECT_EQ(findings(), std::vector<std::string>{"ready-missing"});

  const Swept swept = std::get<Swept>(send(Sweep{}));
  ASSERT_EQ(swept.repaired.size(), 1u);
  EXPECT_NE(swept.repaired[0].find(to_text(id)), std::string::npos);
  EXPECT_EQ(claim().job, id);
}

}  // namespace
}  // namespace longshore
