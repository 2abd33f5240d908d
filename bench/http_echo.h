// A minimal server, like Beast's own examples, with the same response to every request. Shows the
// cost of HTTP itself on this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace longshore::bench {

class HttpEcho {
 public:
  // Serves on a free port of the loopback address until it is destroyed: one thread and one
  // io_context for each of `threads`, connections assigned round-robin. Every response is
  // 202 and `body`.
  HttpEcho(int threads, std::string body);
  ~HttpEcho();
  HttpEcho(const HttpEcho&) = delete;
  HttpEcho& operator=(const HttpEcho&) = delete;

  std::uint16_t port() const;

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace longshore::bench
