// The zygote: a fork of the program made in the first line of main, before any threads. It forks
// the processes in which handlers run and reports how each one ended.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "longshore/error.h"
#include "worker/program/child.h"

namespace longshore {

// Why no process can be started; nothing if it can.
std::optional<Error> zygote_fault();

// A handler process. Not safe to share between threads.
class HandlerProcess {
 public:
  // Errc::refused without a zygote, Errc::unavailable if it is gone.
  static Result<std::unique_ptr<HandlerProcess>> start(const ProcessLimits& limits);
  ~HandlerProcess();  // kills it
  HandlerProcess(const HandlerProcess&) = delete;
  HandlerProcess& operator=(const HandlerProcess&) = delete;

  int socket() const { return socket_.number(); }      // messages, in both directions
  int ended() const { return status_pipe_.number(); }  // readable once it has ended

  bool is_alive() const;
  void kill();  // including its children
  // Blocks until it has ended. Nothing if the zygote is gone.
  std::optional<Child::End> wait_end();
  // The stack trace of a crash, one line per function.
  std::string stack() const;

 private:
  HandlerProcess() = default;

  pid_t id_ = -1;
  Descriptor socket_;
  Descriptor status_pipe_;  // keeps the pid reserved while it is open
  Descriptor stack_;        // shared with the process
};

}  // namespace longshore
