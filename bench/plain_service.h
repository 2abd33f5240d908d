// A minimal service: one thread per connection, and the same response to every request.
#pragma once

#include <cstdint>
#include <thread>

namespace longshore::bench {

class PlainService {
 public:
  // On a free port of the loopback address.
  PlainService();
  ~PlainService();  // connections end with their clients
  PlainService(const PlainService&) = delete;
  PlainService& operator=(const PlainService&) = delete;

  std::uint16_t port() const { return port_; }

 private:
  void accept_all();

  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace longshore::bench
