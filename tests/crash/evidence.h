// What the processes wrote down and what their store holds in the end, for the checker.
#pragma once

#include <cstdint>
#include <string>

#include "checker/history.h"
#include "checker/judge.h"
#include "longshore/error.h"

namespace longshore::crash {

// What one process had asked and heard when it ended.
struct Heard {
  std::int64_t acknowledged = 0;
  std::int64_t in_flight = 0;  // asked and not answered; a claim may just have waited for work
};

class Evidence {
 public:
  explicit Evidence(std::string directory) : directory_(std::move(directory)) {}

  // Adds what one process wrote down.
  Result<Heard> take(int life);
  // Adds what the store holds, and judges all of it.
  Result<checker::Judgement> judge();

  // After judge().
  const checker::History& history() const { return history_; }

 private:
  const std::string directory_;
  checker::History history_;
};

}  // namespace longshore::crash
