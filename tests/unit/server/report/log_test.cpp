#include "server/report/log.h"

#include <gtest/gtest.h>

#include "core/json/json_scan.h"

namespace longshore {
namespace {

const Instant noon = Instant::millis(1'767'225'600'123);

TEST(Log, IsValidJsonForAnyText) {
  const std::string line =
      format_line(LogFormat::json, {.at = noon,
                                    .level = LogLevel::warn,
                                    .message = "he said \"hi\"\n\xff",
                                    .fields = {{"path", "/jobs\x01"}, {"status", 404}}});
  EXPECT_TRUE(scan_json(line).ok()) << line;
  EXPECT_EQ(line,
            "{\"time\":\"2026-01-01T00:00:00.123Z\",\"level\":\"warn\",\"message\":\"he said "
            "\\\"hi\\\"\\n\xEF\xBF\xBD\",\"path\":\"/jobs\\u0001\",\"status\":404}");
}

TEST(Log, HasOneLinePerMessageThatCannotBeForged) {
  const std::string line = format_line(
      LogFormat::human,
      {.at = noon,
       .message = "first\nsecond",
       .fields = {{"a", "plain"}, {"b", "two words"}, {"c", "x\ny"}, {"d", ""}, {"n", 7}}});
  EXPECT_EQ(line,
            "2026-01-01T00:00:00.123Z info  first second a=plain b=\"two words\" c=\"x\\ny\" "
            "d=\"\" n=7");
}

}  // namespace
}  // namespace longshore
