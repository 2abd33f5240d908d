#include <thread>

#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

using Names = std::vector<std::string>;

class MemoryWakeups : public MemoryTest {};

TEST_F(MemoryWakeups, NameEachQueueThatGotAnEligibleJobOnce) {
  enqueue({.queue = "mail"});
  enqueue({.queue = "mail"});
  enqueue({.queue = "backup"});
  EXPECT_EQ(hints(), (Names{"default/backup", "default/mail"}));
  EXPECT_EQ(hints(), Names{});
}

TEST_F(MemoryWakeups, ComeWhenAScheduledJobIsDueAndNotBefore) {
  enqueue({.delay = Duration::seconds(5)});
  EXPECT_EQ(hints(), Names{});
  advance(Duration::seconds(5));
  send(Due{});
  EXPECT_EQ(hints(), Names{"default/default"});
}

TEST_F(MemoryWakeups, ComeWhenAQueueIsResumed) {
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = true});
  EXPECT_EQ(hints(), Names{});
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = false});
  EXPECT_EQ(hints(), Names{"default/mail"});
}

TEST_F(MemoryWakeups, DoNotComeForAClaimOrACompletion) {
  enqueue();
  hints();
  const Lease lease = claim();
  send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  EXPECT_EQ(hints(), Names{});
}

TEST_F(MemoryWakeups, ReachSomebodyWhoIsWaiting) {
  Names heard;
  std::thread waiter([&] { heard = backend_->wakeups().wait(Duration::forever()); });
  enqueue({.queue = "mail"});
  waiter.join();
  EXPECT_EQ(heard, Names{"default/mail"});
}

}  // namespace
}  // namespace longshore
