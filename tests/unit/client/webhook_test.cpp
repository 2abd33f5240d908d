#include "client/webhook.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

// The example of the specification, which every library for receivers is tested with.
TEST(Webhook, IsSignedAsTheStandardSays) {
  const Secrets secrets = Secrets::parse({"it=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}).value();
  const std::string* key = secrets.find("it");
  ASSERT_NE(key, nullptr);
  const Headers headers =
      signature_headers(*key, "msg_p5jXN8AQM9LWM0D4loKWxJek", Instant::millis(1614265330'999),
                        R"({"test": 2432232314})");
  const Headers expected = {
      {"webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"},
      {"webhook-timestamp", "1614265330"},
      {"webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}};
  EXPECT_EQ(headers, expected);
}

TEST(Webhook, TakesNoSecretThatIsNone) {
  for (const char* bad : {"name", "=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a=whsec_", "a=short",
                          "a=whsec_AAAA", "a=whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"}) {
    SCOPED_TRACE(bad);
    const Result<Secrets> parsed = Secrets::parse({bad});
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message.find("AAAA"), std::string::npos);
  }
  EXPECT_FALSE(
      Secrets::parse({"a=MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a=MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}));
  EXPECT_EQ(Secrets::parse({}).value().find("absent"), nullptr);
}

}  // namespace
}  // namespace longshore
