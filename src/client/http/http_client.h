// A blocking HTTP/1.1 client for one server, with a pool of idle connections.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/server/server_address.h"
#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

struct HttpClientOptions {
  std::string url;
  std::string token;    // sent as a bearer token; empty: none
  std::string ca_file;  // trusted certificates, PEM; empty: the system's
  Duration connect_timeout = Duration::seconds(10);
};

struct HttpCall {
  std::string method = "GET";
  std::string path;  // begins with '/', percent-encoded
  std::string body;  // JSON, for POST
  std::vector<std::pair<std::string, std::string>> headers;
  Duration timeout = Duration::seconds(30);  // from sending to the complete response
  // Receives each piece of a 200 response as it arrives, instead of the reply. The timeout then
  // applies to each piece, so a response may last forever.
  std::function<void(std::string_view piece)> on_body = {};
};

struct HttpReply {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  // The first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

class ServerConnection;  // one socket, with or without TLS
class TrustedCertificates;

// Safe to share between threads.
class HttpClient {
 public:
  // Errc::invalid for a bad address or unreadable certificates. Does not connect yet.
  static Result<std::shared_ptr<HttpClient>> make(const HttpClientOptions& options);
  ~HttpClient();

  // Errc::unavailable if there is no response; the request may have been processed. Never retries.
  // If `stop` is requested, returns the same at once.
  Result<HttpReply> send(const HttpCall& call, const std::stop_token& stop = {});

  const std::string& url() const { return options_.url; }

 private:
  HttpClient(HttpClientOptions options, ServerAddress address);
  std::unique_ptr<ServerConnection> take_idle();
  Error unreachable(const std::string& why) const;

  const HttpClientOptions options_;
  const ServerAddress address_;
  std::unique_ptr<TrustedCertificates> trusted_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<std::unique_ptr<ServerConnection>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
