#include <gtest/gtest.h>

#include "server/server.h"

namespace longshore {
namespace {

TEST(StartOptions, RequireTheAcceptedDurability) {
  const struct {
    Durability store;
    const char* accepted;
    bool starts;
  } cases[] = {
      {Durability::a, "A", true}, {Durability::b, "A", false}, {Durability::c, "A", false},
      {Durability::b, "B", true}, {Durability::c, "B", false}, {Durability::c, "C", true},
      {Durability::a, "C", true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(!durability_fault({.name = "test", .durability = c.store}, c.accepted), c.starts);
  }
}

TEST(StartOptions, RequireTokensAndEncryptionOffLoopback) {
  const struct {
    ListenSecurity security;
    bool starts;
  } cases[] = {
      {{.loopback = true}, true},
      {{.loopback = false}, false},
      {{.loopback = false, .secure = true}, false},
      {{.loopback = false, .plaintext_wanted = true}, false},
      {{.loopback = false, .has_tokens = true}, false},
      {{.loopback = false, .has_tokens = true, .secure = true}, true},
      {{.loopback = false, .has_tokens = true, .plaintext_wanted = true}, true},
  };
  for (const auto& c : cases) EXPECT_EQ(!listen_fault(c.security, "0.0.0.0:80"), c.starts);
}

TEST(StartOptions, ReadPoliciesFromTheFile) {
  Settings::Sources sources;
  sources.file = parse_settings_file(R"(
[queues.a]
maxRunning = 2
[queues.b]
maxRetries = 1
[types.t]
retention = { dead = "30d" }
)",
                                     "longshore.toml")
                     .value();
  const Settings settings = Settings::from(std::move(sources)).value();
  const Configure configure = configuration_of(settings, "default");
  ASSERT_EQ(configure.queues.size(), 1u);
  EXPECT_EQ(configure.queues[0].queue, "a");
  EXPECT_EQ(configure.queues[0].max_running, 2);
  ASSERT_EQ(configure.types.size(), 1u);
  EXPECT_EQ(configure.types[0].keep_dead, Duration::days(30));
  const OpenOptions options = open_options(settings).value();
  EXPECT_EQ(options.queue_policies.at("b").max_retries, 1);
}

}  // namespace
}  // namespace longshore
