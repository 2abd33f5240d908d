// An Api on a real node with a real store. The test controls time and is the client of every
// exchange. Every answer is validated against the OpenAPI document.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.h"
#include "runtime/timekeeper.h"
#include "store/memory/disk.h"
#include "unit/api/hooked_catalog.h"
#include "unit/api/test_exchange.h"
#include "unit/api/troubled_store.h"

namespace longshore {

struct HarnessOptions {
  std::string store = "memory";  // or "sqlite"
  Rules rules;
  OpenOptions open;
  ApiOptions api;
  std::shared_ptr<Trouble> trouble;  // wraps the store, if set
};

// An answer as a client sees it.
struct Reply {
  int status = 0;
  std::string content_type;
  std::string text;
  std::vector<HttpHeader> headers;
  boost::json::value json;  // null if the text is not JSON

  std::string header(std::string_view name) const;
  // The member as text, a string without its quotes; "" if absent.
  std::string at(std::string_view member) const;
  std::string code() const { return at("code"); }
  // The fields named in `errors`, separated by spaces.
  std::string fields() const;
};

// A leased job, as POST /leases answered it.
struct Held {
  std::string job;
  std::string token;
  boost::json::value lease;
};

// An answer, to be validated against a document.
struct Sample {
  std::string path;  // the route's pattern
  std::string method;
  std::string status;  // "default" for problems
  boost::json::value json;
};

class ApiHarness {
 public:
  explicit ApiHarness(HarnessOptions options = {});
  ~ApiHarness();

  // Begins a request, without waiting for its answer.
  std::shared_ptr<TestExchange> begin(std::string_view method, std::string_view target,
                                      std::string body = {}, std::vector<HttpHeader> headers = {});
  // Waits for the answer and validates it against the document.
  Reply finish(const std::shared_ptr<TestExchange>& exchange);

  Reply send(std::string_view method, std::string_view target, std::string body = {},
             std::vector<HttpHeader> headers = {});
  Reply get(std::string_view target, std::vector<HttpHeader> headers = {}) {
    return send("GET", target, {}, std::move(headers));
  }
  Reply post(std::string_view target, std::string body = {}, std::vector<HttpHeader> headers = {}) {
    return send("POST", target, std::move(body), std::move(headers));
  }

  // The id of a new job, by default of the type "t".
  std::string enqueue(const std::string& members = "");
  // Leases one job; fails the test if there is none.
  Held lease(const std::string& members = "");
  Reply report(const Held& held, const std::string& verb, const std::string& members = "");

  // Advances time and runs everything that is due.
  void advance(Duration by);
  std::string state(const std::string& job);
  JobRecord record(const std::string& job);

  // Every answer so far.
  const std::vector<Sample>& samples() const { return samples_; }

  Api& api() { return *api_; }
  // The node's catalog.
  HookedCatalog& catalog() { return *catalog_; }
  Node& node() { return *node_; }
  ManualTime& time() { return *time_; }

 private:
  std::unique_ptr<Backend> open_store(const HarnessOptions& options);
  void keep_sample(const HttpRequest& request, const Reply& reply);

  std::string folder_;
  MemoryDisk disk_;
  std::shared_ptr<ManualTime> time_;
  HookedCatalog* catalog_ = nullptr;  // the node's
  std::shared_ptr<Node> node_;
  std::unique_ptr<Api> api_;
  std::vector<Sample> samples_;
};

// The document as it is served.
const boost::json::value& document();

// {"leaseToken": token, members...}
std::string with_token(const std::string& token, const std::string& members = "");

std::vector<HttpHeader> bearer(const std::string& token);

// Runs once on each store.
class ApiTest : public ::testing::TestWithParam<std::string> {
 protected:
  static HarnessOptions on_store(HarnessOptions options = {}) {
    options.store = GetParam();
    return options;
  }
};

#define LONGSHORE_ON_EVERY_STORE(suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Stores, suite, ::testing::Values("memory", "sqlite"), \
                           [](const auto& one) { return one.param; })

}  // namespace longshore
