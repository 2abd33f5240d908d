#include "cli/command.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>

namespace longshore {
namespace {

TEST(CliCommand, NamesExistingOptionsThatDoNotClashWithFlags) {
  std::set<std::string_view> names;
  for (const CliCommand& command : all_commands()) {
    SCOPED_TRACE(command.name);
    EXPECT_TRUE(names.insert(command.name).second);
    EXPECT_NE(command.run, nullptr);
    EXPECT_FALSE(command.summary.empty());
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(command.summary.front())));
    std::set<std::string> flags = {"--config", "--help"};
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(flags.insert(std::string(flag.name)).second) << flag.name;
      EXPECT_FALSE(flag.help.empty()) << flag.name;
    }
    for (const std::string_view name : command.options) {
      const Option* option = find_option(name);
      ASSERT_NE(option, nullptr) << name;
      EXPECT_TRUE(flags.insert(flag_of(*option)).second) << name;
    }
  }
}

TEST(CliCommand, UsesEveryOptionInSomeCommand) {
  std::set<const Option*> taken;
  for (const CliCommand& command : all_commands()) {
    if (command.name == "config") continue;
    for (const Option* option : options_of(command)) taken.insert(option);
  }
  for (const Option& option : all_options()) EXPECT_TRUE(taken.contains(&option)) << option.name;
}

TEST(CliCommand, UsesTheLastValueOfAFlag) {
  Invocation invocation;
  invocation.flags["--queue"] = {"a", "b"};
  invocation.flags["--result"] = {};
  EXPECT_EQ(invocation.flag("--queue"), "b");
  EXPECT_EQ(invocation.flag("--result"), std::nullopt);
  EXPECT_TRUE(invocation.has("--result"));
  EXPECT_FALSE(invocation.has("--tag"));
}

}  // namespace
}  // namespace longshore
