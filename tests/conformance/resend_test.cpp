// Every command can be repeated: a client that repeats calls with the answer "unavailable" gets the
// same final state as without the fault, whichever call fails.
#include <set>

#include "conformance/faulty_store.h"
#include "conformance/fixture.h"
#include "conformance/report.h"
#include "conformance/snapshot.h"

namespace longshore::conformance {
namespace {

// One client that uses every command.
class Scenario {
 public:
  Scenario(StoreHarness& harness, Store& store) : harness_(harness), store_(store) {}

  void run() {
    configure();
    produce();
    work();
    operate();
    let_time_pass();
  }
  const std::set<std::size_t>& commands_used() const { return used_; }

 private:
  // Repeats until there is an answer. At most one call of a scenario fails.
  Verdict say(const Command& command) {
    used_.insert(command.index());
    auto committed = store_.commit({&command, 1});
    if (!committed && committed.error().code == Errc::unavailable) {
      committed = store_.commit({&command, 1});
    }
    EXPECT_TRUE(committed.ok());
    return committed ? committed->verdicts.at(0) : Verdict(Refusal{.code = Code::internal});
  }
  template <class Answer>
  Answer get(const Command& command) {
    const Verdict verdict = say(command);
    EXPECT_TRUE(std::holds_alternative<Answer>(verdict)) << describe(verdict);
    const Answer* answer = std::get_if<Answer>(&verdict);
    return answer != nullptr ? *answer : Answer{};
  }

  JobId add(NewJob job) {
    job.id = ids_.next(harness_.now());
    job.type = "work";
    job.body.payload = "[1]";
    job.policy = harness_.rules.policy;
    const JobId id = get<Enqueued>(Enqueue{.ns = "default", .jobs = {job}}).jobs.at(0).id;
    if (harness_.rules.accept == Rules::Accept::two_phase) {
      say(Accept{.ns = "default", .jobs = {id}});
    }
    return id;
  }
  Lease take() {
    const auto leased = get<Leased>(Claim{
        .id = random_id<RequestId>(random_), .ns = "default", .worker = "alice", .node = node_});
    EXPECT_EQ(leased.leases.size(), 1u);
    return leased.leases.empty() ? Lease{} : leased.leases.front();
  }
  RequestId request() { return random_id<RequestId>(random_); }

  void configure();
  void produce();
  void work();
  void operate();
  void let_time_pass();

  StoreHarness& harness_;
  Store& store_;
  SeededRandom random_{11};
  JobIds ids_{random_};
  const NodeId node_{7, 7};
  const Actor ops_{.name = "ops", .request_id = "r"};
  std::set<std::size_t> used_;
};

void Scenario::configure() {
  say(StartNode{.node = node_, .name = "n"});
  say(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 50}}});
  say(SetRules{.rules = {{"stuckAfterSeconds", "90"}}, .revision = 1, .actor = ops_});
  say(SeeWorkers{.workers = {{.ns = "default", .worker = "alice"}}});
  const Instant minute = Instant::millis(harness_.now().count() / 60'000 * 60'000);
  say(RecordMinutes{.rows = {{.minute = minute, .node = node_, .ns = "default", .enqueued = 1}}});
  for (const char* id : {"t1", "t2"}) {
    say(PutToken{.token = {.id = id, .ns = "default", .name = id}, .actor = ops_});
  }
  say(TouchToken{.id = "t1"});
  say(RevokeToken{.ns = "default", .id = "t2", .actor = ops_});
}

void Scenario::produce() {
  add({.idempotency_key = "once"});
  add({.job_key = "k", .idempotency_key = "two"});
  add({.job_key = "k", .idempotency_key = "three"});
  add({.priority = 3, .job_key = "k", .on_conflict = OnConflict::replace});
  say(Accept{.ns = "default", .jobs = {add({.delay = Duration::seconds(3)})}});
}

