// What this node saw, minute by minute, per queue and type: the figures behind charts. Rows are
// rewritten in the store until their minute is over, so a restart loses seconds, not hours. A row
// that was sent and not acknowledged is sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Safe to share between threads.
class Minutes {
 public:
  // Rows are written under this id. A store overwrites what was written under it before, so it must
  // be new at each start.
  explicit Minutes(NodeId id) : id_(id) {}

  void count(const Committed& committed);
  std::size_t size() const;  // rows that are remembered

  // The rows whose counts the store has not acknowledged. Others are forgotten once their minute is
  // over by the store's clock.
  struct Batch {
    std::uint64_t number = 0;
    std::vector<MinuteRow> rows;
  };
  Batch take_changed();
  // The store has the batch.
  void acknowledge(std::uint64_t batch);

 private:
  struct Row {
    MinuteRow row;
    std::uint64_t sent_in = 0;  // the latest batch with these very counts; 0: none yet
    bool stored = false;
  };
  using Key = std::tuple<Instant, std::string, std::string, std::string>;

  MinuteRow& row_for(Instant start, const JobEvent& one);

  const NodeId id_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::map<Key, Row> rows_ LONGSHORE_GUARDED_BY(mutex_);
  std::uint64_t batches_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  Instant store_time_ LONGSHORE_GUARDED_BY(mutex_);  // of the latest commit
};

}  // namespace longshore
