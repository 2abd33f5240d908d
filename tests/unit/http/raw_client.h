// A client that sends arbitrary bytes and returns exactly what the server sends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;

namespace longshore {

inline constexpr std::string_view good_request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

struct RawResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string header(const std::string& name) const;
};

// Blocks for at most ten seconds, so that a failing test does not hang.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  // Switches to TLS without verifying the server. False if the handshake fails.
  bool start_tls();
  // Of the server's certificate, in hexadecimal.
  std::string certificate_serial() const;

  // False if the server has closed the connection.
  bool send(std::string_view bytes);
  void end_sending();
  // Resets the connection, so that the server sees an error and not an end.
  void reset();
  void close();

  // The next response; none if the connection ends first. A response to HEAD has no body.
  std::optional<RawResponse> receive(bool to_head = false);
  // The next `count` bytes, or fewer if the connection ends first.
  std::string receive_bytes(std::size_t count);
  // Everything up to and including `end`, or to the end of the connection.
  std::string receive_until(std::string_view end);
  // Whether unread data has arrived; does not wait.
  bool has_input() const;
  // Whether the connection ends without further data.
  bool at_end();
  // Limits the receive buffer. Call it before anything is received.
  void shrink_receive_buffer();

 private:
  // Appends the next data to buffer_; false at the end.
  bool fill();
  std::string take(std::size_t count);
  void read_chunks(std::string& body);

  int socket_ = -1;
  std::string buffer_;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
};

}  // namespace longshore
