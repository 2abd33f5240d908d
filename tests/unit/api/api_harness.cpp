#include "unit/api/api_harness.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "api/openapi/openapi.h"
#include "api/routes.h"
#include "api/wire/url.h"
#include "core/ids/random.h"
#include "must.h"
#include "runtime/store_url.h"
#include "store/memory/store.h"
#include "unit/api/schema_check.h"

namespace longshore {
namespace {

namespace js = boost::json;

std::string make_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "longshore-api-XXXXXX").string();
  EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
  return pattern;
}

std::string lower(std::string_view method) {
  std::string text(method == "HEAD" ? "GET" : method);
  for (char& c : text) c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// Every problem is a Problem, whether there is a route or not.
void expect_problem(const Reply& reply) {
  EXPECT_EQ(reply.content_type, "application/problem+json");
  EXPECT_EQ(reply.at("status"), std::to_string(reply.status));
  const SchemaCheck check(document());
  for (const std::string& fault : check.faults(check.component("Problem"), reply.json)) {
    ADD_FAILURE() << fault << " in " << reply.text;
  }
}

void expect_as_documented(const Sample& sample, const Reply& reply) {
  const SchemaCheck check(document());
  EXPECT_TRUE(check.has_answer(sample.path, sample.method, sample.status))
      << sample.status << " of " << sample.path << " is not in the document";
  const js::value* schema = check.answer_schema(sample.path, sample.method, sample.status);
  if (schema == nullptr) return;
  for (const std::string& fault : check.faults(*schema, sample.json)) {
    ADD_FAILURE() << sample.path << fault << " in " << reply.text;
  }
}

}  // namespace

const js::value& document() {
  static const js::value parsed = js::parse(openapi_document(routes()));
  return parsed;
}

std::vector<HttpHeader> bearer(const std::string& token) {
  return {{"Authorization", "Bearer " + token}};
}

std::string with_token(const std::string& token, const std::string& members) {
  return R"({"leaseToken":")" + token + '"' + (members.empty() ? "" : "," + members) + '}';
}

std::string Reply::header(std::string_view name) const {
  return std::string(HttpRequest{.headers = headers}.header(name));
}

std::string Reply::at(std::string_view member) const {
  if (!json.is_object() || !json.as_object().contains(member)) return "";
  const js::value& found = json.at(member);
  return found.is_string() ? std::string(found.as_string()) : js::serialize(found);
}

std::string Reply::fields() const {
  std::string fields;
  if (!json.is_object() || !json.as_object().contains("errors")) return fields;
  for (const js::value& error : json.at("errors").as_array()) {
    if (!fields.empty()) fields += ' ';
    fields += error.at("field").as_string();
  }
  return fields;
}

ApiHarness::ApiHarness(HarnessOptions options)
    : time_(std::make_shared<ManualTime>(Instant::millis(1'800'000'000'000))) {
  options.open.node_name = "test";
  std::unique_ptr<Backend> backend = open_store(options);
  if (options.trouble) {
    backend = std::make_unique<TroubledBackend>(std::move(backend), options.trouble);
  }
  auto hooked = std::make_unique<HookedBackend>(std::move(backend));
  catalog_ = &hooked->catalog();
  auto made = Node::make({.time = time_,
                          .random = std::make_unique<SeededRandom>(7),
                          .backend = std::move(hooked),
                          .rules = options.rules,
                          .options = options.open});
  node_ = must(std::move(made));
  // A webhook secret that jobs may name.
  if (!options.api.secrets.has("s")) {
    must(options.api.secrets.add("s", {.ns = "default", .urls = {"https://example.org"}}));
  }
  api_ = std::make_unique<Api>(node_, std::move(options.api));
  EXPECT_TRUE(node_->start().ok());
}

