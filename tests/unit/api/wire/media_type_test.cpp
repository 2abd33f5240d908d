#include "api/wire/media_type.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(MediaType, IsJsonInUtf8) {
  for (const char* type : {"application/json", "Application/JSON", "application/json;charset=UTF-8",
                           "application/json ; charset=\"utf-8\"", "application/vnd.api+json",
                           "application/json;v=1"}) {
    SCOPED_TRACE(type);
    EXPECT_TRUE(is_json_type(type));
  }
  for (const char* type : {"", "text/json", "application/jsonx", "application/json;charset=utf-16",
                           "multipart/form-data", "text/plain", "application/xml", "json"}) {
    SCOPED_TRACE(type);
    EXPECT_FALSE(is_json_type(type));
  }
}

}  // namespace
}  // namespace longshore
