#include "core/rules/job_events.h"

#include <gtest/gtest.h>

#include <string>

namespace longshore {
namespace {

TEST(JobEvent, HasTheFirstLineOfAMessage) {
  const std::string long_line(600, 'x');
  const struct {
    std::string name, message, told;
  } cases[] = {
      {"nothing", "", ""},
      {"one line", "no route", "no route"},
      {"a trace", "no route\r\n  at send\n", "no route"},
      {"a long line", long_line, long_line.substr(0, 500)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(short_message(c.message), c.told);
  }
}

TEST(JobEvent, GivesTheMessageToTheMovesThatNameItsError) {
  Change change;
  change.error = JobError{.code = "POISON", .message = "lost 6 times\nby w1"};
  change.transitions = {{.seq = 4, .to = State::retry, .detail = "LEASE_LOST"},
                        {.seq = 5, .to = State::dead, .detail = "POISON"}};
  std::vector<JobEvent> copied;
  append_job_events(copied, Job(), change);
  ASSERT_EQ(copied.size(), 2U);
  EXPECT_EQ(copied[0].message, "");
  EXPECT_EQ(copied[1].message, "lost 6 times");
  std::vector<JobEvent> moved;
  append_job_events(moved, Job(), std::move(change));
  EXPECT_EQ(moved, copied);
}

}  // namespace
}  // namespace longshore
