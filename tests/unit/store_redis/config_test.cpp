#include "store/redis/config.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

Job job_of(const std::string& queue, const std::string& type) {
  Job job;
  job.queue = queue;
  job.type = type;
  return job;
}

TEST(RedisConfig, KnowsWhichJobsRunOnlySoManyAtOnce) {
  const Configure rules{
      .queues = {{.ns = "a", .queue = "narrow", .max_running = 2}, {.ns = "a", .queue = "wide"}},
      .types = {{.ns = "a", .type = "heavy", .max_running = 1}}};
  const Config config = make_config(1, rules_lines(rules), "");
  EXPECT_TRUE(config.is_limited(job_of("narrow", "light")));
  EXPECT_TRUE(config.is_limited(job_of("wide", "heavy")));
  EXPECT_FALSE(config.is_limited(job_of("wide", "light")));
  EXPECT_FALSE(make_config(1, "", "").is_limited(job_of("narrow", "heavy")));
}

}  // namespace
}  // namespace longshore::redis
