#include "core/record/error_group.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace longshore {
namespace {

TEST(ErrorPattern, LeavesOutWhatDiffersFromTimeToTime) {
  struct Case {
    std::string_view message;
    std::string_view pattern;
  };
  const Case cases[] = {
      {"", ""},
      {"connection refused", "connection refused"},
      // Numbers.
      {"timeout after 30 s", "timeout after # s"},
      {"timeout after 1.5 s", "timeout after # s"},
      {"took 1,024,000 rows", "took # rows"},
      {"took 12ms", "took #ms"},
      {"10.0.3.17:5432 is down", "#:# is down"},
      {"exit code -9.", "exit code -#."},
      {"worker7 of utf8_2", "worker# of utf#_#"},
      {"line 3, column 4", "line #, column #"},
      {"v1.2.", "v#."},
      // Ids.
      {"no job 017f22e2-79b0-7cc3-98c4-dc0c0c07398f here", "no job # here"},
      {"no job 017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "no job #"},
      {"commit deadbeefcafe is gone", "commit # is gone"},
      {"commit 12345678 is gone", "commit # is gone"},
      {"commit 1234567a is gone", "commit # is gone"},
      {"commit 1234e567 is gone", "commit # is gone"},
      {"at 0x7ffd in main", "at # in main"},
      {"at 0X7FFDA0B0C0D0", "at #"},
      {"0x is a prefix", "#x is a prefix"},
      {"defaced facade", "defaced facade"},
      {"defacedd facade", "# facade"},
      {"abcdefabcdefg stays", "abcdefabcdefg stays"},
      {"id_deadbeefcafe", "id_deadbeefcafe"},
      {"(deadbeef)", "(#)"},
      {"017f22e2-79b0-7cc3-98c4-dc0c0c07398fx", "#-#b#-#cc#-#c#-dc#c#c#fx"},
      // Quotes.
      {"no such file: 'a/b.txt'", "no such file: \"\""},
      {"no such file: \"a b\"", "no such file: \"\""},
      {"no such table `jobs`!", "no such table \"\"!"},
      {"'a' is not 'b'", "\"\" is not \"\""},
      {R"(got "a\"b" instead)", "got \"\" instead"},
      {"can't open 'x'", "can't open \"\""},
      {"don't, won't", "don't, won't"},
      {"key 'it's here' gone", "key \"\" gone"},
      {"an \"open quote", "an \"open quote"},
      {"name=\"\"", "name=\"\""},
      {"ends with '", "ends with '"},
      // Lines and space.
      {"first\nsecond 1", "first"},
      {"first\r\nsecond", "first"},
      {"\n \n  first  \nsecond", "first"},
      {"two   spaces\tand a tab ", "two spaces and a tab"},
      {" \n ", ""},
      {"caf\xC3\xA9 5", "caf\xC3\xA9 #"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    EXPECT_EQ(error_pattern(c.message), c.pattern);
  }
}

TEST(ErrorPattern, ChangesNothingMoreTheSecondTime) {
  for (const std::string_view message : {"timeout after 30 s on 10.0.0.1", "no 'a' in \"b\"",
                                         "job 017f22e2-79b0-7cc3-98c4-dc0c0c07398f"}) {
    const std::string once = error_pattern(message);
    EXPECT_EQ(error_pattern(once), once);
  }
}

TEST(ErrorFingerprint, IsTheSameForFailuresOfOneCause) {
  const auto of = [](std::string_view message) {
    return error_fingerprint("email.send", "SMTP", message);
  };
  EXPECT_EQ(of("mailbox 'anna' refused after 3 tries"), of("mailbox 'bob' refused after 12 tries"));
  EXPECT_EQ(of("timeout\n  at send.js:10"), of("timeout\n  at send.js:99"));
  EXPECT_NE(of("mailbox 'anna' refused"), of("mailbox 'anna' full"));
}

TEST(ErrorFingerprint, DiffersByTypeCodeAndPattern) {
  const std::set<std::uint64_t> prints = {
      error_fingerprint("a", "B", "c"),  error_fingerprint("a2", "B", "c"),
      error_fingerprint("a", "B2", "c"), error_fingerprint("a", "B", "c2"),
      error_fingerprint("aB", "", "c"),  error_fingerprint("a", "", "Bc"),
      error_fingerprint("", "", ""),
  };
  EXPECT_EQ(prints.size(), 7U);
}

TEST(ErrorFingerprint, MayNeverChange) {
  EXPECT_EQ(error_fingerprint("email.send", "SMTP", "mailbox 'anna' refused after 3 tries"),
            7362180950585979072U);
}

TEST(ErrorPattern, LooksAtTheFirstFiveHundredBytesOnly) {
  const std::string line(500, 'x');
  EXPECT_EQ(error_pattern(line + "one"), error_pattern(line + "another"));
  EXPECT_NE(error_pattern(line.substr(1) + "one"), error_pattern(line.substr(1) + "another"));
}

}  // namespace
}  // namespace longshore
