// Every route with every role, and every route with a job of another namespace.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

#include "api/auth/caller.h"
#include "api/routes.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

namespace json = boost::json;

std::string token_for(ApiHarness& harness, std::string_view role, const std::string& ns,
                      const std::string& admin = "") {
  const std::string body = R"({"role":")" + std::string(role) + R"(","namespace":")" + ns + R"("})";
  const auto headers = admin.empty() ? std::vector<HttpHeader>() : bearer(admin);
  return harness.post("/tokens", body, headers).at("token");
}

// The pattern with a value for each parameter.
std::string target_of(const Route& route, const std::string& job) {
  std::string target(route.pattern);
  const std::map<std::string, std::string> values = {{"{jobId}", job},         {"{jobType}", "t"},
                                                     {"{jobKey}", "k"},        {"{queue}", "q"},
                                                     {"{tokenId}", "unknown"}, {"{file...}", "x"}};
  for (const auto& [name, value] : values) {
    if (const std::size_t at = target.find(name); at != std::string::npos) {
      target.replace(at, name.size(), value);
    }
  }
  EXPECT_FALSE(target.contains('{')) << target;
  return target;
}

bool is_open(std::string_view path) {
  return path == "/livez" || path == "/readyz" || path == "/openapi.json" ||
         path.starts_with("/ui");
}

// The contract, written independently of the table: which routes a role may use.
bool is_allowed(Role role, const Route& route) {
  const std::string_view path = route.pattern;
  const bool reads = route.method == "GET";
  if (is_open(path)) return true;
  if (role == Role::admin) return true;
  if (path.starts_with("/tokens")) return false;
  if (role == Role::operator_) return true;
  if (role == Role::viewer) return reads && path != "/audit";
  if (role == Role::producer) {
    return (route.method == "POST" && (path == "/jobs" || path == "/jobs/batch")) ||
           path == "/jobs/{jobId}" || path == "/jobs/{jobId}/result" ||
           path == "/jobs/{jobId}/cancel" || path == "/jobs/{jobId}/events";
  }
  if (path.starts_with("/leases") || path.starts_with("/types/")) return true;
  for (const char* verb : {"/heartbeat", "/complete", "/fail", "/release", "/handoff"}) {
    if (path == "/jobs/{jobId}" + std::string(verb)) return true;
  }
  return false;
}

TEST(Roles, AreCheckedOnEveryRoute) {
  ApiHarness harness;
  const std::string admin = token_for(harness, "admin", "default");
  std::map<Role, std::string> tokens = {{Role::admin, admin}};
  for (const Role role : token_roles) {
    if (role != Role::admin) tokens[role] = token_for(harness, to_text(role), "default", admin);
  }
  int assertions = 0;
  for (const Route& route : routes()) {
    const std::string target = target_of(route, "019a0000-0000-7000-8000-000000000001");
    for (const Role role : token_roles) {
      SCOPED_TRACE(std::string(route.method) + " " + target + " as " + std::string(to_text(role)));
      const int status =
          harness.begin(route.method, target, "", bearer(tokens[role]))->wait().status;
      EXPECT_EQ(status != 403, is_allowed(role, route)) << status;
      EXPECT_NE(status, 401);
      ++assertions;
    }
    const int status = harness.begin(route.method, target)->wait().status;
    EXPECT_EQ(status == 401, !is_open(route.pattern)) << route.method << " " << target;
  }
  const std::string report = std::to_string(routes().size()) + " routes x " +
                             std::to_string(token_roles.size()) +
                             " roles = " + std::to_string(assertions) + " assertions\n";
  EXPECT_EQ(assertions, static_cast<int>(routes().size() * token_roles.size()));
  std::cout << report;
  if (const char* folder = std::getenv("LONGSHORE_REPORTS")) {
    std::ofstream(std::string(folder) + "/roles.txt") << report;
  }
}

class Namespaces : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(Namespaces);

