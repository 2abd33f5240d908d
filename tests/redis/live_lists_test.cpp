// Lists of jobs that have not ended, among very many that have.
#include <algorithm>
#include <ranges>

#include "core/record/state_filter.h"
#include "redis/long_lists.h"

namespace longshore::redis_test {
namespace {

class RedisLiveLists : public RedisLongLists {
 protected:
  // Ids that were made a moment ago are looked at again each time.
  void settle() { clock_.advance(Duration::seconds(10)); }

  std::vector<JobId> live(const ListQuery& like = {}) {
    ListQuery query = like;
    query.ns = "default";
    query.limit = 500;
    if (query.states.empty()) query.states = live_states_among({});
    std::vector<JobId> ids;
    do {
      const auto page = backend_->catalog().list(query);
      EXPECT_TRUE(page.ok());
      if (!page) return ids;
      for (const JobSummary& each : page->jobs) ids.push_back(each.job.id);
      query.before = page->next;
      if (std::ssize(ids) >= part) break;
    } while (query.before);
    return ids;
  }
  // As many calls as it takes, of a part each.
  int cancel_in_parts(const ListQuery& query = {}) {
    int count = 0;
    for (auto ids = live(query); !ids.empty(); ids = live(query)) {
      cancel_all(ids);
      count += static_cast<int>(ids.size());
      if (count > 4 * list_length) break;
    }
    return count;
  }

  static constexpr int part = 1000;
};

TEST_F(RedisLiveLists, CancelingInPartsDoesNotGoThroughAllThatIsDone) {
  enqueue_many(plain());
  settle();
  begin_count();
  EXPECT_EQ(cancel_in_parts(), list_length);
  // Each is listed, canceled, and found to have ended by the list after that.
  EXPECT_LT(reads(), 5 * list_length);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisLiveLists, CancelingScheduledOnesInPartsDoesNotReadTheirWholeIndex) {
  NewJob later = plain();
  later.delay = Duration::hours(1);
  enqueue_many(later);
  enqueue_many(later);
  settle();
  const std::int64_t before = calls("zrange");
  begin_count();
  const ListQuery scheduled{.states = {{.state = State::scheduled}}};
  EXPECT_EQ(cancel_in_parts(scheduled), 2 * list_length);
  EXPECT_LT(reads(), 5 * 2 * list_length);
  // Once half of them are left, the index is short enough to be read for each page.
  EXPECT_LE(calls("zrange") - before, 3 * list_length / part);
}

TEST_F(RedisLiveLists, FindJobsWhoseIdsWereMadeLongBefore) {
  const NewJob late = plain();
  const JobId first = enqueue();
  const JobId last = enqueue();
  settle();
  EXPECT_EQ(live(), (std::vector<JobId>{last, first}));
  cancel_all({first, last});
  EXPECT_TRUE(live().empty());
  EXPECT_TRUE(live().empty());
  enqueue(late);
  EXPECT_EQ(live(), std::vector<JobId>{late.id});
}

TEST_F(RedisLiveLists, FindWhatAnotherFilterLeft) {
  const JobId oldest = enqueue(plain("other"));
  const JobId ended = enqueue(plain());
  const JobId middle = enqueue(plain("other"));
  const JobId newest = enqueue(plain());
  settle();
  const ListQuery work{.type = "work"};
  EXPECT_EQ(live(work), (std::vector<JobId>{newest, ended}));
  cancel_all({ended});
  EXPECT_EQ(live(work), std::vector<JobId>{newest});
  EXPECT_EQ(live(), (std::vector<JobId>{newest, middle, oldest}));
  const JobId young = enqueue(plain());
  EXPECT_EQ(live(), (std::vector<JobId>{young, newest, middle, oldest}));
  EXPECT_EQ(live({.before = newest}), (std::vector<JobId>{middle, oldest}));
  EXPECT_EQ(live({.before = oldest}), std::vector<JobId>());
}

TEST_F(RedisLiveLists, FindAllWhileMostAreLive) {
  const std::vector<JobId> ids = enqueue_many(plain());
  settle();
  std::vector<JobId> found;
  for (std::optional<JobId> before; std::ssize(found) < list_length;) {
    const auto some = live({.before = before});
    ASSERT_FALSE(some.empty());
    found.insert(found.end(), some.begin(), some.end());
    before = found.back();
  }
  EXPECT_TRUE(std::ranges::equal(found | std::views::reverse, ids));
}

TEST_F(RedisLiveLists, AreWholeAfterJobsWerePruned) {
  send(Configure{.queues = {},
                 .types = {{.ns = "default",
                            .type = "work",
                            .max_running = {},
                            .keep_success = {},
                            .keep_canceled = Duration::minutes(2),
                            .keep_dead = {}}}});
  const NewJob late = plain();
  const JobId gone = enqueue();
  const JobId rest = enqueue(plain("other"));
  settle();
  cancel_all({gone});
  EXPECT_EQ(live(), std::vector<JobId>{rest});
  // One goes and one comes: there are as many as before.
  clock_.advance(Duration::minutes(2));
  send(Prune{});
  EXPECT_EQ(ask({"EXISTS", keys().job(gone)}).integer, 0);
  enqueue(late);
  EXPECT_EQ(live(), (std::vector<JobId>{rest, late.id}));
}

}  // namespace
}  // namespace longshore::redis_test
