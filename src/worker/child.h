// One child process and the ends of its pipes, closed and reaped whatever happens.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// An open file that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close();

 private:
  int number_;
};

// An event that poll can wait for.
class EventFile {
 public:
  EventFile();
  int number() const { return descriptor_.number(); }
  void happen() const;

 private:
  Descriptor descriptor_;
};

// Is readable once a time has passed; never, until it is set.
class TimerFile {
 public:
  TimerFile();
  int number() const { return descriptor_.number(); }
  void set(Duration after) const;

 private:
  Descriptor descriptor_;
};

// What the system holds a process to; 0: no more than it holds the worker to.
struct ProcessLimits {
  std::int64_t memory_bytes = 0;  // of address space
  std::int64_t cpu_seconds = 0;
  std::int64_t open_files = 0;
};
// For the process that calls it and those it starts. Safe in a child that shares its parent's
// memory.
void obey(const ProcessLimits& limits);

struct ChildStart {
  const std::string& path;
  const std::string& input;  // what it reads; a file, so that nobody has to feed it
  const std::vector<std::string>& environment;
  const std::string& folder;  // its working directory; empty: the worker's
  ProcessLimits limits = {};
};

// Every group that a Child of this process leads, at once and without mercy. Whoever waits for one
// sees it end. Safe to call from any thread.
void kill_all_children();

class Child {
 public:
  // It gets three files and no others, a group of its own, and no signal blocked or ignored. The
  // system kills it if the calling thread dies.
  static Result<Child> start(const ChildStart& start);
  ~Child();  // kills and reaps
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;

  // Readable once it has ended.
  int ended() const { return process_.number(); }
  // To the whole process group.
  void signal(int number) const;
  // REQUIRES: it has ended. Kills what is left of its group.
  // As waitid says: the status, or the signal that killed it.
  struct End {
    bool exited = false;
    int value = 0;
  };
  End reap();

  Descriptor output;
  Descriptor errors;

 private:
  Child() = default;
  pid_t id_ = -1;
  Descriptor process_;
};

}  // namespace longshore
