// Tokens and sessions: authentication, revocation and expiry.
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

namespace json = boost::json;

class Tokens : public ApiTest {
 protected:
  // Creates a token, as this admin if given.
  static Reply make(ApiHarness& harness, const std::string& members,
                    const std::string& admin = "") {
    return harness.post("/tokens", "{" + members + "}",
                        admin.empty() ? std::vector<HttpHeader>() : bearer(admin));
  }
  static std::string admin_of(ApiHarness& harness) {
    const Reply reply = make(harness, R"("role":"admin","name":"root")");
    EXPECT_EQ(reply.status, 201) << reply.text;
    return reply.at("token");
  }
};
LONGSHORE_ON_EVERY_STORE(Tokens);

TEST_P(Tokens, AreShownOnceAndKeptAsAHash) {
  ApiHarness harness(on_store({.api = {.secret = "key"}}));
  const Reply made = make(harness, R"("role":"admin","name":"ci","expiresInSeconds":3600)");
  EXPECT_EQ(made.status, 201);
  const std::string token = made.at("token");
  EXPECT_TRUE(token.starts_with("ls_" + made.at("id") + "_"));
  EXPECT_EQ(made.at("expiresAt"), "2027-01-15T09:00:00.000Z");
  EXPECT_EQ(made.header("Location"), "/tokens/" + made.at("id"));
  const Reply list = harness.get("/tokens", bearer(token));
  EXPECT_EQ(list.json.at("tokens").at(0).at("name"), "ci");
  EXPECT_FALSE(list.text.contains(token.substr(20)));
  const TokenRecord record = harness.node().catalog().tokens().value().at(0);
  EXPECT_EQ(record.hash, token_hash("key", parse_token(token).value()));
  EXPECT_EQ(harness.node().catalog().audit_trail("default", 1).value().at(0).action, "createToken");
}

TEST_P(Tokens, AreRequiredOnceOneExists) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.get("/queues").status, 200) << "no token yet: loopback is admin";
  const std::string token = admin_of(harness);
  const Reply refused = harness.get("/queues");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.code(), "UNAUTHENTICATED");
  EXPECT_EQ(refused.header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(harness.get("/queues", bearer(token)).status, 200);
  EXPECT_EQ(harness.get("/queues", {{"authorization", "bearer  " + token + " "}}).status, 200);
  for (const std::string& wrong :
       {"Bearer " + token.substr(0, token.size() - 1) + (token.back() == '0' ? "1" : "0"),
        std::string("Bearer "), std::string("Bearer"), "Basic " + token, token,
        std::string("Bearer ls_0000000000000000_") + std::string(64, '0')}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(harness.get("/queues", {{"Authorization", wrong}}).status, 401);
  }
  for (const char* open : {"/livez", "/readyz", "/openapi.json"}) {
    EXPECT_EQ(harness.get(open).status, 200) << open;
  }
  EXPECT_EQ(harness.get("/nowhere").status, 404);
}

TEST_P(Tokens, AreRevokedAtOnceHereAndWithinASecondElsewhere) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  const Reply made = make(harness, R"("role":"viewer")", admin);
  const std::string viewer = made.at("token");
  EXPECT_EQ(harness.get("/queues", bearer(viewer)).status, 200);
  const Reply revoked = harness.send("DELETE", "/tokens/" + made.at("id"), "", bearer(admin));
  EXPECT_EQ(revoked.status, 200);
  EXPECT_EQ(harness.get("/queues", bearer(viewer)).status, 401);
  EXPECT_EQ(harness.send("DELETE", "/tokens/" + made.at("id"), "", bearer(admin)).status, 404);
  const Reply second = make(harness, R"("role":"viewer")", admin);
  // As another node would.
  const RevokeToken revoke{.ns = "default", .id = second.at("id"), .actor = {.name = "other"}};
  ASSERT_TRUE(harness.node().ask_for<Done>(revoke).ok());
  harness.advance(Duration::seconds(1));
  while (harness.get("/queues", bearer(second.at("token"))).status != 401) {
  }
  EXPECT_EQ(harness.send("DELETE", "/tokens?id=x", "", bearer(admin)).status, 404);
  EXPECT_EQ(harness.send("DELETE", "/tokens", "", bearer(admin)).status, 422);
}

