#include "cli/process_secrets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace longshore {
namespace {

TEST(ProcessSecrets, MoveAwayFromWhereTheSystemShowsThem) {
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

}  // namespace
}  // namespace longshore
