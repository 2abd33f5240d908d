// Jobs that go the usual way have no history in their HASH, and are shown with all of it.
#include "core/record/history_text.h"
#include "redis/store_fixture.h"

namespace longshore::redis_test {
namespace {

class RedisUsualMoves : public RedisStore {
 protected:
  // A node as Longshore 0.1, which writes every move.
  std::unique_ptr<Backend> open_older() {
    auto opened = open_redis({.url = url_, .clock = &clock_, .names = false}, Rules());
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }
  // "1 - CREATED enqueue 0 0 - -|2 ...", with times since the start.
  std::string shown(const JobId& id) {
    const auto record = backend_->catalog().get("default", id);
    EXPECT_TRUE(record.ok());
    EXPECT_EQ(record->history_dropped, 0);
    std::string text;
    for (Transition move : record->history) {
      move.at = Instant::millis((move.at - start).count());
      append_transition(text, move);
      text.back() = '|';
    }
    return text;
  }
  std::string stored(const JobId& id) { return ask({"HGET", keys().job(id), "history"}).text; }
  Lease claim_with(Backend& backend) {
    clock_.advance(Duration::millis(10));
    const Verdict verdict =
        send(backend, Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w 1"});
    return std::get<Leased>(verdict).leases.at(0);
  }
  void complete_with(Backend& backend, const Lease& lease) {
    clock_.advance(Duration::millis(10));
    send(backend, Complete{.ns = "default", .job = lease.job, .token = lease.token});
  }
  void fail_with(Backend& backend, const Lease& lease) {
    clock_.advance(Duration::millis(10));
    send(backend, Fail{.ns = "default",
                       .job = lease.job,
                       .token = lease.token,
                       .error = {.code = "E", .message = "m", .details = {}}});
  }

  const std::string queued_ = "1 - CREATED enqueue 0 0 - -|2 CREATED QUEUED accept 0 0 - -|";
  const std::string running_ = queued_ + "3 QUEUED RUNNING claim 10 1 w%201 -|";
  const std::string done_ = running_ + "4 RUNNING SUCCESS complete 20 1 w%201 -|";
};

TEST_F(RedisUsualMoves, AreShownAndNotStored) {
  const JobId id = enqueue();
  EXPECT_EQ(shown(id), queued_);
  const Lease lease = claim_with(*backend_);
  EXPECT_EQ(shown(id), running_);
  complete_with(*backend_, lease);
  EXPECT_EQ(shown(id), done_);
  EXPECT_EQ(ask({"HEXISTS", keys().job(id), "history"}).integer, 0);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisUsualMoves, BecomeAHistoryAtTheFirstThatDiffers) {
  const JobId id = enqueue();
  fail_with(*backend_, claim_with(*backend_));
  EXPECT_EQ(stored(id).substr(0, 24), "3 QUEUED RUNNING claim 1");
  EXPECT_TRUE(shown(id).starts_with(running_ + "4 RUNNING RETRY fail 20 1 w%201 E|")) << shown(id);
  const JobId canceled = enqueue();
  send(Cancel{.ns = "default", .job = canceled, .actor = {}});
  EXPECT_EQ(stored(canceled).substr(0, 17), "3 QUEUED CANCELED");
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisUsualMoves, OfOneBatchAreShown) {
  const NewJob job{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}};
  const std::vector<Command> commands = {
      Enqueue{.ns = "default", .jobs = {job}},
      Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"},
      Cancel{.ns = "default", .job = job.id, .actor = {}}};
  ASSERT_TRUE(backend_->store().commit(commands).ok());
  EXPECT_TRUE(shown(job.id).starts_with(queued_ + "3 QUEUED RUNNING claim 0 1 w -|"))
      << shown(job.id);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisUsualMoves, OfAScheduledJobAreStored) {
  const JobId id = enqueue(Duration::seconds(60));
  EXPECT_EQ(stored(id).substr(0, 11), "1 - CREATED");
  EXPECT_EQ(shown(id), "1 - CREATED enqueue 0 0 - -|2 CREATED SCHEDULED accept 0 0 - -|");
}

TEST_F(RedisUsualMoves, AreWholeAfterAnOlderNodeChangedTheJob) {
  const auto older = open_older();
  const JobId completed = enqueue();
  complete_with(*older, claim_with(*backend_));
  EXPECT_EQ(shown(completed), done_);
  EXPECT_TRUE(findings().empty());
  const JobId claimed = enqueue();
  complete_with(*backend_, claim_with(*older));
  EXPECT_EQ(stored(claimed).substr(0, 8), "3 QUEUED");
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisUsualMoves, OfAnOlderNodesJobGoOn) {
  const auto older = open_older();
  const NewJob job{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}};
  send(*older, Enqueue{.ns = "default", .jobs = {job}});
  complete_with(*backend_, claim_with(*backend_));
  EXPECT_EQ(shown(job.id), done_);
  EXPECT_EQ(stored(job.id).substr(0, 11), "1 - CREATED");
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisUsualMoves, ThatAreLostAreFound) {
  const JobId id = enqueue();
  fail_with(*backend_, claim_with(*backend_));
  ask({"HDEL", keys().job(id), "history"});
  EXPECT_FALSE(findings().empty());
}

}  // namespace
}  // namespace longshore::redis_test
