// Those who follow what happens, over answers that do not end: one thread serves them all. What a
// reader does not take is not kept for it. A job's story is read from the store, so that its reader
// misses nothing and may go on at any node; the live view is best effort, and tells a reader that
// fell behind to start over.
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
  std::size_t events_waiting = 10'000;          // more, and every live reader starts over
  std::size_t buffer_bytes = 512 * 1024;        // what the wire may keep for one reader
  Duration look_every = Duration::seconds(1);   // at what other nodes did
  Duration keep_alive = Duration::seconds(15);  // of silence
  Duration patience = Duration::seconds(60);    // with a reader that takes nothing
};

// How the hub reaches one reader. All three are called on the hub's thread, one of `begin` and
// `refuse` once.
struct Follower {
  std::function<std::shared_ptr<HttpStream>(std::size_t buffer_bytes)> begin;
  std::function<void(const Error& error)> refuse;
  std::function<void(std::function<void()> gone)> on_gone;
};

struct JobStory {
  std::string ns;
  JobId job;
  std::int64_t after = 0;  // the last seq that the reader has
  const JobView* view = &native_view();
};

struct LiveView {
  std::string ns;
  std::optional<std::string> type;
  std::optional<std::string> queue;
  std::string last_id = {};  // what the reader saw last, of any node; empty: it is new
  const JobView* view = &native_view();
};

// Safe to share between threads.
class EventHub {
 public:
  // `catalog` and `time` must outlive the hub.
  EventHub(Catalog& catalog, Timekeeper& time, NodeId node, const EventHubLimits& limits = {});
  ~EventHub();

  // False, and nothing is called, if there are too many readers or the hub has stopped.
  bool follow(JobStory story, Follower follower);
  bool follow(LiveView view, Follower follower);

  // A commit of this node. Called on the committing thread, so it only takes notes.
  void look_at(const Committed& committed);
  // Another node may have changed these, written "namespace/queue".
  void hint(const std::vector<std::string>& queues);

  std::size_t readers() const { return readers_.load(); }

  // Ends every stream. Idempotent.
  void stop();

 private:
  using ReaderId = std::uint64_t;

  // Shared with the wire, which may tell that a reader is gone when the hub is no more.
  struct Departures {
    Mutex mutex;
    std::vector<ReaderId> gone LONGSHORE_GUARDED_BY(mutex);
  };

  struct Reader {
    std::shared_ptr<HttpStream> stream;  // shared with the wire
    Instant sent;                        // last, successfully
    std::optional<Instant> stalled;      // since when it takes nothing
  };
  struct JobReader : Reader {
    JobStory story;
    std::int64_t version = -1;  // as last told
  };
  struct LiveReader : Reader {
    LiveView view;
  };

  template <class Wish>
  struct Arrival {
    Wish wish;
    Follower follower;
  };
  struct Mail {
    std::vector<Arrival<JobStory>> stories;
    std::vector<Arrival<LiveView>> views;
    std::unordered_set<JobId> moved;
    std::vector<JobEvent> events;
    std::set<std::string> changed;
    bool lost = false;  // events came that nobody kept
  };

  bool admit();
  void serve_until_stopped();
  Mail take_mail();
  void serve(Mail mail);
  void begin(Arrival<JobStory> arrival);
  void begin(Arrival<LiveView> arrival);
  ReaderId welcome(Reader& reader, const Follower& follower);
  void let_go(ReaderId id);
  void forget_departed();

  void tell(const std::vector<JobEvent>& events);
  void tell_changed();
  void pump(ReaderId id, JobReader& reader);
  bool send(Reader& reader, std::string text);
  void look_at_versions();
  void care_for(Reader& reader, std::vector<ReaderId>& hopeless, ReaderId id);
  void tick();

  // Constant after construction.
  Catalog& catalog_;
  Timekeeper& time_;
  const std::string name_;  // of the node, in the ids of live events
  const EventHubLimits limits_;
  const std::shared_ptr<Departures> departures_ = std::make_shared<Departures>();

  Alarm alarm_;
  std::atomic<std::size_t> readers_ = 0;  // also those that wait to be served
  std::atomic<std::size_t> live_readers_ = 0;
  std::atomic<bool> stopped_ = false;

  Mutex mutex_;
  // Guarded by mutex_.
  Mail mail_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<JobId, int> watched_ LONGSHORE_GUARDED_BY(mutex_);

  // Touched by the hub's thread alone.
  std::map<ReaderId, JobReader> stories_;
  std::map<ReaderId, LiveReader> views_;
  std::set<std::string> changed_;
  ReaderId next_reader_ = 1;
  std::uint64_t live_events_ = 0;
  Instant next_tick_;

  Mutex stopping_;
  std::jthread thread_;  // last, for it uses all the others
};

}  // namespace longshore
