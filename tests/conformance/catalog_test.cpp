// The catalog: one job, many jobs, queues.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreCatalog : public StoreTest {};
class StoreQueues : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreCatalog, every_store(), store_name);
INSTANTIATE_TEST_SUITE_P(, StoreQueues, every_store(), store_name);

TEST_P(StoreCatalog, TellsTheStoresTime) {
  const auto before = catalog().now();
  ASSERT_TRUE(before.ok());
  advance(seconds(10));
  const auto after = catalog().now();
  ASSERT_TRUE(after.ok());
  EXPECT_GE(*after - *before, seconds(10));
  EXPECT_LT(*after - *before, seconds(15));
}

TEST_P(StoreCatalog, GlancesAtAJobWithoutWhatGrows) {
  const JobId id = dead();
  EXPECT_EQ(job(id), record(id).job);
}

TEST_P(StoreCatalog, KnowsNoJobThatDoesNotExist) {
  const JobId never = new_id();
  EXPECT_EQ(catalog().get("default", never).error().code, Errc::not_found);
  EXPECT_EQ(catalog().glance("default", never).error().code, Errc::not_found);
  EXPECT_EQ(catalog().logs("default", never).error().code, Errc::not_found);
}

TEST_P(StoreCatalog, AnswersVersionsInOrder) {
  const JobId one = enqueue();
  const JobId two = succeeded({.queue = "q"});
  const std::vector<JobId> ids = {two, new_id(), one, two};
  const auto versions = catalog().versions("default", ids);
  ASSERT_TRUE(versions.ok());
  EXPECT_EQ(*versions,
            (std::vector<std::int64_t>{job(two).version, 0, job(one).version, job(two).version}));
}

TEST_P(StoreCatalog, RaisesTheVersionWithEveryTransition) {
  const JobId id = enqueue();
  auto last = job(id).version;
  const auto rises = [&] { return job(id).version > std::exchange(last, job(id).version); };
  const Lease lease = claim_one();
  EXPECT_TRUE(rises());
  cancel(id);
  EXPECT_TRUE(rises());
  hand_off(lease);
  EXPECT_TRUE(rises());
}

TEST_P(StoreCatalog, KeepsBothEndsOfALongHistory) {
  Lease lease = running();
  for (int i = 0; i < 100; ++i) {
    release(lease);
    lease = claim_one();
  }
  const JobRecord kept = record(lease.job);
  EXPECT_EQ(kept.job.history_count, 3 + 3 * 100);
  ASSERT_EQ(kept.history.size(), 256u);
  EXPECT_EQ(kept.history_dropped, 303 - 256);
  EXPECT_EQ(kept.history[0].seq, 1);
  EXPECT_EQ(kept.history[15].seq, 16);
  EXPECT_EQ(kept.history[16].seq, 303 - 240 + 1);
  EXPECT_EQ(kept.history.back().seq, 303);
}

TEST_P(StoreCatalog, WritesWorkerEpochAndTimeIntoTheHistory) {
  const Lease lease = running();
  const Transition step = record(lease.job).history.back();
  EXPECT_EQ(step.seq, 3);
  EXPECT_EQ(step.from, State::queued);
  EXPECT_EQ(step.to, State::running);
  EXPECT_EQ(step.worker, "alice");
  EXPECT_EQ(step.epoch, 1);
  EXPECT_EQ(step.at, *job(lease.job).started_at);
}

TEST_P(StoreCatalog, CountsTheJobsAhead) {
  const JobId low = enqueue({.priority = 9});
  enqueue();
  const JobId third = enqueue();
  enqueue({.queue = "elsewhere", .priority = 0});
  EXPECT_EQ(*catalog().ahead("default", third, 1000), 1);
  EXPECT_EQ(*catalog().ahead("default", low, 1000), 2);
  EXPECT_EQ(*catalog().ahead("default", low, 1), 1);
}

TEST_P(StoreCatalog, WalksEveryJobOfEveryNamespaceInTheOrderOfIds) {
  std::vector<JobId> ids = {enqueue(), enqueue_in("other"), enqueue()};
  std::sort(ids.begin(), ids.end());
  const auto all = dump();
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all[i].job.id, ids[i]);
  EXPECT_TRUE(all[0] == record(ids[0]));
}

TEST_P(StoreCatalog, StopsWalkingWhenToldTo) {
  for (int i = 0; i < 3; ++i) enqueue();
  int seen = 0;
  ASSERT_TRUE(catalog().each([&](const JobRecord&) { return ++seen < 2; }).ok());
  EXPECT_EQ(seen, 2);
}

TEST_P(StoreQueues, ShowTheirDepthByState) {
  running();
  waiting();
  retrying();
  succeeded();
  dead();
  canceled();
  enqueue({.delay = seconds(60)});
  enqueue();
  const auto depth = queue().depth;
  for (const State state : {State::scheduled, State::queued, State::running, State::waiting,
                            State::retry, State::success, State::dead, State::canceled}) {
    SCOPED_TRACE(to_text(state));
    const auto found = depth.find(state);
    ASSERT_NE(found, depth.end());
    EXPECT_EQ(found->second, 1);
  }
}

TEST_P(StoreQueues, ForgetPrunedJobs) {
  succeeded();
  advance(days(8));
  prune();
  enqueue();
  EXPECT_EQ(queue().depth[State::success], 0);
}

TEST_P(StoreQueues, SayHowLongTheirHeadHasBeenEligible) {
  enqueue({.delay = seconds(5)});
  EXPECT_FALSE(queue().oldest_queued);
  advance(seconds(6));
  due();
  const Instant eligible = now();
  advance(seconds(10));
  enqueue();
  ASSERT_TRUE(queue().oldest_queued);
  EXPECT_LE(*queue().oldest_queued, eligible);
  claim_one();
  EXPECT_GT(*queue().oldest_queued, eligible);
}

TEST_P(StoreQueues, AreCountedPerNamespace) {
  enqueue();
  enqueue_in("other");
  EXPECT_EQ(queue().depth[State::queued], 1);
  ASSERT_EQ(catalog().queues("other")->size(), 1u);
  EXPECT_EQ(catalog().queues("other")->at(0).ns, "other");
}

TEST_P(StoreQueues, AreReadPageByPageByName) {
  for (const char* name : {"d", "a", "c", "b"}) enqueue({.queue = name});
  send(PauseQueue{.ns = "default", .queue = "bb", .paused = true});
  const auto names = [&](const std::string& from, int limit) {
    std::vector<std::string> read;
    for (const QueueView& view : catalog().queues("default", from, limit).value()) {
      read.push_back(view.queue);
    }
    return read;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("", 2), (Names{"a", "b"}));
  EXPECT_EQ(names("bb", 2), (Names{"bb", "c"})) << "from the name itself";
  EXPECT_EQ(names("ba", 10), (Names{"bb", "c", "d"})) << "or behind it";
  EXPECT_EQ(names("e", 10), Names{});
  EXPECT_TRUE(catalog().queues("default", "c", 1)->at(0).oldest_queued);
}

TEST_P(StoreQueues, FollowAJobThatIsReplacedIntoAnother) {
  enqueue({.queue = "a", .job_key = "k"});
  enqueue({.queue = "b", .job_key = "k", .on_conflict = OnConflict::replace});
  EXPECT_EQ(queue("b").depth[State::queued], 1);
  const auto views = catalog().queues("default");
  for (const QueueView& view : *views) {
    if (view.queue == "a") {
      for (const auto& [state, count] : view.depth) EXPECT_EQ(count, 0) << to_text(state);
    }
  }
}

}  // namespace
}  // namespace longshore::conformance
