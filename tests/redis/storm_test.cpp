// Answers to clients stay true while Redis is killed, fails over and migrates slots.
#include "redis/storm.h"

#include <gtest/gtest.h>

#include "conformance/report.h"

namespace longshore::redis_test {
namespace {

TEST(RedisStorm, LosesNothingWhenTheServerIsKilled) {
  const Storm storm = kill_server(2, 21);
  EXPECT_TRUE(survived(storm)) << checker::to_text(storm.judgement);
  conformance::report("redis_kills", to_text(storm, "2 kills of Redis"));
}

TEST(RedisStorm, LosesNothingWhenAPrimaryOfAClusterIsReplaced) {
  const Storm storm = fail_over(1, 22);
  EXPECT_TRUE(survived(storm)) << checker::to_text(storm.judgement);
  conformance::report("redis_failover", to_text(storm, "1 failover of a Redis Cluster"));
}

TEST(RedisStorm, ClientsDoNotNoticeASlotMigration) {
  const Moves moves = move_slots(2, 23);
  EXPECT_TRUE(unnoticed(moves)) << to_text(moves, "moves")
                                << checker::to_text(moves.storm.judgement);
  conformance::report("redis_slots", to_text(moves, "2 moves of a slot"));
}

TEST(RedisStorm, APowerCutLosesAtMostTwoSecondsWithEverysecAndIsReported) {
  const Cuts cuts = cut_power(1);
  EXPECT_TRUE(bounded(cuts)) << to_text(cuts, "cut");
  conformance::report("redis_cuts", to_text(cuts, "1 power cut with everysec"));
}

}  // namespace
}  // namespace longshore::redis_test
