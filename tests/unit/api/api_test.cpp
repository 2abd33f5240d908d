#include "api/api.h"

#include "unit/api/api_harness.h"

namespace longshore {
namespace {

TEST(Api, ServesEveryRouteUnderItsVersionToo) {
  ApiHarness harness;
  const Reply reply = harness.post("/v1/jobs", R"({"jobType":"t"})");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(harness.get("/v1/jobs/" + reply.at("jobId")).status, 200);
  EXPECT_EQ(harness.get("/v2/jobs").status, 404);
  EXPECT_EQ(harness.get("/v1/v1/openapi.json").status, 404);
}

TEST(Api, DistinguishesUnknownPathsFromUnknownMethods) {
  ApiHarness harness;
  for (const std::string path : {"/nope", "/jobs/x/y/z", "/jobs/", "/", "/v1", "//jobs", "/Jobs"}) {
    SCOPED_TRACE(path);
    const Reply reply = harness.get(path);
    EXPECT_EQ(reply.status, 404);
    EXPECT_EQ(reply.code(), "NOT_FOUND");
  }
  const Reply wrong = harness.send("PUT", "/jobs/batch");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.code(), "METHOD_NOT_ALLOWED");
  EXPECT_NE(wrong.header("Allow").find("POST"), std::string::npos);
  EXPECT_EQ(harness.send("DELETE", "/jobs/x/result").header("Allow"), "GET, HEAD");
  EXPECT_EQ(harness.send("OPTIONS", "/leases").header("Allow"), "POST");
}

TEST(Api, AnswersOptionsStar) {
  ApiHarness harness;
  const Reply reply = harness.send("OPTIONS", "*");
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.text, "");
  EXPECT_FALSE(reply.header("X-Request-Id").empty());
}

TEST(Api, RefusesQueryParametersBesideABody) {
  ApiHarness harness;
  const std::string id = harness.enqueue();
  for (const std::string path : {"/jobs", "/jobs/batch", "/leases", "/leases/settle", "/check",
                                 "/queues/q/pause", "/types/t/keys/k/complete", "/dead/redrive"}) {
    SCOPED_TRACE(path);
    const Reply reply = harness.post(path + "?dryRun=true");
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "UNKNOWN_FIELD");
    EXPECT_EQ(reply.fields(), "dryRun");
  }
  for (const std::string verb : {"cancel", "heartbeat", "complete", "promote", "redrive"}) {
    SCOPED_TRACE(verb);
    EXPECT_EQ(harness.post("/jobs/" + id + "/" + verb + "?x=1").code(), "UNKNOWN_FIELD");
  }
  EXPECT_EQ(harness.get("/jobs/" + id + "?x=1").code(), "UNKNOWN_FIELD");
  EXPECT_EQ(harness.state(id), "QUEUED");
}

TEST(Api, AnswersHeadAsGet) {
  ApiHarness harness;
  const std::string id = harness.enqueue();
  const Reply head = harness.send("HEAD", "/jobs/" + id);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("ETag"), harness.get("/jobs/" + id).header("ETag"));
}

TEST(Api, EchoesAValidRequestIdOrGeneratesOne) {
  ApiHarness harness;
  EXPECT_EQ(harness.get("/nope", {{"X-Request-Id", "abc-1"}}).header("X-Request-Id"), "abc-1");
  const std::string made = harness.get("/nope").header("X-Request-Id");
  EXPECT_EQ(made.size(), 32U);
  for (const std::string& bad : {std::string("a b"), std::string(129, 'x'), std::string("\x80")}) {
    const Reply reply = harness.get("/nope", {{"X-Request-Id", bad}});
    EXPECT_EQ(reply.header("X-Request-Id").size(), 32U);
  }
}

TEST(Api, AcceptsOnlyJson) {
  const std::vector<std::tuple<std::string, std::string, int>> cases = {
      {"application/json", R"({"jobType":"t"})", 202},
      {"application/json; charset=utf-8", R"({"jobType":"t"})", 202},
      {"application/x-www-form-urlencoded", R"({"jobType":"t"})", 415},
      {"text/plain", R"({"jobType":"t"})", 415},
      {"application/json; charset=latin1", R"({"jobType":"t"})", 415},
      {"text/plain", "", 422},  // an empty body is {}, whatever it is called
  };
  ApiHarness harness;
  for (const auto& [type, body, status] : cases) {
    SCOPED_TRACE(type);
    EXPECT_EQ(harness.post("/jobs", body, {{"Content-Type", type}}).status, status);
  }
  const Reply zipped = harness.post("/jobs", R"({"jobType":"t"})", {{"Content-Encoding", "gzip"}});
  EXPECT_EQ(zipped.status, 415);
  EXPECT_EQ(zipped.code(), "UNSUPPORTED_MEDIA_TYPE");
  EXPECT_EQ(harness.post("/jobs/" + harness.enqueue() + "/cancel").status, 200);
}

TEST(Api, NamesTheOffsetOfInvalidJson) {
  const std::vector<std::tuple<std::string, int, std::string, std::string>> cases = {
      {R"({"jobType":"t",})", 400, "INVALID_JSON", "15"},
      {"{", 400, "INVALID_JSON", "1"},
      {" ", 400, "INVALID_JSON", "1"},
      {"{} x", 400, "INVALID_JSON", "3"},
      {"{\"jobType\":\"\xff\"}", 400, "INVALID_JSON", "12"},
      {"{\"a\":\"\\ud800\"}", 400, "INVALID_JSON", "6"},
      {"\xef\xbb\xbf{}", 400, "INVALID_JSON", "0"},
      {"[]", 422, "INVALID_FIELD", ""},
      {"null", 422, "INVALID_FIELD", ""},
      {"\"t\"", 422, "INVALID_FIELD", ""},
      {R"({"jobType":"t","jobType":"u"})", 422, "INVALID_FIELD", ""},
  };
  ApiHarness harness;
  for (const auto& [body, status, code, offset] : cases) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/jobs", body);
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.code(), code);
    EXPECT_EQ(reply.at("offset"), offset);
  }
  EXPECT_EQ(harness.post("/jobs", R"({"jobType":"t","jobType":"u"})").fields(), "jobType");
}

