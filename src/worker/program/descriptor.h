// File descriptors that close themselves, and two that can be polled: an event and a timer.
#pragma once

#include <utility>

#include "longshore/time.h"

namespace longshore {

// Closes the descriptor when destroyed.
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

// An event that can be polled (eventfd).
class EventFile {
 public:
  EventFile();
  int number() const { return descriptor_.number(); }
  void signal() const;

 private:
  Descriptor descriptor_;
};

// A timer that can be polled (timerfd). Not readable until it is set and has expired.
class TimerFile {
 public:
  TimerFile();
  int number() const { return descriptor_.number(); }
  void set(Duration after) const;

 private:
  Descriptor descriptor_;
};

}  // namespace longshore
