// A server that does nothing: Beast as its own examples use it, one answer to every request. What
// HTTP costs on this machine before anybody has added a meaning to it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace longshore::bench {

class HttpEcho {
 public:
  // Serves on a free port of the loopback address until it is destroyed: one thread and one
  // io_context for each of `threads`, connections dealt in turn. Every request is answered with
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
