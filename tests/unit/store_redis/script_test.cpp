#include "store/redis/script.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

TEST(RedisScript, IsKnownByTheHashOfItsText) {
  const Script script("one", "return 1");
  EXPECT_EQ(script.sha1(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  EXPECT_EQ(script.name(), "one");
}

}  // namespace
}  // namespace longshore::redis
