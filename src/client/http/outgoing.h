// Sends requests to external services that the URL guard allows. A host is resolved once per
// connection, every address is checked, and only those are tried, which prevents DNS rebinding.
// Redirects are not followed.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "client/http/http_client.h"
#include "client/http/outgoing_url.h"
#include "core/sync/mutex.h"

namespace longshore {

struct OutgoingOptions {
  std::vector<std::string> allow;  // see UrlGuard
  std::string ca_file;             // trusted certificates, PEM; empty: the system's
  Duration connect_timeout = Duration::seconds(10);
};

// Safe to share between threads.
class Outgoing {
 public:
  // Errc::invalid for an invalid list or unreadable certificates.
  static Result<std::shared_ptr<Outgoing>> make(const OutgoingOptions& options);
  ~Outgoing();

  // The parsed URL, checked as far as possible without resolving its host.
  Result<OutgoingUrl> check(std::string_view url) const;

  // Uses the path of `url`, not of `call`. Errc::invalid if the guard or a header forbids the
  // request, Errc::refused if the response is too large, Errc::unavailable if there is none.
  Result<HttpReply> send(const OutgoingUrl& url, const HttpCall& call,
                         const std::stop_token& stop = {});

  static constexpr std::size_t answer_bytes_max = 2 * 1024 * 1024;

 private:
  using ConnectionRef = std::unique_ptr<ServerConnection>;

  Outgoing(OutgoingOptions options, UrlGuard guard);
  Result<ConnectionRef> connect(const OutgoingUrl& url, const std::stop_token& stop);
  Result<HttpReply> exchange(ConnectionRef connection, const OutgoingUrl& url, const HttpCall& call,
                             const std::stop_token& stop);
  ConnectionRef take_idle(const OutgoingUrl& url);
  void keep(const OutgoingUrl& url, ConnectionRef connection);

  const OutgoingOptions options_;
  const UrlGuard guard_;
  std::unique_ptr<TrustedCertificates> trusted_;

  Mutex mutex_;
  // Guarded by mutex_. By scheme and authority.
  std::map<std::string, std::vector<ConnectionRef>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

// Whether name and value form a valid header; line breaks are not allowed.
bool is_header(std::string_view name, std::string_view value);

}  // namespace longshore
