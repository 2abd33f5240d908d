// Namespaces are independent: the cost of one does not depend on their number, and on a cluster a
// namespace whose primary is down does not affect the others.
#include <algorithm>
#include <thread>

#include "deadline.h"
#include "redis/connect.h"
#include "redis/store_fixture.h"
#include "store/redis/id_registry.h"
#include "store/redis/writer.h"

namespace longshore::redis_test {
namespace {

// ---- Cost --------------------------------------------------------------------------------------

// A writer on a separate channel, which counts commands.
class NamespaceCost : public RedisStore {
 protected:
  Committed commit(const Command& command) {
    const std::int64_t before = channel_->counts().exchanges;
    auto committed = writer_.commit({&command, 1});
    cost_ = channel_->counts().exchanges - before;
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? std::move(*committed) : Committed{.verdicts = {Done{}}};
  }
  std::int64_t cost_of(const Command& command) {
    commit(command);
    return cost_;
  }
  Enqueue enqueue_in(const std::string& ns) {
    return {.ns = ns, .jobs = {{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}}}};
  }
  void make_namespaces(int count) {
    for (int i = 0; i < count; ++i) commit(enqueue_in("ns" + std::to_string(i)));
    commit(Due{});
  }
  // The cost of all commands that visit all namespaces.
  std::vector<std::int64_t> upkeep() {
    return {cost_of(Due{}), cost_of(Reap{}), cost_of(Sweep{}), cost_of(Prune{})};
  }

