// Who holds what just now: one server for everything, or a cluster's slots.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/mutex.h"
#include "longshore/error.h"
#include "store/redis/slots.h"
#include "store/redis/tls.h"
#include "store/redis/url.h"

namespace longshore::redis {

// Safe to share between threads.
class Topology {
 public:
  // Both must outlive the topology. `tls` may be null. Knows one server from the start, a cluster
  // after the first refresh.
  Topology(const Url& url, const TlsContext* tls);

  std::shared_ptr<const SlotMap> map() const;
  // A node of a cluster said that the slot is elsewhere.
  void moved(const Direction& direction);
  // Asks the nodes of a cluster, one after the other, until one has a whole map. Does nothing while
  // another thread asks.
  Result<Nothing> refresh();

 private:
  std::vector<Address> candidates();
  Result<SlotMap> ask(const Address& address) const;
  void set(SlotMap map);

  // Constant after construction.
  const Url& url_;
  const TlsContext* const tls_;

  Mutex refreshing_;
  mutable Mutex mutex_;
  std::shared_ptr<const SlotMap> map_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t asked_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

}  // namespace longshore::redis
