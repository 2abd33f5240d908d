// What this node saw, minute by minute, per queue and type: the figures behind charts. Rows are
// rewritten in the store until their minute is over, so a restart loses seconds, not hours.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Safe to share between threads.
class Minutes {
 public:
  explicit Minutes(NodeId node) : node_(node) {}

  void count(const Committed& committed);

  // The rows that changed since they were last taken. Those of past minutes are then forgotten.
  std::vector<MinuteRow> take_changed(Instant now);

 private:
  struct Row {
    MinuteRow row;
    bool changed = false;
  };
  using Key = std::tuple<Instant, std::string, std::string, std::string>;

  MinuteRow& row_for(Instant start, const Happened& one);

  const NodeId node_;

  Mutex mutex_;
  // Guarded by mutex_.
  std::map<Key, Row> rows_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
