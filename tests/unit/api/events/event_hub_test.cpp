#include "api/events/event_hub.h"

#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "core/ids/random.h"
#include "deadline.h"
#include "longshore/client.h"
#include "must.h"
#include "runtime/node/node.h"
#include "runtime/node/node_service.h"
#include "store/memory/store.h"

namespace longshore {
namespace {

// What a reader has received. A test may make it take nothing, as a slow reader does.
class ReadStream final : public HttpStream {
 public:
  bool send(std::string bytes) override {
    const std::lock_guard lock(mutex_);
    if (!takes_) return false;
    text_ += bytes;
    everything_ += bytes;
    changed_.notify_all();
    return true;
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  void take(bool takes) {
    const std::lock_guard lock(mutex_);
    takes_ = takes;
  }
  // Waits for `part`, and skips everything up to its end.
  ::testing::AssertionResult skip(const std::string& part) {
    std::unique_lock lock(mutex_);
    const bool came = changed_.wait_for(lock, test_deadline,
                                        [&] { return text_.find(part) != std::string::npos; });
    if (!came) return ::testing::AssertionFailure() << part << " is not in:\n" << text_;
    text_.erase(0, text_.find(part) + part.size());
    return ::testing::AssertionSuccess();
  }
  bool wait_for_end() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, test_deadline, [&] { return ended_; });
  }
  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  // What was not skipped.
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  // Everything received, skipped or not.
  std::string everything() {
    const std::lock_guard lock(mutex_);
    return everything_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::string everything_;
  bool takes_ = true;
  bool ended_ = false;
};

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    found += 1;
  }
  return found;
}

class EventHubTest : public ::testing::Test {
 protected:
  struct Following {
    std::shared_ptr<ReadStream> stream = std::make_shared<ReadStream>();
    std::shared_ptr<std::promise<Errc>> refused = std::make_shared<std::promise<Errc>>();
    std::shared_ptr<std::promise<std::function<void()>>> gone =
        std::make_shared<std::promise<std::function<void()>>>();

    Subscriber subscriber() const {
      return {.begin = [stream = stream](std::size_t) { return stream; },
              .refuse = [refused = refused](const Error& e) { refused->set_value(e.code); },
              .on_gone =
                  [gone = gone](std::function<void()> told) { gone->set_value(std::move(told)); }};
    }
  };

  EventHubTest() {
    node->engine().listen([this](const Committed& committed) { hub->on_commit(committed); });
    hub = std::make_unique<EventHub>(node->catalog(), *time, node->id, limits);
    must(node->start());
  }
  ~EventHubTest() override { node->stop(); }

  Following subscribe(const JobId& id, std::int64_t after = 0) {
    Following following;
    EXPECT_TRUE(hub->subscribe(JobSubscription{"default", id, after}, following.subscriber()));
    return following;
  }
  Following watch(const LiveSubscription& view) {
    Following following;
    EXPECT_TRUE(hub->subscribe(view, following.subscriber()));
    return following;
  }
  // Advances time by seconds until `part` arrives; how many depends on the hub's next check.
  ::testing::AssertionResult skip_in_time(const Following& reader, const std::string& part) {
    const auto came = eventually([&] { return reader.stream->text().contains(part); }, pass_second);
    return came ? reader.stream->skip(part)
                : ::testing::AssertionFailure() << part << " is not in:\n"
                                                << reader.stream->text();
  }
  const std::function<void()> pass_second = [this] {
    time->advance(Duration::seconds(1));
    std::this_thread::yield();
  };
  JobId enqueue(const std::string& type = "T", const std::string& queue = "default") {
    return must(client.enqueue({.type = type, .options = {.queue = queue}})).id;
  }

  EventHubLimits limits{.readers_max = 3, .events_waiting = 50};
  std::shared_ptr<ManualTime> time =
      std::make_shared<ManualTime>(Instant::millis(1'700'000'000'000));
  MemoryDisk disk;
  std::shared_ptr<Node> node =
      Node::make({.time = time,
                  .random = std::make_unique<SeededRandom>(7),
                  .backend = must(open_memory(disk, time->wall(), Rules())),
                  .rules = Rules(),
                  .options = {.node_name = "test"}})
          .value();
  Client client{std::make_shared<NodeService>(node)};
  std::unique_ptr<EventHub> hub;
};

TEST_F(EventHubTest, SendsTransitionsInTheWordsOfAView) {
  const JobView* const external = find_view("external");
  const Following native = watch({.ns = "default"});
  const Following live = watch({.ns = "default", .view = external});
  ASSERT_TRUE(native.stream->skip(": connected"));
  ASSERT_TRUE(live.stream->skip(": connected"));
  const JobId id = enqueue();
  Following subscription;
  EXPECT_TRUE(
      hub->subscribe(JobSubscription{"default", id, 0, external}, subscription.subscriber()));
  client.cancel(id).value();
  for (const Following& reader : {live, subscription}) {
    EXPECT_TRUE(reader.stream->skip(R"("from":null,"to":"initial","cause":"enqueue")"));
    // A transition between states with the same word is not sent.
    EXPECT_TRUE(reader.stream->skip("event: transition"));
    EXPECT_TRUE(reader.stream->skip(R"("from":"initial","to":"final","cause":"cancel")"));
    EXPECT_FALSE(reader.stream->everything().contains("accept"));
  }
  EXPECT_TRUE(native.stream->skip(R"("from":"CREATED","to":"QUEUED")"));
}

