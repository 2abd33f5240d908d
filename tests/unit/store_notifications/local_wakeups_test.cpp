#include "store/notifications/local_wakeups.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

using Names = std::vector<std::string>;
using Queues = std::set<std::string>;

Queues too_many() {
  Queues queues;
  for (std::size_t i = 0; i <= hints_kept; ++i) queues.insert("default/" + std::to_string(i));
  return queues;
}

TEST(LocalWakeups, BecomeOneStarWhenThereAreTooMany) {
  LocalWakeups wakeups;
  for (const std::string& queue : too_many()) wakeups.hint({queue});
  wakeups.hint({"default/mail"});
  EXPECT_EQ(wakeups.wait(Duration()), Names{"*"});
  wakeups.hint({"default/mail"});
  EXPECT_EQ(wakeups.wait(Duration()), Names{"default/mail"});
}

TEST(LocalWakeups, KeepAStarThatSomebodyElseTold) {
  LocalWakeups wakeups;
  wakeups.hint({"default/mail"});
  wakeups.hint(read_hints("*"));
  EXPECT_EQ(wakeups.wait(Duration()), Names{"*"});
}

TEST(LocalWakeups, ReturnAtOnceOnceStopped) {
  LocalWakeups wakeups;
  std::thread waiter([&] { wakeups.wait(Duration::forever()); });
  wakeups.stop();
  waiter.join();
  EXPECT_EQ(wakeups.wait(Duration::forever()), Names{});
  wakeups.stop();
}

TEST(HintsText, ReadsAsItWasWritten) {
  for (const Queues& queues : {Queues{}, Queues{"a/b"}, Queues{"a/b", "a/c", "ns/queue"}}) {
    EXPECT_EQ(read_hints(hints_text(queues)), queues);
  }
}

TEST(HintsText, IsAStarWhenTheMessageWouldBeTooLong) { EXPECT_EQ(hints_text(too_many()), "*"); }

}  // namespace
}  // namespace longshore
