#include "client/http/http_client.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/server/server_connection.h"

namespace longshore {
namespace {

namespace http = boost::beast::http;

constexpr int http_1_1 = 11;
constexpr std::size_t idle_max = 256;

http::request<http::string_body> request_for(const HttpCall& call, const ServerAddress& address,
                                             const std::string& token) {
  http::request<http::string_body> request;
  request.version(http_1_1);
  request.method_string(call.method);
  request.target(address.base + call.path);
  request.set(http::field::host, address.authority());
  request.set(http::field::user_agent, "longshore");
  request.set(http::field::accept, "application/json");
  if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
  for (const auto& [name, value] : call.headers) request.set(name, value);
  if (!call.body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = call.body;
  request.prepare_payload();
  return request;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string_view HttpReply::header(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (same_name(known, name)) return value;
  }
  return {};
}

HttpClient::HttpClient(HttpClientOptions options, ServerAddress address)
    : options_(std::move(options)), address_(std::move(address)) {}

HttpClient::~HttpClient() = default;

Result<std::shared_ptr<HttpClient>> HttpClient::make(const HttpClientOptions& options) {
  Result<ServerAddress> address = parse_server_url(options.url);
  if (!address) return address.error();
  const bool secure = address->secure;
  const std::shared_ptr<HttpClient> client(new HttpClient(options, std::move(*address)));
  if (secure) {
    client->trusted_ = std::make_unique<TrustedCertificates>();
    if (auto fault = client->trusted_->load(options.ca_file)) return *fault;
  }
  return client;
}

std::unique_ptr<ServerConnection> HttpClient::take_idle() {
  MutexLock lock(mutex_);
  while (!idle_.empty()) {
    std::unique_ptr<ServerConnection> connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->is_alive()) return connection;
  }
  return nullptr;
}

Error HttpClient::unreachable(const std::string& why) const {
  return {Errc::unavailable, "no answer from " + options_.url + ": " + why};
}

Result<HttpReply> HttpClient::send(const HttpCall& call, const std::stop_token& stop) {
  std::unique_ptr<ServerConnection> connection = take_idle();
  if (!connection) {
    connection = std::make_unique<ServerConnection>();
    const auto fault = connection->open(address_, trusted_.get(), options_.connect_timeout, stop);
    if (fault) return unreachable(*fault);
  }
  http::request<http::string_body> request = request_for(call, address_, options_.token);
  HttpReply reply;
  if (auto fault = connection->exchange(request, reply, call, stop)) {
    return unreachable(*fault);
  }
  if (connection->is_reusable()) {
    MutexLock lock(mutex_);
    if (idle_.size() < idle_max) idle_.push_back(std::move(connection));
  }
  return reply;
}

}  // namespace longshore