void Scenario::work() {
  const Lease first = take();
  say(Heartbeat{.id = request(),
                .ns = "default",
                .job = first.job,
                .token = first.token,
                .progress = 50,
                .checkpoint = "[2]",
                .log = "half\n"});
  say(Release{.ns = "default", .job = first.job, .token = first.token, .log = "back\n"});
  const Lease again = take();
  say(Fail{.ns = "default",
           .job = again.job,
           .token = again.token,
           .error = {.code = "E", .message = "m"},
           .retry_after = Duration(),
           .log = "broke\n"});
  const Lease keyed = take();
  say(HandOff{.ns = "default", .job = keyed.job, .token = keyed.token});
  EXPECT_EQ(keyed.job_key, "k");
  say(FinishByKey{.id = request(),
                  .ns = "default",
                  .type = "work",
                  .key = keyed.job_key,
                  .outcome = {.result = "[3]"}});
  add({.callback = Callback{.url = "https://example.org/"}});
  for (int i = 0; i < 2; ++i) {
    const Lease lease = take();
    say(Complete{.ns = "default", .job = lease.job, .token = lease.token, .result = "[4]"});
  }
}

void Scenario::operate() {
  const JobId failed = add({.delay = Duration::hours(1)});
  say(Promote{.ns = "default", .job = failed, .actor = ops_});
  say(Resolve{.id = request(),
              .ns = "default",
              .job = failed,
              .outcome = {.error = {.code = "E", .message = "by hand"}},
              .actor = ops_});
  say(Redrive{
      .ns = "default", .job = failed, .successor = ids_.next(harness_.now()), .actor = ops_});
  const JobId unwanted = add({.delay = Duration::hours(2)});
  say(Cancel{.ns = "default", .job = unwanted, .actor = ops_});
  say(RecordAudit{.ns = "default", .actor = ops_, .action = "cancel", .target = "1 job: {}"});
  say(PauseQueue{.ns = "default", .queue = "q", .actor = ops_});
  say(PauseQueue{.ns = "default", .queue = "q", .paused = false, .actor = ops_});
}

void Scenario::let_time_pass() {
  add({.expires_at = harness_.now() + Duration::seconds(20)});
  take();
  harness_.advance(Duration::seconds(5));
  say(SeeNode{.node = node_, .name = "n"});
  say(Due{});
  harness_.advance(Duration::seconds(40));
  say(Reap{});
  say(Sweep{});
  take();
  say(StartNode{.node = node_, .name = "n"});
  harness_.advance(Duration::days(8));
  say(Prune{});
}

Snapshot ending(StoreHarness& harness) {
  Snapshot taken = snapshot(harness.backend().catalog(),
                            {.namespaces = {"default"}, .idempotency_keys = {"once", "two"}});
  // A heartbeat is not a transition: a repeated one may increase the version twice.
  for (JobRecord& record : taken.jobs) record.job.version = 0;
  return taken;
}

class StoreResend : public StoreTest {
 protected:
  void walk(const Rules& rules, Fault fault, const std::string& name) {
    const auto calm = open_store(GetParam(), rules);
    Scenario undisturbed(*calm, calm->backend().store());
    undisturbed.run();
    EXPECT_EQ(undisturbed.commands_used().size(), std::variant_size_v<Command>);
    const Snapshot wanted = ending(*calm);

    const int walked = for_each_fault([&](int nth) {
      const auto harness = open_store(GetParam(), rules);
      FaultyStore faulty(harness->backend().store(), nth, fault);
      Scenario(*harness, faulty).run();
      EXPECT_EQ(difference(wanted, ending(*harness)), "");
      const auto audit = harness->backend().catalog().audit();
      EXPECT_TRUE(audit.ok() && audit->sound());
      return faulty.fired();
    });
    EXPECT_GT(walked, 40);
    report("resend_" + GetParam() + "_" + name, "resend: " + name + " on " + GetParam() + ": " +
                                                    std::to_string(walked) +
                                                    " calls failed in turn, every ending equal\n");
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreResend, every_store(), store_name);

TEST_P(StoreResend, EndsTheSameWhicheverRequestIsLost) {
  walk(Rules(), Fault::request_lost, "request_lost");
}

TEST_P(StoreResend, EndsTheSameWhicheverReplyIsLost) {
  walk(Rules(), Fault::reply_lost, "reply_lost");
}

TEST_P(StoreResend, EndsTheSameUnderTwoPhasesAndReopening) {
  Rules rules;
  rules.accept = Rules::Accept::two_phase;
  rules.terminal = Rules::Terminal::reopen;
  rules.cancel_path = Rules::CancelPath::system_claim;
  walk(rules, Fault::reply_lost, "reply_lost_other_rules");
}

}  // namespace
}  // namespace longshore::conformance
