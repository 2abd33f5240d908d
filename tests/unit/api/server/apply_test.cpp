// POST /apply: rules of the store, changed by name.
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class ApplyRules : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(ApplyRules);

TEST_P(ApplyRules, ChangeTheNamedRulesAndReportOldAndNewValues) {
  ApiHarness harness(on_store());
  const std::string before = harness.enqueue();
  const Reply reply = harness.post(
      "/apply", R"({"revision":2,"rules":{"timeoutSeconds":60,"backoff":"none","keepDead":1.5}})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(
      reply.text,
      R"({"revision":2,"changes":[)"
      R"({"kind":"rule","name":"timeoutSeconds","change":"changed","from":1800,"to":60},)"
      R"({"kind":"rule","name":"backoff","change":"changed","from":"exponential","to":"none"},)"
      R"({"kind":"rule","name":"keepDead","change":"changed","from":"never","to":1.5}],)"
      R"("conflicts":[]})");
  EXPECT_EQ(harness.record(harness.enqueue()).job.policy.timeout, Duration::seconds(60));
  EXPECT_EQ(harness.record(before).job.policy.timeout, Duration::seconds(1800));
  const auto trail = harness.node().catalog().audit_trail("default", 10).value();
  ASSERT_EQ(trail.size(), 1U);
  EXPECT_EQ(trail[0].action, "setRules");
  EXPECT_EQ(trail[0].actor.name, "local");
}

TEST_P(ApplyRules, ChangeNothingInADryRun) {
  ApiHarness harness(on_store());
  const Reply dry = harness.post("/apply", R"({"dryRun":true,"rules":{"maxRetries":4}})");
  EXPECT_EQ(dry.json.at("changes").as_array().size(), 1U);
  EXPECT_EQ(dry.at("revision"), "0");
  EXPECT_EQ(harness.node().rules()->policy.max_retries, 3);
  EXPECT_TRUE(harness.node().catalog().audit_trail("default", 10).value().empty());
}

TEST_P(ApplyRules, NameTheRuleThatIsInvalid) {
  ApiHarness harness(on_store());
  const std::pair<const char*, const char*> faults[] = {
      {R"({"rules":{"terminal":"reopen"}})", "rules.terminal"},
      {R"({"rules":{"profile":"basic"}})", "rules.profile"},
      {R"({"rules":{"leaseSeconds":0}})", "rules.leaseSeconds"},
      {R"({"rules":{"leaseSeconds":"7"}})", "rules.leaseSeconds"},
      {R"({"rules":{"leaseSeconds":null}})", "rules.leaseSeconds"},
      {R"({"rules":{"noSuchRule":1}})", "rules.noSuchRule"},
      {R"({"rules":[]})", "rules"},
      {R"({"revision":-1})", "revision"},
      {R"({"source":"a b"})", "source"},
      {R"({"schedules":{}})", "schedules"},
  };
  for (const auto& [body, field] : faults) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/apply", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.fields(), field);
  }
  EXPECT_EQ(*harness.node().rules(), Rules());
}

TEST_P(ApplyRules, OfAnOldRevisionAreRefused) {
  ApiHarness harness(on_store());
  harness.post("/apply", R"({"revision":5})");
  const Reply reply = harness.post("/apply", R"({"revision":4,"rules":{"maxRetries":4}})");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.code(), "OLD_REVISION");
  EXPECT_EQ(harness.post("/apply", R"({"revision":1,"source":"other"})").status, 200);
  EXPECT_EQ(harness.post("/apply", "").at("revision"), "5");
}

TEST_P(ApplyRules, AreChangedOnlyFromTheDefaultNamespace) {
  ApiHarness harness(on_store());
  const auto token = [&](const char* body) { return harness.post("/tokens", body).at("token"); };
  const std::string admin = token(R"({"role":"admin"})");
  const std::vector<HttpHeader> as_admin = {{"Authorization", "Bearer " + admin}};
  const auto made = [&](const char* body) {
    return std::vector<HttpHeader>{
        {"Authorization", "Bearer " + harness.post("/tokens", body, as_admin).at("token")}};
  };
  const auto theirs = made(R"({"role":"operator","namespace":"theirs"})");
  const auto viewer = made(R"({"role":"viewer"})");
  const auto ours = made(R"({"role":"operator"})");
  const char* const body = R"({"rules":{"maxRetries":4}})";
  EXPECT_EQ(harness.post("/apply", body, theirs).code(), "FORBIDDEN");
  EXPECT_EQ(harness.post("/apply", body, viewer).code(), "FORBIDDEN");
  EXPECT_EQ(harness.post("/apply", body, ours).status, 200);
}

TEST_P(ApplyRules, ThatDifferFromTheNodesOwnAreCounted) {
  ApiHarness harness(on_store());
  const auto metrics = [&] { return harness.begin("GET", "/metrics")->wait().body; };
  EXPECT_TRUE(metrics().contains("\nlongshore_rules_conflict 0\n"));
  harness.post("/apply", R"({"rules":{"maxRetries":4,"leaseSeconds":9}})");
  EXPECT_TRUE(metrics().contains("\nlongshore_rules_conflict 2\n"));
  EXPECT_EQ(harness.get("/about").json.at("ruleConflicts").at(0).as_string(),
            "maxRetries is 4 in the store and 3 here");
}

}  // namespace
}  // namespace longshore
