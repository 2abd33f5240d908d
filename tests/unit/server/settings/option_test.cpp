#include "server/settings/option.h"

#include <gtest/gtest.h>

#include <set>

namespace longshore {
namespace {

TEST(Option, HasAValidDefault) {
  for (const Option& option : all_options()) {
    SCOPED_TRACE(option.name);
    if (!option.fallback.empty()) {
      EXPECT_EQ(value_fault(option, option.fallback), std::nullopt);
    }
    EXPECT_FALSE(option.help.empty());
  }
}

TEST(Option, IsUniqueInEverySpelling) {
  std::set<std::string> names, flags, variables;
  for (const Option& option : all_options()) {
    EXPECT_TRUE(names.insert(plain_name(option.name)).second) << option.name;
    EXPECT_TRUE(flags.insert(flag_of(option)).second) << option.name;
    EXPECT_TRUE(variables.insert(variable_of(option)).second) << option.name;
  }
}

TEST(Option, IsFoundInEverySpelling) {
  const Option* option = find_option("tls-cert");
  ASSERT_NE(option, nullptr);
  EXPECT_EQ(find_option("tls_cert"), option);
  EXPECT_EQ(find_option("tlsCert"), option);
  EXPECT_EQ(find_option("tlscrt"), nullptr);
  EXPECT_EQ(flag_of(*find_option("limits.connections")), "--limits-connections");
  EXPECT_EQ(variable_of(*find_option("limits.connections")), "LONGSHORE_LIMITS_CONNECTIONS");
}

TEST(Option, ValidatesItsValue) {
  const struct {
    const char* option;
    const char* value;
    bool good;
  } cases[] = {
      {"io-threads", "4", true},           {"io-threads", "-1", false},
      {"io-threads", "4x", false},         {"io-threads", "", false},
      {"limits.connections", "0", false},  {"allow-plaintext", "true", true},
      {"allow-plaintext", "yes", false},   {"log-format", "json", true},
      {"log-format", "JSON", false},       {"limits.header-time", "5s", true},
      {"limits.header-time", "5x", false}, {"listen", "anything", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.option) + " = " + c.value);
    EXPECT_EQ(!value_fault(*find_option(c.option), c.value), c.good);
  }
}

TEST(Option, HidesThePasswordOfAStore) {
  const struct {
    const char* url;
    const char* shown;
  } cases[] = {
      {"sqlite:jobs.db", "sqlite:jobs.db"},
      {"postgres://ada@db/jobs", "postgres://ada@db/jobs"},
      {"postgres://ada:secret@db:5432/jobs", "postgres://ada:***@db:5432/jobs"},
      {"redis://:secret@cache:6379", "redis://:***@cache:6379"},
      {"postgres://ada:se/c@ret@db/jobs", "postgres://ada:***@db/jobs"},
      {"postgres://db/jobs?user=a&password=secret&x=1",
       "postgres://db/jobs?user=a&password=***&x=1"},
  };
  for (const auto& c : cases) EXPECT_EQ(without_password(c.url), c.shown);
}

}  // namespace
}  // namespace longshore
