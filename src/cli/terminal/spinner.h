// "checking sqlite:jobs.db, 12s" on a terminal's standard error, as long as this lives.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace longshore {

class Spinner {
 public:
  explicit Spinner(std::string what);
  ~Spinner();  // wipes the line out
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

 private:
  void tell(const std::stop_token& stop);

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::jthread teller_;  // last: it uses the others
};

}  // namespace longshore