TEST(Api, RefusesForeignHostsAndOriginsWithoutTokens) {
  ApiHarness harness;
  EXPECT_EQ(harness.get("/openapi.json", {{"Host", "evil.example"}}).status, 403);
  EXPECT_EQ(harness.get("/openapi.json", {{"Origin", "https://evil.example"}}).code(), "FORBIDDEN");
  EXPECT_EQ(harness.get("/nope", {{"Origin", "null"}}).status, 403);
  EXPECT_EQ(harness.get("/openapi.json", {{"Origin", "http://localhost:7788"}}).status, 200);
}

TEST(Api, LimitsBodiesByRoute) {
  ApiHarness harness;
  const std::size_t mebibyte = 1024 * 1024;
  EXPECT_EQ(harness.api().body_limit("POST", "/jobs"), 2 * mebibyte);
  EXPECT_EQ(harness.api().body_limit("POST", "/v1/jobs/batch?x"), 16 * mebibyte);
  EXPECT_EQ(harness.api().body_limit("POST", "/leases/settle"), 16 * mebibyte);
  EXPECT_EQ(harness.api().body_limit("POST", "/nope"), 2 * mebibyte);
  EXPECT_EQ(harness.api().body_limit("POST", "/%"), 2 * mebibyte);
}

TEST(Api, MapsRefusalsOfTheHttpServer) {
  ApiHarness harness;
  const HttpResponse large = harness.api().refuse("HEADERS_TOO_LARGE", "16 KiB are read");
  EXPECT_EQ(large.status, 431);
  EXPECT_NE(large.body.find("16 KiB are read"), std::string::npos);
  EXPECT_EQ(harness.api().refuse("no such code", "").status, 400);
}

class Remembering final : public Observer {
 public:
  void answered(const Exchanged& exchanged) override {
    lines.push_back(std::string(exchanged.method) + ' ' + std::string(exchanged.route) + ' ' +
                    std::to_string(exchanged.status) + ' ' + std::string(exchanged.code) + ' ' +
                    std::string(exchanged.request_id));
  }
  std::vector<std::string> lines;
};

TEST(Api, NotifiesObserversOnceOfEveryAnswer) {
  const auto observer = std::make_shared<Remembering>();
  HarnessOptions options;
  options.api.observers = {observer};
  ApiHarness harness(options);
  harness.get("/jobs/nope", {{"X-Request-Id", "1"}});
  harness.get("/nothing?secret=1", {{"X-Request-Id", "2"}});
  harness.get("/livez", {{"X-Request-Id", "3"}});
  EXPECT_EQ(observer->lines,
            (std::vector<std::string>{"GET /jobs/{jobId} 404 NOT_FOUND 1", "GET  404 NOT_FOUND 2",
                                      "GET /livez 200  3"}));
}

class OneRole final : public Gate {
 public:
  explicit OneRole(Role role) : role_(role) {}
  void authenticate(const CallRef&, std::move_only_function<void(AuthResult)> then) override {
    then(Caller{.role = role_, .ns = "theirs", .name = "n"});
  }

 private:
  const Role role_;
};

TEST(Api, AuthorizesByTheTableOfRoutes) {
  const std::vector<std::tuple<Role, std::string, std::string, bool>> cases = {
      {Role::producer, "POST", "/jobs", true},    {Role::producer, "POST", "/leases", false},
      {Role::worker, "POST", "/leases", true},    {Role::worker, "POST", "/jobs", false},
      {Role::viewer, "GET", "/jobs/x", true},     {Role::viewer, "POST", "/jobs/x/cancel", false},
      {Role::operator_, "POST", "/leases", true}, {Role::operator_, "POST", "/jobs", true},
      {Role::admin, "POST", "/jobs/batch", true}, {Role::anyone, "GET", "/openapi.json", true},
      {Role::anyone, "GET", "/jobs/x", false},
  };
  for (const auto& [role, method, path, allowed] : cases) {
    SCOPED_TRACE(method + path);
    HarnessOptions options;
    options.api.gate = std::make_shared<OneRole>(role);
    ApiHarness harness(options);
    EXPECT_EQ(harness.send(method, path).status == 403, !allowed);
  }
}

TEST(Api, ShowsNoJobOfAnotherNamespace) {
  HarnessOptions options;
  options.api.gate = std::make_shared<OneRole>(Role::admin);
  ApiHarness harness(options);
  const JobId id = harness.node().ids().job(harness.time().wall().now());
  NewJob job{.id = id, .type = "t", .body = {.payload = "1"}, .job_key = "k"};
  harness.node().ask(Enqueue{.ns = "default", .jobs = {job}}).value();
  const std::string path = "/jobs/" + to_text(id);
  EXPECT_EQ(harness.get(path).status, 404);
  EXPECT_EQ(harness.get(path + "/result").status, 404);
  EXPECT_EQ(harness.post(path + "/cancel").status, 404);
  EXPECT_EQ(harness.get("/types/t/keys/k").status, 404);
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w"})").text, R"({"leases":[]})");
}

}  // namespace
}  // namespace longshore
