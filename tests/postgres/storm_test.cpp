// Answers to clients stay true while connections are cut during any statement and while the server
// is restarted as after a power cut.
#include "postgres/storm.h"

#include <gtest/gtest.h>

#include "conformance/report.h"

namespace longshore::postgres_test {
namespace {

TEST(Storm, LosesNothingWhenConnectionsAreCutAtAnyStatement) {
  const Storm storm = cut_connections(20, 11);
  EXPECT_TRUE(survived(storm)) << checker::to_text(storm.judgement);
  conformance::report("storm_cuts", to_text(storm, "20 cuts"));
}

TEST(Storm, LosesNothingWhenTheServerRestartsWithoutShutdown) {
  const Storm storm = restart_server(2, 12);
  EXPECT_TRUE(survived(storm)) << checker::to_text(storm.judgement);
  conformance::report("storm_restarts", to_text(storm, "2 restarts"));
}

}  // namespace
}  // namespace longshore::postgres_test
