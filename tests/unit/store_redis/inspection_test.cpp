#include "store/redis/inspection.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

Facts good() {
  Facts facts = read_info(
      "# Server\r\nredis_version:7.0.15\r\nrun_id:abc\r\n# Replication\r\nrole:master\r\n"
      "connected_slaves:2\r\nslave0:ip=1,port=2,state=online,offset=1,lag=0\r\n"
      "slave1:ip=1,port=3,state=wait_bgsave,offset=0,lag=0\r\n# Memory\r\n"
      "used_memory_human:9M\r\nused_memory:77\r\nmaxmemory:100\r\n"
      "maxmemory_policy:noeviction\r\n# Persistence\r\nloading:0\r\nasync_loading:1\r\n"
      "aof_enabled:1\r\naof_last_write_status:ok\r\n# Cluster\r\ncluster_enabled:0\r\n");
  facts.fsync = "always";
  return facts;
}

TEST(RedisInspection, ReadsWhatInfoSays) {
  const Facts facts = good();
  EXPECT_EQ(facts.version, "7.0.15");
  EXPECT_EQ(facts.run_id, "abc");
  EXPECT_TRUE(facts.primary);
  EXPECT_FALSE(facts.cluster);
  EXPECT_FALSE(facts.loading);
  EXPECT_EQ(facts.replicas, 1) << "one of the two is not online yet";
  EXPECT_EQ(facts.memory_used, 77);
  EXPECT_EQ(facts.memory_max, 100);
  EXPECT_TRUE(facts.logs);
  EXPECT_FALSE(facts.log_fails);
}

TEST(RedisInspection, ClassesFollowFromHowTheLogIsForcedToTheDisk) {
  const auto with = [](auto change) {
    Facts facts = good();
    change(facts);
    EXPECT_EQ(complaint(facts).empty(), durability_of(facts) == Durability::a);
    return durability_of(facts);
  };
  EXPECT_EQ(with([](Facts&) {}), Durability::a);
  EXPECT_EQ(with([](Facts& f) { f.fsync = "everysec"; }), Durability::b);
  EXPECT_EQ(with([](Facts& f) { f.fsync_pauses = true; }), Durability::b);
  EXPECT_EQ(with([](Facts& f) { f.fsync = "no"; }), Durability::c);
  EXPECT_EQ(with([](Facts& f) { f.fsync = ""; }), Durability::c);
  EXPECT_EQ(with([](Facts& f) { f.logs = false; }), Durability::c);
  EXPECT_EQ(with([](Facts& f) { f.log_fails = true; }), Durability::c);
  EXPECT_EQ(with([](Facts& f) { f.eviction = "allkeys-lru"; }), Durability::c);
}

TEST(RedisInspection, WarnsOfWhatChangesNoClass) {
  EXPECT_EQ(warning(good()), "");
  const std::string info =
      "aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:1\r\naof_last_bgrewrite_status:err\r\n"
      "rdb_last_bgsave_status:err\r\n";
  Facts facts = read_info(info);
  EXPECT_TRUE(facts.rewriting);
  EXPECT_NE(warning(facts).find("rewrite"), std::string::npos);
  facts.rewrite_fails = false;
  EXPECT_NE(warning(facts).find("snapshot"), std::string::npos);
}

TEST(RedisInspection, UnfitServersAreToldWhatToChange) {
  const auto fault = [](bool cluster, auto change) {
    Facts facts = good();
    change(facts);
    return unfit(facts, cluster).value_or("");
  };
  EXPECT_EQ(fault(false, [](Facts&) {}), "");
  EXPECT_NE(fault(true, [](Facts&) {}).find("redis://"), std::string::npos);
  EXPECT_NE(fault(false, [](Facts& f) { f.cluster = true; }).find("redis+cluster"),
            std::string::npos);
  EXPECT_NE(fault(false, [](Facts& f) { f.version = "6.2.14"; }).find("7.0"), std::string::npos);
  EXPECT_NE(fault(false, [](Facts& f) { f.primary = false; }).find("replica"), std::string::npos);
  EXPECT_NE(fault(false, [](Facts& f) { f.eviction = "volatile-lru"; }).find("noeviction"),
            std::string::npos);
}

}  // namespace
}  // namespace longshore::redis