ApiHarness::~ApiHarness() {
  api_.reset();
  node_.reset();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

std::unique_ptr<Backend> ApiHarness::open_store(const HarnessOptions& options) {
  if (options.store == "memory") {
    return must(open_memory(disk_, time_->wall(), options.rules));
  }
  folder_ = make_folder();
  return must(
      longshore::open_store("sqlite:" + folder_ + "/jobs.db", time_->wall(), options.rules));
}

std::shared_ptr<TestExchange> ApiHarness::begin(std::string_view method, std::string_view target,
                                                std::string body, std::vector<HttpHeader> headers) {
  HttpRequest request{.method = std::string(method),
                      .target = std::string(target),
                      .headers = std::move(headers),
                      .body = std::move(body),
                      .peer = "127.0.0.1"};
  if (request.header("Host").empty()) request.headers.push_back({"Host", "127.0.0.1:7788"});
  if (!request.body.empty() && request.header("Content-Type").empty()) {
    request.headers.push_back({"Content-Type", "application/json"});
  }
  auto exchange = std::make_shared<TestExchange>(std::move(request));
  api_->handle(exchange);
  return exchange;
}

Reply ApiHarness::finish(const std::shared_ptr<TestExchange>& exchange) {
  HttpResponse response = exchange->wait();
  Reply reply{.status = response.status,
              .content_type = std::move(response.content_type),
              .text = std::move(response.body),
              .headers = std::move(response.headers)};
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = 300;
  reply.json = js::parse(reply.text, error, {}, options);
  if (error) reply.json = nullptr;
  EXPECT_NE(reply.header("X-Request-Id"), "");
  if (reply.status >= 400) expect_problem(reply);
  keep_sample(exchange->request(), reply);
  return reply;
}

void ApiHarness::keep_sample(const HttpRequest& request, const Reply& reply) {
  const auto target = parse_target(request.target);
  if (!target) return;
  const Router::Match match = api_->router().find(request.method, target->segments);
  if (match.route == nullptr) return;
  samples_.push_back({.path = std::string(match.route->pattern),
                      .method = lower(request.method),
                      .status = reply.status >= 400 ? "default" : std::to_string(reply.status),
                      .json = reply.json});
  expect_as_documented(samples_.back(), reply);
}

Reply ApiHarness::send(std::string_view method, std::string_view target, std::string body,
                       std::vector<HttpHeader> headers) {
  return finish(begin(method, target, std::move(body), std::move(headers)));
}

std::string ApiHarness::enqueue(const std::string& members) {
  const bool typed = members.find("\"jobType\"") != std::string::npos;
  std::string body = typed ? "{" : R"({"jobType":"t")";
  if (!members.empty()) body += (typed ? "" : ",") + members;
  const Reply reply = post("/jobs", body + "}");
  EXPECT_EQ(reply.status, 202) << reply.text;
  return reply.at("jobId");
}

Held ApiHarness::lease(const std::string& members) {
  const Reply reply =
      post("/leases", R"({"workerId":"w")" + (members.empty() ? "" : "," + members) + "}");
  EXPECT_EQ(reply.status, 200) << reply.text;
  const js::value* leases = reply.json.is_object() ? &reply.json.at("leases") : nullptr;
  if (leases == nullptr || leases->as_array().empty()) {
    ADD_FAILURE() << "no lease: " << reply.text;
    return {};
  }
  const js::value& first = leases->as_array().front();
  return {.job = std::string(first.at("jobId").as_string()),
          .token = std::string(first.at("leaseToken").as_string()),
          .lease = first};
}

Reply ApiHarness::report(const Held& held, const std::string& verb, const std::string& members) {
  return post("/jobs/" + held.job + "/" + verb, with_token(held.token, members));
}

void ApiHarness::advance(Duration by) {
  time_->advance(by);
  for (const Command& sweep : {Command(Reap{}), Command(Due{}), Command(Sweep{})}) {
    while (must(node_->ask_for<Swept>(sweep)).more) {
    }
  }
}

JobRecord ApiHarness::record(const std::string& job) {
  return must(node_->catalog().get("default", parse_job_id(job).value()));
}

std::string ApiHarness::state(const std::string& job) {
  return std::string(to_text(record(job).job.state));
}

}  // namespace longshore
