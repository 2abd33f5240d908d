// Configuration, workers, minutes and tokens.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreConfigure : public StoreTest {};
class StoreWorkers : public StoreTest {};
class StoreMinutes : public StoreTest {};
class StoreTokens : public StoreTest {
 protected:
  TokenRecord token(const std::string& id) {
    return {.id = id, .ns = "default", .name = "ci", .role = "producer", .hash = "abc"};
  }
  Verdict put(const TokenRecord& record) { return send(PutToken{.token = record, .actor = ops_}); }
};
INSTANTIATE_TEST_SUITE_P(, StoreConfigure, every_store(), store_name);
INSTANTIATE_TEST_SUITE_P(, StoreWorkers, every_store(), store_name);
INSTANTIATE_TEST_SUITE_P(, StoreMinutes, every_store(), store_name);
INSTANTIATE_TEST_SUITE_P(, StoreTokens, every_store(), store_name);

TEST_P(StoreConfigure, ReplacesEveryRule) {
  const QueueRule queue_rule{.ns = "default", .queue = "q", .max_running = 3};
  const TypeRule type_rule{.ns = "default", .type = "t", .keep_dead = days(2)};
  as<Done>(send(Configure{.queues = {queue_rule}, .types = {type_rule}}));
  EXPECT_EQ(catalog().configuration()->queues, std::vector<QueueRule>{queue_rule});
  EXPECT_EQ(catalog().configuration()->types, std::vector<TypeRule>{type_rule});
  as<Done>(send(Configure{.types = {type_rule}}));
  EXPECT_TRUE(catalog().configuration()->queues.empty());
}

TEST_P(StoreConfigure, IsReadAtTheNextClaim) {
  for (int i = 0; i < 3; ++i) enqueue();
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}});
  EXPECT_EQ(claim({.limit = 3}).size(), 1u);
  send(Configure{});
  EXPECT_EQ(claim({.limit = 3}).size(), 2u);
}

TEST_P(StoreConfigure, ShowsTheLimitBesideTheQueue) {
  enqueue();
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 4}}});
  EXPECT_EQ(queue().max_running, 4);
}

TEST_P(StoreConfigure, HoldsALimitOfZero) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 0}}});
  enqueue();
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreConfigure, HoldsALimitInItsNamespaceAlone) {
  enqueue();
  enqueue_in("other");
  enqueue_in("third");
  send(Configure{.queues = {{.ns = "other", .queue = "default", .max_running = 0}},
                 .types = {{.ns = "third", .type = "work", .max_running = 0}}});
  EXPECT_EQ(claim().size(), 1u);
  EXPECT_TRUE(claim({.ns = "other"}).empty());
  EXPECT_TRUE(claim({.ns = "third"}).empty());
}

TEST_P(StoreConfigure, HoldsQueueAndTypeLimitsTogether) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 2}},
                 .types = {{.ns = "default", .type = "heavy", .max_running = 1}}});
  enqueue({.type = "heavy"});
  enqueue({.type = "heavy"});
  enqueue({.type = "light"});
  enqueue({.type = "light"});
  const auto leases = claim({.limit = 10});
  ASSERT_EQ(leases.size(), 2u);
  EXPECT_EQ(leases[0].type, "heavy");
  EXPECT_EQ(leases[1].type, "light");
}

TEST_P(StoreWorkers, AreListedWithTheirReports) {
  const WorkerInfo info{.ns = "default",
                        .worker = "alice",
                        .node = NodeId{1, 2},
                        .queues = {"a", "b"},
                        .types = {"mail"},
                        .slots = 8,
                        .host = "h",
                        .version = "1.2"};
  as<Done>(send(SeeWorkers{.workers = {info}}));
  const auto workers = catalog().workers("default");
  ASSERT_EQ(workers->size(), 1u);
  EXPECT_EQ(workers->at(0).info, info);
}

TEST_P(StoreWorkers, AreSeenAnewEachTime) {
  send(SeeWorkers{.workers = {{.ns = "default", .worker = "alice", .slots = 1}}});
  const Instant first = catalog().workers("default")->at(0).seen_at;
  advance(seconds(10));
  send(SeeWorkers{.workers = {{.ns = "default", .worker = "alice", .slots = 2}}});
  const auto workers = catalog().workers("default");
  ASSERT_EQ(workers->size(), 1u);
  EXPECT_GE(workers->at(0).seen_at, first + seconds(10));
  EXPECT_EQ(workers->at(0).info.slots, 2);
}

