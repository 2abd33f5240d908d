// Event streams: one thread serves all readers. Events that a slow reader does not take are not
// buffered for it. The events of a job are read from the store, so that its reader misses none and
// may continue at any node; live events are best effort, and a reader that fell behind is told to
// start over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "api/views/view.h"
#include "core/sync/mutex.h"
#include "http/exchange.h"
#include "longshore/store.h"
#include "runtime/alarm.h"
#include "runtime/timekeeper.h"

namespace longshore {

struct EventHubLimits {
  std::size_t readers_max = 2000;
  std::size_t events_waiting = 10'000;             // more, and every live reader starts over
  std::size_t buffer_bytes = 512 * 1024;           // of one reader's stream
  Duration look_every = Duration::seconds(1);      // for changes by other nodes
  Duration keep_alive = Duration::seconds(15);     // of silence
  Duration stall_timeout = Duration::seconds(60);  // of a reader that takes nothing
};

// How the hub reaches one reader. All are called on the hub's thread; either `begin` or `refuse`,
// once.
struct Subscriber {
  std::function<std::shared_ptr<HttpStream>(std::size_t buffer_bytes)> begin;
  std::function<void(const Error& error)> refuse;
  std::function<void(std::function<void()> gone)> on_gone;
};

struct JobSubscription {
  std::string ns;
  JobId job;
  std::int64_t after = 0;  // the last seq that the reader has
  const JobView* view = &native_view();
};

struct LiveSubscription {
  std::string ns;
  std::optional<std::string> type;
  std::optional<std::string> queue;
  std::string last_id = {};  // the last event the reader saw, of any node; empty: none
  const JobView* view = &native_view();
};

// Safe to share between threads.
class EventHub {
 public:
  // `catalog` and `time` must outlive the hub.
  EventHub(Catalog& catalog, Timekeeper& time, NodeId node, const EventHubLimits& limits = {});
  ~EventHub();

  // False, and nothing is called, if there are too many readers or the hub has stopped.
  bool subscribe(JobSubscription subscription, Subscriber subscriber);
  bool subscribe(LiveSubscription view, Subscriber subscriber);

  // A commit of this node. Called on the committing thread, so it only fills the inbox.
  void on_commit(const Committed& committed);
  // Another node may have changed these, written "namespace/queue".
  void hint(const std::vector<std::string>& queues);

  std::size_t readers() const { return readers_.load(); }

  // Ends every stream. Idempotent.
  void stop();

 private:
  using ReaderId = std::uint64_t;

  // Shared with the connections, which may outlive the hub.
  struct GoneReaders {
    Mutex mutex;
    std::vector<ReaderId> gone LONGSHORE_GUARDED_BY(mutex);
  };

  struct Reader {
    std::shared_ptr<HttpStream> stream;  // shared with the wire
    Instant sent;                        // last, successfully
    std::optional<Instant> stalled;      // since when it takes nothing
  };
  struct JobReader : Reader {
    JobSubscription subscription;
    std::int64_t version = -1;  // of the job, as last sent
  };
  struct LiveReader : Reader {
    LiveSubscription view;
  };

  template <class Subscription>
  struct PendingReader {
    Subscription subscription;
    Subscriber subscriber;
  };
  struct Inbox {
    std::vector<PendingReader<JobSubscription>> job_subscriptions;
    std::vector<PendingReader<LiveSubscription>> views;
    std::unordered_set<JobId> moved;
    std::vector<JobEvent> events;
    std::set<std::string> changed;
    bool lost = false;  // events were dropped
  };

  bool admit();
  void serve_until_stopped();
  Inbox take_inbox();
  void serve(Inbox inbox);
  void begin(PendingReader<JobSubscription> pending);
  void begin(PendingReader<LiveSubscription> pending);
  ReaderId start_reader(Reader& reader, const Subscriber& subscriber);
  void remove_reader(ReaderId id);
  void remove_gone_readers();

  void send_events(const std::vector<JobEvent>& events);
  void send_changed_queues();
  void send_new_transitions(ReaderId id, JobReader& reader);
  bool send(Reader& reader, std::string text);
  void check_versions();
  void check_reader(Reader& reader, std::vector<ReaderId>& expired, ReaderId id);
  void tick();

  // Constant after construction.
  Catalog& catalog_;
  Timekeeper& time_;
  const std::string name_;  // of the node, in the ids of live events
  const EventHubLimits limits_;
  const std::shared_ptr<GoneReaders> gone_readers_ = std::make_shared<GoneReaders>();

  Alarm alarm_;
  std::atomic<std::size_t> readers_ = 0;  // pending ones included
  std::atomic<std::size_t> live_reader_count_ = 0;
  std::atomic<bool> stopped_ = false;

  Mutex mutex_;
  // Guarded by mutex_.
  Inbox inbox_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<JobId, int> watched_ LONGSHORE_GUARDED_BY(mutex_);

  // Used by the hub's thread only.
  std::map<ReaderId, JobReader> job_readers_;
  std::map<ReaderId, LiveReader> live_readers_;
  std::set<std::string> changed_;
  ReaderId next_reader_ = 1;
  std::uint64_t live_events_ = 0;
  Instant next_tick_;

  Mutex stopping_;
  std::jthread thread_;  // last: it uses all the others
};

}  // namespace longshore
