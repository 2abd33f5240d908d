#include "longshore/id.h"

#include <gtest/gtest.h>

#include <string>

namespace longshore {
namespace {

TEST(JobIdText, IsLowerCaseInFiveGroups) {
  const JobId id{.high = 0x017F22E279B07CC3ULL, .low = 0x98C4DC0C0C07398FULL};
  EXPECT_EQ(to_text(id), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
  EXPECT_EQ(to_hex(id), "017f22e279b07cc398c4dc0c0c07398f");
}

TEST(JobIdText, ReadsBackInEitherCase) {
  const JobId id{.high = 0x017F22E279B07CC3ULL, .low = 0x98C4DC0C0C07398FULL};
  EXPECT_EQ(parse_job_id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), id);
  EXPECT_EQ(parse_job_id("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), id);
}

TEST(JobIdText, SortsAsTheIdsSort) {
  const JobId early{.high = 0x017F22E279B07FFFULL, .low = 0xBFFFFFFFFFFFFFFFULL};
  const JobId late{.high = 0x017F22E279B17000ULL, .low = 0x8000000000000000ULL};
  EXPECT_LT(early, late);
  EXPECT_LT(to_text(early), to_text(late));
}

TEST(JobIdText, RefusesWhatIsNoUuidOfVersionSeven) {
  struct Case {
    const char* name;
    std::string text;
  };
  const Case cases[] = {
      {"empty", ""},
      {"no dashes", "017f22e279b07cc398c4dc0c0c07398f"},
      {"short", "017f22e2-79b0-7cc3-98c4-dc0c0c07398"},
      {"long", "017f22e2-79b0-7cc3-98c4-dc0c0c07398ff"},
      {"space before", " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f"},
      {"braces", "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}"},
      {"dash moved", "017f22e27-9b0-7cc3-98c4-dc0c0c07398f"},
      {"dash doubled", "017f22e2-79b0-7cc3-98c4--c0c0c07398f"},
      {"other separator", "017f22e2_79b0_7cc3_98c4_dc0c0c07398f"},
      {"not a digit", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g"},
      {"version 4", "017f22e2-79b0-4cc3-98c4-dc0c0c07398f"},
      {"variant 0", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f"},
      {"variant 110", "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f"},
      {"nil", "00000000-0000-0000-0000-000000000000"},
      {"holds a zero byte", std::string("017f22e2-79b0-7cc3-98c4-dc0c0c07398\0", 36)},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(parse_job_id(c.text).has_value());
  }
}

TEST(HexText, KeepsLeadingZeros) {
  EXPECT_EQ(to_hex(0, 0), std::string(32, '0'));
  EXPECT_EQ(to_hex(1, 0xA), "0000000000000001000000000000000a");
  EXPECT_EQ(to_hex(RequestId{.high = ~0ULL, .low = ~0ULL}), std::string(32, 'f'));
}

}  // namespace
}  // namespace longshore