TEST_P(StoreWorkers, AreShownWithTheJobsTheyHold) {
  send(SeeWorkers{.workers = {{.ns = "default", .worker = "alice"}}});
  const Lease lease = running();
  EXPECT_EQ(catalog().workers("default")->at(0).jobs, std::vector<JobId>{lease.job});
  complete(lease);
  EXPECT_TRUE(catalog().workers("default")->at(0).jobs.empty());
}

TEST_P(StoreWorkers, BelongToOneNamespace) {
  send(SeeWorkers{.workers = {{.ns = "other", .worker = "alice"}}});
  EXPECT_TRUE(catalog().workers("default")->empty());
}

TEST_P(StoreMinutes, AreOverwrittenWhenSentAgain) {
  const Instant minute = Instant::millis(now().count() / 60'000 * 60'000);
  MinuteRow row{.minute = minute,
                .node = {1, 1},
                .ns = "default",
                .queue = "q",
                .type = "t",
                .enqueued = 3,
                .wait_millis = 12};
  as<Done>(send(RecordMinutes{.rows = {row}}));
  row.enqueued = 5;
  as<Done>(send(RecordMinutes{.rows = {row}}));
  const auto rows = catalog().minutes("default", minute);
  EXPECT_EQ(*rows, std::vector<MinuteRow>{row});
}

TEST_P(StoreMinutes, AreKeptApartByNodeQueueAndType) {
  const Instant minute = Instant::millis(now().count() / 60'000 * 60'000);
  const MinuteRow row{
      .minute = minute, .node = {1, 1}, .ns = "default", .queue = "q", .type = "t", .enqueued = 1};
  MinuteRow other_node = row;
  other_node.node = {2, 2};
  MinuteRow other_queue = row;
  other_queue.queue = "r";
  MinuteRow other_type = row;
  other_type.type = "u";
  send(RecordMinutes{.rows = {row, other_node, other_queue, other_type}});
  EXPECT_EQ(catalog().minutes("default", minute)->size(), 4u);
  EXPECT_TRUE(catalog().minutes("other", minute)->empty());
}

TEST_P(StoreMinutes, AreListedFromAMinuteOn) {
  const Instant minute = Instant::millis(now().count() / 60'000 * 60'000);
  send(RecordMinutes{.rows = {{.minute = minute - seconds(60), .ns = "default", .enqueued = 1},
                              {.minute = minute, .ns = "default", .enqueued = 2}}});
  const auto rows = catalog().minutes("default", minute);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(rows->at(0).enqueued, 2);
}

TEST_P(StoreTokens, AreKeptWithTheStoresTime) {
  as<Done>(put(token("t1")));
  const auto tokens = catalog().tokens();
  ASSERT_EQ(tokens->size(), 1u);
  EXPECT_EQ(tokens->at(0).name, "ci");
  EXPECT_EQ(tokens->at(0).role, "producer");
  EXPECT_EQ(tokens->at(0).hash, "abc");
  EXPECT_LE(tokens->at(0).created_at, now());
  EXPECT_GE(tokens->at(0).created_at, now() - seconds(60));
  EXPECT_FALSE(tokens->at(0).last_used_at);
}

TEST_P(StoreTokens, MayBePutAgainAsTheyAreButNotDifferently) {
  put(token("t1"));
  advance(seconds(5));
  as<Done>(put(token("t1")));
  TokenRecord forged = token("t1");
  forged.role = "admin";
  expect_refused(put(forged), Code::invalid_field);
  EXPECT_EQ(catalog().tokens()->at(0).role, "producer");
  EXPECT_EQ(trail(), std::vector<std::string>{"createToken by ops"});
}

TEST_P(StoreTokens, AreGoneWhenRevoked) {
  put(token("t1"));
  put(token("t2"));
  as<Done>(send(RevokeToken{.ns = "default", .id = "t1", .actor = ops_}));
  ASSERT_EQ(catalog().tokens()->size(), 1u);
  EXPECT_EQ(catalog().tokens()->at(0).id, "t2");
}

TEST_P(StoreTokens, CannotBeRevokedWhenUnknownOrOfAnotherNamespace) {
  put(token("t1"));
  expect_refused(send(RevokeToken{.ns = "default", .id = "t9", .actor = ops_}), Code::not_found);
  expect_refused(send(RevokeToken{.ns = "other", .id = "t1", .actor = ops_}), Code::not_found);
}

TEST_P(StoreTokens, RememberTheirLastUse) {
  put(token("t1"));
  advance(seconds(10));
  const Instant before = now();
  send(TouchToken{.id = "t1"});
  const auto used = catalog().tokens()->at(0).last_used_at;
  ASSERT_TRUE(used.has_value());
  EXPECT_GE(*used, before);
}

}  // namespace
}  // namespace longshore::conformance