TEST_P(Tokens, Expire) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  const std::string brief =
      make(harness, R"("role":"viewer","expiresAt":"2027-01-15T08:00:10Z")", admin).at("token");
  harness.advance(Duration::seconds(9));
  EXPECT_EQ(harness.get("/queues", bearer(brief)).status, 200);
  harness.advance(Duration::seconds(1));
  EXPECT_EQ(harness.get("/queues", bearer(brief)).status, 401);
}

TEST_P(Tokens, ShowWhenTheyWereUsed) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  harness.advance(Duration::seconds(5));
  harness.get("/queues", bearer(admin));
  while (true) {
    const Reply list = harness.get("/tokens", bearer(admin));
    const json::value used = list.json.at("tokens").at(0).at("lastUsedAt");
    if (used.is_null()) continue;
    EXPECT_EQ(used, "2027-01-15T08:00:05.000Z");
    break;
  }
}

TEST_P(Tokens, AreValidated) {
  ApiHarness harness(on_store());
  struct Case {
    const char* members;
    const char* field;
  };
  for (const Case& c :
       {Case{"", "role"}, Case{R"("role":"root")", "role"}, Case{R"("role":"anyone")", "role"},
        Case{R"("role":1)", "role"}, Case{R"("role":"viewer","name":"")", "name"},
        Case{R"("role":"viewer","namespace":"a b")", "namespace"},
        Case{R"("role":"viewer","expiresInSeconds":0)", "expiresInSeconds"},
        Case{R"("role":"viewer","expiresAt":"2020-01-01T00:00:00Z")", "expiresAt"},
        Case{R"("role":"viewer","expiresAt":"2030-01-01T00:00:00Z","expiresInSeconds":5)",
             "expiresAt"},
        Case{R"("role":"viewer","secret":"x")", "secret"}}) {
    SCOPED_TRACE(c.members);
    const Reply reply = make(harness, c.members);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.fields(), c.field);
  }
  EXPECT_EQ(harness.get("/tokens").text, R"({"tokens":[]})");
}

TEST_P(Tokens, AreManagedByAdminsOfTheirNamespace) {
  ApiHarness harness(on_store());
  const std::string root = admin_of(harness);
  const Reply made = make(harness, R"("role":"admin","namespace":"a")", root);
  const std::string admin = made.at("token");
  EXPECT_EQ(made.at("namespace"), "a");
  EXPECT_EQ(make(harness, R"("role":"viewer")", admin).at("namespace"), "a");
  EXPECT_EQ(make(harness, R"("role":"viewer","namespace":"b")", admin).status, 403);
  EXPECT_EQ(harness.get("/tokens", bearer(admin)).json.at("tokens").as_array().size(), 2U);
  EXPECT_EQ(harness.get("/tokens", bearer(root)).json.at("tokens").as_array().size(), 3U);
  const std::string root_id = parse_token(root)->id;
  EXPECT_EQ(harness.send("DELETE", "/tokens/" + root_id, "", bearer(admin)).status, 404);
  EXPECT_EQ(harness.send("DELETE", "/tokens/" + made.at("id"), "", bearer(root)).status, 200);
}

TEST_P(Tokens, AreProtectedByALockout) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  int tries = 1;
  while (harness.get("/queues", bearer("guess")).status == 401) ++tries;
  EXPECT_EQ(tries, LockoutLimits().failures + 1);
  const Reply locked = harness.get("/queues", bearer("guess"));
  EXPECT_EQ(locked.status, 429);
  EXPECT_EQ(locked.code(), "OVERLOADED");
  EXPECT_NE(locked.header("Retry-After"), "");
  EXPECT_EQ(harness.post("/ui/session", R"({"token":"x"})").status, 429);
  EXPECT_EQ(harness.get("/livez").status, 200);
  harness.advance(Duration::seconds(61));
  EXPECT_EQ(harness.get("/queues", bearer("guess")).status, 401);
}

TEST_P(Tokens, StayValidAtAnAddressThatIsLockedOut) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  while (harness.get("/queues", bearer("guess")).status == 401) {
  }
  EXPECT_EQ(harness.get("/queues", bearer(admin)).status, 200);
  EXPECT_EQ(harness.post("/ui/session", R"({"token":")" + admin + R"("})").status, 200);
}

