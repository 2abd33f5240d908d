// The way to Redis, be it one server or a cluster: commands go out, replies come back. Knows
// connections, slots, redirections, scripts and durability; knows nothing of jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/error.h"
#include "longshore/store.h"
#include "longshore/time.h"
#include "store/notifications/condition_book.h"
#include "store/redis/reply.h"
#include "store/redis/script.h"
#include "store/redis/url.h"

namespace longshore::redis {

// One command, its name first.
using Words = std::vector<std::string>;

// One command and the tag of its keys.
struct TaggedWords {
  std::string tag;
  Words words;
};

// What was last seen of the servers. Looked at again every second.
struct Standing {
  bool reachable = false;  // every primary answered
  int primaries = 0;
  int replicas_awaited = 0;      // an acknowledgement waits for so many
  std::int64_t memory_used = 0;  // bytes, of the primary that is nearest to its limit
  std::int64_t memory_max = 0;   // its limit; 0 if it has none
  std::int64_t looks = 0;        // how often the servers have been looked at
  friend bool operator==(const Standing&, const Standing&) = default;
};

// What happened since the channel was opened.
struct Counts {
  std::int64_t exchanges = 0;    // times that calls were sent and answers awaited
  std::int64_t moved = 0;        // MOVED answers followed
  std::int64_t asked = 0;        // ASK answers followed
  std::int64_t tried = 0;        // TRYAGAIN, CLUSTERDOWN, LOADING, BUSY, READONLY waited for
  std::int64_t connected = 0;    // connections made
  std::int64_t lost = 0;         // connections lost in the middle of an exchange
  std::int64_t short_waits = 0;  // acknowledgements withheld: too few replicas had the writes
  std::int64_t went_back = 0;    // times that a server turned out to have lost what it acknowledged
};

struct Message {
  std::string channel;
  std::string text;
  friend bool operator==(const Message&, const Message&) = default;
};

// Messages that somebody publishes, heard on a connection of its own that is made anew whenever it
// breaks; what is said meanwhile is lost. Safe to share between threads.
class Subscription {
 public:
  virtual ~Subscription() = default;

  // Blocks until there is a message or `longest` has passed; all messages since the last call.
  virtual std::vector<Message> wait(Duration longest) = 0;
  // True while the connection stands, so that a message would be heard.
  virtual bool hears() const = 0;
  // Makes every wait return at once, now and later. Idempotent.
  virtual void stop() = 0;
};

struct ChannelOptions {
  // Told when a server turns out to have lost what it acknowledged. May be called on any thread.
  std::function<void(const std::string&)> alarm = {};
  // The least durability that is enough, if the URL does not ask for more. If neither says: what
  // the servers promise at the start.
  std::optional<Durability> accepted = {};
};

// Safe to share between threads; so many exchanges run at once as the URL names lanes, others
// wait for their turn.
class Channel {
 public:
  virtual ~Channel() = default;

  // Sends all calls to the primary that holds `tag`, the text between the braces of their keys, in
  // order and at once; answers in order. A reply may be an error of its call alone. Redirections,
  // and a server that loads or is about to change its role, are waited for inside. `durable`: the
  // replies come once the demanded replicas have the writes, too.
  // Errc::unavailable: what became of the calls is unknown. Errc::overloaded: nothing happened.
  virtual Result<std::vector<Reply>> exchange(std::string_view tag, std::span<const Words> calls,
                                              bool durable) = 0;
  // Sends each call to the primary that holds its tag, all calls of one primary at once: so many
  // exchanges as there are primaries, whatever the number of tags. A call may happen twice. Does
  // not wait for a primary that cannot answer now, and its calls fail without the others.
  virtual std::vector<Result<Reply>> exchange_each(std::span<const TaggedWords> calls) = 0;
  // The same as exchange() for runs of scripts, which are loaded when the server does not know
  // them.
  virtual Result<std::vector<Reply>> run_all(std::string_view tag,
                                             std::span<const ScriptCall> calls, bool durable) = 0;
  Result<Reply> run(std::string_view tag, const ScriptCall& call, bool durable);

  virtual Standing standing() const = 0;
  // What the weakest primary promises. Looked at again every second.
  virtual ConditionBook& conditions() = 0;
  virtual Counts counts() const = 0;
  virtual const Url& url() const = 0;

  // Hears what is published to the channels, each named with its hash tag: by PUBLISH on a single
  // server, by SPUBLISH on a cluster (see publish_word). All channels carry the same tag.
  virtual std::unique_ptr<Subscription> subscribe(std::vector<std::string> channels) = 0;
  // "PUBLISH" or "SPUBLISH".
  virtual const std::string& publish_word() const = 0;
};

// Connects and looks at every primary. Errc::unavailable for servers that cannot be reached,
// Errc::refused for one that is too old, a replica, evicts keys, or is weaker than the URL demands.
Result<std::unique_ptr<Channel>> connect(const Url& url, const ChannelOptions& options);

}  // namespace longshore::redis
