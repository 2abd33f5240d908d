#include <thread>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

using Names = std::vector<std::string>;

class SqliteWakeups : public SqliteTest {};

TEST_F(SqliteWakeups, NameEachQueueThatGotAnEligibleJobOnce) {
  open();
  enqueue({.queue = "mail"});
  enqueue({.queue = "mail"});
  enqueue({.queue = "backup"});
  enqueue({.queue = "later", .delay = Duration::seconds(5)});
  EXPECT_EQ(hints(), (Names{"default/backup", "default/mail"}));
  EXPECT_EQ(hints(), Names{});
}

TEST_F(SqliteWakeups, ComeWhenAQueueIsResumed) {
  open();
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = true});
  EXPECT_EQ(hints(), Names{});
  send(PauseQueue{.ns = "default", .queue = "mail", .paused = false});
  EXPECT_EQ(hints(), Names{"default/mail"});
}

TEST_F(SqliteWakeups, ReachSomebodyWhoIsWaiting) {
  open();
  Names heard;
  std::jthread waiter([&] { heard = backend_->wakeups().wait(Duration::forever()); });
  enqueue({.queue = "mail"});
  waiter.join();
  EXPECT_EQ(heard, Names{"default/mail"});
}

}  // namespace
}  // namespace longshore
