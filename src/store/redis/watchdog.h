// Looks at every primary once a second, and tells when one no longer is what it was.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "store/notifications/condition_book.h"
#include "store/redis/channel.h"
#include "store/redis/inspection.h"
#include "store/redis/link.h"
#include "store/redis/tally.h"
#include "store/redis/topology.h"

namespace longshore::redis {

// Safe to share between threads.
class Watchdog {
 public:
  // All must outlive the watchdog. `tls` may be null. For `accepted` see ChannelOptions.
  Watchdog(const Url& url, const TlsContext* tls, Topology& topology, Tally& tally,
           std::optional<Durability> accepted);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // The first look, which decides whether the servers can be used at all: see connect().
  Result<Nothing> first_look();
  // From here on, every second.
  void start();

  Standing standing() const;
  // REQUIRES: the first look was good.
  ConditionBook& conditions() { return *conditions_; }
  // Unlike what any other channel answers.
  const std::string& channel_id() const { return channel_id_; }

 private:
  // What one look saw of all primaries.
  struct Seen {
    Standing standing;
    Sighting sighting;
    bool sighted = false;        // some primary said what it promises
    bool changed_roles = false;  // some primary is none any more
  };
  Result<Facts> look_at(const Address& address);
  Result<Facts> look_once_loaded(const Address& address);
  // A promise that has become weaker is asked for twice.
  Result<Facts> look_again_if_weaker(const Address& address);
  Seen look_at_all(const SlotMap& map);
  void add(const Facts& facts, const Address& address, Seen& seen);
  bool is_settled(const Facts& facts, const Address& address);
  Result<Nothing> name_channel(const Facts& facts, const Address& address);
  void look();
  // Calls to a primary of a cluster fail at once from its second failed look to its next good one.
  void note(const Address& address, const Result<Facts>& facts);
  void run();
  // False once it is time to end.
  bool wait_for_next_look();

  // Constant after the first look.
  const Url& url_;
  const TlsContext* const tls_;
  Topology& topology_;
  Tally& tally_;
  std::string channel_id_;
  int replicas_ = 0;
  const std::optional<Durability> accepted_;
  std::optional<ConditionBook> conditions_;

  // Of whoever looks.
  std::map<Address, std::unique_ptr<Link>> links_;
  std::map<Address, int> failures_;  // looks in a row that failed
  // Those that had no log. Turned on, it is whole only once Redis has rewritten it.
  std::set<Address> without_log_;

  mutable Mutex mutex_;
  std::condition_variable_any ending_;
  bool ended_ LONGSHORE_GUARDED_BY(mutex_) = false;
  Standing standing_ LONGSHORE_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace longshore::redis
