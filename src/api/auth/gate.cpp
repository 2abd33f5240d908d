#include "api/auth/gate.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "api/auth/client_address.h"

namespace longshore {
namespace {

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The host without its port; empty if the port is invalid.
std::string_view without_port(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') : host.find(':');
  if (end == std::string_view::npos) return host;
  const std::size_t length = host.starts_with('[') ? end + 1 : end;
  const std::string_view rest = host.substr(length);
  if (!rest.empty() && (rest[0] != ':' || !is_digits(rest.substr(1)))) return {};
  return host.substr(0, length);
}

std::string_view port_of(std::string_view host, std::string_view usual) {
  const std::string_view name = without_port(host);
  return name.size() == host.size() ? usual : host.substr(name.size() + 1);
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

bool is_loopback_v4(std::string_view host) {
  int parts = 0;
  bool loopback = host.starts_with("127.");
  while (!host.empty()) {
    const std::string_view part = host.substr(0, host.find('.'));
    int value = 0;
    if (!is_digits(part) || part.size() > 3) return false;
    std::from_chars(part.data(), part.data() + part.size(), value);
    loopback = loopback && value <= 255;
    parts += 1;
    host.remove_prefix(std::min(part.size() + 1, host.size()));
  }
  return loopback && parts == 4;
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  std::string name = lowered(without_port(host));
  if (name.ends_with('.')) name.pop_back();
  return name == "localhost" || name.ends_with(".localhost") || name == "[::1]" ||
         is_loopback_v4(name);
}

bool is_own_origin(std::string_view origin, std::string_view host, bool secure) {
  const std::string_view scheme = secure ? "https://" : "http://";
  if (!origin.starts_with(scheme)) return false;
  origin.remove_prefix(scheme.size());
  const std::string_view usual = secure ? "443" : "80";
  return is_loopback_host(origin) && port_of(origin, usual) == port_of(host, usual);
}

bool is_origin_of_host(std::string_view origin, std::string_view host, bool secure) {
  const bool from_tls = origin.starts_with("https://");
  if (!from_tls && (secure || !origin.starts_with("http://"))) return false;
  origin.remove_prefix(from_tls ? 8 : 7);
  const std::string_view usual = from_tls ? "443" : "80";
  return !without_port(origin).empty() &&
         lowered(without_port(origin)) == lowered(without_port(host)) &&
         port_of(origin, usual) == port_of(host, usual);
}

std::string origin_of(std::string_view url) {
  const std::size_t begin = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (begin == 0) return {};
  return lowered(url.substr(0, url.find('/', begin)));
}

void LoopbackGate::authenticate(const CallRef& call,
                                std::move_only_function<void(AuthResult)> then) {
  const HttpRequest& request = call->request();
  const std::string_view host = request.header("Host");
  if (!is_loopback_host(host)) {
    return then(Problem{.code = Code::forbidden,
                        .detail = "Without tokens, this server accepts only loopback host names; "
                                  "create a token to serve others"});
  }
  if (is_forwarded(request)) {
    return then(Problem{.code = Code::forbidden,
                        .detail =
                            "Without tokens, this server does not accept requests from a proxy; "
                            "create a token"});
  }
  const std::string_view origin = request.header("Origin");
  if (!origin.empty() && !is_own_origin(origin, host, request.secure)) {
    return then(
        Problem{.code = Code::forbidden,
                .detail = "Without tokens, this server does not accept requests of other origins"});
  }
  then(Caller{.role = Role::admin, .ns = "default", .name = "local"});
}

}  // namespace longshore
