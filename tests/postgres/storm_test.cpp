// What clients were told stays true while connections are cut at any statement and while the
// server is restarted as after a power cut.
#include "postgres/storm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "conformance/report.h"
#include "postgres/server.h"

namespace longshore::postgres_test {
namespace {

void expect_survived(const Storm& storm, const std::string& name, int blows) {
  EXPECT_EQ(storm.problem, "");
  EXPECT_GT(storm.acknowledged, 0);
  EXPECT_GT(storm.unanswered, 0) << "a blow that interrupts nothing proves nothing";
  EXPECT_EQ(storm.unended, 0);
  EXPECT_LE(storm.longest_outage, Duration::seconds(5));
  EXPECT_TRUE(storm.judgement.valid()) << checker::to_text(storm.judgement);
  conformance::report("storm_" + name,
                      fmt::format("storm: {} {}: {} jobs, {} requests acknowledged, {} unanswered, "
                                  "longest outage {} ms, nothing lost or doubled\n",
                                  blows, name, storm.jobs, storm.acknowledged, storm.unanswered,
                                  storm.longest_outage.count()));
}

TEST(Storm, LosesNothingWhenConnectionsAreCutAtAnyStatement) {
  OwnServer server;
  PGconn* axe = PQconnectdb(server.url("application_name=axe").c_str());
  const Storm storm = weather({.url = server.url("lanes=4"), .blows = 20, .seed = 11, .blow = [&] {
                                 PQclear(PQexec(axe,
                                                "SELECT pg_terminate_backend(pid) FROM "
                                                "pg_stat_activity WHERE application_name = "
                                                "'longshore' AND state <> 'idle' "
                                                "ORDER BY random() LIMIT 3"));
                               }});
  PQfinish(axe);
  expect_survived(storm, "cuts", 20);
}

TEST(Storm, LosesNothingWhenTheServerIsRestartedAtOnce) {
  OwnServer server;
  const Storm storm = weather(
      {.url = server.url("lanes=4"), .blows = 2, .seed = 12, .blow = [&] { server.restart(); }});
  expect_survived(storm, "restarts", 2);
}

}  // namespace
}  // namespace longshore::postgres_test
