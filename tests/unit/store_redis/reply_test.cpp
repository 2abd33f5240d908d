#include "store/redis/reply.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

TEST(RedisReply, ErrorsMeanWhatACallerCanDo) {
  const struct {
    const char* text;
    Errc meaning;
  } cases[] = {{"OOM command not allowed when used memory > 'maxmemory'.", Errc::disk_full},
               {"MISCONF Errors writing to the AOF file", Errc::disk_full},
               {"NOREPLICAS Not enough good replicas to write.", Errc::unavailable},
               {"READONLY You can't write against a read only replica.", Errc::unavailable},
               {"LOADING Redis is loading the dataset in memory", Errc::unavailable},
               {"NOPERM this user has no permissions", Errc::refused},
               {"WRONGTYPE Operation against a key", Errc::corrupt},
               {"ERR unknown command", Errc::corrupt}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Error error = error_of({.kind = Reply::Kind::error, .text = c.text}, "redis://db");
    EXPECT_EQ(error.code, c.meaning);
    EXPECT_TRUE(error.message.starts_with("redis://db: "));
  }
}

TEST(RedisReply, OnlyErrorsHaveACode) {
  EXPECT_EQ((Reply{.kind = Reply::Kind::text, .text = "MOVED 1 a:1"}).code(), "");
  EXPECT_EQ((Reply{.kind = Reply::Kind::error, .text = "MOVED"}).code(), "MOVED");
}

}  // namespace
}  // namespace longshore::redis
