#include "store/redis/url.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

TEST(RedisUrl, SaysWhereAndWhoAndHow) {
  const auto url = parse_url(
      "rediss://ann:s%40cr%3At@[::1]:6380/3?lanes=8&timeout=2&patience=9&replicas=1&durability=B"
      "&keep_jobs=1000&keep_bytes=512mb"
      "&prefix=harbour&ca=/etc/ca%20s.pem&cert=c.pem&key=k.pem");
  ASSERT_TRUE(url.ok()) << url.error().message;
  EXPECT_EQ(url->hosts, std::vector({Address{.host = "::1", .port = 6380}}));
  EXPECT_TRUE(url->tls);
  EXPECT_FALSE(url->cluster);
  EXPECT_EQ(url->user, "ann");
  EXPECT_EQ(url->password, "s@cr:t");
  EXPECT_EQ(url->database, 3);
  EXPECT_EQ(url->lanes, 8);
  EXPECT_EQ(url->keep_jobs, 1000);
  EXPECT_EQ(url->keep_bytes, 512 * 1024 * 1024);
  EXPECT_EQ(url->timeout, Duration::seconds(2));
  EXPECT_EQ(url->patience, Duration::seconds(9));
  EXPECT_EQ(url->replicas, 1);
  EXPECT_EQ(url->accepted, Durability::b);
  EXPECT_EQ(url->prefix, "harbour");
  EXPECT_EQ(url->ca_file, "/etc/ca s.pem");
  EXPECT_EQ(url->key_file, "k.pem");
  EXPECT_EQ(url->shown, "rediss://[::1]:6380/3");
}

TEST(RedisUrl, HasDefaultsAndSeveralNodesOfACluster) {
  const auto plain = parse_url("redis://db");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->hosts.front(), (Address{.host = "db", .port = 6379}));
  EXPECT_EQ(plain->prefix, "longshore");
  EXPECT_FALSE(plain->replicas);
  EXPECT_FALSE(plain->accepted);

  const auto cluster = parse_url("redis+cluster://:secret@a:1,b,c:3");
  ASSERT_TRUE(cluster.ok());
  EXPECT_TRUE(cluster->cluster);
  EXPECT_EQ(cluster->hosts, std::vector<Address>({{"a", 1}, {"b", 6379}, {"c", 3}}));
  EXPECT_EQ(cluster->user, "");
  EXPECT_EQ(cluster->password, "secret");
  EXPECT_EQ(cluster->shown, "redis+cluster://a:1,b,c:3");
}

TEST(RedisUrl, RefusesWhatMakesNoSenseWithoutShowingASecret) {
  for (const std::string bad : {"redis:db",
                                "http://ann:s3cret@db",
                                "redis://",
                                "redis://ann:s3cret@",
                                "redis://db:0",
                                "redis://ann:s3cret@db:port",
                                "redis://ann:s3cret@a,b",
                                "redis://ann:s3cret@db/jobs",
                                "redis+cluster://ann:s3cret@a,b/1",
                                "redis://ann:s3cret%4@db",
                                "redis://ann:%zzs3cret@db",
                                "redis://[::1",
                                "redis://ann:s3cret?@db",
                                "redis://db?lanes=0",
                                "redis://db?lanes=65",
                                "redis://db?keep_jobs=0",
                                "redis://db?keep_bytes=0",
                                "redis://db?keep_bytes=1tb",
                                "redis://db?keep_bytes=mb",
                                "redis://db?timeout=soon",
                                "redis://db?durability=D",
                                "redis://db?prefix={}",
                                "redis://db?prefix=",
                                "redis://db?cert=a",
                                "redis://db?ca=",
                                "redis://ann:s3cret@db?x=y"}) {
    SCOPED_TRACE(bad);
    const auto url = parse_url(bad);
    ASSERT_FALSE(url.ok());
    EXPECT_EQ(url.error().code, Errc::invalid);
    EXPECT_EQ(url.error().message.find("s3cret"), std::string::npos) << url.error().message;
  }
}

}  // namespace
}  // namespace longshore::redis
