#include "server/settings/rule_options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/policy/profiles.h"

namespace longshore {
namespace {

Result<Settings> settings_from(std::string_view text) {
  Result<FileSettings> file = parse_settings_file(text, "longshore.toml");
  if (!file) return file.error();
  Settings::Sources sources;
  sources.file = std::move(*file);
  return Settings::from(std::move(sources));
}

Rules rules_from(std::string_view text) {
  const Result<Settings> settings = settings_from(text);
  EXPECT_TRUE(settings) << (settings ? "" : settings.error().message);
  if (!settings) return {};
  Result<Rules> rules = rules_of(*settings);
  EXPECT_TRUE(rules) << (rules ? "" : rules.error().message);
  return rules ? *rules : Rules();
}

std::string file_of(std::string_view profile) {
  std::ifstream file("profiles/" + std::string(profile) + ".toml");
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(RuleOptions, DefaultToTheProfile) {
  for (const std::string_view name : profile_names()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(rules_from("profile = \"" + std::string(name) + "\""), profile(name));
  }
}

TEST(RuleOptions, OfAShippedFileTurnTheNativeProfileIntoItsOwn) {
  for (const std::string_view name : profile_names()) {
    if (name == "native") continue;
    SCOPED_TRACE(name);
    std::string text = file_of(name);
    const std::string own = "profile = \"" + std::string(name) + "\"";
    const std::size_t at = text.find(own);
    ASSERT_NE(at, std::string::npos);
    // Every row is in the file, so nothing of the profile's name is needed.
    Rules rules = rules_from(text.erase(at, own.size()));
    EXPECT_EQ(rules.profile, "native");
    rules.profile = name;
    EXPECT_EQ(rules, profile(name));
  }
}

TEST(RuleOptions, AreEachNamedInEveryShippedFile) {
  for (const std::string_view name : profile_names()) {
    if (name == "native") continue;
    const Result<FileSettings> file = parse_settings_file(file_of(name), "file");
    ASSERT_TRUE(file) << file.error().message;
    for (const Option& option : rule_options()) {
      EXPECT_TRUE(file->entries.contains(find_option(option.name))) << name << " " << option.name;
    }
  }
}

TEST(RuleOptions, ChangeOneValueOfAProfile) {
  Rules expected = *profile("basic");
  expected.policy.timeout = Duration::millis(1500);
  EXPECT_EQ(rules_from("profile = \"basic\"\n[rules]\ntimeoutSeconds = 1.5"), expected);
}

TEST(RuleOptions, RejectInvalidValues) {
  const char* const faults[] = {
      "[rules]\ntimeoutSeconds = 0",   "[rules]\nleaseSeconds = 0.5",  "[rules]\nsweepSeconds = 0",
      "[rules]\nbackoffJitter = 1.5",  "[rules]\nbackoff = \"twice\"", "[rules]\nmaxJobs = 1001",
      "[rules]\nonLeaseLost = \"no\"",
  };
  for (const char* const text : faults) {
    SCOPED_TRACE(text);
    const Result<Settings> settings = settings_from(text);
    EXPECT_FALSE(settings && rules_of(*settings));
  }
}

}  // namespace
}  // namespace longshore
