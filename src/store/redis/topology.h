// Who holds what just now: one server for everything, or a cluster's slots.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/sync/mutex.h"
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

  // A node that could not be reached for a while: calls to it fail at once, so that they keep no
  // connection of other namespaces waiting. The watchdog looks at it and says when it is back.
  void note_unreachable(const Address& address, const std::string& why);
  void note_reachable(const Address& address);
  // Why; none for a node that may be asked.
  std::optional<std::string> unreachable(const Address& address) const;

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
  std::map<Address, std::string> unreachable_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::redis
