// Opens channels for tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "store/redis/channel.h"

namespace longshore::redis_test {

inline std::unique_ptr<redis::Channel> must_connect(const std::string& url,
                                                    const redis::ChannelOptions& options = {}) {
  const auto parsed = redis::parse_url(url);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  auto channel = redis::connect(*parsed, options);
  EXPECT_TRUE(channel.ok()) << channel.error().message;
  return channel ? std::move(*channel) : nullptr;
}

inline Error must_fail(const std::string& url) {
  const auto parsed = redis::parse_url(url);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  const auto channel = redis::connect(*parsed, {});
  EXPECT_FALSE(channel.ok());
  return channel ? Error() : channel.error();
}

}  // namespace longshore::redis_test
