// A server in a process of its own, so that what it uses is told apart from what its clients do.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace longshore::bench {

// Ends with this object, and with this program.
class ServerProcess {
 public:
  // REQUIRES: no other thread runs in this program.
  explicit ServerProcess(const std::string& store);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  std::uint16_t port() const { return port_; }
  // Memory that it took and has not given back; pages of files are not its own.
  double memory_mib() const;
  double processor_seconds() const;

 private:
  [[noreturn]] static void serve(const std::string& store, int told, int until);

  pid_t process_ = 0;
  int hold_ = -1;  // it serves until this is closed
  std::uint16_t port_ = 0;
};

}  // namespace longshore::bench
