// An earlier state of the database was restored while nodes run: what they have cached of its
// configuration and namespaces is then outdated.
#include "redis/store_fixture.h"

namespace longshore::redis_test {
namespace {

class RedisRestoredData : public RedisStore {
 protected:
  // Saves the configuration and the list of namespaces.
  void save() {
    for (const std::string& key : {keys().meta(), shared("config"), shared("namespaces")}) {
      saved_.emplace_back(key, ask({"DUMP", key}));
    }
  }
  void go_back() {
    for (const auto& [key, dump] : saved_) {
      if (dump.is_nil()) {
        ask({"DEL", key});
      } else {
        EXPECT_EQ(ask({"RESTORE", key, "0", dump.text, "REPLACE"}).text, "OK");
      }
    }
  }
  std::string shared(const std::string& name) const {
    return redis::Keys::shared(redis::parse_url(url_)->prefix).one(name);
  }
  void limit_type(int most) {
    const Verdict done = send(Configure{.queues = {},
                                        .types = {{.ns = "default",
                                                   .type = "work",
                                                   .max_running = most,
                                                   .keep_success = {},
                                                   .keep_canceled = {},
                                                   .keep_dead = {}}}});
    EXPECT_TRUE(std::holds_alternative<Done>(done));
  }
  void pause(const std::string& queue, bool paused) {
    send(PauseQueue{.ns = "default", .queue = queue, .paused = paused, .actor = {}});
  }

 private:
  std::vector<std::pair<std::string, redis::Reply>> saved_;
};

TEST_F(RedisRestoredData, ALimitSetAfterwardsApplies) {
  for (int i = 0; i < 10; ++i) enqueue();
  limit_type(1);
  save();
  limit_type(2);
  EXPECT_EQ(lease(10).size(), 2u);
  go_back();
  limit_type(5);
  EXPECT_EQ(lease(10).size(), 3u) << "the limit is five, and two run";
  EXPECT_TRUE(lease(10).empty());
}

TEST_F(RedisRestoredData, AQueueIsPausedAsInTheRestoredData) {
  const JobId job = enqueue();
  pause("other", true);
  save();
  pause("default", true);
  EXPECT_TRUE(claim(1).empty());
  go_back();
  pause("third", true);
  EXPECT_EQ(claim(1), std::vector<JobId>{job});
}

TEST_F(RedisRestoredData, TheRestoredLimitAppliesWithoutAnotherChange) {
  for (int i = 0; i < 10; ++i) enqueue();
  limit_type(1);
  save();
  limit_type(4);
  EXPECT_EQ(lease(10).size(), 4u);
  go_back();
  sweep();
  EXPECT_TRUE(lease(10).empty());
}

// Only one namespace is restored, as on one node of a cluster.
TEST_F(RedisRestoredData, ASingleRestoredNamespaceGetsTheCurrentRules) {
  for (int i = 0; i < 10; ++i) enqueue();
  limit_type(1);
  const redis::Reply meta = ask({"DUMP", keys().meta()});
  limit_type(4);
  EXPECT_EQ(lease(2).size(), 2u);
  sweep();
  EXPECT_EQ(ask({"RESTORE", keys().meta(), "0", meta.text, "REPLACE"}).text, "OK");
  EXPECT_TRUE(lease(10).empty()) << "two run, and the namespace's limit is one";
  sweep();
  EXPECT_EQ(lease(10).size(), 2u) << "the global limit is four";
}

TEST_F(RedisRestoredData, JobsOfANamespaceMissingInTheRestoredListBecomeDue) {
  enqueue();
  save();
  const auto enqueue_there = [this] {
    const NewJob job{.id = ids_.next(start),
                     .type = "work",
                     .body = {.payload = "1"},
                     .delay = Duration::seconds(10)};
    EXPECT_TRUE(std::holds_alternative<Enqueued>(send(Enqueue{.ns = "second", .jobs = {job}})));
  };
  enqueue_there();
  go_back();
  enqueue_there();
  clock_.advance(Duration::seconds(11));
  EXPECT_EQ(std::get<Swept>(send(Due{})).count, 2);
  const auto leases =
      std::get<Leased>(
          send(Claim{
              .id = random_id<RequestId>(random_), .ns = "second", .worker = "w", .limit = 10}))
          .leases;
  EXPECT_EQ(leases.size(), 2u);
  EXPECT_EQ(ask({"SISMEMBER", shared("namespaces"), "second"}).integer, 1);
}

}  // namespace
}  // namespace longshore::redis_test
