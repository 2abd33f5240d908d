// Non-blocking reads and writes on one socket, with or without TLS.
#pragma once

#include <cstddef>
#include <span>

#include "http/outbox.h"
#include "http/tls.h"

namespace longshore::wire {

enum class Io {
  done,
  wait_read,   // try again when the socket can be read
  wait_write,  // try again when the socket can be written
  ended,       // the peer will send no more
  broken,      // nothing can be sent or received any more
};

// Not safe to share between threads. Does not own the socket.
class Channel {
 public:
  // `session` is null for plain TCP.
  Channel(int socket, TlsContext::Session session)
      : socket_(socket), session_(std::move(session)) {}

  bool secure() const { return session_ != nullptr; }
  // The TLS handshake; REQUIRES: secure().
  Io handshake();
  // Sets `count` to the bytes read; at least one if done.
  Io read(std::span<char> into, std::size_t& count);
  // Whether TLS has buffered data that does not make the socket readable.
  bool has_pending() const;
  // Whether the peer has closed its side; data it sent before may still be unread.
  bool has_peer_left() const;
  // Sends from `outbox` until it is empty or the socket takes no more.
  Io write(Outbox& outbox);
  // Tells the peer that nothing more will be sent. Data read afterwards is not decrypted.
  void finish();

 private:
  Io write_plain(Outbox& outbox);
  Io write_secure(Outbox& outbox);
  Io explain(int result);

  int socket_;
  TlsContext::Session session_;
  bool finished_ = false;
};

}  // namespace longshore::wire