TEST_P(Tokens, AreStillRequiredAfterTheLastOneIsGone) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  // As if the store had been emptied.
  const RevokeToken revoke{
      .ns = "default", .id = parse_token(admin)->id, .actor = {.name = "other"}};
  ASSERT_TRUE(harness.node().ask_for<Done>(revoke).ok());
  harness.advance(Duration::seconds(2));
  harness.api().tokens().refresh(harness.node().catalog());
  const Reply refused = make(harness, R"("role":"admin")");
  EXPECT_EQ(refused.status, 401);
  EXPECT_TRUE(refused.at("detail").contains("longshore token create")) << refused.text;
  EXPECT_EQ(harness.get("/queues", bearer(admin)).status, 401);
}

TEST_P(Tokens, AreRequiredBeforeTheFirstExistsIfConfigured) {
  ApiHarness harness(on_store({.api = {.require_tokens = true}}));
  EXPECT_EQ(make(harness, R"("role":"admin")").status, 401);
  EXPECT_EQ(harness.get("/livez").status, 200);
}

class OpenCallsEnd : public Tokens {
 protected:
  // A token with this role, and its id.
  struct Made {
    std::string id, token;
  };
  Made some(const std::string& members) {
    const Reply reply = make(harness, members, admin);
    return {reply.at("id"), reply.at("token")};
  }
  void revoke(const Made& made) {
    EXPECT_EQ(harness.send("DELETE", "/tokens/" + made.id, "", bearer(admin)).status, 200);
  }

  ApiHarness harness{on_store()};
  const std::string admin = admin_of(harness);
};
LONGSHORE_ON_EVERY_STORE(OpenCallsEnd);

TEST_P(OpenCallsEnd, WhenTheTokenOfAStreamIsRevoked) {
  const Made viewer = some(R"("role":"viewer")");
  const auto exchange = harness.begin("GET", "/events", "", bearer(viewer.token));
  EXPECT_EQ(exchange->wait().status, 200);
  const auto of_admin = harness.begin("GET", "/events", "", bearer(admin));
  EXPECT_EQ(of_admin->wait().status, 200);
  revoke(viewer);
  EXPECT_TRUE(exchange->sent_stream()->wait_for_end());
  harness.post("/queues/q/pause", "", bearer(admin));
  harness.post("/jobs", R"({"jobType":"t"})", bearer(admin));
  of_admin->sent_stream()->wait_for("event: transition");
}

TEST_P(OpenCallsEnd, WhenTheTokenOfAJobsStreamIsRevoked) {
  const Made producer = some(R"("role":"producer")");
  const std::string job = harness.post("/jobs", R"({"jobType":"t"})", bearer(admin)).at("jobId");
  const auto exchange =
      harness.begin("GET", "/jobs/" + job + "/events", "", bearer(producer.token));
  EXPECT_EQ(exchange->wait().status, 200);
  revoke(producer);
  EXPECT_TRUE(exchange->sent_stream()->wait_for_end());
}

TEST_P(OpenCallsEnd, WhenTheTokenOfAPollIsRevoked) {
  const Made worker = some(R"("role":"worker")");
  for (const char* name : {"", R"(,"requestId":"r")"}) {
    const Made token = some(R"("role":"worker")");
    const auto exchange = harness.begin(
        "POST", "/leases", R"({"workerId":"w","waitSeconds":60)" + std::string(name) + "}",
        bearer(token.token));
    EXPECT_FALSE(exchange->answered());
    revoke(token);
    EXPECT_EQ(exchange->wait().status, 401);
  }
  harness.post("/jobs", R"({"jobType":"t"})", bearer(admin));
  const Reply leased =
      harness.post("/leases", R"({"workerId":"w","waitSeconds":60})", bearer(worker.token));
  EXPECT_EQ(leased.json.at("leases").as_array().size(), 1U)
      << "no job was leased to a revoked worker";
}

TEST_P(OpenCallsEnd, WhenTheTokenOfAWaitExpires) {
  const Made producer = some(R"("role":"producer","expiresInSeconds":10)");
  const std::string job = harness.post("/jobs", R"({"jobType":"t"})", bearer(admin)).at("jobId");
  const auto exchange =
      harness.begin("GET", "/jobs/" + job + "?waitSeconds=60", "", bearer(producer.token));
  harness.advance(Duration::seconds(11));
  harness.api().tokens().refresh(harness.node().catalog());
  EXPECT_EQ(exchange->wait().status, 401);
}

