// The histories of all processes and the final content of their store, for the checker.
#pragma once

#include <cstdint>
#include <string>

#include "checker/history.h"
#include "checker/judge.h"
#include "longshore/error.h"

namespace longshore::crash {

// The requests of one process when it ended.
struct RequestCounts {
  std::int64_t acknowledged = 0;
  std::int64_t in_flight = 0;  // sent and not answered; a claim may have been waiting for work
};

class Evidence {
 public:
  explicit Evidence(std::string directory) : directory_(std::move(directory)) {}

  // Adds the history of one process.
  Result<RequestCounts> take(int life);
  // Adds the content of the store, and checks everything.
  Result<checker::Judgement> judge();

  // After judge().
  const checker::History& history() const { return history_; }

 private:
  const std::string directory_;
  checker::History history_;
};

}  // namespace longshore::crash
