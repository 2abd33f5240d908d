// One child process and the ends of its pipes, closed and reaped whatever happens.
#pragma once

#include <sys/types.h>

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

class Child {
 public:
  // `input` is what it reads; a file, so that nobody has to feed it.
  static Result<Child> start(const std::string& path, const std::string& input,
                             const std::vector<std::string>& environment);
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
