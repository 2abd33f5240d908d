// A blocking HTTP/1.1 client for one server, with connections that are kept and used again.
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
  std::string token;    // sent as a bearer's; empty: none
  std::string ca_file;  // of certificates to trust, PEM; empty: the system's
  Duration connect_timeout = Duration::seconds(10);
};

struct HttpCall {
  std::string method = "GET";
  std::string path;  // begins with '/', escaped
  std::string body;  // JSON, of a POST
  std::vector<std::pair<std::string, std::string>> headers;
  Duration timeout = Duration::seconds(30);  // from the sending to the whole answer
  // Given each piece of a 200's body as it comes, instead of the reply; the time then runs anew
  // with every piece, so an answer may last for ever.
  std::function<void(std::string_view piece)> on_body = {};
};

struct HttpReply {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  // The first of that name, whatever its case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

class ServerConnection;  // one socket, plain or with TLS
class TrustedCertificates;

// Safe to share between threads.
class HttpClient {
 public:
  // Errc::invalid for a bad address or unreadable certificates. Does not connect yet.
  static Result<std::shared_ptr<HttpClient>> make(const HttpClientOptions& options);
  ~HttpClient();

  // Errc::unavailable if there is no answer, whatever became of the request: nothing is repeated
  // here. When `stop` is requested, gives up at once with the same.
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
