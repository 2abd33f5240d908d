// Connections to one Redis server: pipelines, scripts, reconnects, and checks at the start.
#include "store/redis/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "redis/connect.h"
#include "redis/server.h"

namespace longshore::redis_test {
namespace {

using redis::ScriptCall;
using redis::Words;

const redis::Script& add_script() {
  static const redis::Script script(
      "add", "return redis.call('INCRBY', KEYS[1], ARGV[1]) + tonumber(ARGV[2])");
  return script;
}

TEST(RedisChannel, AnswersAPipelineInOrderAndIsolatesAFailedCall) {
  const auto channel = must_connect(server_url("prefix=pipeline"));
  const std::vector<Words> calls = {{"SET", "pipeline:{a}", std::string("\0\r\n", 3)},
                                    {"LPUSH", "pipeline:{a}", "x"},
                                    {"GET", "pipeline:{a}"},
                                    {"GET", "pipeline:{a}none"},
                                    {"EVAL", "return {1, {'two', false}}", "0"}};
  const auto replies = channel->exchange("a", calls, true);
  ASSERT_TRUE(replies.ok()) << replies.error().message;
  ASSERT_EQ(replies->size(), 5U);
  EXPECT_EQ((*replies)[0].text, "OK");
  EXPECT_EQ((*replies)[1].code(), "WRONGTYPE");
  EXPECT_EQ((*replies)[2].text, std::string("\0\r\n", 3));
  EXPECT_TRUE((*replies)[3].is_nil());
  ASSERT_EQ((*replies)[4].items.size(), 2U);
  EXPECT_EQ((*replies)[4].items[1].items[0].text, "two");
}

TEST(RedisChannel, ReloadsAScriptThatTheServerHasDropped) {
  const OwnServers servers;
  const auto channel = must_connect(servers.url(""));
  const ScriptCall call{.script = &add_script(), .keys = {"{a}n"}, .args = {"2", "100"}};
  const auto first = channel->run("a", call, true);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->integer, 102);
  servers.ask({"SCRIPT", "FLUSH"});
  const auto second = channel->run_all("a", std::vector{call, call}, true);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ((*second)[1].integer, 106);
}

TEST(RedisChannel, IsUnavailableWhileTheServerIsDownAndRecovers) {
  OwnServers servers;
  const auto channel = must_connect(servers.url("timeout=1"));
  const std::vector<Words> write = {{"INCR", "{a}n"}};
  ASSERT_TRUE(channel->exchange("a", write, true).ok());
  servers.kill();
  for (int i = 0; i < 3; ++i) {
    const auto away = channel->exchange("a", write, true);
    ASSERT_FALSE(away.ok());
    EXPECT_EQ(away.error().code, Errc::unavailable);
  }
  servers.start();
  const auto back = channel->exchange("a", write, true);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->front().integer, 2) << "appendfsync always keeps what was acknowledged";
  EXPECT_EQ(channel->counts().went_back, 0);
}

TEST(RedisChannel, TimesOutOnASilentServer) {
  OwnServers servers;
  const auto channel = must_connect(servers.url("timeout=1"));
  servers.freeze();
  const auto silent = channel->exchange("a", std::vector<Words>{{"PING"}}, false);
  ASSERT_FALSE(silent.ok());
  EXPECT_EQ(silent.error().code, Errc::unavailable);
  servers.thaw();
  EXPECT_TRUE(channel->exchange("a", std::vector<Words>{{"PING"}}, false).ok());
}

TEST(RedisChannel, DetectsAServerThatRestartedWithOlderData) {
  OwnServers servers({.log = false});
  std::atomic<int> alarms = 0;
  const auto channel = must_connect(servers.url(""), {.alarm = [&](const std::string& text) {
                                      EXPECT_NE(text.find("went back in time"), text.npos) << text;
                                      ++alarms;
                                    }});
  const std::vector<Words> write = {{"INCR", "{a}n"}};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(channel->exchange("a", write, true).ok());
  servers.kill();
  servers.start();
  const auto older = channel->exchange("a", write, true);
  ASSERT_FALSE(older.ok());
  EXPECT_EQ(older.error().code, Errc::unavailable);
  EXPECT_EQ(alarms, 1);
  EXPECT_TRUE(channel->exchange("a", write, true).ok());
  EXPECT_EQ(channel->counts().went_back, 1);
}

TEST(RedisChannel, ReportsTheDurabilityClassAndRefusesALowerOne) {
  const OwnServers servers({.fsync = "everysec"});
  EXPECT_EQ(must_connect(servers.url(""))->conditions().condition().durability, Durability::b);
  EXPECT_EQ(must_fail(servers.url("durability=A")).code, Errc::refused);
  servers.ask({"CONFIG", "SET", "appendfsync", "always"});
  EXPECT_EQ(must_connect(servers.url("durability=A"))->conditions().condition().durability,
            Durability::a);
  servers.ask({"CONFIG", "SET", "appendfsync", "no"});
  EXPECT_EQ(must_connect(servers.url(""))->conditions().condition().durability, Durability::c);
  servers.ask({"CONFIG", "SET", "appendonly", "no"});
  EXPECT_EQ(must_fail(servers.url("durability=B")).code, Errc::refused);
}

