// Sends requests to services of others, wherever the guard lets them go. A host is resolved once
// for a connection, every address it has is judged, and exactly those are tried: what a name
// resolves to a moment later does not matter. Redirects are answers like any other.
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
  std::string ca_file;             // of certificates to trust, PEM; empty: the system's
  Duration connect_timeout = Duration::seconds(10);
};

// Safe to share between threads.
class Outgoing {
 public:
  // Errc::invalid for a bad list or unreadable certificates.
  static Result<std::shared_ptr<Outgoing>> make(const OutgoingOptions& options);
  ~Outgoing();

  // The URL, proved to be one that may be asked as far as it shows before its host is resolved.
  Result<OutgoingUrl> check(std::string_view url) const;

  // `call.path` is left out of account: the URL has it. Errc::invalid if the guard or a header
  // forbids it, Errc::refused if the answer is too large, Errc::unavailable if there is none.
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

// Whether this may be said as a header: no name or value can end the line it is on.
bool is_header(std::string_view name, std::string_view value);

}  // namespace longshore
