// Which layer of policy a job enqueued through a client gets.
#include <gtest/gtest.h>

#include "longshore/testing.h"

namespace longshore {
namespace {

using testing::Harbour;

testing::HarbourOptions layered() {
  testing::HarbourOptions options;
  options.open.queue_policies["slow"] = {
      .max_retries = 7, .timeout = Duration::hours(2), .backoff = {.base = Duration::seconds(60)}};
  options.open.type_policies["T"] = {.max_retries = 1, .backoff = {.jitter = 0.0}};
  return options;
}

TEST(ClientPolicy, GoesByJobThenTypeThenQueueThenRules) {
  Harbour harbour(layered());
  const struct {
    std::string name;
    JobRequest request;
    int max_retries;
    Duration timeout;
    Duration base;
    double jitter;
  } cases[] = {
      {"rules", {.type = "U"}, 3, Duration::seconds(1800), Duration::seconds(2), 0.1},
      {"queue",
       {.type = "U", .options = {.queue = "slow"}},
       7,
       Duration::hours(2),
       Duration::seconds(60),
       0.1},
      {"type over queue",
       {.type = "T", .options = {.queue = "slow"}},
       1,
       Duration::hours(2),
       Duration::seconds(60),
       0.0},
      {"job over all",
       {.type = "T",
        .options = {.queue = "slow",
                    .policy = {.max_retries = 0, .backoff = {.base = Duration::seconds(1)}}}},
       0,
       Duration::hours(2),
       Duration::seconds(1),
       0.0},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    Client client = harbour.client();
    const JobId id = client.enqueue(one.request).value().id;
    const Policy policy = client.get(id).value().job.policy;
    EXPECT_EQ(policy.max_retries, one.max_retries);
    EXPECT_EQ(policy.timeout, one.timeout);
    EXPECT_EQ(policy.backoff.base, one.base);
    EXPECT_EQ(policy.backoff.jitter, one.jitter);
  }
}

}  // namespace
}  // namespace longshore
