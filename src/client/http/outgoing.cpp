#include "client/http/outgoing.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <utility>

#include "client/server/server_connection.h"

namespace longshore {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;

constexpr int http_1_1 = 11;
constexpr std::size_t idle_max = 64;  // per service

bool is_token_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string key_of(const OutgoingUrl& url) {
  return (url.secure ? "https://" : "http://") + url.authority();
}

IpAddress address_of(const boost::asio::ip::address& address) {
  if (address.is_v4()) return *parse_ip(address.to_string());
  IpAddress ip;
  const auto bytes = address.to_v6().to_bytes();
  std::ranges::copy(bytes, ip.bytes.begin());
  return ip;
}

Error unreachable(const OutgoingUrl& url, const std::string& why) {
  return {Errc::unavailable, "no answer from " + key_of(url) + ": " + why};
}

http::request<http::string_body> request_for(const OutgoingUrl& url, const HttpCall& call) {
  http::request<http::string_body> request;
  request.version(http_1_1);
  request.method_string(call.method);
  request.target(url.target);
  request.set(http::field::host, url.authority());
  request.set(http::field::user_agent, "longshore");
  for (const auto& [name, value] : call.headers) request.insert(name, value);
  request.body() = call.body;
  request.prepare_payload();
  return request;
}

}  // namespace

bool is_header(std::string_view name, std::string_view value) {
  return !name.empty() && std::ranges::all_of(name, is_token_character) &&
         std::ranges::all_of(value, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte == '\t' || (byte >= ' ' && byte != 0x7f);
         });
}

Outgoing::Outgoing(OutgoingOptions options, UrlGuard guard)
    : options_(std::move(options)), guard_(std::move(guard)) {}

Outgoing::~Outgoing() = default;

Result<std::shared_ptr<Outgoing>> Outgoing::make(const OutgoingOptions& options) {
  Result<UrlGuard> guard = UrlGuard::make(options.allow);
  if (!guard) return guard.error();
  const std::shared_ptr<Outgoing> outgoing(new Outgoing(options, std::move(*guard)));
  outgoing->trusted_ = std::make_unique<TrustedCertificates>();
  if (auto fault = outgoing->trusted_->load(options.ca_file)) return *fault;
  return outgoing;
}

Result<OutgoingUrl> Outgoing::check(std::string_view text) const {
  Result<OutgoingUrl> url = parse_outgoing_url(text);
  if (!url) return url;
  if (auto fault = guard_.fault(*url)) return *fault;
  return url;
}

Outgoing::ConnectionRef Outgoing::take_idle(const OutgoingUrl& url) {
  MutexLock lock(mutex_);
  std::vector<ConnectionRef>& idle = idle_[key_of(url)];
  while (!idle.empty()) {
    ConnectionRef connection = std::move(idle.back());
    idle.pop_back();
    if (connection->is_alive()) return connection;
  }
  return nullptr;
}

void Outgoing::keep(const OutgoingUrl& url, ConnectionRef connection) {
  MutexLock lock(mutex_);
  std::vector<ConnectionRef>& idle = idle_[key_of(url)];
  if (idle.size() < idle_max) idle.push_back(std::move(connection));
}

Result<Outgoing::ConnectionRef> Outgoing::connect(const OutgoingUrl& url,
                                                  const std::stop_token& stop) {
  boost::asio::io_context io;
  boost::system::error_code fault;
  tcp::resolver resolver(io);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& found : resolver.resolve(url.host, std::to_string(url.port), fault)) {
    if (auto refusal = guard_.fault(url, address_of(found.endpoint().address()))) return *refusal;
    endpoints.push_back(found.endpoint());
  }
  if (fault) return unreachable(url, "cannot find " + url.host + ": " + fault.message());
  auto connection = std::make_unique<ServerConnection>(answer_bytes_max);
  const auto trouble = connection->open(endpoints, url.host, url.secure ? trusted_.get() : nullptr,
                                        options_.connect_timeout, stop);
  if (trouble) return unreachable(url, *trouble);
  return connection;
}

Result<HttpReply> Outgoing::exchange(ConnectionRef connection, const OutgoingUrl& url,
                                     const HttpCall& call, const std::stop_token& stop) {
  http::request<http::string_body> request = request_for(url, call);
  HttpReply reply;
  if (auto fault = connection->exchange(request, reply, call, stop)) {
    if (connection->overflown()) {
      return Error{Errc::refused, "the answer from " + key_of(url) + " is too large"};
    }
    return unreachable(url, *fault);
  }
  if (connection->is_reusable()) keep(url, std::move(connection));
  return reply;
}

Result<HttpReply> Outgoing::send(const OutgoingUrl& url, const HttpCall& call,
                                 const std::stop_token& stop) {
  if (auto fault = guard_.fault(url)) return *fault;
  for (const auto& [name, value] : call.headers) {
    if (!is_header(name, value)) return Error{Errc::invalid, "invalid header: " + name};
  }
  Result<ConnectionRef> connection = take_idle(url);
  if (!*connection) connection = connect(url, stop);
  if (!connection) return connection.error();
  return exchange(std::move(*connection), url, call, stop);
}

}  // namespace longshore