TEST(RedisChannel, TracksTheCurrentDurabilityOfTheServer) {
  const OwnServers servers;
  std::atomic<int> alarms = 0;
  std::atomic<int> changes = 0;
  const auto channel =
      must_connect(servers.url(""), {.alarm = [&](const std::string&) { ++alarms; }});
  ConditionBook& conditions = channel->conditions();
  conditions.listen([&](const StoreCondition&) { ++changes; });
  servers.ask({"CONFIG", "SET", "appendfsync", "everysec"});
  EXPECT_TRUE(wait_until([&] { return conditions.refusal().has_value(); }));
  EXPECT_EQ(conditions.condition().durability, Durability::b);
  EXPECT_EQ(conditions.condition().where, "127.0.0.1:" + std::to_string(servers.port(0)));
  servers.ask({"CONFIG", "SET", "appendfsync", "always"});
  EXPECT_TRUE(wait_until([&] { return !conditions.refusal(); }));
  EXPECT_EQ(conditions.condition(), (StoreCondition{.durability = Durability::a}));
  EXPECT_EQ(changes, 2);
  EXPECT_EQ(alarms, 0) << "nothing was lost";
}

TEST(RedisChannel, AcceptsTheRisksThatTheUrlAccepts) {
  const OwnServers servers;
  const auto channel = must_connect(servers.url(""), {.accepted = Durability::b});
  const auto strict = must_connect(servers.url("durability=A"), {.accepted = Durability::b});
  servers.ask({"CONFIG", "SET", "appendfsync", "everysec"});
  EXPECT_TRUE(wait_until([&] { return strict->conditions().refusal().has_value(); }));
  EXPECT_TRUE(
      wait_until([&] { return channel->conditions().condition().durability == Durability::b; }));
  EXPECT_FALSE(channel->conditions().refusal());
}

TEST(RedisChannel, RefusesAServerThatEvictsOrIsAReplicaOrNotACluster) {
  const OwnServers servers;
  servers.ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  EXPECT_NE(must_fail(servers.url("")).message.find("set noeviction"), std::string::npos);
  servers.ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  EXPECT_EQ(must_fail(servers.url("replicas=1")).code, Errc::refused);
  const std::string port = std::to_string(servers.port(0));
  EXPECT_EQ(must_fail("redis+cluster://127.0.0.1:" + port).code, Errc::refused);
  servers.ask({"REPLICAOF", "127.0.0.1", "1"});
  EXPECT_NE(must_fail(servers.url("")).message.find("replica"), std::string::npos);
}

TEST(RedisChannel, AuthenticatesAUserAndNeverShowsThePassword) {
  const OwnServers servers;
  servers.ask({"ACL", "SETUSER", "jobs", "on", ">s@cret", "~*", "&*", "+@all"});
  const std::string place = "127.0.0.1:" + std::to_string(servers.port(0));
  EXPECT_NE(must_connect("redis://jobs:s%40cret@" + place), nullptr);
  const Error wrong = must_fail("redis://jobs:wr%40ng@" + place);
  EXPECT_EQ(wrong.code, Errc::refused);
  EXPECT_EQ(wrong.message.find("wr@ng"), std::string::npos);
  servers.ask({"CONFIG", "SET", "requirepass", "door"});
  EXPECT_NE(must_connect("redis://:door@" + place), nullptr);
  EXPECT_EQ(must_fail("redis://" + place).code, Errc::refused);
}

TEST(RedisChannel, ServesManyThreadsWithFewConnections) {
  const auto channel = must_connect(server_url("prefix=threads&lanes=3"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const ScriptCall call{
            .script = &add_script(), .keys = {"threads:{t}n"}, .args = {"1", "0"}};
        for (int n = 0; n < 50; ++n) EXPECT_TRUE(channel->run("t", call, n % 2 == 0).ok());
      });
    }
  }
  const auto sum = channel->exchange("t", std::vector<Words>{{"GET", "threads:{t}n"}}, false);
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->front().text, "400");
  EXPECT_LE(channel->counts().connected, 3);
}

TEST(RedisChannel, ReceivesPublishedMessagesAfterAReconnect) {
  OwnServers servers;
  const auto channel = must_connect(servers.url(""));
  const auto subscription = channel->subscribe({"{a}hints", "{a}more"});
  const auto say = [&](const std::string& text) {
    const std::vector<Words> words = {{channel->publish_word(), "{a}more", text}};
    EXPECT_TRUE(channel->exchange("a", words, false).ok());
  };
  ASSERT_TRUE(wait_until([&] { return subscription->hears(); }));
  say("one");
  const std::vector<redis::Message> one = {{.channel = "{a}more", .text = "one"}};
  EXPECT_EQ(subscription->wait(Duration::seconds(30)), one);
  servers.kill();
  ASSERT_TRUE(wait_until([&] { return !subscription->hears(); }));
  servers.start();
  ASSERT_TRUE(wait_until([&] { return subscription->hears(); }));
  say("two");
  EXPECT_EQ(subscription->wait(Duration::seconds(30)).front().text, "two");
  subscription->stop();
  EXPECT_TRUE(subscription->wait(Duration::hours(1)).empty());
}

}  // namespace
}  // namespace longshore::redis_test
