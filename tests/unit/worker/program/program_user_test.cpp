#include "worker/program/program_user.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace longshore {
namespace {

// Asserts both: for root, and for a process that cannot switch users.
TEST(ProgramUser, IsFoundOnlyByRoot) {
  const Result<ProgramUser> nobody = find_program_user("nobody");
  EXPECT_EQ(nobody.ok(), ::geteuid() == 0);
  if (!nobody) {
    EXPECT_NE(nobody.error().message.find("runs as root"), std::string::npos);
    return;
  }
  EXPECT_GT(nobody->id, 0u);
  EXPECT_FALSE(nobody->groups.empty());
}

TEST(ProgramUser, MustExistAndNotBeRoot) {
  EXPECT_FALSE(find_program_user("root"));
  EXPECT_FALSE(find_program_user("no-such-user"));
  EXPECT_FALSE(find_program_user(""));
}

}  // namespace
}  // namespace longshore
