// Clients and workers behave the same with a store opened by this process and with a real server,
// for every kind of store.
#include "longshore/client.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "e2e/new_store.h"
#include "e2e/server_process.h"
#include "longshore/longshore.h"

namespace longshore::e2e {
namespace {

using namespace std::chrono_literals;

struct Sum {
  static constexpr std::string_view job_type = "sum";
  int a = 0;
  int b = 0;
  LONGSHORE_ARGS(a, b)
};

constexpr auto patience = 60s;  // usually a fraction of a second; generous for a busy machine

constexpr std::string_view behind_server = "server_";  // prefix of the kind of its store

std::vector<std::string> places() {
  std::vector<std::string> all = {"memory"};
  for (const std::string& kind : store_kinds()) {
    all.push_back(kind);
    all.push_back(std::string(behind_server) + kind);
  }
  return all;
}

class AnyClient : public ::testing::TestWithParam<std::string> {
 protected:
  AnyClient() {
    const std::string& place = GetParam();
    if (place == "memory") {
      longshore.emplace(open("memory:").value());
    } else if (place.starts_with(behind_server)) {
      connect(new_store(place.substr(behind_server.size()), folder.path()));
    } else {
      longshore.emplace(open(new_store(place, folder.path())).value());
    }
  }

  void connect(const std::string& store) {
    server.emplace(store);
    const std::string token = server->make_token("operator");
    server->start({"--config", configuration()});
    longshore.emplace(open(server->url(), {.token = token}).value());
  }
  // A server accepts callbacks only with secrets that it knows.
  std::string configuration() const {
    const std::string secret = folder.path() + "/secret";
    const std::string file = folder.path() + "/longshore.toml";
    std::ofstream(secret) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
    std::filesystem::permissions(secret, std::filesystem::perms::owner_read);
    std::ofstream(file) << "[secrets.s]\nfile = \"" << secret << "\"\n"
                        << "namespace = \"default\"\nurls = [\"https://example.org\"]\n";
    return file;
  }

  Client client() const { return longshore->client(); }
  JobId enqueue(EnqueueOptions options = {}) const {
    return client().enqueue(Sum{.a = 1, .b = 2}, std::move(options)).value().id;
  }
  Lease claim() const { return longshore->leases()->claim({}, patience).value().at(0); }
  void tell(Command word) const { ASSERT_TRUE(longshore->leases()->tell({std::move(word)})); }
  // A job that failed for good.
  JobId dead(EnqueueOptions options = {}) const {
    const JobId id = enqueue(std::move(options));
    const Lease lease = claim();
    tell(Fail{.job = lease.job,
              .token = lease.token,
              .error = {"SMTP", "mailbox full", ""},
              .retryable = false});
    return id;
  }
  std::string path(const JobId& id) const {
    std::string text;
    EXPECT_TRUE(client().watch(id, [&text](const Transition& move) {
      text += std::string(text.empty() ? "" : " ") + std::string(to_text(move.to));
      return true;
    }));
    return text;
  }

