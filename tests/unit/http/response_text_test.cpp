#include "http/response_text.h"

#include <gtest/gtest.h>

namespace longshore::wire {
namespace {

TEST(ResponseText, WritesDatesAsHttpDoes) {
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(1709164800), "Thu, 29 Feb 2024 00:00:00 GMT");
}

TEST(ResponseText, WritesAHead) {
  HttpResponse response;
  response.status = 409;
  response.headers = {{"ETag", "\"7\""}};
  response.body = "{}";
  std::string text;
  append_head(text, response, {.date = "today"});
  EXPECT_EQ(text,
            "HTTP/1.1 409 Conflict\r\nDate: today\r\nContent-Type: application/json\r\n"
            "ETag: \"7\"\r\nContent-Length: 2\r\n\r\n");
}

TEST(ResponseText, WritesTheConnectionHeader) {
  const struct {
    bool http_1_1;
    bool keep_alive;
    std::string_view expected;
  } cases[] = {
      {true, true, ""},
      {true, false, "Connection: close\r\n"},
      {false, true, "Connection: keep-alive\r\n"},
      {false, false, "Connection: close\r\n"},
  };
  for (const auto& c : cases) {
    std::string text;
    append_head(text, {.status = 204, .content_type = ""},
                {.date = "today", .http_1_1 = c.http_1_1, .keep_alive = c.keep_alive});
    EXPECT_EQ(text,
              "HTTP/1.1 204 No Content\r\nDate: today\r\n" + std::string(c.expected) + "\r\n");
  }
}

TEST(ResponseText, WritesChunks) {
  std::string text;
  append_chunk(text, std::string(26, 'x'));
  EXPECT_EQ(text, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

}  // namespace
}  // namespace longshore::wire
