#include "store/redis/resp.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

using namespace std::string_view_literals;

TEST(RedisProtocol, WritesWordsWithTheirLengths) {
  std::string wire;
  const std::vector<std::string> words = {"SET", "", std::string("a\0\r\n", 4)};
  append_command(wire, words);
  EXPECT_EQ(wire, "*3\r\n$3\r\nSET\r\n$0\r\n\r\n$4\r\na\0\r\n\r\n"sv);
}

TEST(RedisProtocol, ReadsEveryKindOfReplyHoweverItIsCut) {
  const std::string wire =
      "+OK\r\n:-7\r\n$4\r\na\r\nb\r\n$-1\r\n*-1\r\n-OOM no room\r\n"
      "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n$-1\r\n*0\r\n";
  for (std::size_t cut = 1; cut <= wire.size(); ++cut) {
    SCOPED_TRACE(cut);
    ReplyReader reader;
    std::vector<Reply> replies;
    for (std::size_t at = 0; at < wire.size(); at += cut) {
      ASSERT_TRUE(reader.feed(std::string_view(wire).substr(at, cut)));
      while (auto reply = reader.next()) replies.push_back(std::move(*reply));
    }
    ASSERT_EQ(replies.size(), 7U);
    EXPECT_EQ(replies[0].text, "OK");
    EXPECT_EQ(replies[1].integer, -7);
    EXPECT_EQ(replies[2].text, "a\r\nb");
    EXPECT_TRUE(replies[3].is_nil() && replies[4].is_nil());
    EXPECT_EQ(replies[5].code(), "OOM");
    ASSERT_EQ(replies[6].items.size(), 3U);
    EXPECT_EQ(replies[6].items[1].items[0].text, "x");
    EXPECT_EQ(replies[6].items[2].kind, Reply::Kind::array);
  }
}

TEST(RedisProtocol, StopsAtWhatRedisNeverSays) {
  for (const char* bad : {"HTTP/1.1 400 Bad Request\r\n", "$x\r\n", "*2\r\n!\r\n"}) {
    SCOPED_TRACE(bad);
    ReplyReader reader;
    reader.feed(bad);
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
  }
}

}  // namespace
}  // namespace longshore::redis