// A job of namespace a is not found by callers of namespace b, on any route that takes a job.
TEST_P(Namespaces, HideTheirJobsFromOtherNamespaces) {
  ApiHarness harness(on_store());
  const std::string root = token_for(harness, "admin", "default");
  const std::string ours = token_for(harness, "admin", "a", root);
  const std::string theirs = token_for(harness, "admin", "b", root);
  const Reply made = harness.post(
      "/jobs", R"({"jobType":"t","jobKey":"k","idempotencyKey":"i","queue":"q","tags":["x"]})",
      bearer(ours));
  ASSERT_EQ(made.status, 202) << made.text;
  const std::string id = made.at("jobId");
  const std::string token = "1." + std::string(32, '0');
  const std::map<std::string, std::string> bodies = {
      {"/heartbeat", with_token(token)},
      {"/complete", with_token(token)},
      {"/release", with_token(token)},
      {"/handoff", with_token(token)},
      {"/fail", with_token(token, R"("error":{"message":"m"})")},
      {"/resolve", R"({"result":1})"}};
  int routes_tried = 0;
  for (const Route& route : routes()) {
    const bool of_a_job = route.pattern.contains("{jobId}") || route.pattern.contains("{jobKey}");
    if (!of_a_job) continue;
    std::string body;
    for (const auto& [ending, text] : bodies) {
      if (route.pattern.ends_with(ending)) body = text;
    }
    if (route.pattern.contains("{jobKey}")) {
      body = route.pattern.ends_with("/fail") ? R"({"error":{"message":"m"}})"
                                              : (route.method == "POST" ? R"({"result":1})" : "");
    }
    const Reply reply = harness.send(route.method, target_of(route, id), body, bearer(theirs));
    EXPECT_EQ(reply.status, 404) << route.method << " " << route.pattern << " " << reply.text;
    ++routes_tried;
  }
  EXPECT_GE(routes_tried, 18);
  EXPECT_EQ(harness.node().catalog().get("a", parse_job_id(id).value())->job.version, 2)
      << "it is unchanged";
}

TEST_P(Namespaces, AreIsolatedInListsAndBulkActions) {
  ApiHarness harness(on_store());
  const std::string root = token_for(harness, "admin", "default");
  const std::string ours = token_for(harness, "admin", "a", root);
  const std::string theirs = token_for(harness, "admin", "b", root);
  const std::string body = R"({"jobType":"t","idempotencyKey":"i","jobKey":"k","queue":"q"})";
  const std::string id = harness.post("/jobs", body, bearer(ours)).at("jobId");
  harness.post("/queues/q/pause", "", bearer(ours));
  for (const char* view : {"/jobs", "/dead", "/queues", "/workers", "/errors", "/jobs?jobKey=k",
                           "/jobs?idempotencyKey=i"}) {
    const Reply reply = harness.get(view, bearer(theirs));
    EXPECT_TRUE(reply.json.as_object().begin()->value().as_array().empty()) << reply.text;
  }
  EXPECT_FALSE(harness.begin("GET", "/metrics", "", bearer(theirs))->wait().body.contains("\"q\""));
  const Reply canceled =
      harness.post("/jobs/cancel", R"({"filter":{},"limit":10})", bearer(theirs));
  EXPECT_EQ(canceled.at("count"), "0");
  const Reply same_keys = harness.post("/jobs", body, bearer(theirs));
  EXPECT_NE(same_keys.at("jobId"), id) << "keys are separate";
  const Reply leased =
      harness.post("/leases", R"({"workerId":"w","queues":["q"],"maxJobs":10})", bearer(theirs));
  ASSERT_EQ(leased.json.at("leases").as_array().size(), 1U) << "their own queue is not paused";
  EXPECT_EQ(leased.json.at("leases").at(0).at("jobId").as_string(), same_keys.at("jobId"));
}

}  // namespace
}  // namespace longshore
