// A process of our own that works on a store until it is ended from outside.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "crash/load.h"
#include "longshore/time.h"

namespace longshore::crash {

// What the process is: calls of the bare store, or a program that uses the library.
enum class Program { store, library, stubborn_library };

std::string store_in(const std::string& directory);
std::string history_in(const std::string& directory, int life);

class Child {
 public:
  // REQUIRES: the calling process has no other threads, for it forks. The child writes its
  // history to history_in(directory, load.life), and dies with its parent.
  Child(Program program, const std::string& directory, const Load& load);
  ~Child();  // kills it if it still lives
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Blocks until it works, or has died, or half a minute has passed.
  bool ready() const;
  // Lets it work; false if it died meanwhile.
  bool works_for(Duration duration) const;

  // SIGKILL; false if it had died before.
  bool kill();
  // SIGTERM; its exit code, or none if it had to be killed after `longest`. What it said last,
  // if anything, is in `words`.
  std::optional<int> terminate(Duration longest, std::string& words);

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;
};

}  // namespace longshore::crash
