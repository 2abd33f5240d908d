#include "cli/process_secrets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace longshore {
namespace {

TEST(ProcessSecrets, AreRemovedFromTheVisibleEnvironment) {
  std::vector<std::string> shown = {
      "PATH=/bin", "LONGSHORE_TOKEN=s3cret", "PGPASSWORD=hunter2", "LC_ALL=C", "EMPTY=",
      "strange",   "ASAN_OPTIONS=a=b"};
  std::vector<char*> variables;
  for (std::string& variable : shown) variables.push_back(variable.data());
  variables.push_back(nullptr);
  hide_environment(variables.data());
  const std::vector<std::string> expected = {
      "PATH=/bin", "LONGSHORE_TOKEN=xxxxxx", "PGPASSWORD=xxxxxxx", "LC_ALL=C", "EMPTY=",
      "strange",   "ASAN_OPTIONS=a=b"};
  EXPECT_EQ(shown, expected);
  EXPECT_STREQ(variables[1], "LONGSHORE_TOKEN=s3cret");
  EXPECT_STREQ(variables[2], "PGPASSWORD=hunter2");
  for (const std::size_t moved : {1U, 2U, 4U}) std::free(variables[moved]);
}

std::vector<std::string> hidden(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  hide_secrets(static_cast<int>(pointers.size()), pointers.data());
  return arguments;
}

TEST(ArgumentSecrets, AreOverwrittenInPlace) {
  const std::vector<std::string> shown =
      hidden({"longshore", "serve", "--store", "postgres://ada:s3cret@host:5432/jobs?x=y",
              "--token-key", "k", "--token=abc", "--listen", "127.0.0.1:0"});
  const std::vector<std::string> expected = {
      "longshore",   "serve", "--store",     "postgres://ada:xxxxxx@host:5432/jobs?x=y",
      "--token-key", "x",     "--token=xxx", "--listen",
      "127.0.0.1:0"};
  EXPECT_EQ(shown, expected);
}

TEST(ArgumentSecrets, DoNotChangeOtherArguments) {
  const std::vector<std::string> plain = {"longshore",
                                          "enqueue",
                                          "MAIL",
                                          "{\"a\":\"b@c\"}",
                                          "--store=redis://host:6379/0",
                                          "--server",
                                          "http://127.0.0.1:7788",
                                          "--token"};
  EXPECT_EQ(hidden(plain), plain);
}

}  // namespace
}  // namespace longshore
