#include "engine/periodic_commands.h"

#include "core/policy/profiles.h"
#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class EnginePeriodicCommands : public SteppedEngine {
 protected:
  void pass(Duration by) {
    clock.advance(by);
    engine->tick(now());
    commit_all();
  }
  // The lease of a started job with the policy of the rules.
  Lease start() {
    NewJob wanted = new_job();
    wanted.policy = rules.policy;
    enqueue(wanted);
    submit(Accept{.ns = "ns", .jobs = {wanted.id}});
    const auto leased = claim(new_claim(), Duration());
    commit_all();
    return leased->lease();
  }
  void beat(const Lease& lease) {
    submit(Heartbeat{.ns = "ns", .job = lease.job, .token = lease.token});
    commit_all();
  }
  Job job(const JobId& id) { return backend->catalog().glance("ns", id).value(); }
};

TEST_F(EnginePeriodicCommands, PromotesAtTheTimeTheStoreNames) {
  NewJob later = new_job();
  later.delay = Duration::millis(400);
  enqueue(later);
  commit_all();
  engine->tick(now());
  commit_all();
  const Instant next = engine->tick(now());
  EXPECT_LE(next, now() + Duration::millis(400));
  pass(Duration::millis(400));
  EXPECT_EQ(job(later.id).state, State::queued);
}

TEST_F(EnginePeriodicCommands, PromotesInTimeWhatWasPutOffSinceItAsked) {
  pass(Duration::millis(1));  // nothing was put off then
  for (const int delay : {100, 300}) {
    SCOPED_TRACE(delay);
    NewJob later = new_job();
    later.delay = Duration::millis(delay);
    enqueue(later);
    commit_all();
    const Instant began = now();
    while (job(later.id).state == State::scheduled) {
      pass(Duration());  // sends what is due, so that the next call only tells the time
      pass(std::max(engine->tick(now()) - now(), Duration::millis(1)));
    }
    const Duration passed = now() - began;
    EXPECT_GE(passed, Duration::millis(delay));
    EXPECT_LE(passed, Duration::millis(delay + 50));
  }
}

TEST_F(EnginePeriodicCommands, ReapsAJobWhoseWorkerFellSilent) {
  const NewJob one = new_job();
  enqueue(one);
  claim(new_claim(), Duration());
  commit_all();
  EXPECT_EQ(job(one.id).state, State::running);
  pass(Duration::seconds(31));
  EXPECT_EQ(job(one.id).state, State::queued);
  EXPECT_EQ(job(one.id).crashes, 1);
}

TEST_F(EnginePeriodicCommands, ChecksDeadlinesEverySecondAndLostLeasesAsOftenAsTheRulesSay) {
  submit(SetRules{.rules = {{"sweepSeconds", "300"}}});
  commit_all();
  pass(Duration::millis(1));
  NewJob brief = new_job("brief");
  brief.policy.timeout = Duration::seconds(20);
  const NewJob lost = new_job("lost");
  for (const NewJob& each : {brief, lost}) enqueue(each);
  for (int i = 0; i < 2; ++i) claim(new_claim(), Duration());
  commit_all();
  pass(Duration::seconds(20));
  pass(Duration::seconds(1));
  EXPECT_EQ(job(brief.id).failures, 1) << "within a second of its deadline";
  for (int i = 0; i < 278; ++i) pass(Duration::seconds(1));
  EXPECT_EQ(job(lost.id).state, State::running) << "299 s after the last look";
  pass(Duration::seconds(1));
  EXPECT_EQ(job(lost.id).state, State::queued);
}

TEST_F(EnginePeriodicCommands, TimesOutWithinASecondUnderEveryProfile) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    restart_under(*profile(name));
    pass(Duration::millis(1));
    const Lease lease = start();
    const Duration third = Duration::millis((lease.lease_expires_at - now()).count() / 3);
    const Instant nearly = lease.deadline_at - Duration::seconds(2);
    while (now() < nearly) {
      pass(std::min(third, nearly - now()));
      beat(lease);
    }
    EXPECT_EQ(job(lease.job).state, State::running);
    EXPECT_EQ(job(lease.job).failures, 0);
    for (int i = 0; i < 3; ++i) pass(Duration::seconds(1));
    EXPECT_EQ(job(lease.job).failures, 1);
    EXPECT_EQ(job(lease.job).crashes, 0);
    EXPECT_LE(job(lease.job).updated_at, lease.deadline_at + Duration::seconds(1));
  }
}

TEST_F(EnginePeriodicCommands, RecoversUnderEndpointsWithinFiveMinutesOfALostLeaseUnlessItIsOff) {
  for (const bool recovery : {true, false}) {
    SCOPED_TRACE(recovery);
    restart_under(*profile("endpoints"), recovery);
    pass(Duration::millis(1));    // the first look
    pass(Duration::seconds(10));  // the next one is before the lease ends
    const Lease lease = start();
    EXPECT_EQ(lease.lease_expires_at, now() + Duration::seconds(300));
    while (now() < lease.lease_expires_at) pass(Duration::seconds(1));
    EXPECT_EQ(job(lease.job).failures, 0) << "at " << now().count();
    for (int i = 0; i < 300; ++i) pass(Duration::seconds(1));
    EXPECT_EQ(job(lease.job).failures, recovery ? 1 : 0);
    EXPECT_EQ(job(lease.job).crashes, recovery ? 1 : 0);
    if (recovery) continue;
    while (now() < lease.deadline_at) pass(Duration::seconds(1));
    EXPECT_EQ(job(lease.job).state, State::running) << "until another node takes it back";
  }
}

