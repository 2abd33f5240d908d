// The zygote: a copy of the program from main's first line, without threads, that forks the
// processes in which handlers run, and tells how each of them ended.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "longshore/error.h"
#include "worker/program/child.h"

namespace longshore {

// Why no processes can be had: nothing if they can.
std::optional<Error> zygote_fault();

// One process for handlers. Not safe to share between threads.
class Hatchling {
 public:
  // Errc::refused without a zygote, Errc::unavailable if it is gone.
  static Result<std::unique_ptr<Hatchling>> hatch(const ProcessLimits& limits);
  ~Hatchling();  // kills it
  Hatchling(const Hatchling&) = delete;
  Hatchling& operator=(const Hatchling&) = delete;

  int socket() const { return socket_.number(); }  // parcels, both ways
  int ended() const { return news_.number(); }     // readable once it has ended

  bool is_alive() const;
  void kill();  // it and whatever it started
  // Blocks until it has ended. Nothing if the zygote is gone.
  std::optional<Child::End> wait_end();
  // What it could say of a crash: a line for each function on its stack.
  std::string stack() const;

 private:
  Hatchling() = default;

  pid_t id_ = -1;
  Descriptor socket_;
  Descriptor news_;   // as long as it is open, nobody else can get the process's number
  Descriptor stack_;  // shared with the process
};

}  // namespace longshore
