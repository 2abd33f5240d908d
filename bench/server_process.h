// A server in its own process, to measure its resources apart from those of its clients.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace longshore::bench {

// The process ends with this object and with this program.
class ServerProcess {
 public:
  // REQUIRES: no other thread runs in this program.
  explicit ServerProcess(const std::string& store);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  // Its private memory, without file pages.
  double memory_mib() const;
  double processor_seconds() const;

 private:
  [[noreturn]] static void serve(const std::string& store, int told, int until);

  pid_t process_ = 0;
  int hold_ = -1;  // it serves until this is closed
  std::uint16_t port_ = 0;
};

}  // namespace longshore::bench
