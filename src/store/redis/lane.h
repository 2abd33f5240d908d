// A lane carries one exchange at a time: its own connections, and what it knows to be acknowledged.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "store/redis/link.h"
#include "store/redis/tally.h"

namespace longshore::redis {

// A lane leaves a rising number with everything that it writes, under a name of its own. Redis
// keeps its writes in order, in its log and towards replicas, so a server that knows an earlier
// number than was acknowledged has lost acknowledged writes.
struct Witness {
  std::int64_t sent = 0;
  std::int64_t acknowledged = 0;
  std::int64_t second = 0;  // Tally::seconds at the last acknowledgement
};

// Used by one thread at a time.
class Lane {
 public:
  // All must outlive the lane. `tls` may be null.
  Lane(const Url& url, const TlsContext* tls, Tally& tally, int number)
      : url_(url), tls_(tls), tally_(tally), number_(number) {}

  // A connection that worked when it was last used, or a new one. After a failure the next attempt
  // waits first, a little longer each time.
  Result<Link*> link(const Address& address);
  void drop(const Address& address) { links_.erase(address); }

  Witness& witness(std::string_view tag);
  int number() const { return number_; }

 private:
  const Url& url_;
  const TlsContext* const tls_;
  Tally& tally_;
  const int number_;
  std::map<Address, std::unique_ptr<Link>> links_;
  std::map<Address, int> failures_;
  std::map<std::string, Witness, std::less<>> witnesses_;
};

// Safe to share between threads.
class Lanes {
 public:
  Lanes(const Url& url, const TlsContext* tls, Tally& tally);

  // Holds a lane for a scope.
  class Hold {
   public:
    explicit Hold(Lanes& lanes) : lanes_(lanes), lane_(lanes.take()) {}
    ~Hold() { lanes_.give_back(lane_); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    Lane& lane() { return lane_; }

   private:
    Lanes& lanes_;
    Lane& lane_;
  };

 private:
  Lane& take();
  void give_back(Lane& lane);

  std::vector<std::unique_ptr<Lane>> lanes_;  // constant after construction
  Mutex mutex_;
  std::condition_variable_any freed_;
  std::deque<Lane*> free_ LONGSHORE_GUARDED_BY(mutex_);
};

// Waits without doing anything, as a back-off does.
void pause_for(int millis);

}  // namespace longshore::redis