  RulesCopy rules_{first_record(Rules())};
  redis::Copies copies_;
  StoreTime time_{{.highest = start, .stepped_at = {}}};
  const redis::Surroundings around_{
      .channel = *channel_, .rules = rules_, .copies = copies_, .clock = &clock_, .time = time_};
  redis::Writer writer_{around_, [](const std::set<std::string>&) {}};
  std::int64_t cost_ = 0;
};

TEST_F(NamespaceCost, OfAnEnqueueDoesNotDependOnTheirNumber) {
  make_namespaces(1);
  commit(enqueue_in("ns0"));
  const std::int64_t alone = cost_of(enqueue_in("ns0"));
  make_namespaces(200);
  commit(enqueue_in("ns0"));
  EXPECT_EQ(cost_of(enqueue_in("ns0")), alone);
  EXPECT_LE(alone, 2);
}

TEST_F(NamespaceCost, OfMaintenanceDoesNotDependOnTheirNumber) {
  make_namespaces(8);
  upkeep();  // the first sweep gives each namespace its rules
  const std::vector<std::int64_t> few = upkeep();
  make_namespaces(200);
  const std::vector<std::int64_t> many = upkeep();
  // What a sweep queries depends a little on what it saw in the namespace before.
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_LE(many[i], few[i] * 3 / 2) << i;
}

TEST_F(NamespaceCost, OfIdsIsZeroWithOneNamespace) {
  commit(enqueue_in("default"));
  EXPECT_EQ(cost_of(enqueue_in("default")), 1);
  commit(enqueue_in("other"));
  Enqueue made = enqueue_in("default");
  made.jobs[0].id_is_made = true;
  EXPECT_EQ(cost_of(made), 1) << "an id created here is unique";
}

// Each sweep checks a few namespaces for stuck jobs, the next one the next few.
TEST_F(NamespaceCost, OfStuckJobChecksIsSpreadOverTheNamespaces) {
  make_namespaces(20);
  const redis::Keys last(redis::parse_url(url_)->prefix, "ns9");
  const std::vector<redis::Words> lose = {
      {"DEL", last.ready({.queue = "default", .priority = 5, .type = "work"})}};
  ASSERT_TRUE(channel_->exchange(last.tag(), lose, false).ok());
  std::int64_t repaired = 0;
  for (int i = 0; i < 20; ++i) {
    repaired += std::ssize(std::get<Swept>(commit(Sweep{}).verdicts[0]).repaired);
  }
  EXPECT_GE(repaired, 1);
  ASSERT_TRUE(channel_->exchange(last.tag(), lose, false).ok());
  const Committed whole = commit(Sweep{.all_namespaces = true});
  EXPECT_GE(std::ssize(std::get<Swept>(whole.verdicts[0]).repaired), 1);
}

TEST_F(NamespaceCost, DelaysNoDueJobInAnyNamespace) {
  make_namespaces(20);
  for (int i = 0; i < 20; ++i) {
    Enqueue later = enqueue_in("ns" + std::to_string(i));
    later.jobs[0].delay = Duration::seconds(10 + i);
    commit(later);
  }
  EXPECT_EQ(std::get<Swept>(commit(Due{}).verdicts[0]).next, start + Duration::seconds(10));
  clock_.advance(Duration::seconds(19));
  const Swept first = std::get<Swept>(commit(Due{.limit = 4}).verdicts[0]);
  EXPECT_EQ(first.count, 4);
  EXPECT_TRUE(first.more);
  const Swept rest = std::get<Swept>(commit(Due{}).verdicts[0]);
  EXPECT_EQ(rest.count, 6);
  EXPECT_EQ(rest.next, start + Duration::seconds(20));
}

// ---- Ownership of ids --------------------------------------------------------------------------

class RedisIds : public RedisStore {
 protected:
  NewJob job(const JobId& id, bool is_made = false) {
    return {.id = id, .id_is_made = is_made, .type = "work", .body = {.payload = "1"}};
  }
  bool accepts(const std::string& ns, const NewJob& job) {
    const Verdict verdict = send(Enqueue{.ns = ns, .jobs = {job}});
    const auto* refusal = std::get_if<Refusal>(&verdict);
    EXPECT_TRUE(refusal == nullptr || refusal->code == Code::id_in_use);
    return refusal == nullptr;
  }
};

TEST_F(RedisIds, BelongToTheNamespaceThatUsedThemFirst) {
  const std::vector<std::string> all = {"default", "one", "two"};
  for (const std::string& owner : all) {
    for (const bool is_made : {false, true}) {
      const JobId id = ids_.next(start);
      EXPECT_TRUE(accepts(owner, job(id, is_made)));
      for (const std::string& ns : all) {
        EXPECT_EQ(accepts(ns, job(id)), ns == owner) << owner << " has it, brought to " << ns;
      }
    }
  }
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisIds, OfAGroupAreEachChecked) {
  const JobId taken = ids_.next(start);
  EXPECT_TRUE(accepts("one", job(taken)));
  // Ids with times spread over many hours.
  Enqueue group{.ns = "two", .jobs = {}};
  for (int i = -20; i < 20; ++i)
    group.jobs.push_back(job(JobIds(random_).next(start + Duration::hours(i))));
  EXPECT_TRUE(std::holds_alternative<Enqueued>(send(group)));
  group.jobs.push_back(job(taken));
  const Refusal refused = std::get<Refusal>(send(group));
  EXPECT_EQ(refused.code, Code::id_in_use);
  EXPECT_EQ(refused.index, group.jobs.size() - 1);
  for (const NewJob& one : group.jobs) EXPECT_FALSE(accepts("default", one));
}

TEST_F(RedisIds, GoToOneOfTwoNamespacesThatUseThemAtOnce) {
  const auto other = open();
  EXPECT_TRUE(accepts("one", job(ids_.next(start))));
  EXPECT_TRUE(accepts("two", job(ids_.next(start))));
  for (int i = 0; i < 30; ++i) {
    const Enqueue first{.ns = "one", .jobs = {job(ids_.next(start))}};
    const Enqueue second{.ns = "two", .jobs = first.jobs};
    Verdict there;
    {
      const std::jthread thread([&] { there = send(*other, second); });
      const Verdict here = send(first);
      EXPECT_TRUE(std::holds_alternative<Enqueued>(here) || std::holds_alternative<Refusal>(here));
    }
    int jobs = 0;
    for (const std::string ns : {"one", "two"}) {
      jobs += backend_->catalog().glance(ns, first.jobs[0].id).ok() ? 1 : 0;
    }
    EXPECT_EQ(jobs, 1);
  }
}

// A node may crash after it registered an id, and before it wrote the job.
TEST_F(RedisIds, AreFreedIfNoJobWasCreatedWithThem) {
  EXPECT_TRUE(accepts("one", job(ids_.next(start))));
  const JobId id = ids_.next(start);
  const JobId same = ids_.next(start);
  redis::IdRegistry registry(*channel_, "one");
  EXPECT_TRUE(registry.ask({.enter = {id, same}}, start).empty());
  EXPECT_FALSE(accepts("two", job(id))) << "the job may be about to be written";
  EXPECT_TRUE(accepts("one", job(same))) << "the namespace that registered it repeats its request";
  clock_.advance(Duration::minutes(11));
  EXPECT_TRUE(accepts("two", job(id)));
  EXPECT_FALSE(accepts("one", job(id)));
  EXPECT_FALSE(accepts("two", job(same)));
}

TEST_F(RedisIds, AreKeptAsLongAsARequestMayBeRepeated) {
  EXPECT_TRUE(accepts("one", job(ids_.next(start))));
  const redis::Keys keys =
      redis::Keys::ids(redis::parse_url(url_)->prefix, start.count() / 3'600'000);
  const std::vector<redis::Words> calls = {{"TTL", keys.one("ids")}};
  const auto replies = channel_->exchange(keys.tag(), calls, false);
  ASSERT_TRUE(replies.ok());
  EXPECT_GT((*replies)[0].integer, 24 * 3600);
  EXPECT_LE((*replies)[0].integer, 50 * 3600);
}

// ---- A primary is down -------------------------------------------------------------------------

// Three primaries, of which one is killed without a replica that could take over.
class DeadPrimary : public testing::Test {
 protected:
  DeadPrimary() {
    // On a busy machine the replicas of a new cluster may need longer than this timeout.
    await("a store on a new cluster", [this] {
      auto opened = open_redis({.url = servers_.url("timeout=1")}, Rules());
      if (opened.ok()) backend_ = std::move(*opened);
      return opened.ok();
    });
  }

