// Open files that close themselves, and two that poll can wait for.
#pragma once

#include <utility>

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

}  // namespace longshore
