// TLS with OpenSSL on non-blocking sockets.
#pragma once

#include <memory>
#include <string>

#include "longshore/error.h"

struct ssl_ctx_st;
struct ssl_st;

namespace longshore::wire {

// A certificate chain and its key for new connections. Safe to share between threads; a connection
// keeps the one it began with.
class TlsContext {
 public:
  // From two PEM files. TLS 1.2 and later. Errc::invalid if they cannot be read or do not match.
  static Result<std::shared_ptr<TlsContext>> load(const std::string& certificate_file,
                                                  const std::string& key_file);

  struct Free {
    void operator()(ssl_ctx_st* context) const;
    void operator()(ssl_st* session) const;
  };
  using Session = std::unique_ptr<ssl_st, Free>;

  // The server side of a connection on `socket`, before its handshake. Null if out of memory.
  Session accept(int socket) const;

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

}  // namespace longshore::wire
