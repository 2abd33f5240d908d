#include "client/delivery/webhook.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

// The example of the specification.
TEST(Webhook, SignatureMatchesTheSpecification) {
  const Secrets secrets = Secrets::parse({"it=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}).value();
  const OutgoingUrl url = parse_outgoing_url("https://example.com/").value();
  const std::string* key = secrets.for_push("it", url).value();
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

TEST(Webhook, RefusesInvalidSecrets) {
  for (const char* bad : {"name", "=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a=whsec_", "a=short",
                          "a=whsec_AAAA", "a=whsec_!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"}) {
    SCOPED_TRACE(bad);
    const Result<Secrets> parsed = Secrets::parse({bad});
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().message.find("AAAA"), std::string::npos);
  }
  EXPECT_FALSE(
      Secrets::parse({"a=MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "a=MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}));
}

constexpr const char* good_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

TEST(Webhook, SecretSignsOnlyForItsNamespaceAndUrls) {
  Secrets secrets = Secrets::parse({std::string("loose=") + good_secret}).value();
  const SecretBinding shop{.ns = "shop", .urls = {"https://a.example/x"}};
  ASSERT_TRUE(secrets.bind("billing", good_secret, shop));
  EXPECT_FALSE(secrets.bind("loose", good_secret, shop)) << "the name is taken";
  const auto may_sign = [&](const char* ns, const char* url, const char* name) {
    return secrets.for_callback(ns, {.url = url, .secret_name = name}).ok();
  };
  EXPECT_TRUE(may_sign("shop", "https://a.example/x/1", "billing"));
  EXPECT_FALSE(may_sign("bank", "https://a.example/x/1", "billing"));
  EXPECT_FALSE(may_sign("shop", "https://a.example/y", "billing"));
  EXPECT_FALSE(may_sign("shop", "https://a.example/x", "loose")) << "bound to nothing";
  EXPECT_FALSE(may_sign("shop", "https://a.example/x", "absent"));
}

TEST(Webhook, DefaultSecretSignsWhereItIsAllowedTo) {
  Secrets secrets;
  const SecretBinding shop{.ns = "shop", .urls = {"https://a.example/x"}};
  ASSERT_TRUE(secrets.bind("default", good_secret, shop));
  EXPECT_NE(secrets.for_callback("shop", {.url = "https://a.example/x"}).value(), nullptr);
  EXPECT_EQ(secrets.for_callback("shop", {.url = "https://b.example/"}).value(), nullptr);
  EXPECT_EQ(secrets.for_callback("bank", {.url = "https://a.example/x"}).value(), nullptr);
}

TEST(Webhook, PushIsSignedOnlyBelowTheUrlsOfItsSecret) {
  Secrets secrets = Secrets::parse({std::string("loose=") + good_secret}).value();
  ASSERT_TRUE(
      secrets.bind("billing", good_secret, {.ns = "shop", .urls = {"https://a.example/x"}}));
  const OutgoingUrl inside = parse_outgoing_url("https://a.example/x/1").value();
  const OutgoingUrl outside = parse_outgoing_url("https://b.example/").value();
  EXPECT_NE(secrets.for_push("billing", inside).value(), nullptr);
  EXPECT_FALSE(secrets.for_push("billing", outside));
  EXPECT_NE(secrets.for_push("loose", outside).value(), nullptr);
  EXPECT_EQ(secrets.for_push("", outside).value(), nullptr);
  EXPECT_FALSE(secrets.for_push("absent", outside));
}

}  // namespace
}  // namespace longshore
