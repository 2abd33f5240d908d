#include "longshore/testing.h"

#include <gtest/gtest.h>

namespace longshore::testing {
namespace {

struct Greet {
  static constexpr std::string_view job_type = "greet";
  std::string name;
  LONGSHORE_ARGS(name)
};

TEST(Harbour, TellsWhatWasEnqueued) {
  Harbour harbour;
  Client client = harbour.client();
  client.enqueue(Greet{"Ada"}).value();
  client.enqueue(Greet{"Bob"}).value();
  client.enqueue({.type = "other"}).value();
  ASSERT_EQ(harbour.enqueued<Greet>().size(), 2U);
  EXPECT_EQ(harbour.enqueued<Greet>()[0].name, "Ada");
  EXPECT_TRUE(harbour.has_enqueued<Greet>([](const Greet& one) { return one.name == "Bob"; }));
  EXPECT_FALSE(harbour.has_enqueued<Greet>([](const Greet& one) { return one.name == "Eve"; }));
  EXPECT_EQ(harbour.jobs("other").size(), 1U);
}

TEST(Harbour, RunsJobsAndTheJobsTheyBring) {
  Harbour harbour;
  Worker worker(harbour.longshore());
  worker.handle<Greet>([client = harbour.client()](const Greet& greet) {
    if (greet.name.size() < 3) client.enqueue(Greet{greet.name + "!"}).value();
  });
  harbour.client().enqueue(Greet{}).value();
  EXPECT_EQ(harbour.drain(worker), 4);
  EXPECT_EQ(harbour.drain(worker), 0);
}

TEST(Harbour, MovesTimeOnlyWhenTold) {
  Harbour harbour;
  const Instant start = harbour.now();
  const JobId id = harbour.client().enqueue(Greet{}, {.delay = Duration::hours(2)}).value().id;
  EXPECT_EQ(harbour.now(), start);
  harbour.advance(Duration::hours(2));
  EXPECT_EQ(harbour.now(), start + Duration::hours(2));
  EXPECT_EQ(harbour.path(id), "CREATED SCHEDULED QUEUED");
}

TEST(Harbour, KeepsJobsOverARestart) {
  Harbour harbour;
  Client before = harbour.client();
  const JobId id = before.enqueue(Greet{}).value().id;
  harbour.restart();
  EXPECT_EQ(before.get(id).error().code, Errc::refused);
  EXPECT_EQ(harbour.client().get(id).value().job.id, id);
  EXPECT_NE(harbour.client().enqueue(Greet{}).value().id, id);
}

TEST(Harbour, DrawsTheSameIdsInEveryRun) {
  Harbour one;
  Harbour two;
  Harbour other({.seed = 2});
  const JobId id = one.client().enqueue(Greet{}).value().id;
  EXPECT_EQ(two.client().enqueue(Greet{}).value().id, id);
  EXPECT_NE(other.client().enqueue(Greet{}).value().id, id);
}

}  // namespace
}  // namespace longshore::testing
