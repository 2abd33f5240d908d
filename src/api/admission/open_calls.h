// Long-lived calls: streams, lease requests, waits for a job. Each ends when its token is revoked
// or expires.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/wire/problem.h"
#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
class OpenCalls {
 public:
  // Destroying it ends the registration.
  class Registration;
  using RegistrationRef = std::shared_ptr<Registration>;

  // `end` is called at most once, on any thread, and must not block.
  RegistrationRef add(const std::string& token, std::function<void()> end);

  // Ends the calls whose token `is_gone`.
  void end_those_of(const std::function<bool(const std::string& token)>& is_gone);

 private:
  using Number = std::uint64_t;
  struct Entry {
    std::string token;
    std::function<void()> end;
  };
  void remove(Number number);

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<Number, Entry> entries_ LONGSHORE_GUARDED_BY(mutex_);
  Number next_ LONGSHORE_GUARDED_BY(mutex_) = 1;
};

class OpenCalls::Registration {
 public:
  Registration(OpenCalls& calls, Number number) : calls_(calls), number_(number) {}
  ~Registration() { calls_.remove(number_); }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  OpenCalls& calls_;
  const Number number_;
};

// The answer to a call whose token was revoked while it waited.
Problem token_is_gone();

}  // namespace longshore
