// Counts this node's events per minute, queue and type, for charts. A row is rewritten in the store
// until its minute is over, so a restart loses only seconds. A row that was sent and not
// acknowledged is sent again.
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
  // The id of the rows. A store overwrites rows with the same id, so it must be new at each start.
  explicit Minutes(NodeId id) : id_(id) {}

  void count(const Committed& committed);
  std::size_t size() const;  // rows in memory

  // Returns the rows that the store has not acknowledged. Others are dropped once their minute is
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
    std::uint64_t sent_in = 0;  // the latest batch with the current counts; 0: none
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
