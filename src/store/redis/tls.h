// TLS between a socket and whoever reads and writes: bytes go in and out of it, the socket stays
// outside, so that its timeouts and its signals are handled in one place.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "longshore/error.h"
#include "store/redis/url.h"

namespace longshore::redis {

// What all connections of a channel have in common: whom to trust, and who we are.
class TlsContext {
 public:
  // Errc::invalid for files that cannot be read.
  static Result<std::shared_ptr<TlsContext>> make(const Url& url);

  SSL_CTX* handle() const { return context_.get(); }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::unique_ptr<SSL_CTX, Free> context_;
};

// One connection's side of it. Used by one thread at a time.
class TlsSession {
 public:
  // The certificate has to be for `host`.
  TlsSession(const TlsContext& context, const std::string& host);

  // One step of the greeting. False once it failed; ask `why`.
  bool greet();
  bool greeted() const { return SSL_is_init_finished(session_.get()) == 1; }
  std::string why() const;

  // False once the session is broken.
  bool encrypt(std::string_view plain);
  // What the socket is to send, taken.
  std::string take_outgoing();
  // Adds what the bytes from the socket hold to `plain`. False once the session is broken or over.
  bool decrypt(std::string_view cipher, std::string& plain);
  void feed(std::string_view cipher);

 private:
  struct Free {
    void operator()(SSL* session) const { SSL_free(session); }
  };
  std::unique_ptr<SSL, Free> session_;
};

}  // namespace longshore::redis
