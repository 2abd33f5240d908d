// A child process that uses a store until it is killed or terminated.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "crash/load.h"
#include "longshore/time.h"

namespace longshore::crash {

// What the process runs: calls of the store itself, or a program that uses the library.
enum class Program { store, library, stubborn_library };

std::string store_in(const std::string& directory);
std::string history_in(const std::string& directory, int life);

class Child {
 public:
  // REQUIRES: the calling process has no other threads, since it forks. The child writes its
  // history to history_in(directory, load.life), and dies with its parent.
  Child(Program program, const std::string& directory, const Load& load);
  ~Child();  // kills it if it is alive
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Blocks until it is ready, has died, or half a minute has passed.
  bool ready() const;
  // Lets it run; false if it died meanwhile.
  bool works_for(Duration duration) const;

  // SIGKILL; false if it had died before.
  bool kill();
  // SIGTERM; its exit code, or none if it had to be killed after `longest`. Its last output is in
  // `output`.
  std::optional<int> terminate(Duration longest, std::string& output);

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
};

}  // namespace longshore::crash
