// A client that says exactly what it is told to, proper or not, and sees exactly what comes back.
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

// Blocks, but for ten seconds at the most: a test that waits in vain fails instead of hanging.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient& operator=(RawClient&&) = delete;

  // From now on over TLS, whoever the other side says it is. False if the handshake fails.
  bool start_tls();
  // Of the certificate that was shown, in hexadecimal.
  std::string certificate_serial() const;

  // False if the other side takes no more.
  bool send(std::string_view bytes);
  void end_sending();
  // Ends the connection so that the other side gets an error, not an end.
  void reset();
  void close();

  // The next answer; none if the connection ends first. To a HEAD comes no body.
  std::optional<RawResponse> receive(bool to_head = false);
  // The next so many bytes, or as many as came before the end.
  std::string receive_bytes(std::size_t count);
  // Everything up to and with `end`, or to the end of the connection.
  std::string receive_until(std::string_view end);
  // Whether something has come that was not received; does not wait.
  bool has_input() const;
  // Whether nothing more comes but the end.
  bool at_end();
  // How much may wait unread on this side. To be called before anything is received.
  void shrink_receive_buffer();

 private:
  // Adds what comes next to buffer_; false at the end.
  bool fill();
  std::string take(std::size_t count);
  void read_chunks(std::string& body);

  int socket_ = -1;
  std::string buffer_;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
};

}  // namespace longshore
