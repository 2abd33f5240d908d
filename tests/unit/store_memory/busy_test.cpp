// Whatever is sent, in whatever order, the store answers and stays sound.
#include <atomic>
#include <set>
#include <thread>

#include "core/policy/profiles.h"
#include "unit/store_memory/memory_test.h"

namespace longshore {
namespace {

// Sends commands drawn by chance, many of them nonsense.
class Crowd {
 public:
  Crowd(std::uint64_t seed, const Rules& rules) : random_(seed), rules_(rules) {}

  Command next(Instant now);
  // Tokens to settle with later.
  void hear(const Verdict& verdict);

 private:
  bool chance(double probability) { return random_.chance(probability); }
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  std::string pick(std::initializer_list<const char*> words) {
    return words.begin()[below(static_cast<int>(words.size()))];
  }
  RequestId request() { return random_id<RequestId>(random_); }
  JobId some_job();
  Lease some_lease();
  NewJob wish(Instant now);
  Claim claim();
  Outcome outcome();
  Command settle();
  Command operate();
  Command time();

  SeededRandom random_;
  const Rules& rules_;
  JobIds ids_{random_};
  std::vector<JobId> jobs_;
  std::vector<Lease> leases_;
  NodeId node_{1, 1};
};

JobId Crowd::some_job() {
  if (jobs_.empty() || chance(0.05)) return ids_.next(Instant());
  return jobs_[static_cast<std::size_t>(below(static_cast<int>(jobs_.size())))];
}

Lease Crowd::some_lease() {
  if (leases_.empty()) return {};
  return leases_[leases_.size() - 1 -
                 static_cast<std::size_t>(below(std::min(8, static_cast<int>(leases_.size()))))];
}

NewJob Crowd::wish(Instant now) {
  NewJob job{.id = chance(0.1) ? some_job() : ids_.next(now),
             .type = pick({"work", "mail"}),
             .queue = pick({"default", "bulk"}),
             .priority = below(10),
             .policy = rules_.policy};
  job.body.payload = "{}";
  if (chance(0.4)) job.job_key = pick({"a", "b", "c"});
  if (chance(0.3)) job.idempotency_key = pick({"1", "2", "3", "4", "5", "6"});
  job.on_conflict = static_cast<OnConflict>(below(3));
  if (chance(0.3)) job.delay = Duration::seconds(below(20));
  if (chance(0.3)) job.expires_at = now + Duration::seconds(below(60));
  if (chance(0.2)) job.callback = Callback{.url = "https://example.org"};
  job.policy.max_retries = below(3);
  return job;
}

Claim Crowd::claim() {
  Claim claim{.id = request(), .ns = "default", .worker = pick({"alice", "bob"})};
  if (chance(0.3)) claim.node = node_;
  claim.queues = {"default", "bulk", "longshore.callbacks"};
  if (chance(0.2)) claim.types = {"mail"};
  claim.limit = 1 + below(std::min(3, rules_.claim_limit));
  return claim;
}

Outcome Crowd::outcome() {
  Outcome outcome;
  if (chance(0.5)) outcome.result = "1";
  outcome.error = {.code = pick({"E", "CANCELED", "NO_HANDLER", "TIMEOUT"}), .message = "x"};
  outcome.retryable = chance(0.7);
  return outcome;
}

Command Crowd::settle() {
  const Lease lease = some_lease();
  const std::string ns = "default";
  switch (below(6)) {
    case 0:
      return Complete{.ns = ns, .job = lease.job, .token = lease.token, .log = "done\n"};
    case 1: {
      const Outcome said = outcome();
      return Fail{.ns = ns,
                  .job = lease.job,
                  .token = lease.token,
                  .error = said.error,
                  .retryable = said.retryable};
    }
    case 2:
      return Release{.ns = ns, .job = lease.job, .token = lease.token, .checkpoint = "2"};
    case 3:
      return HandOff{.ns = ns, .job = lease.job, .token = lease.token};
    case 4:
      return FinishByKey{.id = request(),
                         .ns = ns,
                         .type = "work",
                         .key = pick({"a", "b", "c"}),
                         .outcome = outcome()};
    default:
      return Heartbeat{.id = request(),
                       .ns = ns,
                       .job = lease.job,
                       .token = lease.token,
                       .progress = below(110),
                       .log = "beat\n"};
  }
}

Command Crowd::operate() {
  const std::string ns = "default";
  const JobId job = some_job();
  switch (below(7)) {
    case 0:
      return Cancel{.ns = ns, .job = job, .force = chance(0.3)};
    case 1:
      return Promote{.ns = ns, .job = job};
    case 2:
      return Resolve{.id = request(), .ns = ns, .job = job, .outcome = outcome()};
    case 3:
    case 4:
      return Redrive{.ns = ns,
                     .job = job,
                     .successor = ids_.next(Instant()),
                     .delay = Duration::seconds(below(3))};
    case 5:
      return PauseQueue{.ns = ns, .queue = "bulk", .paused = chance(0.5)};
    default:
      return Configure{
          .queues = {{.ns = ns, .queue = "bulk", .max_running = 1 + below(3)}},
          .types = {{.ns = ns, .type = "mail", .keep_success = Duration::seconds(below(60))}}};
  }
}

Command Crowd::time() {
  const int limit = 1 + below(5);
  switch (below(6)) {
    case 0:
      return Due{limit};
    case 1:
      return Reap{limit};
    case 2:
      return Sweep{limit};
    case 3:
      return Prune{limit};
    case 4:
      return StartNode{node_, "node"};
    default:
      return Accept{.ns = "default", .jobs = {some_job()}};
  }
}

Command Crowd::next(Instant now) {
  const int kind = below(10);
  if (kind < 2) {
    Enqueue enqueue{.ns = "default", .jobs = {wish(now)}};
    while (chance(0.4)) enqueue.jobs.push_back(wish(now));
    for (const NewJob& job : enqueue.jobs) jobs_.push_back(job.id);
    return enqueue;
  }
  if (kind < 4) return claim();
  if (kind < 7) return settle();
  return kind == 7 ? operate() : time();
}

void Crowd::hear(const Verdict& verdict) {
  if (const auto* leased = std::get_if<Leased>(&verdict)) {
    leases_.insert(leases_.end(), leased->leases.begin(), leased->leases.end());
  }
}

// Under these rules; every other move has to come up, or the crowd is not wild enough.
bool can_happen(Cause cause, const Rules& rules) {
  if (cause == Cause::reopen) return rules.terminal == Rules::Terminal::reopen;
  const bool other_moves = rules.other_moves == Rules::OtherMoves::allowed;
  if (cause == Cause::replace || cause == Cause::hand_off) return other_moves;
  // Where no job is handed off, the crowd's workers are lost before they run out of time.
  if (cause == Cause::timeout) return other_moves;
  if (cause == Cause::lease_lost) return rules.on_lease_lost != Rules::OnLeaseLost::wait_timeout;
  if (cause != Cause::cancel && cause != Cause::expired) return true;
  return rules.cancel_path == Rules::CancelPath::direct;
}

class MemoryBusy : public MemoryTest, public testing::WithParamInterface<std::string_view> {};

TEST_P(MemoryBusy, StaysSoundUnderEveryProfile) {
  const Rules rules = profile(GetParam()).value();
  disk_ = {};
  open(rules);
  Crowd crowd(7, rules);
  SeededRandom random(8);
  std::set<Cause> causes;
  for (int i = 0; i < 8000; ++i) {
    const Committed committed = commit({crowd.next(clock_.now())});
    crowd.hear(committed.verdicts.at(0));
    for (const JobEvent& news : committed.events) causes.insert(news.transition.cause);
    if (random.chance(0.2))
      advance(Duration::millis(static_cast<std::int64_t>(random.below(9000))));
    if (i % 200 == 0) open(rules);
    if (i % 100 != 0) continue;
    const Audit audit = *catalog().audit();
    ASSERT_TRUE(audit.sound()) << "after " << i << ": " << audit.findings.at(0).rule << ": "
                               << audit.findings.at(0).what;
  }
  EXPECT_GT(disk_.jobs.size(), 100u);
  for (int i = 0; i < cause_count; ++i) {
    const Cause cause = static_cast<Cause>(i);
    EXPECT_EQ(causes.contains(cause), can_happen(cause, rules)) << to_text(cause);
  }
}

INSTANTIATE_TEST_SUITE_P(, MemoryBusy, testing::ValuesIn(profile_names()),
                         [](const auto& name) { return std::string(name.param); });

TEST_F(MemoryTest, GivesEachJobToOneOfManyThreadsAndOnce) {
  constexpr int each = 100;
  std::vector<std::thread> threads;
  std::atomic<int> completed = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    threads.emplace_back([&, seed] {
      SeededRandom random(seed);
      JobIds ids(random);
      Store& store = backend_->store();
      const auto say = [&](const Command& command) {
        return store.commit({&command, 1}).value().verdicts.at(0);
      };
      for (int i = 0; i < each; ++i) {
        NewJob wish{.id = ids.next(Instant()), .type = "work"};
        wish.body.payload = "null";
        say(Enqueue{.ns = "default", .jobs = {wish}});
        const Verdict leased = say(
            Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "one of many"});
        const Lease lease = std::get<Leased>(leased).leases.at(0);
        const Verdict settled =
            say(Complete{.ns = "default", .job = lease.job, .token = lease.token});
        completed += std::holds_alternative<Settled>(settled);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, 4 * each);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

}  // namespace
}  // namespace longshore
