// The library on PostgreSQL, through longshore/*.h only.
#include "longshore/longshore.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class LibraryOnPostgres : public PostgresTest {};

TEST_F(LibraryOnPostgres, RunsAJobOfOneProcessInAnother) {
  auto there = longshore::open(url("lanes=2"));
  ASSERT_TRUE(there.ok()) << there.error().message;
  auto here = longshore::open(url("lanes=2"));
  ASSERT_TRUE(here.ok()) << here.error().message;
  const auto job = there->client().enqueue({.type = "greet", .payload = R"("ann")"});
  ASSERT_TRUE(job.ok()) << job.error().message;
  Worker worker(here->leases());
  worker.handle("greet", [](Context&) -> Ending { return ok(); });
  ASSERT_TRUE(worker.start().ok());
  const auto ended = there->client().wait(job->id, Duration::seconds(20));
  ASSERT_TRUE(ended.ok()) << ended.error().message;
  EXPECT_EQ(ended->job.state, State::success);
  worker.stop();
  EXPECT_EQ(here->capabilities().name, "postgres");
  EXPECT_TRUE(here->catalog().audit()->sound());
}

}  // namespace
}  // namespace longshore::postgres_test