TEST_F(EventHubTest, SendsAllTransitionsOfAJob) {
  const JobId id = enqueue();
  const Following reader = subscribe(id);
  EXPECT_TRUE(reader.stream->skip("event: transition\nid: 1\ndata: {\"jobId\":\"" + to_text(id)));
  EXPECT_TRUE(reader.stream->skip("\"to\":\"CREATED\""));
  EXPECT_TRUE(reader.stream->skip("id: 2\n"));
  EXPECT_TRUE(reader.stream->skip("\"to\":\"QUEUED\""));
  client.cancel(id).value();
  EXPECT_TRUE(reader.stream->skip("id: 3\n"));
  EXPECT_TRUE(reader.stream->skip("\"status\":\"CANCELED\""));
  EXPECT_TRUE(reader.stream->wait_for_end());
}

TEST_F(EventHubTest, ContinuesAfterTheReadersLastEvent) {
  const JobId id = enqueue();
  client.cancel(id).value();
  const Following reader = subscribe(id, 2);
  EXPECT_TRUE(reader.stream->wait_for_end());
  EXPECT_TRUE(reader.stream->text().starts_with("event: transition\nid: 3\n"));
  const Following again = subscribe(id, 3);
  EXPECT_TRUE(again.stream->wait_for_end());
  EXPECT_EQ(again.stream->text(), "");
}

TEST_F(EventHubTest, RefusesUnknownJobsAndThoseOfOtherNamespaces) {
  const Following unknown = subscribe(JobId{1, 2});
  EXPECT_EQ(in_time(unknown.refused->get_future(), "a refusal"), Errc::not_found);
  const JobId id = enqueue();
  Following foreign;
  EXPECT_TRUE(hub->subscribe(JobSubscription{"other", id, 0}, foreign.subscriber()));
  EXPECT_EQ(in_time(foreign.refused->get_future(), "a refusal"), Errc::not_found);
}

TEST_F(EventHubTest, FindsChangesByOtherNodesWithinASecond) {
  const JobId id = enqueue();
  const Following reader = subscribe(id);
  EXPECT_TRUE(reader.stream->skip("id: 2\n"));
  // Directly to the store, as another node would.
  const auto other = open_memory(disk, time->wall(), Rules()).value();
  const std::array<Command, 1> cancel = {Cancel{.ns = "default", .job = id}};
  ASSERT_TRUE(other->store().commit(cancel).ok());
  EXPECT_TRUE(skip_in_time(reader, "\"to\":\"CANCELED\""));
  EXPECT_TRUE(reader.stream->wait_for_end());
}

TEST_F(EventHubTest, BuffersNothingForASlowReaderAndContinuesWhereItStopped) {
  const JobId id = enqueue();
  const Following reader = subscribe(id);
  EXPECT_TRUE(reader.stream->skip("id: 2\n"));
  reader.stream->take(false);
  client.cancel(id).value();
  time->advance(Duration::seconds(5));
  reader.stream->take(true);
  EXPECT_TRUE(skip_in_time(reader, "id: 3\n"));
  EXPECT_TRUE(reader.stream->wait_for_end());
}

TEST_F(EventHubTest, SendsOnlyTheMatchingLiveEvents) {
  const Following all = watch({.ns = "default"});
  const Following some = watch({.ns = "default", .type = "B", .queue = "q"});
  const Following foreign = watch({.ns = "other"});
  for (const Following& reader : {all, some, foreign}) {
    EXPECT_TRUE(reader.stream->skip(": connected\n\n"));
  }
  enqueue("A", "q");
  enqueue("B", "default");
  const JobId wanted = enqueue("B", "q");
  EXPECT_TRUE(all.stream->skip("\"jobType\":\"A\""));
  EXPECT_TRUE(all.stream->skip(to_text(wanted)));
  EXPECT_TRUE(some.stream->skip(to_text(wanted)));
  EXPECT_EQ(count(some.stream->everything(), "\"to\":\"CREATED\""), 1);
  EXPECT_FALSE(some.stream->everything().contains("\"jobType\":\"A\""));
  EXPECT_EQ(foreign.stream->everything(), ": connected\n\n");
}

TEST_F(EventHubTest, SendsLiveEventsAsSoonAsTheClientHasTheHeaders) {
  Following reader;
  Subscriber subscriber = reader.subscriber();
  subscriber.begin = [this, stream = reader.stream](std::size_t) {
    enqueue();  // by a client that was fast: beginning the stream sends the headers
    return stream;
  };
  ASSERT_TRUE(hub->subscribe(LiveSubscription{.ns = "default"}, std::move(subscriber)));
  EXPECT_TRUE(reader.stream->skip("\"to\":\"CREATED\""));
}