  // A namespace on the primary that holds the shared data, or on another one.
  std::string namespace_on(int primary, int but_for = 0) {
    for (int i = 0;; ++i) {
      std::string name = "ns" + std::to_string(i);
      if (servers_.primary_of(name) == primary && but_for-- == 0) return name;
    }
  }
  int shared_primary() { return servers_.primary_of("*"); }
  void kill(int primary) {
    servers_.kill(primary + 3);
    servers_.kill(primary);
    dead_ = primary;
  }

  Result<Committed> commit(const std::vector<Command>& commands) {
    return backend_->store().commit(commands);
  }
  bool works(const Command& command) { return commit({command}).ok(); }
  Verdict send(const Command& command) {
    const auto committed = commit({command});
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? committed->verdicts.at(0) : Verdict(Refusal{.code = Code::internal});
  }
  Swept sweep(const Command& command) {
    const Verdict verdict = send(command);
    const auto* swept = std::get_if<Swept>(&verdict);
    return swept == nullptr ? Swept{} : *swept;
  }
  Enqueue enqueue(const std::string& ns, Duration delay = {}) {
    return {.ns = ns,
            .jobs = {{.id = ids_.next(clock_.now()),
                      .type = "work",
                      .body = {.payload = "1"},
                      .delay = delay}}};
  }
  Claim claim(const std::string& ns) {
    return {.id = random_id<RequestId>(random_),
            .ns = ns,
            .worker = "w",
            .lease = Duration::seconds(1)};
  }
  Lease lease(const std::string& ns) {
    const Verdict verdict = send(claim(ns));
    const auto* leased = std::get_if<Leased>(&verdict);
    EXPECT_TRUE(leased != nullptr && leased->leases.size() == 1);
    return leased == nullptr || leased->leases.empty() ? Lease() : leased->leases[0];
  }

  std::optional<State> state_of(const std::string& ns, const JobId& job) {
    const auto found = backend_->catalog().glance(ns, job);
    return found ? std::optional(found->state) : std::nullopt;
  }