TEST_F(EnginePeriodicCommands, ReclaimsNoLostLeaseWithoutRecovery) {
  restart({}, false);
  NewJob brief = new_job("brief");
  brief.policy.timeout = Duration::seconds(20);
  const NewJob lost = new_job("lost");
  for (const NewJob& each : {brief, lost}) enqueue(each);
  for (int i = 0; i < 2; ++i) claim(new_claim(), Duration());
  commit_all();
  for (int i = 0; i < 120; ++i) pass(Duration::seconds(1));
  EXPECT_EQ(job(brief.id).failures, 1);
  EXPECT_EQ(job(lost.id).state, State::running);
}

TEST_F(EnginePeriodicCommands, UsesTheCurrentRules) {
  const auto apply = [this](const char* seconds) {
    submit(SetRules{.rules = {{"sweepSeconds", seconds}}});
    commit_all();
  };
  apply("300");
  pass(Duration::millis(1));
  const NewJob one = new_job();
  enqueue(one);
  claim(new_claim(), Duration());
  commit_all();
  pass(Duration::seconds(31));
  EXPECT_EQ(job(one.id).state, State::running);
  apply("1");
  pass(Duration::millis(1));  // what was planned for later is planned anew
  pass(Duration::seconds(1));
  EXPECT_EQ(job(one.id).state, State::queued);
}

TEST_F(EnginePeriodicCommands, ContinueAfterAFailedCommit) {
  NewJob later = new_job("later");
  later.delay = Duration::seconds(40);
  enqueue(later);
  const NewJob lost = new_job("lost");
  enqueue(lost);
  claim(new_claim(), Duration());
  commit_all();
  pass(Duration::millis(1));
  store->failure = Error{Errc::unavailable, "the network is down"};
  pass(Duration::seconds(60));
  store->failure.reset();
  EXPECT_EQ(job(later.id).state, State::scheduled);
  EXPECT_EQ(job(lost.id).state, State::running);
  pass(Duration::seconds(2));
  EXPECT_EQ(job(later.id).state, State::queued);
  EXPECT_EQ(job(lost.id).state, State::queued);
  EXPECT_EQ(backend->catalog().nodes()->at(0).seen_at, now());
}

TEST_F(EnginePeriodicCommands, ComesBackAtOnceWhileThereIsMore) {
  for (int group = 0; group < 3; ++group) {
    Enqueue many{.ns = "ns", .jobs = {}};
    for (int i = 0; i < 1000; ++i) {
      many.jobs.push_back(new_job());
      many.jobs.back().delay = Duration::seconds(1);
    }
    submit(std::move(many));
  }
  commit_all();
  clock.advance(Duration::seconds(2));
  for (int i = 0; i < 4; ++i) {
    engine->tick(now());
    commit_all();
  }
  const auto queues = backend->catalog().queues("ns").value();
  EXPECT_EQ(queues.at(0).depth.at(State::queued), 3000);
}

TEST_F(EnginePeriodicCommands, WritesTheMinutesItSaw) {
  enqueue(new_job());
  const auto leased = claim(new_claim(), Duration());
  commit_all();
  clock.advance(Duration::millis(250));
  submit(Complete{.ns = "ns", .job = leased->lease().job, .token = leased->lease().token});
  commit_all();
  pass(Duration::seconds(11));
  const auto rows = backend->catalog().minutes("ns", Instant()).value();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].enqueued, 1);
  EXPECT_EQ(rows[0].started, 1);
  EXPECT_EQ(rows[0].succeeded, 1);
  EXPECT_EQ(rows[0].run_millis, 250);
}

TEST_F(EnginePeriodicCommands, SendsTheHeartbeatOfTheNode) {
  pass(Duration::seconds(2));
  const auto nodes = backend->catalog().nodes().value();
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(nodes[0].seen_at, now());
}

TEST_F(EnginePeriodicCommands, ContinuesWhenTheNodesClockIsSetBack) {
  NewJob later = new_job();
  later.delay = Duration::seconds(5);
  enqueue(later);
  pass(Duration());
  // The store's clock continues; the node's is an hour behind from here on.
  clock.advance(Duration::seconds(6));
  const Instant behind = now() - Duration::hours(1);
  engine->tick(behind);
  commit_all();
  engine->tick(behind + Duration::seconds(1));
  commit_all();
  EXPECT_EQ(job(later.id).state, State::queued);
}

TEST_F(EnginePeriodicCommands, SendsACommandOnceUntilItIsAnswered) {
  engine->tick(now());
  const std::size_t waiting = engine->commits_waiting();
  clock.advance(Duration::seconds(60));
  engine->tick(now());
  EXPECT_EQ(engine->commits_waiting(), waiting);
}

}  // namespace
}  // namespace longshore