TEST_F(EventHubTest, SendsTheSameErrorLiveAndForOneJob) {
  const Following live = watch({.ns = "default"});
  EXPECT_TRUE(live.stream->skip(": connected\n\n"));
  const JobId id = enqueue();
  const Lease held =
      node->ask_for<Leased>(Claim{.id = {1, 1}, .ns = "default", .worker = "w"})->leases.at(0);
  node->ask_for<Settled>(Fail{.ns = "default",
                              .job = id,
                              .token = held.token,
                              .error = {.code = "SMTP", .message = "no route\nto the host"},
                              .retryable = false})
      .value();
  const Following subscription = subscribe(id);
  for (const Following& reader : {live, subscription}) {
    for (const std::string to : {"RETRY", "DEAD"}) {
      EXPECT_TRUE(reader.stream->skip("\"to\":\"" + to + "\""));
      EXPECT_TRUE(reader.stream->skip(R"("error":{"code":"SMTP","message":"no route"}})"));
    }
  }
}

TEST_F(EventHubTest, SendsQueuesChangedByOtherNodesOnceASecond) {
  const Following reader = watch({.ns = "default"});
  EXPECT_TRUE(reader.stream->skip(": connected\n\n"));
  hub->hint({"default/inbox", "other/secret", "default/inbox", "nonsense"});
  EXPECT_TRUE(skip_in_time(reader, "event: changed\ndata: {\"queue\":\"inbox\"}\n\n"));
  const JobId later = enqueue();
  EXPECT_TRUE(reader.stream->skip("event: transition"));
  EXPECT_TRUE(reader.stream->skip(to_text(later)));
  const std::string all = reader.stream->everything();
  EXPECT_EQ(count(all, "event: changed"), 1) << all;
  EXPECT_FALSE(all.contains("secret")) << all;
}

TEST_F(EventHubTest, TellsASlowReaderToStartOver) {
  const Following reader = watch({.ns = "default"});
  EXPECT_TRUE(reader.stream->skip(": connected\n\n"));
  reader.stream->take(false);
  enqueue();
  const Following witness = watch({.ns = "default", .last_id = "seen before"});
  EXPECT_TRUE(witness.stream->skip("event: reset\n"));  // the hub has processed the enqueue
  reader.stream->take(true);
  EXPECT_TRUE(skip_in_time(reader, "event: reset\n"));
  const JobId later = enqueue();
  EXPECT_TRUE(reader.stream->skip(to_text(later)));
}

TEST_F(EventHubTest, ResetsReadersWhenEventsWereDropped) {
  const Following reader = watch({.ns = "default"});
  EXPECT_TRUE(reader.stream->skip(": connected\n\n"));
  std::vector<JobRequest> many(100, JobRequest{.type = "T"});
  client.enqueue_all(std::move(many)).value();
  EXPECT_TRUE(skip_in_time(reader, "event: reset\n"));
}

TEST_F(EventHubTest, SendsKeepAlivesAndDropsStalledReaders) {
  const JobId id = enqueue();
  const Following subscription = subscribe(id);
  const Following live = watch({.ns = "default"});
  EXPECT_TRUE(subscription.stream->skip("id: 2\n"));
  EXPECT_TRUE(live.stream->skip(": connected\n\n"));
  for (const Following& reader : {subscription, live}) {
    EXPECT_TRUE(skip_in_time(reader, ": keep-alive\n\n"));
  }
  live.stream->take(false);
  enqueue();
  ASSERT_TRUE(eventually([&] { return live.stream->ended(); }, pass_second));
  EXPECT_TRUE(eventually([&] { return hub->readers() == 1; }));
}

TEST_F(EventHubTest, LimitsTheNumberOfReaders) {
  const JobId id = enqueue();
  const Following first = subscribe(id);
  const Following second = watch({.ns = "default"});
  const Following third = watch({.ns = "default"});
  EXPECT_TRUE(third.stream->skip(": connected\n\n"));
  EXPECT_FALSE(hub->subscribe(LiveSubscription{"default"}, Following().subscriber()));
  for (const Following& leaving : {first, second}) {
    in_time(leaving.gone->get_future(), "how to tell that the reader has gone")();
  }
  ASSERT_TRUE(eventually([&] { return hub->readers() == 1; }, pass_second));
  const Following next = watch({.ns = "default"});
  EXPECT_TRUE(next.stream->skip(": connected\n\n"));
}

TEST_F(EventHubTest, EndsAllStreamsWhenItStops) {
  const JobId id = enqueue();
  const Following subscription = subscribe(id);
  const Following live = watch({.ns = "default"});
  EXPECT_TRUE(subscription.stream->skip("id: 2\n"));
  EXPECT_TRUE(live.stream->skip(": connected\n\n"));
  hub->stop();
  hub->stop();
  EXPECT_TRUE(subscription.stream->wait_for_end());
  EXPECT_TRUE(live.stream->wait_for_end());
  EXPECT_FALSE(hub->subscribe(LiveSubscription{"default"}, Following().subscriber()));
}

}  // namespace
}  // namespace longshore
