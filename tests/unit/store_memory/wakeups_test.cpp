#include "store/memory/wakeups.h"

#include <thread>

#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

using Names = std::vector<std::string>;
using memory::MemoryWakeups;

class MemoryWakeupsTest : public MemoryTest {};

TEST_F(MemoryWakeupsTest, NameEachQueueThatGotAnEligibleJobOnce) {
  enqueue({.queue = "mail"});
  enqueue({.queue = "mail"});
  enqueue({.queue = "backup"});
  EXPECT_EQ(hints(), (Names{"default/backup", "default/mail"}));
  EXPECT_EQ(hints(), Names{});
}

TEST_F(MemoryWakeupsTest, ComeWhenAScheduledJobIsDueAndNotBefore) {
  enqueue({.delay = Duration::seconds(5)});
  EXPECT_EQ(hints(), Names{});
  advance(Duration::seconds(5));
  send(Due{});
  EXPECT_EQ(hints(), Names{"default/default"});
}

TEST_F(MemoryWakeupsTest, ComeWhenAQueueIsResumed) {
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = true});
  EXPECT_EQ(hints(), Names{});
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = false});
  EXPECT_EQ(hints(), Names{"default/mail"});
}

TEST_F(MemoryWakeupsTest, DoNotComeForAClaimOrACompletion) {
  enqueue();
  hints();
  const Lease lease = claim();
  send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  EXPECT_EQ(hints(), Names{});
}

TEST_F(MemoryWakeupsTest, ReachSomebodyWhoIsWaiting) {
  Names heard;
  std::thread waiter([&] { heard = backend_->wakeups().wait(Duration::forever()); });
  enqueue({.queue = "mail"});
  waiter.join();
  EXPECT_EQ(heard, Names{"default/mail"});
}

TEST(MemoryWakeups, BecomeOneStarWhenThereAreTooMany) {
  MemoryWakeups wakeups;
  for (std::size_t i = 0; i <= memory::hints_kept; ++i) {
    wakeups.hint({{"default", std::to_string(i)}});
  }
  EXPECT_EQ(wakeups.wait(Duration()), Names{"*"});
  wakeups.hint({{"default", "mail"}});
  EXPECT_EQ(wakeups.wait(Duration()), Names{"default/mail"});
}

TEST(MemoryWakeups, ReturnAtOnceOnceStopped) {
  MemoryWakeups wakeups;
  std::thread waiter([&] { wakeups.wait(Duration::forever()); });
  wakeups.stop();
  waiter.join();
  EXPECT_EQ(wakeups.wait(Duration::forever()), Names{});
  wakeups.stop();
}

}  // namespace
}  // namespace longshore
