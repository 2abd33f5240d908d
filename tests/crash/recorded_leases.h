// Leases that record every request of a worker before it is sent, and every answer after it
// arrived.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/history_writer.h"
#include "core/ids/random.h"
#include "core/sync/mutex.h"
#include "longshore/leases.h"

namespace longshore::crash {

// Safe to share between threads. An error ends the process: on a healthy disk none is expected, and
// the history would contain a request in doubt that no kill explains.
class RecordedLeases final : public Leases {
 public:
  struct Who {
    std::string name;
    std::string ns;
    std::uint64_t seed = 1;
  };

  // `history` must outlive this object and all pending answers.
  RecordedLeases(std::shared_ptr<Leases> inner, checker::HistoryWriter& history, Who who);

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override;
  Instant now() override { return inner_->now(); }
  void wait_until(Instant at, std::stop_token stop) override {
    inner_->wait_until(at, std::move(stop));
  }

 private:
  struct Ops {
    std::vector<std::int64_t> words;
    std::optional<std::int64_t> claim;
  };

  Ops record_requests(Turn& turn);
  void record(const Ops& ops, const Result<Turned>& turned);
  void record_claim(std::int64_t op, const Turned& turned);
  void name(Command& command);
  RequestId request();

  const std::shared_ptr<Leases> inner_;
  checker::HistoryWriter& history_;
  const Who who_;

  Mutex mutex_;
  // Guarded by mutex_.
  SeededRandom random_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::crash
