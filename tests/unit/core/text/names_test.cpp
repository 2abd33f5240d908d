#include "core/text/names.h"

#include <gtest/gtest.h>

#include <string>

namespace longshore {
namespace {

using Check = std::optional<std::string> (*)(std::string_view);

void expect_message(const std::optional<std::string>& fault) {
  ASSERT_TRUE(fault.has_value());
  EXPECT_GT(fault->size(), 10U);
  EXPECT_NE(fault->back(), '.');
}

TEST(Names, OfJobTypesAndQueuesKeepToTheAlphabet) {
  for (const Check check : {&job_type_fault, &queue_fault}) {
    for (int byte = 0; byte < 256; ++byte) {
      const char c = static_cast<char>(byte);
      const bool is_allowed = std::string_view(
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789._:-")
                                  .contains(c);
      const std::string name = std::string("a") + c + "b";
      EXPECT_EQ(check(name).has_value(), !is_allowed) << byte;
    }
  }
}

TEST(Names, OfCallbacksAreHttpUrls) {
  for (const std::string_view good :
       {"http://a", "https://example.com/x?y=z", "http://[::1]:80/"}) {
    EXPECT_FALSE(callback_url_fault(good).has_value()) << good;
  }
  const std::string long_url = "https://example.com/" + std::string(2048, 'a');
  for (const std::string_view bad :
       {std::string_view(""), std::string_view("example.com"), std::string_view("ftp://a"),
        std::string_view("https://"), std::string_view("http://a b"), std::string_view(long_url)}) {
    EXPECT_TRUE(callback_url_fault(bad).has_value()) << bad;
  }
}

TEST(Names, OfPlatformTypesAreValidForLookups) {
  EXPECT_FALSE(any_job_type_fault("longshore.callback").has_value());
  EXPECT_FALSE(any_job_type_fault("_x").has_value());
  EXPECT_EQ(any_job_type_fault(""), "A job type must have 1 to 128 characters, got 0");
  EXPECT_EQ(secret_name_fault(""), "A secret's name must have 1 to 128 characters, got 0");
}

TEST(Names, OfJobTypesAndQueuesHaveOneToAHundredAndTwentyEightCharacters) {
  for (const Check check : {&job_type_fault, &queue_fault}) {
    expect_message(check(""));
    EXPECT_FALSE(check("a").has_value());
    EXPECT_FALSE(check(std::string(128, 'a')).has_value());
    expect_message(check(std::string(129, 'a')));
  }
}

TEST(Names, SayWhereAWrongCharacterIs) {
  EXPECT_EQ(job_type_fault("email send"),
            "A job type can contain A-Z a-z 0-9 . _ : and -; byte 6 is another character");
  EXPECT_EQ(queue_fault(""), "A queue's name must have 1 to 128 characters, got 0");
  EXPECT_EQ(key_fault(std::string(256, 'k')), "A key must have 1 to 255 characters, got 256");
  EXPECT_EQ(namespace_fault(""), "A namespace must have 1 to 128 characters, got 0");
  EXPECT_EQ(token_name_fault(""), "A token's name must have 1 to 64 characters, got 0");
}

TEST(Names, OfOurOwnJobTypesAreReserved) {
  struct Case {
    std::string_view name;
    bool is_reserved;
  };
  const Case cases[] = {
      {"longshore.webhook", true},
      {"longshore.", true},
      {"_internal", true},
      {"_", true},
      {"longshore", false},
      {"longshored", false},
      {"longshore:x", false},
      {"Longshore.webhook", false},
      {"a_b", false},
      {"my.longshore.job", false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(is_reserved_job_type(c.name), c.is_reserved);
    EXPECT_EQ(job_type_fault(c.name).has_value(), c.is_reserved);
    EXPECT_FALSE(queue_fault(c.name).has_value());
  }
}

TEST(Names, OfKeysWorkersAndTagsAreCountedInCharacters) {
  struct Case {
    const char* name;
    Check check;
    std::size_t most;
  };
  const Case cases[] = {
      {"key", &key_fault, 255}, {"worker", &worker_id_fault, 255}, {"tag", &tag_fault, 64}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_message(c.check(""));
    EXPECT_FALSE(c.check("a").has_value());
    EXPECT_FALSE(c.check("order/17 \xE2\x82\xAC\n").has_value());
    for (const std::string character : {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
      std::string text;
      for (std::size_t i = 0; i < c.most; ++i) text += character;
      EXPECT_FALSE(c.check(text).has_value());
      expect_message(c.check(text + "x"));
    }
  }
}

TEST(Names, OfKeysWorkersAndTagsAreUtf8WithoutZeros) {
  for (const Check check : {&key_fault, &worker_id_fault, &tag_fault}) {
    expect_message(check("\xC3"));
    expect_message(check("ok\xFFok"));
    expect_message(check("\xED\xA0\x80"));
    expect_message(check(std::string_view("a\0b", 3)));
  }
}

}  // namespace
}  // namespace longshore
