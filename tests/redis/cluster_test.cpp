// Connections to a Redis Cluster: slots, redirections, failover, and waiting for replicas.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "core/sync/mutex.h"
#include "redis/connect.h"
#include "redis/server.h"
#include "redis/slot_move.h"
#include "store/redis/channel.h"
#include "store/redis/slots.h"

namespace longshore::redis_test {
namespace {

using redis::ScriptCall;
using redis::Words;

// Writes a new key each time, and empties a list before it fills it again. In a migrating slot,
// Redis could stop the script after either.
const redis::Script& move_script() {
  static const redis::Script script("move", R"(
    local n = redis.call('INCR', KEYS[1])
    redis.call('HSET', KEYS[2], 'n', n)
    redis.call('LPOP', KEYS[3])
    redis.call('RPUSH', KEYS[3], n)
    redis.call('SET', ARGV[1] .. n, n)
    redis.call('INCR', KEYS[4])
    return n)");
  return script;
}

ScriptCall move_call(const std::string& tag) {
  const std::string base = "{" + tag + "}";
  return {.script = &move_script(),
          .keys = {base + "before", base + "hash", base + "list", base + "after"},
          .args = {base + "new:"}};
}

// Threads that run the script on a few tags until stopped, and their answers.
class Load {
 public:
  Load(redis::Channel& channel, std::vector<std::string> tags)
      : channel_(channel), tags_(std::move(tags)) {
    for (const std::string& tag : tags_) {
      counts_[tag] = 0;
    }
    for (int i = 0; i < 4; ++i) {
      threads_.emplace_back([this, i] { run(tags_[static_cast<std::size_t>(i) % tags_.size()]); });
    }
  }
  ~Load() { end(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void end() {
    going_ = false;
    threads_.clear();
  }
  // Waits for this many more runs of each tag.
  void wait_for(int more) {
    for (const std::string& tag : tags_) {
      const int wanted = counts_[tag] + more;
      EXPECT_TRUE(wait_until([&] { return counts_[tag] >= wanted; })) << last_error();
    }
  }
  int unavailable() const { return unavailable_; }
  std::string last_error() {
    MutexLock lock(mutex_);
    return last_error_;
  }

  // Every acknowledged run is complete, and no other run is half done.
  void expect_whole() {
    for (const std::string& tag : tags_) {
      SCOPED_TRACE(tag);
      const std::string base = "{" + tag + "}";
      const std::vector<Words> look = {{"GET", base + "before"},
                                       {"GET", base + "after"},
                                       {"HGET", base + "hash", "n"},
                                       {"LLEN", base + "list"}};
      const auto replies = channel_.exchange(tag, look, false);
      ASSERT_TRUE(replies.ok()) << replies.error().message;
      const int known = std::atoi((*replies)[0].text.c_str());
      EXPECT_GE(known, counts_[tag]) << (*replies)[0].text;
      EXPECT_LE(known, counts_[tag] + unavailable_);
      EXPECT_EQ((*replies)[0].text, (*replies)[1].text) << "a script was stopped halfway";
      EXPECT_EQ((*replies)[0].text, (*replies)[2].text);
      EXPECT_EQ((*replies)[3].integer, 1);
    }
  }

 private:
  void run(const std::string& tag) {
    const ScriptCall call = move_call(tag);
    while (going_) {
      const auto reply = channel_.run(tag, call, true);
      if (reply && !reply->is_error()) {
        ++counts_[tag];
        continue;
      }
      ++unavailable_;
      MutexLock lock(mutex_);
      last_error_ = reply ? reply->text : reply.error().message;
    }
  }

  redis::Channel& channel_;
  const std::vector<std::string> tags_;
  std::map<std::string, std::atomic<int>> counts_;
  std::atomic<int> unavailable_ = 0;
  std::atomic<bool> going_ = true;
  Mutex mutex_;
  std::string last_error_ LONGSHORE_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;
};

TEST(RedisCluster, SpreadsTagsOverThePrimariesAndWaitsForAReplica) {
  const auto channel = must_connect(cluster_url("prefix=spread"));
  EXPECT_EQ(channel->standing().primaries, 3);
  EXPECT_EQ(channel->standing().replicas_awaited, 1);
  EXPECT_EQ(channel->conditions().condition().durability, Durability::a);
  std::set<std::string> runs;
  for (const std::string tag : {"a", "b", "c", "d", "e", "f"}) {
    const std::vector<Words> calls = {{"INCR", "spread:{" + tag + "}n"}, {"INFO", "server"}};
    const auto replies = channel->exchange(tag, calls, true);
    ASSERT_TRUE(replies.ok()) << replies.error().message;
    const std::string& info = (*replies)[1].text;
    runs.insert(info.substr(info.find("run_id:"), 20));
  }
  EXPECT_EQ(runs.size(), 3U);
  EXPECT_EQ(channel->counts().moved, 0);
}

TEST(RedisCluster, ReadsManyTagsInOneRoundTripPerPrimary) {
  const auto channel = must_connect(cluster_url("prefix=many"));
  std::vector<redis::TaggedWords> calls;
  for (int i = 0; i < 40; ++i) {
    const std::string tag = "t" + std::to_string(i);
    calls.push_back({.tag = tag, .words = {"SET", "many:{" + tag + "}", tag}});
    calls.push_back({.tag = tag, .words = {"GET", "many:{" + tag + "}"}});
  }
  const auto replies = channel->exchange_each(calls);
  EXPECT_EQ(channel->counts().exchanges, 3);
  ASSERT_EQ(replies.size(), calls.size());
  for (std::size_t i = 1; i < calls.size(); i += 2) {
    ASSERT_TRUE(replies[i].ok()) << replies[i].error().message;
    EXPECT_EQ(replies[i]->text, calls[i].tag);
  }
}

TEST(RedisCluster, FindsATagWhoseSlotHasMigrated) {
  OwnServers servers({.cluster = true});
  const auto channel = must_connect(servers.url(""));
  const std::vector<Words> write = {{"SET", "{a}", "here"}};
  ASSERT_TRUE(channel->exchange("a", write, true).ok());
  move_slot(servers, "a", (servers.primary_of("a") + 1) % 3, [] {});
  const std::vector<redis::TaggedWords> calls = {{.tag = "a", .words = {"GET", "{a}"}},
                                                 {.tag = "b", .words = {"GET", "{b}"}}};
  const auto replies = channel->exchange_each(calls);
  ASSERT_TRUE(replies[0].ok()) << replies[0].error().message;
  EXPECT_EQ(replies[0]->text, "here");
  EXPECT_TRUE(replies[1].ok());
}

TEST(RedisCluster, ReceivesMessagesPublishedInItsSlot) {
  const auto channel = must_connect(cluster_url("prefix=hears"));
  const auto subscription = channel->subscribe({"hears:{x}hints"});
  ASSERT_TRUE(wait_until([&] { return subscription->hears(); }));
  const std::vector<Words> words = {{channel->publish_word(), "hears:{x}hints", "look"}};
  ASSERT_TRUE(channel->exchange("x", words, false).ok());
  const auto heard = subscription->wait(Duration::seconds(30));
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard.front().text, "look");
}

TEST(RedisCluster, SlotsMayMigrateUnderLoadUnnoticed) {
  OwnServers servers({.cluster = true});
  const auto channel = must_connect(servers.url(""));
  Load load(*channel, {"a", "b"});
  load.wait_for(100);
  int moved = 0;
  for (int i = 0; i < 3; ++i) {
    const auto asked = channel->counts().asked;
    moved += move_slot(servers, "a", (servers.primary_of("a") + 1) % 3, [&] {
      EXPECT_TRUE(wait_until([&] { return channel->counts().asked > asked; }));
    });
    load.wait_for(100);
  }
  load.end();
  EXPECT_EQ(load.unavailable(), 0) << load.last_error();
  load.expect_whole();
  EXPECT_GT(moved, 0);
  EXPECT_GT(channel->counts().moved, 0);
  EXPECT_GT(channel->counts().asked, 0);
}

// A key that exists on both sides cannot be migrated without losing one value.
TEST(RedisCluster, WritesNothingToTheTargetBeforeASlotHasMigrated) {
  OwnServers servers({.cluster = true});
  const auto channel = must_connect(servers.url(""));
  const ScriptCall call = move_call("a");
  ASSERT_TRUE(channel->run("a", call, true).ok());
  const SlotMove move(servers, "a", (servers.primary_of("a") + 1) % 3);
  // If a script's keys have migrated, the node that has them is asked.
  move.give(call.keys);
  Result<redis::Reply> answer = Error();
  {
    const std::jthread caller([&] { answer = channel->run("a", call, true); });
    EXPECT_TRUE(wait_until([&] { return channel->counts().asked >= 3; }));
    EXPECT_EQ(move.arrived(), std::ssize(call.keys));
    move.give(move.left());
    EXPECT_TRUE(move.left().empty());
    move.end();
  }
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->integer, 2);
  ASSERT_TRUE(channel->run("a", call, true).ok());
  EXPECT_EQ(channel->counts().went_back, 0);
}

TEST(RedisCluster, LosesNothingAcknowledgedWhenAPrimaryDies) {
  OwnServers servers({.cluster = true, .settings = {"cluster-node-timeout=2000"}});
  const auto channel = must_connect(servers.url("timeout=2"));
  Load load(*channel, {"a", "b"});
  load.wait_for(100);
  const int primary = servers.primary_of("a");
  servers.kill(primary);
  EXPECT_TRUE(wait_until([&] { return servers.primary_of("a") >= 0; }));
  // The new primary has no replica until the old one is back; so nothing is acknowledged.
  servers.start(primary);
  load.wait_for(100);
  load.end();
  EXPECT_GT(load.unavailable(), 0);
  EXPECT_EQ(channel->counts().went_back, 0);
  load.expect_whole();
}

TEST(RedisCluster, AcknowledgesNothingWithoutAReplica) {
  OwnServers servers({.cluster = true});
  const auto channel = must_connect(servers.url("timeout=1"));
  const int primary = servers.primary_of("a");
  const std::vector<Words> write = {{"INCR", "{a}n"}};
  ASSERT_TRUE(channel->exchange("a", write, true).ok());
  servers.freeze(primary + 3);
  const auto alone = channel->exchange("a", write, true);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().code, Errc::unavailable);
  EXPECT_EQ(channel->counts().short_waits, 1);
  servers.thaw(primary + 3);
  EXPECT_TRUE(wait_until([&] { return channel->exchange("a", write, true).ok(); }));
}

}  // namespace
}  // namespace longshore::redis_test