  ScratchFolder folder;
  std::optional<ServerProcess> server;
  std::optional<Longshore> longshore;
};

INSTANTIATE_TEST_SUITE_P(, AnyClient, ::testing::ValuesIn(places()),
                         [](const auto& place) { return place.param; });

TEST_P(AnyClient, ReadsBackAllFieldsItSent) {
  const Instant later = Instant::millis(4'000'000'000'000);
  const JobId id =
      client()
          .enqueue(
              {.type = "T",
               .payload = "{ \"b\" : 1e2,\n\"a\":[ ] }",
               .options = {.queue = "mail",
                           .priority = 2,
                           .run_at = later,
                           .expires_at = later + Duration::hours(1),
                           .job_key = "k/ü%",
                           .idempotency_key = "i",
                           .policy = {.max_retries = 7,
                                      .timeout = 1500ms,
                                      .backoff = {.kind = Backoff::Kind::fixed,
                                                  .base = Duration::seconds(3),
                                                  .jitter = 0.25}},
                           .tags = {"red", "blau grün"},
                           .metadata = {{"who", "A\"B"}},
                           .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           .callback = Callback{"https://example.org/x", "s"}}})
          .value()
          .id;
  const JobRecord record = client().get(id).value();
  EXPECT_EQ(record.job.id, id);
  EXPECT_EQ(record.job.type, "T");
  EXPECT_EQ(record.job.state, State::scheduled);
  EXPECT_EQ(record.job.queue, "mail");
  EXPECT_EQ(record.job.priority, 2);
  EXPECT_EQ(record.job.run_at, later);
  EXPECT_EQ(record.job.expires_at, later + Duration::hours(1));
  EXPECT_EQ(record.job.job_key, "k/ü%");
  EXPECT_EQ(record.job.idempotency_key, "i");
  EXPECT_EQ(record.job.policy.max_retries, 7);
  EXPECT_EQ(record.job.policy.timeout, Duration::millis(1500));
  EXPECT_EQ(record.job.policy.backoff.kind, Backoff::Kind::fixed);
  EXPECT_EQ(record.job.policy.backoff.base, Duration::seconds(3));
  EXPECT_EQ(record.job.policy.backoff.jitter, 0.25);
  EXPECT_EQ(record.job.callback, (Callback{"https://example.org/x", "s"}));
  EXPECT_EQ(record.body.payload, "{ \"b\" : 1e2,\n\"a\":[ ] }");
  EXPECT_EQ(record.body.tags, (std::vector<std::string>{"red", "blau grün"}));
  EXPECT_EQ(record.body.metadata, R"({"who":"A\"B"})");
  EXPECT_EQ(record.body.traceparent, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  ASSERT_EQ(record.history.size(), 2U);
  EXPECT_EQ(record.history[1].to, State::scheduled);
  EXPECT_EQ(client().find_by_key("T", "k/ü%").value().id, id);
}

TEST_P(AnyClient, RunsAJobToItsResult) {
  Worker worker(*longshore, {.concurrency = 2});
  worker.handle<Sum>([](const Sum& sum) { return ok(sum.a + sum.b); });
  ASSERT_TRUE(worker.start());
  const JobId id = enqueue();
  EXPECT_EQ(client().result_as<int>(id, patience).value(), 3);
  const JobRecord record = client().wait(id, patience).value();
  EXPECT_EQ(record.job.state, State::success);
  EXPECT_EQ(record.result, "3");
  EXPECT_EQ(record.job.attempt, 1);
  EXPECT_EQ(path(id), "CREATED QUEUED RUNNING SUCCESS");
}

TEST_P(AnyClient, EnqueuesABatchInOrderOrNotAtAll) {
  std::vector<JobRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(request_for(Sum{.a = i}).value());
  const std::vector<EnqueuedJob> jobs = client().enqueue_all(requests).value();
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_LT(jobs[0].id, jobs[1].id);
  EXPECT_EQ(client().get(jobs[2].id)->body.payload, R"({"a":2,"b":0})");

  requests.push_back({.type = "bad type"});
  const Error error = client().enqueue_all(requests).error();
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_EQ(error.message.rfind("jobs[3]: job type", 0), 0U) << error.message;
  EXPECT_EQ(client().list().value().jobs.size(), 3U);
}

TEST_P(AnyClient, CreatesOneJobForTwoCallsWithOneId) {
  const JobId id = enqueue();
  EXPECT_EQ(enqueue({.id = id}), id);
  EXPECT_EQ(client().list().value().jobs.size(), 1U);
  const Error taken = client().enqueue({.type = "other", .options = {.id = id}}).error();
  EXPECT_EQ(taken.code, Errc::refused);
  EXPECT_EQ(taken.refusal, Code::id_in_use);
  const Error old =
      client().enqueue(Sum{}, {.id = JobId{0x01900000'0000'7000, 1ULL << 63}}).error();
  EXPECT_EQ(old.code, Errc::invalid);
  EXPECT_NE(old.message.find("24 hours"), std::string::npos) << old.message;
}

TEST_P(AnyClient, ReturnsTheFirstJobForARepeatedKey) {
  const JobId first = enqueue({.idempotency_key = "once"});
  const EnqueuedJob again = client().enqueue(Sum{}, {.idempotency_key = "once"}).value();
  EXPECT_EQ(again.id, first);
  EXPECT_FALSE(again.fresh);
}

TEST_P(AnyClient, ReportsTheReasonOfARefusal) {
  enqueue({.job_key = "k"});
  const Error taken =
      client().enqueue(Sum{}, {.job_key = "k", .on_conflict = OnConflict::reject}).error();
  EXPECT_EQ(taken.code, Errc::refused);
  EXPECT_EQ(taken.refusal, Code::key_in_use);
  const Error bad = client().enqueue(Sum{}, {.priority = 12}).error();
  EXPECT_EQ(bad.code, Errc::invalid);
  EXPECT_NE(bad.message.find("priority"), std::string::npos);
  const JobId unknown{0x01900000'0000'7000, 1ULL << 63};
  EXPECT_EQ(client().get(unknown).error().code, Errc::not_found);
  EXPECT_EQ(client().wait(unknown, patience).error().code, Errc::not_found);
  EXPECT_EQ(client().cancel(unknown).error().code, Errc::not_found);
  EXPECT_EQ(client().promote(unknown).error().code, Errc::not_found);
  EXPECT_EQ(client().find_by_key("T", "none").error().code, Errc::not_found);
  EXPECT_EQ(client().watch(unknown, [](auto&) { return true; }).error().code, Errc::not_found);
}

TEST_P(AnyClient, ReportsAJobThatFailedOrHasNotEnded) {
  const Error failed = client().result(dead(), patience).error();
  EXPECT_EQ(failed.code, Errc::refused);
  EXPECT_EQ(failed.refusal, Code::job_failed);
  EXPECT_NE(failed.message.find("mailbox full"), std::string::npos) << failed.message;
  const JobId waiting = enqueue();
  const Error unfinished = client().result(waiting, Duration()).error();
  EXPECT_EQ(unfinished.code, Errc::unavailable);
  EXPECT_NE(unfinished.message.find("not ended yet"), std::string::npos) << unfinished.message;
  EXPECT_EQ(client().cancel(waiting).value().status, Status::canceled);
  EXPECT_EQ(client().result(waiting, patience).error().refusal, Code::job_canceled);
}

TEST_P(AnyClient, AsksTheOwnerOfARunningJobToStop) {
  const JobId id = enqueue();
  claim();
  EXPECT_TRUE(client().cancel(id).value().asked);
  EXPECT_TRUE(client().get(id)->job.cancel_requested);
  EXPECT_FALSE(client().cancel(id, true).value().asked);
  EXPECT_EQ(client().get(id)->job.state, State::canceled);
}

TEST_P(AnyClient, FinishesAJobByItsKey) {
  enqueue({.job_key = "k"});
  EXPECT_EQ(client().complete_by_key("sum", "k", "1").error().refusal, Code::wrong_state);
  const Lease lease = claim();
  tell(HandOff{.job = lease.job, .token = lease.token});
  EXPECT_EQ(
      client().complete_by_key("sum", "k", "1", {.fence = lease.token.epoch + 1}).error().refusal,
      Code::lease_lost);
  EXPECT_EQ(client().complete_by_key("sum", "k", "{").error().code, Errc::invalid);
  const FinishOptions named{.fence = lease.token.epoch, .id = RequestId{1, 2}};
  const Settled done = client().complete_by_key<Sum>("k", 3, named).value();
  EXPECT_EQ(done.job, lease.job);
  EXPECT_EQ(done.status, Status::completed);
  EXPECT_EQ(client().result_as<int>(lease.job, patience).value(), 3);
  EXPECT_EQ(client().find_by_key("sum", "k").value().state, State::success);
}

TEST_P(AnyClient, FailsAJobByItsKey) {
  enqueue({.job_key = "k"});
  const Lease lease = claim();
  tell(HandOff{.job = lease.job, .token = lease.token});
  EXPECT_TRUE(
      client().fail_by_key("sum", "k", {"BANK", "declined", R"({"why":1})"}, {.retryable = false}));
  const JobRecord record = client().get(lease.job).value();
  EXPECT_EQ(record.job.state, State::dead);
  EXPECT_EQ(record.error, (JobError{"BANK", "declined", R"({"why":1})"}));
  ASSERT_EQ(record.errors.size(), 1U);
  EXPECT_EQ(record.errors[0].error.message, "declined");
  EXPECT_EQ(client().complete_by_key("sum", "k").error().code, Errc::not_found);
}

TEST_P(AnyClient, RedrivesADeadJobWithOverrides) {
  const JobId first = dead();
  const Settled next = client()
                           .redrive(first, {.payload = R"({"a":5})",
                                            .queue = "again",
                                            .priority = 1,
                                            .max_retries = 9,
                                            .timeout = 7s})
                           .value();
  EXPECT_NE(next.job, first);
  EXPECT_EQ(client().redrive(first).value().job, next.job) << "a repeat answers the successor";
  const JobRecord record = client().get(next.job).value();
  EXPECT_EQ(record.body.payload, R"({"a":5})");
  EXPECT_EQ(record.job.queue, "again");
  EXPECT_EQ(record.job.priority, 1);
  EXPECT_EQ(record.job.policy.max_retries, 9);
  EXPECT_EQ(record.job.policy.timeout, Duration::seconds(7));
  EXPECT_EQ(record.job.redrive_of, first);
  EXPECT_EQ(client().get(first)->job.successor_id, next.job);
  EXPECT_EQ(client().redrive(next.job).error().refusal, Code::wrong_state);
}

TEST_P(AnyClient, RedrivesWithADelay) {
  const Instant later = Instant::millis(4'000'000'000'000);
  const JobId at = client().redrive(dead(), {.run_at = later}).value().job;
  EXPECT_EQ(client().get(at)->job.state, State::scheduled);
  EXPECT_EQ(client().get(at)->job.run_at, later);

  const JobId after = client().redrive(dead(), {.delay = 1h}).value().job;
  const Job delayed = client().get(after)->job;
  EXPECT_EQ(delayed.state, State::scheduled);
  EXPECT_EQ(delayed.run_at, delayed.created_at + Duration::hours(1));

  const JobId both = dead();
  const Error error = client().redrive(both, {.run_at = later, .delay = 1h}).error();
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_NE(error.message.find("delay"), std::string::npos) << error.message;
  EXPECT_FALSE(client().get(both)->job.successor_id) << "nothing happened";
}

TEST_P(AnyClient, PromotesAndResolves) {
  const JobId later = enqueue({.delay = 1h});
  EXPECT_EQ(client().promote(later).value().status, Status::pending);
  EXPECT_EQ(client().get(later)->job.state, State::queued);
  const RequestId request{3, 4};
  EXPECT_EQ(client().resolve(later, {.result = "[1]"}, request).value().status, Status::completed);
  EXPECT_EQ(client().resolve(later, {.result = "[1]"}, request).value().status, Status::completed)
      << "a repeat is answered as the first was";
  EXPECT_EQ(client().result(later, patience).value(), "[1]");
  const JobId failed = enqueue();
  const Outcome by_hand{.error = {"BY_HAND", "gave up", ""}};
  EXPECT_EQ(client().resolve(failed, by_hand).value().status, Status::failed);
  EXPECT_EQ(client().get(failed)->error->message, "gave up");
}

TEST_P(AnyClient, ListsPageByPage) {
  std::vector<JobId> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(enqueue({.queue = "q", .tags = {"t"}}));
  enqueue();
  const ListPage first = client().list({.queue = "q", .limit = 2}).value();
  ASSERT_EQ(first.jobs.size(), 2U);
  EXPECT_EQ(first.jobs[0].job.id, ids[2]);
  EXPECT_EQ(first.jobs[0].job.state, State::queued);
  EXPECT_EQ(first.jobs[0].tags, std::vector<std::string>{"t"});
  ASSERT_TRUE(first.next);
  const ListPage second = client().list({.queue = "q", .limit = 2, .before = first.next}).value();
  ASSERT_EQ(second.jobs.size(), 1U);
  EXPECT_EQ(second.jobs[0].job.id, ids[0]);
  EXPECT_FALSE(second.next);
}

TEST_P(AnyClient, ListsByState) {
  const JobId letter = dead();
  const JobId waits = enqueue();
  const JobId later = enqueue({.delay = 1h});
  const JobId withdrawn = enqueue({.delay = 1h});
  ASSERT_TRUE(client().cancel(withdrawn));
  const auto listed = [this](std::vector<StateMatch> states) {
    std::vector<JobId> ids;
    for (const JobSummary& each : client().list({.states = std::move(states)}).value().jobs) {
      ids.push_back(each.job.id);
    }
    return ids;
  };
  using Ids = std::vector<JobId>;
  EXPECT_EQ(listed({{.state = State::queued}}), Ids{waits});
  EXPECT_EQ(listed({{.state = State::scheduled}, {.state = State::queued}}), (Ids{later, waits}));
  EXPECT_EQ(listed({{.state = State::dead, .withdrawn = false}}), Ids{letter});
  EXPECT_EQ(listed({{.state = State::canceled}}), Ids{withdrawn});
  EXPECT_EQ(listed({{.state = State::running}}), Ids{});
}

TEST_P(AnyClient, WatchesUntilEnough) {
  const JobId id = enqueue();
  std::int64_t seen = 0;
  const auto until_queued = [&seen](const Transition& move) {
    seen += 1;
    return move.to != State::queued;
  };
  EXPECT_EQ(client().watch(id, until_queued).value(), 2);
  EXPECT_EQ(seen, 2);
  std::stop_source stop;
  std::vector<State> later;
  std::thread watcher([&] {
    const auto last = client().watch(
        id,
        [&later](const Transition& move) {
          later.push_back(move.to);
          return true;
        },
        stop.get_token(), 2);
    EXPECT_EQ(last.value(), 4);
  });
  const Lease lease = claim();
  tell(Complete{.job = lease.job, .token = lease.token});
  watcher.join();
  EXPECT_EQ(later, (std::vector<State>{State::running, State::success}));
  EXPECT_EQ(client()
                .watch(
                    id, [](auto&) { return true; }, {}, 4)
                .value(),
            4)
      << "nothing is left to see";
}

TEST_P(AnyClient, StopsWatchingWhenAsked) {
  const JobId id = enqueue();
  std::stop_source stop;
  const auto stop_at_queued = [&stop](const Transition& move) {
    if (move.to == State::queued) stop.request_stop();
    return true;
  };
  EXPECT_EQ(client().watch(id, stop_at_queued, stop.get_token()).value(), 2);
}

TEST_P(AnyClient, IsRefusedOnceItHasStopped) {
  const JobId id = enqueue();
  const Client before = client();
  const std::shared_ptr<Leases> leases = longshore->leases();
  longshore->stop();
  longshore->stop();
  for (const Error& error :
       {before.enqueue(Sum{}).error(), before.get(id).error(), before.cancel(id).error(),
        before.list().error(), before.wait(id, patience).error(),
        before.watch(id, [](auto&) { return true; }).error(),
        leases->claim({}, Duration()).error()}) {
    EXPECT_EQ(error.code, Errc::refused);
    EXPECT_NE(error.message.find("stopped"), std::string::npos) << error.message;
  }
}

}  // namespace
}  // namespace longshore::e2e
