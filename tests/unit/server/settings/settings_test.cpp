#include "server/settings/settings.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

FileSettings file(std::string_view text) {
  Result<FileSettings> parsed = parse_settings_file(text, "longshore.toml");
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return parsed ? std::move(*parsed) : FileSettings();
}

std::string source_of(const Settings& settings, std::string_view name) {
  for (const Setting& setting : settings.all()) {
    if (setting.option->name == name) return setting.source;
  }
  return "none";
}

TEST(Settings, PreferFlagsThenTheEnvironmentThenTheFileThenTheDefault) {
  const Option* listen = find_option("listen");
  Settings::Sources sources;
  EXPECT_EQ(Settings::from(sources).value().text("listen"), "127.0.0.1:7788");
  EXPECT_EQ(source_of(Settings::from(sources).value(), "listen"), "default");
  sources.file = file("\nlisten = \"127.0.0.1:1\"");
  EXPECT_EQ(Settings::from(sources).value().text("listen"), "127.0.0.1:1");
  EXPECT_EQ(source_of(Settings::from(sources).value(), "listen"), "longshore.toml:2");
  sources.environment = {"HOME=/", "LONGSHORE_LISTEN=127.0.0.1:2"};
  EXPECT_EQ(Settings::from(sources).value().text("listen"), "127.0.0.1:2");
  EXPECT_EQ(source_of(Settings::from(sources).value(), "listen"), "LONGSHORE_LISTEN");
  sources.flags[listen] = {"127.0.0.1:3"};
  EXPECT_EQ(Settings::from(sources).value().text("listen"), "127.0.0.1:3");
  EXPECT_EQ(source_of(Settings::from(sources).value(), "listen"), "--listen");
}

TEST(Settings, AreParsedByKind) {
  Settings::Sources sources;
  sources.file = file(R"(
allow-plaintext = true
io_threads = 3
exec = ["A=./a", "B=./b"]
grace = 1.5
queue = "one"
[limits]
connections = 77
header-time = "5s"
)");
  sources.environment = {"LONGSHORE_QUEUE=high,low"};
  const Settings settings = Settings::from(std::move(sources)).value();
  EXPECT_TRUE(settings.boolean("allow-plaintext"));
  EXPECT_EQ(settings.natural("io-threads"), 3);
  EXPECT_EQ(settings.natural("limits.connections"), 77);
  EXPECT_EQ(settings.duration("limits.header-time"), Duration::seconds(5));
  EXPECT_EQ(settings.duration("grace"), Duration::millis(1500));
  EXPECT_EQ(settings.list("exec"), (std::vector<std::string>{"A=./a", "B=./b"}));
  EXPECT_EQ(settings.list("queue"), (std::vector<std::string>{"high", "low"}));
}

TEST(Settings, NameTheInvalidVariable) {
  const struct {
    const char* variable;
    const char* expected;  // empty: accepted
  } cases[] = {
      {"LONGSHORE_IO_THREADS=many",
       "LONGSHORE_IO_THREADS must be a whole number from 0 to 256, got \"many\""},
      {"LONGSHORE_LISTN=x",
       "the variable LONGSHORE_LISTN is not an option; did you mean LONGSHORE_LISTEN?"},
      {"LONGSHORE_OF_SOMEBODY_ELSE=x", ""},
      {"LONGSHORE_EXE=x", ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.variable);
    Settings::Sources sources;
    sources.environment = {c.variable};
    const Result<Settings> settings = Settings::from(std::move(sources));
    EXPECT_EQ(settings ? "" : settings.error().message, c.expected);
  }
}

TEST(Settings, NameTheInvalidFlag) {
  Settings::Sources sources;
  sources.flags[find_option("log-level")] = {"loud"};
  EXPECT_EQ(Settings::from(std::move(sources)).error().message,
            "--log-level must be one of debug, info, warn, error, got \"loud\"");
}

TEST(Settings, HideSecretsAndPasswords) {
  Settings::Sources sources;
  sources.environment = {"LONGSHORE_TOKEN_KEY=abc", "LONGSHORE_STORE=postgres://u:pw@h/d"};
  const Settings settings = Settings::from(std::move(sources)).value();
  for (const Setting& setting : settings.all()) {
    if (setting.option->name == "token-key") {
      EXPECT_EQ(shown_value(setting), "(hidden)");
    }
    if (setting.option->name == "token") {
      EXPECT_EQ(shown_value(setting), "");
    }
    if (setting.option->name == "store") {
      EXPECT_EQ(shown_value(setting), "postgres://u:***@h/d");
    }
  }
}

TEST(SettingsFile, ContainsPoliciesOfQueuesAndTypes) {
  const FileSettings settings = file(R"(
[queues.slow]
maxRunning = 2
retention = { success = "1d", dead = "never" }

[types."email.send"]
maxRetries = 7
timeoutSeconds = 2.5
backoff = { kind = "fixed", baseSeconds = 3, jitter = 0 }
)");
  const NamedPolicy& slow = settings.queues.at("slow");
  EXPECT_EQ(slow.max_running, 2);
  EXPECT_EQ(slow.keep_success, Duration::days(1));
  EXPECT_EQ(slow.keep_dead, Duration::forever());
  EXPECT_EQ(slow.keep_canceled, std::nullopt);
  const NamedPolicy& email = settings.types.at("email.send");
  EXPECT_EQ(email.layer.max_retries, 7);
  EXPECT_EQ(email.layer.timeout, Duration::millis(2500));
  EXPECT_EQ(email.layer.backoff.kind, Backoff::Kind::fixed);
  EXPECT_EQ(email.layer.backoff.base, Duration::seconds(3));
  EXPECT_EQ(email.layer.backoff.jitter, 0.0);
}

TEST(SettingsFile, ReportsTheLineAndCauseOfAnError) {
  const struct {
    const char* text;
    const char* expected;
  } cases[] = {
      {"listn = \"x\"", "longshore.toml:1: unknown option \"listn\"; did you mean listen?"},
      {"\n\nio-threads = \"many\"",
       "longshore.toml:3: io-threads must be a whole number from 0 to 256"},
      {"listen = [1]", "longshore.toml:1: listen must be a text, a number, true or false"},
      {"tls-cert = \"a\"\ntls_cert = \"b\"",
       "longshore.toml:2: tls-cert is set twice, first in line 1"},
      {"[queues.a]\nmaxRetrys = 1",
       "longshore.toml:2: unknown key \"maxRetrys\" in queues.a; did you mean maxRetries?"},
      {"[queues.a]\nmaxRetries = 101",
       "longshore.toml:2: maxRetries must be a number from 0 to 100"},
      {"[queues.a]\nmaxRetries = 1.5", "longshore.toml:2: maxRetries must be a whole number"},
      {"[types.a]\nbackoff = { kind = \"odd\" }",
       "longshore.toml:2: kind must be one of exponential, fixed, none, got \"odd\""},
      {"[types.a]\ntimeoutSeconds = 0", "longshore.toml:2: timeoutSeconds must be above 0"},
      {"queues = 1", "longshore.toml:1: queues must contain tables, such as [queues.NAME]"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<FileSettings> parsed = parse_settings_file(c.text, "longshore.toml");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message, c.expected);
  }
  const auto grammar = parse_settings_file("a = 1\nb = = 2", "longshore.toml");
  ASSERT_FALSE(grammar);
  EXPECT_TRUE(grammar.error().message.starts_with("longshore.toml:2: ")) << grammar.error().message;
}

}  // namespace
}  // namespace longshore
