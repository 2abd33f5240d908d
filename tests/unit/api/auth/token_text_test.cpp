#include "api/auth/token_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace longshore {
namespace {

namespace json = boost::json;

TEST(Tokens, NeverShowTheirHash) {
  JsonOut out;
  write_token(out, {.id = "i", .ns = "n", .name = "m", .role = "viewer", .hash = "secret"});
  const std::string shown = out.take();
  EXPECT_FALSE(shown.contains("secret"));
  EXPECT_EQ(json::parse(shown).at("namespace"), "n");
  EXPECT_TRUE(json::parse(shown).at("lastUsedAt").is_null());
}

}  // namespace
}  // namespace longshore