  // Enqueue, claim, complete, due and reap, while the other namespace is down.
  void expect_to_work(const std::string& ns) {
    send(enqueue(ns));
    const Lease held = lease(ns);
    EXPECT_TRUE(std::holds_alternative<Settled>(
        send(Complete{.ns = ns, .job = held.job, .token = held.token})));
    const Enqueue later = enqueue(ns, Duration::millis(100));
    const JobId job = later.jobs[0].id;
    send(later);
    EXPECT_TRUE(wait_until([&] {
      sweep(Due{});
      return state_of(ns, job) == State::queued;
    }));
    EXPECT_EQ(lease(ns).job, job);
    EXPECT_TRUE(wait_until([&] {
      sweep(Reap{});
      return state_of(ns, job) != State::running;
    }));
    EXPECT_FALSE(sweep(Reap{}).seen_until) << "not everything was seen";
    sweep(Sweep{});
    sweep(Prune{});
  }
  void expect_shared_commit(const std::string& dead, const std::string& alive) {
    const auto committed =
        commit({enqueue(dead), enqueue(alive), claim(dead), Due{}, claim(alive)});
    ASSERT_TRUE(committed.ok()) << committed.error().message;
    ASSERT_EQ(committed->errors.size(), 5U);
    for (const std::size_t i : {0, 2}) {
      ASSERT_TRUE(committed->errors[i].has_value());
      EXPECT_EQ(committed->errors[i]->code, Errc::unavailable);
    }
    for (const std::size_t i : {1, 3, 4}) EXPECT_FALSE(committed->errors[i]) << i;
    EXPECT_TRUE(std::holds_alternative<Enqueued>(committed->verdicts[1]));
    EXPECT_TRUE(std::holds_alternative<Swept>(committed->verdicts[3]));
    EXPECT_EQ(std::get<Leased>(committed->verdicts[4]).leases.size(), 1U);
    for (const JobEvent& one : committed->events) EXPECT_EQ(one.ns, alive);
  }

  OwnServers servers_{
      {.cluster = true,
       .settings = {"cluster-require-full-coverage=no", "cluster-node-timeout=2000"}}};
  SystemClock clock_;
  SeededRandom random_{11};
  JobIds ids_{random_};
  std::unique_ptr<Backend> backend_;
  int dead_ = -1;
};

TEST_F(DeadPrimary, StopsOnlyItsOwnNamespaces) {
  const int primary = (shared_primary() + 1) % 3;
  const std::string dead = namespace_on(primary);
  const std::string alive = namespace_on((primary + 1) % 3);
  const std::string namespace_to_be = namespace_on((primary + 1) % 3, 1);
  for (const std::string& ns : {dead, alive}) send(enqueue(ns));
  lease(alive);
  kill(primary);
  expect_shared_commit(dead, alive);
  const auto refused = commit({enqueue(dead)});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::unavailable);
  expect_to_work(namespace_to_be);
  // Configuration changes reach the dead namespace when it is back.
  send(Configure{.queues = {{.ns = dead, .queue = "default", .max_running = 0}}, .types = {}});
  servers_.start(primary);
  servers_.start(primary + 3);
  EXPECT_TRUE(wait_until([&] { return works(enqueue(dead)); }));
}

TEST_F(DeadPrimary, MayHoldTheSharedData) {
  const std::string dead = namespace_on(shared_primary());
  const std::string alive = namespace_on((shared_primary() + 1) % 3);
  for (const std::string& ns : {dead, alive}) send(enqueue(ns));
  EXPECT_EQ(std::get<Leased>(send(claim(alive))).leases.size(), 1U);
  kill(shared_primary());
  expect_shared_commit(dead, alive);
}

// Every namespace needs the registry of ids; the part that is down is skipped.
TEST_F(DeadPrimary, MayHoldPartOfTheRegistryOfIds) {
  const int primary = (shared_primary() + 1) % 3;
  const std::string alive = namespace_on((primary + 1) % 3);
  send(enqueue(alive));
  Instant at = clock_.now();
  while (servers_.primary_of("*ids:" + std::to_string(at.count() / 3'600'000)) != primary) {
    at = at + Duration::hours(1);
  }
  kill(primary);
  Enqueue command = enqueue(alive);
  command.jobs[0].id = ids_.next(at);
  EXPECT_TRUE(std::holds_alternative<Enqueued>(send(command)));
}

// The first call waits for a new primary; later calls do not wait in turn.
TEST_F(DeadPrimary, DoesNotDelayEveryCall) {
  const std::string dead = namespace_on((shared_primary() + 1) % 3);
  send(enqueue(dead));
  kill((shared_primary() + 1) % 3);
  const auto timed = [&](int calls) {
    const std::int64_t from = steady_micros();
    for (int i = 0; i < calls; ++i) EXPECT_FALSE(works(enqueue(dead)));
    return steady_micros() - from;
  };
  const std::int64_t first = timed(1);
  EXPECT_LT(timed(20), first);
}

}  // namespace
}  // namespace longshore::redis_test
