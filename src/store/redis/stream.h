// Bytes to a server and back, through TLS or not, each wait bounded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/error.h"
#include "longshore/time.h"
#include "store/redis/tls.h"
#include "store/redis/url.h"

namespace longshore::redis {

// Used by one thread at a time.
class Stream {
 public:
  // Errc::unavailable if nobody answers there, Errc::refused if it is not who it should be.
  // `tls` may be null. No wait for a byte lasts longer than `timeout`.
  static Result<std::unique_ptr<Stream>> open(const Address& address, Duration timeout,
                                              const TlsContext* tls);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // False once the connection is lost; ask `why`.
  bool send(std::string_view bytes);
  // Waits for bytes and adds them to `bytes`, which may stay as it is. False once the connection is
  // lost.
  bool receive(std::string& bytes);

  // True if there is nothing to be read: no bytes, no end. What an unused connection should be.
  bool quiet() const;
  // Waits for something to be read here or at `bell`, another file descriptor.
  bool wait_readable(int bell, int millis) const;
  const std::string& why() const { return why_; }

 private:
  explicit Stream(int socket) : socket_(socket) {}

  Result<Nothing> greet(const TlsContext& context, const std::string& host);
  bool send_raw(std::string_view bytes);
  std::optional<std::string_view> receive_raw();
  bool lose(std::string why);

  const int socket_;
  std::unique_ptr<TlsSession> tls_;
  std::string buffer_;
  std::string why_;
};

}  // namespace longshore::redis