class Sessions : public Tokens {
 protected:
  // The cookie as a browser sends it back.
  static std::vector<HttpHeader> cookie_of(const Reply& reply) {
    const std::string set = reply.header("Set-Cookie");
    return {{"Cookie", "a=b; " + set.substr(0, set.find(';')) + "; c=d"}};
  }
};
LONGSHORE_ON_EVERY_STORE(Sessions);

TEST_P(Sessions, ActAsTheirToken) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  const Reply made = make(harness, R"("role":"operator","name":"ada")", admin);
  const Reply session = harness.post("/ui/session", R"({"token":")" + made.at("token") + R"("})");
  EXPECT_EQ(session.status, 200);
  EXPECT_EQ(session.at("role"), "operator");
  const std::string set = session.header("Set-Cookie");
  EXPECT_TRUE(set.contains("HttpOnly") && set.contains("SameSite=Strict")) << set;
  EXPECT_FALSE(set.contains(made.at("token").substr(20))) << "the secret is not in it";
  std::vector<HttpHeader> headers = cookie_of(session);
  EXPECT_EQ(harness.get("/queues", headers).status, 200);
  EXPECT_EQ(harness.get("/tokens", headers).status, 403);
  EXPECT_EQ(harness.post("/queues/q/pause", "", headers).status, 403) << "no Origin";
  headers.push_back({"Origin", "http://evil.example"});
  EXPECT_EQ(harness.post("/queues/q/pause", "", headers).status, 403);
  headers.back().value = "http://127.0.0.1:7788";
  EXPECT_EQ(harness.post("/queues/q/pause", "", headers).status, 200);
  EXPECT_EQ(harness.node().catalog().audit_trail("default", 1).value().at(0).actor.name, "ada");
  harness.send("DELETE", "/tokens/" + made.at("id"), "", bearer(admin));
  EXPECT_EQ(harness.get("/queues", headers).status, 401) << "it ends with its token";
}

TEST_P(Sessions, AreBoundToTheHostOverTls) {
  const TrustedProxies proxies = TrustedProxies::make({"127.0.0.1"}).value();
  ApiHarness harness(on_store({.api = {.proxies = proxies}}));
  const std::string admin = admin_of(harness);
  const HttpHeader over_tls{"X-Forwarded-Proto", "https"};
  const Reply session = harness.post("/ui/session", R"({"token":")" + admin + R"("})", {over_tls});
  const std::string set = session.header("Set-Cookie");
  EXPECT_TRUE(set.starts_with("__Host-longshore_session=") && set.contains("; Secure")) << set;
  std::vector<HttpHeader> headers = cookie_of(session);
  EXPECT_EQ(harness.get("/queues", headers).status, 401) << "a page without TLS could have set it";
  headers.push_back(over_tls);
  EXPECT_EQ(harness.get("/queues", headers).status, 200);
}

TEST_P(Sessions, TellThatTheyEndWithTheNodeWithoutAKey) {
  ApiHarness without(on_store());
  const std::string token = R"({"token":")" + admin_of(without) + R"("})";
  EXPECT_TRUE(without.post("/ui/session", token).at("note").contains("token-key"));
  const Reply refused = without.get("/queues", {{"Cookie", "longshore_session=a.b.c"}});
  EXPECT_TRUE(refused.at("detail").contains("token-key")) << refused.text;
  ApiHarness with(on_store({.api = {.session_key = "k"}}));
  const std::string other = R"({"token":")" + admin_of(with) + R"("})";
  EXPECT_EQ(with.post("/ui/session", other).at("note"), "");
}

TEST_P(Sessions, NeedAValidToken) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  EXPECT_EQ(harness.post("/ui/session", R"({"token":"x"})").status, 401);
  EXPECT_EQ(harness.post("/ui/session", "{}").fields(), "token");
  EXPECT_EQ(harness
                .post("/ui/session", R"({"token":")" + admin + R"("})",
                      {{"Origin", "http://evil.example"}})
                .status,
            403);
  EXPECT_EQ(harness.get("/queues", {{"Cookie", "longshore_session=a.b.c"}}).status, 401);
  const HttpResponse out = harness.begin("DELETE", "/ui/session")->wait();
  EXPECT_EQ(out.status, 204);
}

