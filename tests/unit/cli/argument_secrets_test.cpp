#include "cli/argument_secrets.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace longshore {
namespace {

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

TEST(ArgumentSecrets, LeaveTheRestAlone) {
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
