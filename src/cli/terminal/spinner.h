// Shows "checking sqlite:jobs.db, 12s" on standard error, if it is a terminal, during its lifetime.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace longshore {

class Spinner {
 public:
  explicit Spinner(std::string what);
  ~Spinner();  // clears the line
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

 private:
  void tell(const std::stop_token& stop);

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace longshore