TEST_P(Sessions, EndWhenTheirUserSignsOut) {
  ApiHarness harness(on_store());
  const std::string token = R"({"token":")" + admin_of(harness) + R"("})";
  std::vector<HttpHeader> headers = cookie_of(harness.post("/ui/session", token));
  harness.advance(Duration::millis(1));
  const std::vector<HttpHeader> elsewhere = cookie_of(harness.post("/ui/session", token));
  headers.push_back({"Origin", "http://evil.example"});
  EXPECT_EQ(harness.send("DELETE", "/ui/session", "", headers).status, 403);
  EXPECT_EQ(harness.get("/queues", headers).status, 200);
  headers.back().value = "http://127.0.0.1:7788";
  const Reply out = harness.send("DELETE", "/ui/session", "", headers);
  EXPECT_EQ(out.status, 204);
  EXPECT_TRUE(out.header("Set-Cookie").contains("Max-Age=0"));
  EXPECT_EQ(harness.get("/queues", headers).status, 401) << "also with a copy of the cookie";
  EXPECT_EQ(harness.get("/queues", elsewhere).status, 200) << "of another browser";
}

TEST_P(Sessions, EndAfterHalfADay) {
  ApiHarness harness(on_store());
  const std::string admin = admin_of(harness);
  const Reply session = harness.post("/ui/session", R"({"token":")" + admin + R"("})");
  harness.advance(Duration::hours(12) - Duration::millis(1));
  EXPECT_EQ(harness.get("/queues", cookie_of(session)).status, 200);
  harness.advance(Duration::millis(1));
  EXPECT_EQ(harness.get("/queues", cookie_of(session)).status, 401);
}

class WithoutTokens : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(WithoutTokens);

TEST_P(WithoutTokens, OnlyLoopbackIsServed) {
  ApiHarness harness(on_store());
  for (const char* host :
       {"localhost", "localhost:7788", "127.0.0.1:7788", "127.9.9.9", "[::1]", "[::1]:7788"}) {
    EXPECT_EQ(harness.get("/queues", {{"Host", host}}).status, 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:7788", "10.0.0.1",
                           "localhost.evil.example", "127.0.0.1.evil.example", "[::2]"}) {
    const Reply reply = harness.get("/queues", {{"Host", host}});
    EXPECT_EQ(reply.status, 403) << host;
    EXPECT_EQ(reply.code(), "FORBIDDEN");
  }
  EXPECT_EQ(harness.get("/queues", {{"Origin", "http://127.0.0.1:7788"}}).status, 200);
  for (const char* origin : {"http://evil.example", "null", "https://evil.example:7788"}) {
    EXPECT_EQ(harness.get("/queues", {{"Origin", origin}}).status, 403) << origin;
    EXPECT_EQ(harness.get("/livez", {{"Origin", origin}}).status, 403) << origin;
  }
}

TEST_P(WithoutTokens, RequestsFromAProxyAreRefused) {
  ApiHarness harness(on_store());
  for (const char* name :
       {"Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Real-IP", "Via"}) {
    const Reply reply = harness.get("/queues", {{name, "192.0.2.1"}});
    EXPECT_EQ(reply.status, 403) << name;
    EXPECT_TRUE(reply.at("detail").contains("proxy")) << reply.text;
  }
}

TEST_P(WithoutTokens, AnswersAreNotCachedOrSniffed) {
  ApiHarness harness(on_store());
  for (const char* path : {"/queues", "/jobs", "/livez", "/nowhere", "/openapi.json"}) {
    const Reply reply = harness.get(path);
    EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(reply.header("Cache-Control"), "no-store") << path;
  }
}

TEST(LoopbackAddress, CoversIpv4AndIpv6) {
  for (const char* good : {"127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback_address(good)) << good;
  }
  for (const char* bad : {"", "128.0.0.1", "10.0.0.1", "::2", "::ffff:10.0.0.1", "localhost"}) {
    EXPECT_FALSE(is_loopback_address(bad)) << bad;
  }
}

TEST(CookieValue, IsFoundByItsWholeName) {
  EXPECT_EQ(cookie_value("a=1; b=2;c=3", "b"), "2");
  EXPECT_EQ(cookie_value("a=1; b=2;c=3", "c"), "3");
  EXPECT_EQ(cookie_value("xb=1", "b"), "");
  EXPECT_EQ(cookie_value("", "b"), "");
}

}  // namespace
}  // namespace longshore
